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
#: a longer argument is a program or a document
_MAX_QUERY = 200
#: calls within which the better query must come
_REACH = 4
#: the words of a query, e.g. `HTTP2`, `端口`
_WORD = re.compile(r"[^\W_]+")


def find_lookups(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """At most one draft: a name that a lookup listed as similar worked."""
    actions = [a for a in actions if _query(a)]
    for i, action in enumerate(actions):
        if not _nothing(action):
            continue
        tried = [a for a in actions[i + 1 : i + 1 + _REACH] if a.tool == action.tool and a.output.strip()]
        later = next((a for a in tried if not _nothing(a)), None)
        draft = _draft(messages, action, later) if later and _is_listed(action, later) else None
        if draft is not None:
            return [draft]
    return []


def _is_listed(failed: Action, worked: Action) -> bool:
    """True when the later query is a name that the first answer listed and shares a word with the first query."""
    before, after = _query(failed).casefold(), _query(worked).casefold()
    return after != before and after in failed.output.casefold() and bool(_terms(before) & _terms(after))


def _draft(messages: Sequence[Message], failed: Action, worked: Action) -> MemoryDraft | None:
    words = PHRASES[talk_language(messages, failed.result)]
    nothing = next(line.strip() for line in failed.output.splitlines() if line.strip())[:200].strip()
    found = worked.output.strip().splitlines()[0][:200].strip()
    places = [(failed.result, nothing), (worked.call, _query(worked)), (worked.result, found)]
    evidence = tuple(
        Evidence(messages[i].start_line, messages[i].end_line, quote)
        for i, quote in places
        if appears_in(quote, messages[i])
    )
    if len(evidence) < len(places):
        return None
    tool = f"`{failed.tool}`"
    return MemoryDraft(
        content=words["similar"].format(tool=tool),
        context=words["calling"].format(tool=tool),
        resolution=words["similar_fix"],
        tags=("search", "similar"),
        confidence=0.65,
        memory_type="pattern",
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
