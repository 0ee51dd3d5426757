"""A finding as a memory: what the agent states, what was done about it, and what it was about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ultron_core.lessons.errors.told.accounts import label_kind
from ultron_core.lessons.explanations import clip, shared_terms
from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.cures import Cure, own_cures
from ultron_core.lessons.findings.find import Finding
from ultron_core.lessons.findings.reader import Kind
from ultron_core.lessons.findings.request import request_of
from ultron_core.lessons.findings.said import without_sounds
from ultron_core.lessons.findings.shape import is_of_class
from ultron_core.lessons.keeping.stated import BY_AGENT, confidence_in
from ultron_core.lessons.people.statements import has_detail, phrase, word_count
from ultron_core.lessons.people.turns import Turn
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, MemoryType
from ultron_core.transcript.language import CJK, language, sentences

__all__ = ["finding_draft"]

#: characters of the request that are quoted
_MAX_ASKED = 200
#: headings that are told, and words of one that is no more than a label
_HEADINGS: Final = 2
_LABEL_WORDS: Final = {"en": 2, "zh": 4}
#: how a kind is told: its sentence, its type and its tag
_TOLD: Final[dict[Kind, tuple[str, MemoryType, str]]] = {
    "error": ("cause", "error", "cause"),
    "fact": ("fact", "pattern", "fact"),
    "decision": ("decision", "pattern", "decision"),
    "pattern": ("fact", "pattern", "fact"),
}
#: characters of a quote
_MAX_QUOTE = 400


def finding_draft(
    found: Finding, project: str, cure: Cure | None = None, turns: Sequence[Turn] = ()
) -> MemoryDraft:
    """The memory: of an error the cause, and what was done about it as the agent's account; `cure` is what it told of
    that elsewhere, `turns` are those of people in the segment."""
    key, memory_type, tag = _TOLD[found.kind]
    stated, done = list(found.parts), []
    if found.kind == "error":
        done = own_cures(found)
        stated = [part for part in found.parts if part not in done] or done
        done = [] if stated is done else done
    statement = _joined(stated)
    account = _joined([cure.part] if cure else done)
    return MemoryDraft(
        content=phrase(key, statement, project, statement=statement),
        context=_setting(found, turns),
        resolution=PHRASES[language(account)]["account"].format(statement=account) if account else "",
        tags=(BY_AGENT, tag),
        confidence=confidence_in(found.worth),
        memory_type=memory_type,
        evidence=_evidence(found, cure),
        natures=found.natures,
    )


def _evidence(found: Finding, cure: Cure | None) -> tuple[Evidence, ...]:
    said = [(found.answer.message, part) for part in found.parts]
    said += [(cure.message, cure.part)] if cure else []
    items = (
        Evidence(message.start_line, message.end_line, part.quote[:_MAX_QUOTE].strip())
        for message, part in said
    )
    return tuple(dict.fromkeys(item for item in items if item.quote))


def _joined(parts: Sequence[Part]) -> str:
    """The sentences as one text, each behind what leads to it where that is not told yet. A point of a list ends where
    the next begins, the line that leads to it keeps its colon, and a line that was broken goes on."""
    told = ""
    for before, part in zip((None, *parts), parts, strict=False):
        said = f"{told} {part.text}".casefold()
        leads = [lead for lead in dict.fromkeys(_leads_of(part, before)) if not _tells(said, lead)]
        text = "".join(map(_with_colon, leads)) + without_sounds(part.text).rstrip(" :：")
        if not told:
            told = text
        elif not leads and told[-1] not in ".!?。！？；;:：" and not part.point and part.text[:1].islower():
            told += f" {part.text.rstrip(' :：')}"
        elif not leads and part.point and any(_tells(told, _last(lead), r"\Z") for lead in part.leads):
            told = _with_colon(told) + text
        else:
            told += _pause(told) + text
    return told


def _leads_of(part: Part, before: Part | None) -> Iterator[str]:
    """The heading, the line with a colon and the point of a list that lead to a sentence and not to the one before it:
    a point alone does not say what it is about. The heading of the first is told in the context."""
    same = before is not None and before.section == part.section
    if before is not None and not same:
        yield from (one for one in part.headings if one not in before.headings)
    for lead in part.leads:
        if not (before is not None and same and lead in before.leads) and (words := _own_words(lead)):
            yield words


def _own_words(lead: str) -> str:
    """The last sentence of what leads on; nothing where the agent only speaks of itself there, as in "Let me see:", and
    names no thing."""
    last = _last(lead)
    return "" if is_of_class("first_person", last) and not has_detail(last) else last


def _last(lead: str) -> str:
    told = lead.rstrip(" :：")
    return next(reversed(sentences(told)), told)


def _tells(said: str, lead: str, end: str = "") -> bool:
    """Whether the lead stands there in whole words: "rapid" does not tell "API"."""
    whole = rf"(?<![a-z0-9]){re.escape(lead.casefold())}(?![a-z0-9]){end}"
    return re.search(whole, said.casefold()) is not None


def _with_colon(text: str) -> str:
    return f"{text}：" if language(text) == "zh" else f"{text}: "


def _pause(told: str) -> str:
    """What parts two sentences."""
    chinese = CJK.search(told[-1]) is not None or told[-1] in "。！？；，、）"
    ended = told[-1] in ".!?。！？；;"
    return ("" if ended else "；" if chinese else ";") + ("" if chinese else " ")


def _setting(found: Finding, turns: Sequence[Turn]) -> str:
    """What the person had asked, of a long request the sentence that speaks of it, of a cause what had failed before,
    and the headings that it stands below."""
    told = request_of(turns, found.answer.turn, found.words)
    parts = [PHRASES[language(told)]["asked"].format(statement=clip(told, _MAX_ASKED))] if told else []
    failure = found.answer.failure if found.kind == "error" else ""
    if failure not in found.words and failure not in told and shared_terms(failure, found.words):
        words = PHRASES[language(found.words)]
        parts.append(words["had_failed"].format(statement=clip(failure, _MAX_ASKED)))
    headings = [one for one in found.parts[0].headings[-_HEADINGS:] if not _is_label(one)]
    if headings:
        words = PHRASES[language(headings[-1])]
        parts.append(
            words["below"].format(statement=" > ".join(clip(one, _MAX_ASKED // 2) for one in headings))
        )
    return " ".join(parts)


def _is_label(heading: str) -> bool:
    """Whether it only says what kind of words stand below it, as `Root cause` and `建议` do."""
    few = _LABEL_WORDS["zh" if CJK.search(heading) else "en"]
    return label_kind(heading) != "" and word_count(heading) <= few
