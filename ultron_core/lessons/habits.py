"""Patterns of one segment: a check that follows every change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ultron_core.lessons.describe import EDIT, core_command, path_of
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of, purpose

__all__ = ["find_habits"]

#: how often something must have happened to be a pattern
_TIMES = 3
#: how often a check must have followed a change and passed in the end
_CHECKED = 2
#: a command that checks a change: "npm run check", "mix test", "tsc --noEmit"
_CHECK = re.compile(
    r"\b(?:tests?|check|lint|typecheck|type-check|tsc|pytest|mypy|ruff|eslint|vitest|jest|clippy|vet|build|verify|"
    r"phpunit|rspec|ctest)\b"
)
#: a longer command is a program for one occasion
_MAX_COMMAND = 80


def find_habits(messages: Sequence[Message], actions: Sequence[Action], project: str) -> list[MemoryDraft]:
    """The commands that were run after a change twice or more and worked in the end: at most two.

    What is seen in several segments becomes one memory when they are merged.
    """
    drafts: list[MemoryDraft] = []
    runs: dict[tuple[str, ...], list[Action]] = {}
    edited: list[str] = []
    fresh: set[tuple[str, ...]] = set()
    for action in actions:
        command = command_of(action)
        if command is None:
            path = path_of(action.arguments)
            if action.failure is None and path and EDIT.search(action.tool):
                edited.append(path)
                fresh = set()
        elif _CHECK.search(command) and purpose(action) not in fresh and edited:
            fresh.add(purpose(action))
            runs.setdefault(purpose(action), []).append(action)
    for done in sorted(runs.values(), key=len, reverse=True):
        command, _ = Counter(_general(command_of(a) or "") for a in done).most_common(1)[0]
        if len(done) < _CHECKED or done[-1].failure is not None or len(command) > _MAX_COMMAND:
            continue
        if not _CHECK.search(command):
            continue
        chosen = [a for a in done if _general(command_of(a) or "") == command]
        words = PHRASES[talk_language(messages, done[-1].result)]
        drafts += _draft(
            messages,
            [(a.call, command) for a in (chosen[0], chosen[-1])],
            words["checks_in" if project else "checks"].format(project=project, command=f"`{command}`"),
            words["checks_where"].format(kind=f"`{_kind(edited)}`") if _kind(edited) else "",
            words["checks_fix"].format(command=f"`{command}`"),
            ("workflow", *purpose(done[-1])[1:2]),
        )
    return drafts[:2]


def _general(command: str) -> str:
    """The command without the files that it was given this time."""
    words = core_command(command).split()
    return " ".join(word for word in words if not re.search(r"[/\\:]|\.\w{1,5}$", word) or word == words[0])


def _kind(paths: Sequence[str]) -> str:
    """The ending that most changed files have, or nothing."""
    endings = Counter(found.group() for path in paths if (found := re.search(r"\.\w{1,5}$", path)))
    return endings.most_common(1)[0][0] if endings else ""


def _draft(
    messages: Sequence[Message],
    places: Sequence[tuple[int, str]],
    content: str,
    context: str,
    resolution: str,
    tags: tuple[str, ...],
) -> list[MemoryDraft]:
    evidence = tuple(
        Evidence(messages[i].start_line, messages[i].end_line, quote[:400].strip())
        for i, quote in places
        if appears_in(quote[:400].strip(), messages[i])
    )
    if len(evidence) < 2:
        return []
    return [MemoryDraft(content, context, resolution, tags, 0.65, "pattern", evidence)]
