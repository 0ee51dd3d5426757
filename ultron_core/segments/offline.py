"""Task boundaries without a model: each user turn is weighed against the segment that runs before it.

A decision reads the segment so far, the turn and the first reply to it, nothing later: text appended to a log
can only change what happens at its end. Same messages, same boundaries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ultron_core.embeddings.local import local_embedder
from ultron_core.embeddings.protocol import Vectors
from ultron_core.models import Message
from ultron_core.segments import cues
from ultron_core.segments.features import FEATURES, Running, TurnVectors, describe
from ultron_core.segments.turns import Turn, turn_ends, turns_of
from ultron_core.segments.weights import Combiner, load_combiner

__all__ = ["SEGMENTER_VERSION", "boundaries_of", "cut_offline", "embed_turns", "gap_prior", "prior"]

#: Goes up with the features or the weights: rows made by an older one can be cut again.
SEGMENTER_VERSION = "offline:1"

Embed = Callable[[Sequence[str]], Vectors]

_HOUR = 3600.0
#: characters of a remark rather than a request; a Chinese one says as much as four Latin ones
_REMARK = 60


def cut_offline(messages: Sequence[Message]) -> list[int]:
    """First messages of the segments of one thread, 0 first; empty for no messages."""
    if not messages:
        return []
    turns = turns_of(messages)
    if len(turns) < 2:
        return [0]
    vectors = embed_turns(turns, local_embedder().embed)
    return [0, *boundaries_of(turns, vectors, len(messages), load_combiner())]


def embed_turns(turns: Sequence[Turn], embed: Embed) -> list[TurnVectors]:
    """Vectors of every turn and reply; each different text is embedded once."""
    texts = list(dict.fromkeys(text for t in turns for text in (t.text, t.reply)))
    table = dict(zip(texts, embed(texts), strict=True))
    return [TurnVectors.of(t, table[t.text], table[t.reply]) for t in turns]


def boundaries_of(
    turns: Sequence[Turn], vectors: Sequence[TurnVectors], length: int, combiner: Combiner
) -> list[int]:
    """Where the turns begin that start a segment; `length` is the number of messages in the thread."""
    running = Running()
    boundaries = []
    ends = turn_ends(turns, length)
    for turn, own, end in zip(turns, vectors, ends, strict=True):
        if turn.may_start and running.turns:
            found = describe(turn, own, running)
            row = np.array([[found[name] for name in FEATURES]])
            if float(combiner.log_odds(row)[0]) + prior(turn, running) > combiner.threshold:
                boundaries.append(turn.start)
                running = running.after_cut(found)
        running.add(turn, own, end - turn.position)
    return boundaries


def prior(turn: Turn, running: Running) -> float:
    """Log-odds set by hand, for what no licensed set with boundaries has: times, repeated system prompts,
    the same request once more, short remarks that lean on what was said ("no, revert that")."""
    odds = gap_prior(turn.gap) + (1.5 if turn.restarted else 0.0)
    if turn.text in running.texts:
        odds -= 2.0
    if _width(turn) <= _REMARK and cues.ANAPHORA.search(turn.text) and not cues.ANNOUNCE.search(turn.text):
        odds -= 1.0
    return odds


def _width(turn: Turn) -> int:
    return turn.length + 3 * sum("\u4e00" <= c <= "\u9fff" for c in turn.text)


def gap_prior(seconds: float | None) -> float:
    """Log-odds that a pause adds."""
    if seconds is None or seconds < _HOUR / 2:
        return 0.0
    return 0.4 if seconds < 4 * _HOUR else 1.0
