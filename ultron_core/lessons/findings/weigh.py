"""What other rules draw from the agent's words, by the same fitted judgement: refused where it is worth little, and
left to the fuller finding where both tell the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ultron_core.lessons.findings.find import Finding
from ultron_core.lessons.findings.reader import Judged
from ultron_core.lessons.sentences import cure_in
from ultron_core.models import MemoryDraft

__all__ = ["by_line", "is_told_by", "is_weighed", "worth_of"]

#: tags of what rules draw from the agent's account alone
_ACCOUNTS: Final = frozenset(("cause", "bug", "settled", "recap"))
#: states of a reported error whose cure a check or a person bears out
_BORNE_OUT: Final = frozenset(("passed", "accepted"))
#: share of a draft's quotes that a finding holds when it tells the same
_SAME = 0.5


def is_weighed(draft: MemoryDraft) -> bool:
    """False for what a call or a person bears out, and for what people said."""
    if _ACCOUNTS.isdisjoint(draft.tags) or not _BORNE_OUT.isdisjoint(draft.tags):
        return False
    return not cure_in(draft.resolution)


def by_line(judged: Sequence[Judged]) -> Mapping[int, Sequence[Judged]]:
    """A log of one line has all its messages there."""
    found: dict[int, list[Judged]] = {}
    for one in judged:
        found.setdefault(one.answer.message.start_line, []).append(one)
    return found


def worth_of(draft: MemoryDraft, judged: Mapping[int, Sequence[Judged]]) -> float | None:
    """What the best sentence is worth that the draft quotes of the agent; None where it quotes none that was read."""
    found = [
        worth
        for item in draft.evidence
        for one in judged.get(item.start_line, ())
        for worth in _quoted(item.quote, one)
    ]
    return max(found, default=None)


def _quoted(quote: str, judged: Judged) -> list[float]:
    begin = judged.answer.message.content.find(quote)
    if begin < 0:
        return []
    end = begin + len(quote)
    keep = np.asarray(judged.worth[:, 0])
    return [
        float(value)
        for part, value in zip(judged.answer.parts, keep, strict=True)
        if part.begin < end and begin < part.begin + len(part.quote)
    ]


def is_told_by(draft: MemoryDraft, found: Sequence[Finding]) -> bool:
    """True when a finding holds most of what the draft quotes of the agent."""
    if not draft.evidence:
        return False
    lines = {one.answer.message.start_line for one in found}
    quoted = [item for item in draft.evidence if item.start_line in lines]
    return any(
        sum(len(item.quote) for item in quoted if _holds(one, item.start_line, item.quote))
        > _SAME * sum(len(item.quote) for item in quoted)
        for one in found
    )


def _holds(found: Finding, line: int, quote: str) -> bool:
    if found.answer.message.start_line != line:
        return False
    return any(part.quote in quote or quote in part.quote for part in found.parts)
