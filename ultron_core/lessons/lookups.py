"""Lookups that found nothing and the query after which the same tool found something."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, argument_strings
from ultron_core.transcript.speech import any_of

__all__ = ["find_lookups"]

#: "Could not find [Ian Hunter]. Similar: [...]" / "No results found." / "没有找到相关结果"
_FOUND_NOTHING = any_of(
    r"^\W*(?:could not find|couldn't find|no (?:\w+ )?(?:results?|matches|entries|pages?|documents?) "
    r"(?:were )?(?:found|for)|no results?\b|0 results|nothing found|not found|没有找到|未找到|找不到|无结果|没有结果)"
)
#: a longer output holds more than the news that nothing was found
_MAX_NOTHING = 800
#: names of tools that look something up: "search", "wiki_lookup", "query_database"
_LOOKUP = re.compile(r"search|lookup|look_up|find|query|wiki|browse", re.IGNORECASE)
_MAX_QUERY = 200
#: calls within which the better query must come
_REACH = 4
_WORD = re.compile(r"[^\W_]+")


def find_lookups(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """At most one draft of each lesson: a listed similar name worked, or fewer words did."""
    actions = [a for a in actions if _query(a)]
    found: dict[str, MemoryDraft] = {}
    for i, action in enumerate(actions):
        if not _nothing(action):
            continue
        for later in actions[i + 1 : i + 1 + _REACH]:
            if later.tool != action.tool or _nothing(later) or not later.output.strip():
                continue
            kind = _lesson(action, later)
            draft = _draft(messages, kind, action, later) if kind else None
            if draft is not None:
                found.setdefault(kind, draft)
            break
    return list(found.values())


def _lesson(failed: Action, worked: Action) -> str:
    """Why the later query worked, as a key of PHRASES, or empty when it is another question."""
    before, after = _query(failed), _query(worked)
    if after.casefold() != before.casefold() and after.casefold() in failed.output.casefold():
        return "similar"
    left, right = _terms(before), _terms(after)
    return "shorter" if right < left else ""


def _draft(messages: Sequence[Message], kind: str, failed: Action, worked: Action) -> MemoryDraft | None:
    words = PHRASES[talk_language(messages, failed.result)]
    nothing = next(line.strip() for line in failed.output.splitlines() if line.strip())[:200].strip()
    places = [(failed.result, nothing), (worked.call, _query(worked))]
    evidence = tuple(
        Evidence(messages[i].start_line, messages[i].end_line, quote)
        for i, quote in places
        if appears_in(quote, messages[i])
    )
    if len(evidence) < len(places):
        return None
    tool = f"`{failed.tool}`"
    return MemoryDraft(
        content=words[kind].format(tool=tool),
        context=words["calling"].format(tool=tool),
        resolution=words[f"{kind}_fix"],
        tags=("search", kind),
        confidence=0.65,
        memory_type="error",
        evidence=evidence,
    )


def _nothing(action: Action) -> bool:
    return len(action.output) <= _MAX_NOTHING and _FOUND_NOTHING.search(action.output) is not None


def _query(action: Action) -> str:
    """The text that a lookup asks for, or nothing when the call is not a lookup or asks for several."""
    if not _LOOKUP.search(action.tool):
        return ""
    texts = [text.strip() for text in argument_strings(action.arguments) if text.strip()]
    return texts[0] if len(texts) == 1 and len(texts[0]) <= _MAX_QUERY else ""


def _terms(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
