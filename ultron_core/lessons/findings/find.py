"""What the agent states and a note-taker would keep: causes with what was done about them, facts and decisions.

A fitted model reads every sentence of its messages. What stands beside a kept sentence and is likely enough goes with
it: cause, consequence and cure are one memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.errors.told.accounts import DONE, label_kind
from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.explanations import clip
from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.listen import Answer
from ultron_core.lessons.findings.reader import AnswerModel, Judged, Kind
from ultron_core.lessons.findings.said import settled_from, without_sounds
from ultron_core.lessons.findings.shape import points_elsewhere
from ultron_core.lessons.keeping.stated import BY_AGENT, confidence_in
from ultron_core.lessons.people.statements import (
    names_a_thing,
    nearest,
    phrase,
    shares_term,
    weighty,
    without_opening,
)
from ultron_core.lessons.people.turns import own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, MemoryType
from ultron_core.transcript.language import CJK, language, one_line

__all__ = ["Finding", "find_findings", "finding_draft", "has_a_place"]

#: memories of a closing answer, of a remark and of a segment
_MOST_OF_A_CLOSING, _MOST_OF_A_REMARK, _MOST = 6, 2, 16
#: sentences and characters of one memory
_MOST_TOGETHER, _MAX_TOGETHER = 4, 600
#: lines that may lie between two sentences of one memory
_NEAR = 2
#: words that two findings share when one repeats the other, e.g. `refresh_token`, `缓存`
_TERM = re.compile(r"[A-Za-z_][\w-]{3,}|[\u3400-\u9fff]{2}")
#: share of the shorter one's words from which on two say the same
_SAME = 0.6
#: characters of the request that are quoted; of a request of more sentences the nearest stands for it
_MAX_ASKED, _FEW_ASKED = 200, 2
#: how a kind is told: its sentence, its type and its tag
_TOLD: Final[dict[Kind, tuple[str, MemoryType, str]]] = {
    "error": ("cause", "error", "cause"),
    "fact": ("fact", "pattern", "fact"),
    "decision": ("decision", "pattern", "decision"),
    "pattern": ("fact", "pattern", "fact"),
}
_KINDS: Final[tuple[Kind, ...]] = ("error", "fact", "decision", "pattern")
#: ends before what it says, e.g. `The table is at`, `pushes only create previews, or`
_OPEN_END = re.compile(
    r"(?:[,，:：、]|\b(?:at|or|and|to|the|an?|of|is|are|with|for|in|on|by|from))\W{0,3}$", re.IGNORECASE
)
#: what stands behind such a sentence, e.g. `**:`
_GOES_ON = re.compile(r"[*_`)\s]{0,6}[:：]")
#: kinds that do not hold where the person tells that it still fails: a cause is often put as a fact
_DISPROVED: Final = ("error", "fact")

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Finding:
    """Sentences of one message that make one memory; `worth` is that of the best."""

    answer: Answer
    parts: tuple[Part, ...]
    kind: Kind
    worth: float

    @property
    def words(self) -> str:
        return " ".join(part.text for part in self.parts)


def find_findings(judged: Sequence[Judged], model: AnswerModel) -> list[Finding]:
    """The best of every message, at most sixteen of a segment, in their order; none of an answer that the person
    rejected, and no cause or cure after which the person tells that it still fails."""
    found: list[Finding] = []
    for one in judged:
        heard = one.answer.heard
        if heard.closing and heard.objected:
            continue
        most = _MOST_OF_A_CLOSING if heard.closing else _MOST_OF_A_REMARK
        told = (own for own in _of(one, model) if not (one.answer.failed and own.kind in _DISPROVED))
        found += islice(told, most)
    best = _different(sorted(found, key=lambda one: -one.worth))[:_MOST]
    return sorted(best, key=lambda one: (one.answer.position, one.parts[0].begin))


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
        group = _together(answer.parts, keep, int(seed), used, model.beside)
        used.update(group)
        while group and _ends_open(answer.parts[group[-1]], answer.message.content):
            group.pop()
        parts = tuple(answer.parts[at] for at in group)
        if not parts or points_elsewhere(parts[0].text):
            continue
        kinds = judged.worth[group, 1:].mean(axis=0)
        kind = _KINDS[int(np.argmax(kinds))]
        yield Finding(answer, parts, kind, float(keep[seed]))


def _together(parts: Sequence[Part], keep: Matrix, seed: int, used: set[int], beside: float) -> list[int]:
    """The seed with its likely neighbours, and with the sentence before it that it leans on."""
    first = last = seed
    size = len(parts[seed].text)

    def fits(at: int, near: int) -> bool:
        free = 0 <= at < len(parts) and at not in used
        return (
            free
            and abs(parts[at].line - parts[near].line) <= _NEAR
            and size + len(parts[at].text) <= _MAX_TOGETHER
        )

    while points_elsewhere(parts[first].text) and fits(first - 1, first):
        first -= 1
        size += len(parts[first].text)
    while last - first + 1 < _MOST_TOGETHER:
        before = keep[first - 1] if fits(first - 1, first) else 0.0
        after = keep[last + 1] if fits(last + 1, last) else 0.0
        if max(before, after) < beside:
            break
        if before > after:
            first -= 1
            size += len(parts[first].text)
        else:
            last += 1
            size += len(parts[last].text)
    return list(range(first, last + 1))


def _ends_open(part: Part, content: str) -> bool:
    """Whether what it is about stands behind it, in a block of code or a list that is not part of the memory."""
    behind = content[part.begin + len(part.quote) :][:10]
    return _OPEN_END.search(part.text) is not None or _GOES_ON.match(behind) is not None


def _different(found: Sequence[Finding]) -> list[Finding]:
    """The first of those that say the same."""
    kept: list[tuple[Finding, set[str]]] = []
    for one in found:
        terms = set(_TERM.findall(one.words.casefold()))
        if all(len(terms & other) < _SAME * min(len(terms), len(other)) for _, other in kept):
            kept.append((one, terms))
    return [one for one, _ in kept]


def has_a_place(found: Finding, project: str, *, acted: bool) -> bool:
    """Whether it is about something: of no project, from a talk without any call, and naming nothing, it
    stands in any textbook."""
    return bool(project) or acted or names_a_thing(found.words)


def finding_draft(found: Finding, project: str) -> MemoryDraft:
    """The memory: of an error the cause, and what was done about it as the agent's account."""
    key, memory_type, tag = _TOLD[found.kind]
    stated, done = list(found.parts), []
    if found.kind == "error":
        done = [part for part in found.parts if _tells_cure(part)]
        stated = [part for part in found.parts if part not in done] or done
        done = [] if stated is done else done
    statement, cure = _led_in(stated) + _joined(stated), _joined(done)
    message = found.answer.message
    quotes = dict.fromkeys(part.quote[:400].strip() for part in found.parts)
    return MemoryDraft(
        content=phrase(key, statement, project, statement=statement),
        context=_setting(found),
        resolution=PHRASES[language(cure)]["account"].format(statement=cure) if cure else "",
        tags=(BY_AGENT, tag),
        confidence=confidence_in(found.worth),
        memory_type=memory_type,
        evidence=tuple(Evidence(message.start_line, message.end_line, quote) for quote in quotes if quote),
    )


