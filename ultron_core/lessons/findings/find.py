"""Sentences of the agent that a note-taker would keep: causes with what was done about them, facts and decisions.

A fitted model reads every sentence of its messages. What stands beside a kept sentence and is likely enough goes with
it: cause, consequence and cure are one finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.listen import Answer
from ultron_core.lessons.findings.reader import AnswerModel, Judged, Kind
from ultron_core.lessons.findings.said import settled_from
from ultron_core.lessons.findings.shape import points_elsewhere
from ultron_core.lessons.findings.together import together, with_code
from ultron_core.lessons.people.statements import names_a_thing
from ultron_core.transcript.files import CODE_FILE
from ultron_core.transcript.speech import any_of

__all__ = ["Finding", "find_findings", "has_a_place"]

#: memories of a closing answer, of a remark and of a segment
_MOST_OF_A_CLOSING, _MOST_OF_A_REMARK, _MOST = 6, 2, 16
#: words that two findings share when one repeats the other, e.g. `refresh_token`, `缓存`
_TERM = re.compile(r"[A-Za-z_][\w-]{3,}|[\u3400-\u9fff]{2}")
#: share of the shorter one's words from which on two say the same
_SAME = 0.6
_KINDS: Final[tuple[Kind, ...]] = ("error", "fact", "decision", "pattern")
#: kinds that do not hold where a person or a check tells that it still fails: a cause is often put as a fact
_DISPROVED: Final = ("error", "fact")

#: asks to be shown something at its end, e.g. `Paste the output of both commands here.`, `把结果贴给我`
_ASKS_FOR_PROOF = any_of(
    r"(?:^|[.!?:]\s+|\b(?:please|can you|could you|then|and)\s+)(?:paste|send|share|show|give)(?: me| us)?"
    r"(?: the| your| what)? [^.]{0,40}\b(?:output|results?|logs?|errors?|screenshots?)\b|"
    r"\blet me know (?:what|if) (?:it|they|you|the)\b",
    r"(?:把|将).{0,30}(?:结果|输出|日志|截图|报错|内容|信息).{0,6}(?:贴|发|给|告诉)(?:出来|过来|给我|我|一下)|"
    r"(?:贴|发)(?:给我|出来|过来)|请(?:提供|告诉我).{0,20}(?:结果|输出|日志|报错)",
    flags=re.IGNORECASE | re.MULTILINE,
)
#: characters of the end of a message
_END = 500
#: asks for general knowledge, e.g. `Explain the registers of RISC-V`, `讲解一下各种寄存器`
_EXPLAIN = any_of(
    r"\b(?:explain|teach me|tell me about|what's the difference|what (?:is|are|does)|how (?:does|do)|"
    r"why (?:is|does|do))\b",
    r"讲解|讲一下|讲讲|介绍一下|是什么|什么是|什么意思|有什么区别|原理",
)
#: asks about a fault of one's own, e.g. `Why is my nginx returning 502?`, `报错是什么意思`
_OWN_FAULT = any_of(r"\b(?:my|our|fail\w*|errors?|crash\w*|broken|[45]\d\d)\b", r"报错|失败|错误|我的|我们")
#: characters of a request that say what is asked
_OPENING = 300

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Finding:
    """Sentences of one message that make one memory; `worth` is that of the best, `natures` are those of all."""

    answer: Answer
    parts: tuple[Part, ...]
    kind: Kind
    worth: float
    natures: tuple[float, ...] = ()

    @property
    def words(self) -> str:
        return " ".join(part.text for part in self.parts)


def find_findings(judged: Sequence[Judged], model: AnswerModel) -> list[Finding]:
    """The best of every message, at most sixteen of a segment, in their order; none of an answer that the person
    rejected, and no cause that is still to be proven."""
    found: list[Finding] = []
    for one in judged:
        heard = one.answer.heard
        if heard.closing and heard.objected:
            continue
        most = _MOST_OF_A_CLOSING if heard.closing else _MOST_OF_A_REMARK
        found += islice((own for own in _of(one, model) if not _is_open(own)), most)
    best = _different(sorted(found, key=lambda one: -one.worth))[:_MOST]
    return sorted(best, key=lambda one: (one.answer.position, one.parts[0].begin))


def _is_open(found: Finding) -> bool:
    """Whether the log takes it for unproven: a person or a check tells that it still fails, or the agent asks to be
    shown what would prove its cause."""
    if found.answer.failed and found.kind in _DISPROVED:
        return True
    return found.kind == "error" and _ASKS_FOR_PROOF.search(found.answer.message.content[-_END:]) is not None


def _of(judged: Judged, model: AnswerModel) -> Iterator[Finding]:
    """Kept sentences with those beside them, the best first."""
    answer, keep = judged.answer, judged.worth[:, 0]
    bound = model.bound if answer.heard.closing else model.remark
    if keep.max() < bound:
        return
    settled = settled_from(answer.message.content)
    # what is taken back further down no longer holds
    used = {at for at, part in enumerate(answer.parts) if part.begin < settled}
    for seed in np.argsort(-keep, kind="stable"):
        if keep[seed] < bound:
            return
        # what is planned, guessed or asked is no statement, however well it is put
        if seed in used or not is_told(answer.parts[seed].text):
            continue
        content = answer.message.content
        group = together(answer.parts, keep, int(seed), used, model.beside, content)
        used.update((int(seed), *group))
        parts = tuple(with_code(answer.parts[at], content) for at in group)
        if not parts or points_elsewhere(parts[0].text):
            continue
        kinds = judged.worth[group, 1:].mean(axis=0)
        kind = _KINDS[int(np.argmax(kinds))]
        yield Finding(answer, parts, kind, float(keep[seed]), model.natures(answer.parts, group))


def _different(found: Sequence[Finding]) -> list[Finding]:
    """The first of those that say the same."""
    kept: list[tuple[Finding, set[str]]] = []
    for one in found:
        terms = set(_TERM.findall(one.words.casefold()))
        if all(len(terms & other) < _SAME * min(len(terms), len(other)) for _, other in kept):
            kept.append((one, terms))
    return [one for one, _ in kept]


def has_a_place(found: Finding, project: str, *, acted: int) -> bool:
    """Whether it is about something; `acted` is the position of the first call, -1 for none. Of no project, from a talk
    without any call, and naming nothing, it stands in any textbook; so does what explains a matter before any call."""
    if project:
        return True
    if not 0 <= acted < found.answer.position and _explains(found):
        return False
    return acted >= 0 or names_a_thing(found.words)


def _explains(found: Finding) -> bool:
    """Whether a person asked what something is or how it works, and showed nothing of their own."""
    asked = found.answer.turn.message.content if found.answer.turn else ""
    own = "```" in asked or CODE_FILE.search(asked) or CODE_FILE.search(found.words)
    opening = asked[:_OPENING]
    return not own and _EXPLAIN.search(opening) is not None and _OWN_FAULT.search(opening) is None
