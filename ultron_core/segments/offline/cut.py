"""Task boundaries without a model: each user turn is weighed against the segment that runs before it.

Two fits weigh it: one on talk and tasks that were put together (weights.py), one on people at work with a coding agent
(openings.py), where a turn belongs to work on the files of a project (features.Running.is_coding).

A decision reads the segment so far, the turn with its first reply and the two turns behind it, nothing later:
text appended to a log can only change what happens at its end. Same messages, same boundaries.
"""

from __future__ import annotations

import math
import re
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
from ultron_core.transcript.acceptance import goes_on
from ultron_core.transcript.acts.moves import read_moves
from ultron_core.transcript.acts.reader import read_many
from ultron_core.transcript.language import CJK, CJK_CLASS
from ultron_core.transcript.pasted import is_only_printed
from ultron_core.transcript.speech import CONSENT, is_only_courtesy, is_question

__all__ = [
    "SEGMENTER_VERSION",
    "boundaries_of",
    "can_open",
    "carries_on",
    "cut_offline",
    "gap_prior",
    "heard",
    "opens_anew",
    "prior",
]

#: Goes up with the features or the weights: rows made by an older one can be cut again.
SEGMENTER_VERSION = "offline:15"

#: seconds
_HOUR = 3600.0
#: characters of a remark rather than a request; a Chinese one says as much as four Latin ones
_REMARK = 60
#: content words of a request that could be understood alone; characters of the longest objection that is none
_FEWEST_WORDS, _LONGEST_OBJECTION = 2, 600
#: probability of a turn that speaks neither for another task nor against it, and how much the reading counts: chosen on
#: marked sessions outside the reserve, each source left out, and on the stitched sets, which a fuller weight harms (.07
#: while one labelled turn in nine opened a task; of those that the network is weighed on since, it is one in three; .2
#: loses .03 on the stitched sets)
_USUAL_OPENING, _HEARD = 0.12, 0.5
#: how much the fit of people at work counts where it speaks against what the other one would cut: chosen on all sets,
#: each source left out (0 leaves the marked native sessions at .51, 2 loses .02 on people's and on stitched_en_same)
_AGAINST = 0.5
#: letters of scripts that have no terms here: their turns are judged by the rest, e.g. `привет`, `はい`
_OTHER_SCRIPT = re.compile(rf"[^\W\d_a-zA-Z{CJK_CLASS}]{{2}}")


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
            if _opens(turn, found, fits, coding=running.is_coding(turn)):
                boundaries.append(turn.start)
                running = running.after_cut(found)
        running.add(turn, own, end - turn.position)
    return boundaries


def _opens(turn: Turn, found: Mapping[str, float], fits: Fits, *, coding: bool) -> bool:
    weight = float(fits.combiners.margin(np.array([[found[name] for name in FEATURES]]))[0]) + prior(turn)
    if not coding:
        return (weight > 0 and not carries_on(turn, found)) or opens_anew(turn, found)
    if is_only_printed(turn.text):
        return False
    weight += heard(turn, found)
    reacts = carries_on(turn, found)
    # what was weighed for a boundary and is none carries on
    numbers = opening_numbers(
        turn, found, carries_on=weight > 0 or reacts, opens_anew=opens_anew(turn, found)
    )
    above = fits.openings.odds(numbers) + afresh(turn) - fits.openings.bound
    return above >= 0 or (not reacts and weight > 0 and weight + _AGAINST * above > 0)


def can_open(turn: Turn, running: Running) -> bool:
    """Whether a segment may begin here at all: something was done about the one that runs, and a person says
    something of substance that is not once more what was asked in it (a retry), unless the harness or a long
    pause starts afresh."""
    if not (turn.may_start and running.turns) or running.waiting or is_empty_remark(turn):
        return False
    afresh = turn.restarted or (turn.gap or 0.0) > 4 * _HOUR
    return afresh or turn.text not in running.texts


def heard(turn: Turn, found: Mapping[str, float]) -> float:
    """Log-odds that the fitted reading of turns adds amid work on the files of a project: how likely such a turn opens
    another task, against what is usual. In other talk with code, each "can you explain ..." reads like another task."""
    if not found["works"]:
        return 0.0
    likely = read_moves([turn.described], network=turn.about_code)[0].opens
    usual = math.log(_USUAL_OPENING / (1.0 - _USUAL_OPENING))
    return _HEARD * (math.log(likely / (1.0 - likely)) - usual)


def opens_anew(turn: Turn, found: Mapping[str, float]) -> bool:
    """Whether a turn amid work says that it turns to another thing, and names it, or accepts what was done before it
    asks: however much of the same project it speaks of, as all tasks of one session do."""
    if not found["works"]:
        return False
    # "that works for me" is a yes, behind a question and in a talk that names no file
    accepted = not is_question(turn.last_text[-160:]) and cues.MORE.search(goes_on(turn.text)) is not None
    names = cues.DETAIL.search(turn.text) is not None
    return (accepted and (names or CJK.search(turn.text) is not None)) or (
        names and cues.OPENS.search(turn.text) is not None
    )


def carries_on(turn: Turn, found: Mapping[str, float]) -> bool:
    """Whether a turn amid work with tools or code reacts to it, however far its words lie from it: "address 68",
    "you broke that component", the pasted output of what was tried. A long one that objects is a report of its own,
    as bug trackers have them."""
    if is_only_printed(turn.text):
        return True
    if not found["works"]:
        return False
    if sum(not term[0].isdigit() for term in turn.terms) < _FEWEST_WORDS:
        return True
    if cues.ITEM.search(turn.text) or cues.REACTS.search(turn.text):
        return True
    if turn.length > _LONGEST_OBJECTION:
        return False
    return read_many([turn.described], network=turn.about_code)[0].main == "objection"


def is_empty_remark(turn: Turn) -> bool:
    """Only thanks, consent, "continue" or a control token: nothing that could be a request."""
    if _OTHER_SCRIPT.search(turn.text):
        return False
    return not turn.terms or is_only_courtesy(turn.text)


def prior(turn: Turn) -> float:
    """Log-odds set by hand, for what no licensed set with boundaries has, or what must hold for any source:
    times, repeated system prompts, answers, short remarks that lean on what was said ("no, revert that")."""
    odds = afresh(turn)
    announced = bool(cues.ANNOUNCE.search(turn.text))
    if cues.ANSWER_EN.search(turn.text) and not announced:
        odds -= 1.0
    if CONSENT.search(turn.text) and is_question(turn.last_text[-160:]):
        odds -= 1.5
    if _width(turn) <= _REMARK and cues.ANAPHORA.search(turn.text) and not announced:
        odds -= 1.0
    return odds


def afresh(turn: Turn) -> float:
    """Log-odds that a pause and a repeated system prompt add."""
    return gap_prior(turn.gap) + (1.5 if turn.restarted else 0.0)


def _width(turn: Turn) -> int:
    return turn.length + 3 * len(CJK.findall(turn.text))


def gap_prior(seconds: float | None) -> float:
    """Log-odds that a pause adds."""
    if seconds is None or seconds < _HOUR / 2:
        return 0.0
    return 0.4 if seconds < 4 * _HOUR else 1.0