def _led_in(parts: Sequence[Part]) -> str:
    """The line that leads to a list, before its first point: a point alone does not say what it is about."""
    lead = _lead_of(parts[0])
    if not lead or any(lead in part.text for part in parts):
        return ""
    return f"{lead}：" if CJK.search(lead[-1]) else f"{lead}: "


def _lead_of(part: Part) -> str:
    """The line that leads to a point; empty for what is none."""
    return part.lead.rstrip(" :：") if part.point else ""


def _tells_cure(part: Part) -> bool:
    led = next((kind for one in (part.label, part.lead, part.heading) if (kind := label_kind(one))), "")
    return led == "fix" or (led != "cause" and DONE.search(part.text) is not None)


def _joined(parts: Sequence[Part]) -> str:
    """The sentences as one text: a point of a list ends where the next begins, the line that leads to it keeps its
    colon, and a line that was broken goes on."""
    told = ""
    for part in parts:
        text = without_sounds(part.text).rstrip(" :：")
        if not told:
            told = text
            continue
        if told[-1] not in ".!?。！？；;:：" and not part.point and part.text[:1].islower():
            told += f" {part.text.rstrip(' :：')}"
            continue
        chinese = CJK.search(told[-1]) is not None or told[-1] in "。！？；，、）"
        ended = told[-1] in ".!?。！？；;"
        lead = _lead_of(part)
        if lead and told.endswith(lead):
            told += f"：{text}" if chinese else f": {text}"
            continue
        told += ("" if ended else "；" if chinese else ";") + ("" if chinese else " ") + text
    return told


def _setting(found: Finding) -> str:
    """What the person had asked, of a long request the sentence that speaks of it, and the heading that it stands
    below."""
    turn = found.answer.turn
    own = own_sentences(turn.message) if turn else []
    asked = " ".join(own[:2])
    if len(own) > _FEW_ASKED:
        near = nearest(own, found.words)
        asked = near if shares_term(near, found.words) and weighty(near) else asked
    told = without_opening(one_line(asked))
    told = told if weighty(told) else ""  # "continue", "address 8 and 12"
    parts = [PHRASES[language(told)]["asked"].format(statement=clip(told, _MAX_ASKED))] if told else []
    heading = found.parts[0].heading
    if heading and not label_kind(heading):
        words = PHRASES[language(heading)]
        parts.append(words["below"].format(statement=clip(heading, _MAX_ASKED // 2)))
    return " ".join(parts)
