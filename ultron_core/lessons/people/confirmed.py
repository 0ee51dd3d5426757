"""Facts and decisions that a second place bears out: another turn of a person, or what a tool showed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ultron_core.lessons.people.statements import named
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.people import is_human

__all__ = ["confirm"]

#: a shorter name is a word; a statement of more names is a list
_MIN_NAME, _MOST_NAMES = 5, 6
#: a second place makes a statement this much surer; one alone stands at .6 to .7
_SURER = 0.15
#: characters of a result in which the names are looked for
_MOST_OUTPUT = 20_000


def confirm(draft: MemoryDraft, messages: Sequence[Message], actions: Sequence[Action]) -> MemoryDraft:
    """`draft` with the line that names the same things, and more confidence; as it was when there is none."""
    names = {name for name in named(_quoted(draft)) if len(name) >= _MIN_NAME}
    if len(names) > _MOST_NAMES or not (len(names) > 1 or any("/" in name for name in names)):
        return draft  # one identifier stands in many lines that say something else
    found = _second_place(names, {e.start_line for e in draft.evidence}, messages, actions)
    if found is None:
        return draft
    return replace(
        draft,
        tags=(*draft.tags, "confirmed"),
        confidence=min(1.0, draft.confidence + _SURER),
        evidence=(*draft.evidence, found),
    )


def _quoted(draft: MemoryDraft) -> str:
    return draft.evidence[0].quote if draft.evidence else ""


def _second_place(
    names: set[str], told: set[int], messages: Sequence[Message], actions: Sequence[Action]
) -> Evidence | None:
    for message in messages:
        if is_human(message) and message.start_line not in told:
            line = _line_with(names, message.content)
            if line:
                return Evidence(message.start_line, message.end_line, line)
    for action in actions:
        result = messages[action.result]
        if action.failure is None and result.start_line not in told:
            line = _line_with(names, action.output[:_MOST_OUTPUT])
            if line and line in result.content:
                return Evidence(result.start_line, result.end_line, line)
    return None


def _line_with(names: set[str], text: str) -> str:
    """The first line that holds every name."""
    if not all(name in text for name in names):
        return ""
    return next((line.strip()[:400] for line in text.splitlines() if all(name in line for name in names)), "")
