"""Task boundaries without a model: each user turn is weighed against the segment that runs before it.

Two fits weigh it: one on talk and tasks that were put together (weights.py), one on people at work with a coding agent
(openings.py), where a turn belongs to work on the files of a project (features.Running.is_coding).

A decision reads the segment so far, the turn with its first reply and the two turns behind it, nothing later:
text appended to a log can only change what happens at its end. Same messages, same boundaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from ultron_core.embeddings.local import local_embedder
from ultron_core.lessons.weights import NamedWeights
from ultron_core.models import Message
from ultron_core.segments.offline import cues
from ultron_core.segments.offline.around import around_turns
from ultron_core.segments.offline.features import FEATURES, Running, describe
from ultron_core.segments.offline.openings import load_openings, opening_numbers
from ultron_core.segments.offline.turns import Turn, turn_ends, turns_of
from ultron_core.segments.offline.vectors import TurnVectors, embed_turns
from ultron_core.segments.offline.weights import Combiners, load_combiners
from ultron_core.transcript.language import CJK
from ultron_core.transcript.speech import CONSENT, is_question

__all__ = [
    "SEGMENTER_VERSION",
    "boundaries_of",
    "can_open",
    "cut_offline",
    "gap_prior",
    "prior",
]

#: Goes up with the features or the weights: rows made by an older one can be cut again.
SEGMENTER_VERSION = "offline:16"

#: seconds
_HOUR = 3600.0
#: characters of a remark rather than a request; a Chinese one says as much as four Latin ones
_REMARK = 60


class Fits(NamedTuple):
    """What weighs a turn: of talk and tasks that were put together, and of people at work with a coding agent."""

    combiners: Combiners
    openings: NamedWeights


def cut_offline(threads: Sequence[Sequence[Message]]) -> list[list[int]]:
    """First messages of the segments of each thread, 0 first; empty for one without messages.

    The turns of all threads are embedded together, which costs a fraction of one thread after the other.
    """
    turns = [turns_of(messages) for messages in threads]
    vectors = iter(
        embed_turns([turn for own in turns if len(own) > 1 for turn in own], local_embedder().embed)
    )
    return [
        [0, *_boundaries(own, vectors, len(messages))] if messages else []
        for messages, own in zip(threads, turns, strict=True)
    ]


def _boundaries(turns: Sequence[Turn], vectors: Iterator[TurnVectors], length: int) -> list[int]:
    if len(turns) < 2:
        return []
    return boundaries_of(turns, list(islice(vectors, len(turns))), length, load_combiners())


def boundaries_of(
    turns: Sequence[Turn],
    vectors: Sequence[TurnVectors],
    length: int,
    combiners: Combiners,
    openings: NamedWeights | None = None,
) -> list[int]:
    """Where the turns begin that start a segment; `length` is the number of messages in the thread, `openings` another
    fit than the shipped one."""
    fits = Fits(combiners, openings or load_openings())
    running = Running()
    boundaries = []
    ends = turn_ends(turns, length)
    for turn, own, near, end in zip(turns, vectors, around_turns(turns, vectors), ends, strict=True):
        running.work |= turn.work
        if can_open(turn, running):
            found = describe(turn, own, near, running)
            if _opens(turn, found, fits, running):
                boundaries.append(turn.start)
                running = running.after_cut(found)
        running.add(turn, own, end - turn.position)
    return boundaries


def _opens(turn: Turn, found: Mapping[str, float], fits: Fits, running: Running) -> bool:
    weight = float(fits.combiners.margin(np.array([[found[name] for name in FEATURES]]))[0]) + prior(turn)
    if not running.is_coding(turn):
        return weight > 0
    numbers = opening_numbers(turn, found, weight, running.new_files(turn))
    return fits.openings.odds(numbers) >= fits.openings.bound


def can_open(turn: Turn, running: Running) -> bool:
    """Whether a segment may begin here at all: something was asked in the one that runs, and done about it, and a
    person says something of substance that is not once more what was asked in it (a retry), unless the harness or a
    long pause starts afresh."""
    if not (turn.may_start and running.asked) or running.waiting or turn.is_empty:
        return False
    afresh = turn.restarted or (turn.gap or 0.0) > 4 * _HOUR
    return afresh or turn.text not in running.texts


def prior(turn: Turn) -> float:
    """Log-odds set by hand, for what no licensed set with boundaries has, or what must hold for any source:
    times, repeated system prompts, answers, short remarks that lean on what was said ("no, revert that")."""
    odds = gap_prior(turn.gap) + (1.5 if turn.restarted else 0.0)
    announced = bool(cues.ANNOUNCE.search(turn.text))
    if cues.ANSWER_EN.search(turn.text) and not announced:
        odds -= 1.0
    if CONSENT.search(turn.text) and is_question(turn.last_text[-160:]):
        odds -= 1.5
    if _width(turn) <= _REMARK and cues.ANAPHORA.search(turn.text) and not announced:
        odds -= 1.0
    return odds


def _width(turn: Turn) -> int:
    return turn.length + 3 * len(CJK.findall(turn.text))


def gap_prior(seconds: float | None) -> float:
    """Log-odds that a pause adds."""
    if seconds is None or seconds < _HOUR / 2:
        return 0.0
    return 0.4 if seconds < 4 * _HOUR else 1.0
