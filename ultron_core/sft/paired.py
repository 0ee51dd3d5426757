"""Finished runs in pairs of a better and a worse one; a run that finds no other is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ultron_core.sft.config import BuildConfig
from ultron_core.sft.counting.counts import CountTokens
from ultron_core.sft.facts import Fact
from ultron_core.sft.kinds.pairing import end_alike, matched
from ultron_core.sft.kinds.records import Pair, pair_of
from ultron_core.sft.records import Reject, Row
from ultron_core.sft.spill import Positions, Spill

__all__ = ["Paired", "pair_up"]


@dataclass(frozen=True, slots=True)
class Paired:
    """Which of the finished runs make a row each, by what; `segments` are all those in them."""

    sides: Positions
    segments: frozenset[str]
    rejects: Sequence[Reject]
    count_tokens: CountTokens

    def row(self, better: Row, worse: Row) -> Pair:
        """The row of a pair that was found."""
        pair = pair_of(better, worse, _made_from(better.id), self.count_tokens)
        if pair is None:
            raise AssertionError(f"{better.id} and {worse.id} made a pair before")
        return pair


def pair_up(
    finished: Sequence[Fact],
    rejects: Sequence[Reject],
    config: BuildConfig,
    done: Spill,
    count_tokens: CountTokens,
) -> Paired:
    """Pairs of the finished runs, and one reject for each segment that is in none."""
    left = {fact.id: fact.reject("no_counterpart") for fact in finished}
    sides: list[tuple[int, int]] = []
    for match in matched(finished, most=config.pairs_per_task):
        better, worse = finished[match.better], finished[match.worse]
        one: Row = done.get(better.row)
        other: Row = done.get(worse.row)
        if not pair_of(one, other, _made_from(better.id), count_tokens):
            left |= {fact.id: fact.reject("prompts_differ") for fact in (better, worse)}
        elif end_alike(one.messages, other.messages):
            left |= {fact.id: fact.reject("ends_alike") for fact in (better, worse)}
        else:
            sides.append((match.better, match.worse))
    segments = frozenset(_segment(finished[side].id) for pair in sides for side in pair)
    # a corrected answer counts with its segment, which has a verdict of its own
    everything = [*rejects, *left.values()]
    out = [one for one in everything if _is_segment(one.segment_id) and one.segment_id not in segments]
    return Paired(np.array(sides, np.int64).reshape(-1, 2), segments, out, count_tokens)


def _made_from(better: str) -> str:
    return "runs" if _is_segment(better) else "corrected"


def _is_segment(run: str) -> bool:
    """Is it a whole segment? An answer and its correction are named `<segment>:first` and `<segment>:corrected`."""
    return ":" not in run


def _segment(run: str) -> str:
    return run.partition(":")[0]
