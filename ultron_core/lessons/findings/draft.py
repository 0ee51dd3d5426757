"""A finding as a memory: what the agent states, what was done about it, and what it was about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ultron_core.lessons.errors.told.accounts import label_kind
from ultron_core.lessons.explanations import clip, shared_terms
from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.cures import Cure, own_cures
from ultron_core.lessons.findings.find import Finding
from ultron_core.lessons.findings.reader import Kind
from ultron_core.lessons.findings.said import without_sounds
from ultron_core.lessons.keeping.stated import BY_AGENT, confidence_in
from ultron_core.lessons.people.statements import nearest, phrase, shares_term, weighty, without_opening
from ultron_core.lessons.people.turns import own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, MemoryType
from ultron_core.transcript.language import CJK, language, one_line

__all__ = ["finding_draft"]

#: characters of the request that are quoted; of a request of more sentences the nearest stands for it
_MAX_ASKED, _FEW_ASKED = 200, 2
#: how a kind is told: its sentence, its type and its tag
_TOLD: Final[dict[Kind, tuple[str, MemoryType, str]]] = {
    "error": ("cause", "error", "cause"),
    "fact": ("fact", "pattern", "fact"),
    "decision": ("decision", "pattern", "decision"),
    "pattern": ("fact", "pattern", "fact"),
}
#: characters of a quote
_MAX_QUOTE = 400


def finding_draft(found: Finding, project: str, cure: Cure | None = None) -> MemoryDraft:
    """The memory: of an error the cause, and what was done about it as the agent's account; `cure` is what it told of
    that elsewhere."""
    key, memory_type, tag = _TOLD[found.kind]
    stated, done = list(found.parts), []
    if found.kind == "error":
        done = own_cures(found)
        stated = [part for part in found.parts if part not in done] or done
        done = [] if stated is done else done
    statement = _led_in(stated) + _joined(stated)
    account = _joined([cure.part] if cure else done)
    return MemoryDraft(
        content=phrase(key, statement, project, statement=statement),
        context=_setting(found),
        resolution=PHRASES[language(account)]["account"].format(statement=account) if account else "",
        tags=(BY_AGENT, tag),
        confidence=confidence_in(found.worth),
        memory_type=memory_type,
        evidence=_evidence(found, cure),
    )


def _evidence(found: Finding, cure: Cure | None) -> tuple[Evidence, ...]:
    said = [(found.answer.message, part) for part in found.parts]
    said += [(cure.message, cure.part)] if cure else []
    items = (
        Evidence(message.start_line, message.end_line, part.quote[:_MAX_QUOTE].strip())
        for message, part in said
    )
    return tuple(dict.fromkeys(item for item in items if item.quote))


def _led_in(parts: Sequence[Part]) -> str:
    """The line that leads to a list, before its first point: a point alone does not say what it is about."""
    lead = _lead_of(parts[0])
    if not lead or any(lead in part.text for part in parts):
        return ""
    return f"{lead}：" if CJK.search(lead[-1]) else f"{lead}: "


def _lead_of(part: Part) -> str:
    """The line that leads to a point; empty for what is none."""
    return part.lead.rstrip(" :：") if part.point else ""


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
    """What the person had asked, of a long request the sentence that speaks of it, of a cause what had failed before,
    and the heading that it stands below."""
    told = _asked(found)
    parts = [PHRASES[language(told)]["asked"].format(statement=clip(told, _MAX_ASKED))] if told else []
    failure = found.answer.failure if found.kind == "error" else ""
    if failure not in found.words and failure not in told and shared_terms(failure, found.words):
        words = PHRASES[language(found.words)]
        parts.append(words["had_failed"].format(statement=clip(failure, _MAX_ASKED)))
    heading = found.parts[0].heading
    if heading and not label_kind(heading):
        words = PHRASES[language(heading)]
        parts.append(words["below"].format(statement=clip(heading, _MAX_ASKED // 2)))
    return " ".join(parts)


def _asked(found: Finding) -> str:
    turn = found.answer.turn
    own = own_sentences(turn.message) if turn else []
    asked = " ".join(own[:_FEW_ASKED])
    if len(own) > _FEW_ASKED:
        near = nearest(own, found.words)
        asked = near if shares_term(near, found.words) and weighty(near) else asked
    told = without_opening(one_line(asked))
    return told if weighty(told) else ""  # "continue", "address 8 and 12"
