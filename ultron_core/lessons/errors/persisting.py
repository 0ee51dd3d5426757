"""Failures that came again and again and were never cured, and breaks of the model behind the agent."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import describe_subject, describe_tags
from ultron_core.lessons.errors.recurring import is_one_off, says_nothing
from ultron_core.lessons.errors.same_check import is_proof
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, argument_strings, first_line
from ultron_core.transcript.commands import command_of, purpose
from ultron_core.transcript.harness import MODEL_BREAKS, joined
from ultron_core.transcript.language import one_line
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import clean_line

__all__ = ["find_breaks", "find_persisting"]

#: tries that failed in the same way from which on it is no accident
_TIMES = 3
#: breaks of one session from which on they are told
_BREAKS = 2
#: what differs between two tries of the same thing, e.g. `'ModelId'`, `12`, `/a/b.py`
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\d+|(?:[\w.~-]{0,100}+/)+[\w.-]*")
#: tries that are shown, and characters of each
_MOST, _MAX_SHOWN = 3, 160
#: a longer answer of a person orders more than to go on
_MAX_GO_ON = 24
#: tools that only show something, e.g. `read_file`, `grep`
_SHOWS = re.compile(r"read|view|open|grep|glob|search|list|fetch|find", re.IGNORECASE)
#: the model broke off, in transcript/harness.py, e.g. `API Error: 500 {}`
_BREAK = joined(MODEL_BREAKS)


def find_persisting(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """One draft for each way of failing that three tries or more met and after which the same never worked."""
    groups: dict[tuple[str, ...], list[Action]] = {}
    for action in actions:
        if action.failure is None or not _counts(action):
            continue
        gist = _VARYING.sub("…", clean_line(action.failure.line))
        groups.setdefault(
            (messages[action.result].thread, *_about(action), action.failure.kind, gist), []
        ).append(action)
    return [
        _draft(messages, tries)
        for tries in groups.values()
        if len(tries) >= _TIMES and not any(_worked(tries[-1], later) for later in actions)
    ]


def _counts(action: Action) -> bool:
    """False for what is told elsewhere or teaches nothing: patches, searches, values of one test."""
    assert action.failure is not None
    shows = command_of(action) is None and _SHOWS.search(action.tool)
    # a checked value of a test is told with the task that it belongs to
    one_off = action.outcome == "failed" or (
        is_one_off(action.failure) and action.failure.kind != "SyntaxError"
    )
    return (
        bool(action.tool)
        and action.tool != "patch"
        and not (shows or one_off or says_nothing(action.failure))
    )


def _about(action: Action) -> tuple[str, ...]:
    return ("code",) if action.tool == "code" else purpose(action)


def _worked(last: Action, later: Action) -> bool:
    return later.call > last.result and _about(later) == _about(last) and is_proof(later)


def _draft(messages: Sequence[Message], tries: Sequence[Action]) -> MemoryDraft:
    last = tries[-1]
    assert last.failure is not None
    lang = talk_language(messages, last.result)
    words = PHRASES[lang]
    shown = dict.fromkeys(_shown(action) for action in tries)
    tried = "; ".join(f"`{text}`" for text in list(shown)[:_MOST] if text)
    evidence = [
        Evidence(messages[a.result].start_line, messages[a.result].end_line, a.failure.line.strip())
        for a in (tries[0], last)
        if a.failure
    ]
    return MemoryDraft(
        content=words["repeated"].format(
            subject=describe_subject(messages, last, lang), n=len(tries), line=clean_line(last.failure.line)
        ),
        context=words["tried"].format(tries=tried) if tried else "",
        resolution=words["unsolved"],
        tags=(*describe_tags(last), "unsolved"),
        confidence=0.6,
        memory_type="error",
        evidence=tuple(evidence),
    )


def _shown(action: Action) -> str:
    """A try in short: its command, its statement, the first line of its code."""
    text = command_of(action) or next(argument_strings(action.arguments), "") or action.text
    return clean_line(one_line(first_line(text) if action.tool == "code" else text), _MAX_SHOWN)


def find_breaks(messages: Sequence[Message]) -> list[MemoryDraft]:
    """One draft when the model behind the agent broke off twice or more, with the words after which it went on."""
    broke = [
        i
        for i, m in enumerate(messages)
        if m.role == "assistant" and _BREAK.match(m.content) and not m.tool_calls
    ]
    if len(broke) < _BREAKS:
        return []
    words = PHRASES[talk_language(messages, broke[0])]
    said = [_go_on(messages, place) for place in broke]
    told = next((text for text in said if text), "")
    first = messages[broke[0]]
    evidence = [Evidence(first.start_line, first.end_line, first_line(first.content))]
    follow = next((messages[p + 1] for p, text in zip(broke, said, strict=True) if text), None)
    if follow is not None and appears_in(told, follow):
        evidence.append(Evidence(follow.start_line, follow.end_line, told))
    return [
        MemoryDraft(
            content=words["broke"].format(n=len(broke), line=clean_line(first_line(first.content))),
            resolution=words["went_on"].format(statement=told) if told else "",
            tags=("environment", "model"),
            confidence=0.6,
            memory_type="error",
            evidence=tuple(evidence),
        )
    ]


def _go_on(messages: Sequence[Message], place: int) -> str:
    """What a person said after a break, when it was short and the agent went on."""
    after = messages[place + 1 : place + 3]
    if len(after) < 2 or not is_human(after[0]) or len(after[0].content.strip()) > _MAX_GO_ON:
        return ""
    return (
        after[0].content.strip()
        if after[1].role == "assistant" and not _BREAK.match(after[1].content)
        else ""
    )
