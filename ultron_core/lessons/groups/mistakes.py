"""Lessons of groups of agents: what was taken for granted, not checked, asked in vain or found empty.

The words of these memories are the lesson alone, so that the same lesson of many sessions becomes one
memory with many sources; what was said and done is its evidence. Only a talk of named agents is looked at:
there nobody else objects.
"""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.groups.loops import (
    find_empty,
    find_observations,
    find_repeated_request,
    find_same_check,
    hit_line,
)
from ultron_core.lessons.groups.statements import Place, find_assumption, find_conclusions, find_statements
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message, Outcome
from ultron_core.transcript.actions import Action, first_line
from ultron_core.transcript.people import is_group

__all__ = ["find_group_mistakes"]

_CONFIDENCE = 0.55
_TAGS = {
    "assumed": ("unverified",),
    "concluded": ("wrong-answer",),
    "unchecked": ("unverified",),
    "hits": ("unverified", "search"),
    "asked": ("repetition",),
    "recheck": ("unverified", "repetition"),
    "empty": ("empty-result",),
}


def find_group_mistakes(
    messages: Sequence[Message], actions: Sequence[Action], outcome: Outcome
) -> list[MemoryDraft]:
    """At most one draft of each kind, with the place as evidence; none when the run is known to have succeeded.

    assumed: a statement rests on invented data. concluded (failed runs) or unchecked (no tool was used) or
    hits (nothing but lists of search hits was seen): a conclusion was taken over. asked: the same request
    three times. recheck: the same code run again as a check. empty: nothing came back and nobody asked why.
    """
    if outcome == "success" or not is_group(messages):
        return []
    failed = outcome == "failure"
    found = {
        **_claims(messages, failed=failed),
        "asked": find_repeated_request(messages),
        "recheck": _check_places(messages, actions),
        "empty": _empty_places(messages, actions),
    }
    return [_draft(messages, kind, places, failed=failed) for kind, places in found.items() if places]


def _claims(messages: Sequence[Message], *, failed: bool) -> dict[str, list[Place]]:
    spoken = find_statements(messages)
    assumed = find_assumption(spoken)
    found = {"assumed": [assumed] if assumed else []}
    concluded = find_conclusions(spoken)
    seen = find_observations(messages)
    hits = [i for i in seen if hit_line(messages[i])]
    if failed and concluded:
        found["concluded"] = [concluded[0], concluded[-1]]
    elif not seen and concluded:
        found["unchecked"] = [concluded[0], concluded[-1]]
    elif hits and hits == seen and concluded and (before := [i for i in hits if i <= concluded[-1][0]]):
        found["hits"] = [(before[-1], hit_line(messages[before[-1]])), concluded[-1]]
    return found


def _check_places(messages: Sequence[Message], actions: Sequence[Action]) -> list[Place]:
    pairs = find_same_check(actions)
    return [place for action in pairs[0] for place in _places(messages, action)] if pairs else []


def _empty_places(messages: Sequence[Message], actions: Sequence[Action]) -> list[Place]:
    action = find_empty(actions)
    return _places(messages, action) if action else []


def _places(messages: Sequence[Message], action: Action) -> list[Place]:
    """What a script prints and the last line that was printed."""
    prints = [line.strip() for line in action.text.splitlines() if "print(" in line]
    shown = [line.strip() for line in messages[action.result].content.splitlines() if line.strip()]
    return [
        (action.call, first_line(prints[-1] if prints else action.text)),
        (action.result, shown[-1][:400].strip()),
    ]


def _draft(messages: Sequence[Message], kind: str, places: Sequence[Place], *, failed: bool) -> MemoryDraft:
    words = PHRASES[talk_language(messages, places[0][0])]
    evidence = [Evidence(messages[i].start_line, messages[i].end_line, quote) for i, quote in places]
    return MemoryDraft(
        content=words[kind],
        context=words["failed_run"] if failed else words["group_run"],
        resolution=words[f"{kind}_fix"],
        tags=(*_TAGS[kind], "failed-run" if failed else "multi-agent"),
        confidence=_CONFIDENCE,
        memory_type="error",
        evidence=tuple(dict.fromkeys(evidence)),
    )
