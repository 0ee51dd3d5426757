"""What is not there where the agent works: a program, or a folder that the task names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.people import is_request
from ultron_core.transcript.results.failures import clean_line

__all__ = ["find_absent"]

#: "/bin/bash: line 1: wget: command not found", "zsh: command not found: jq"
_PROGRAM = re.compile(
    r"(?:^|: )(?P<before>[\w.+-]+): (?:command )?not found\s*$|command not found: (?P<after>[\w.+-]+)\s*$",
    re.MULTILINE,
)
#: "ls: cannot access '/system': No such file or directory"
_FOLDER = re.compile(r"['\"‘`]?(?P<path>(?:/[\w.@+-]+){1,40})/?['\"’`]?: No such file or directory")
#: a folder is missing for good when this many calls say so
_TIMES = 2
#: what a program of this kind takes: an address, a file, e.g. `https://example.org`, `app.py`
_OPERAND = re.compile(r"https?://\S+|(?<![\w./-])[\w./-]+\.\w{2,5}\b")
#: calls after the failure among which another program does the same
_REACH = 4


def find_absent(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """Programs that are not installed, each with the one that did its work: without that it may come a moment later;
    folders of the task that do not exist."""
    drafts: dict[str, MemoryDraft] = {}
    seen: dict[str, list[Action]] = {}
    asked = " ".join(message.content for message in messages if is_request(message))
    for place, action in enumerate(actions):
        command = command_of(action)
        if command is None or action.failure is None:
            continue
        missing = _PROGRAM.search(action.output[:600])
        name = (missing["before"] or missing["after"]) if missing else ""
        told = name in drafts or name not in _programs(command)
        if not told and not _is_found(name, actions[place + 1 :]):
            instead = _instead(command, name, actions[place + 1 : place + 1 + _REACH])
            if instead is not None:
                drafts.setdefault(name, _program(messages, action, name, instead))
        folder = _FOLDER.search(action.output[:600])
        if folder and folder["path"] in asked:
            seen.setdefault(folder["path"], []).append(action)
    for path, tries in seen.items():
        made = any(a.failure is None and path in a.text for a in actions if a.call > tries[-1].call)
        if len(tries) >= _TIMES and not made:
            drafts.setdefault(path, _folder(messages, path, tries))
    return list(drafts.values())


def _programs(command: str) -> set[str]:
    """The programs that the parts of a command line run."""
    words = [part.split() for part in re.split(r"[|;&\n]+|\$\(|\bxargs\b|\bsudo\b|-exec\b", command)]
    return {part[0] for part in words if part}


def _is_found(name: str, later: Sequence[Action]) -> bool:
    """Whether the program ran after all: installed since, or only not on the path."""
    return any(
        name in _programs(command) and "||" not in command
        for action in later
        if action.failure is None and name in (command := command_of(action) or "")
    )


def _instead(command: str, name: str, later: Sequence[Action]) -> Action | None:
    """The next call of another program with the same file or address that worked."""
    operands = set(_OPERAND.findall(command))
    for action in later:
        text = command_of(action) or ""
        if operands & set(_OPERAND.findall(text)) and action.failure is None and name not in text:
            return action if not re.search(r"No such file|not found|cannot", action.output[-400:]) else None
    return None


def _program(messages: Sequence[Message], action: Action, name: str, instead: Action) -> MemoryDraft:
    words = PHRASES[talk_language(messages, action.result)]
    line = next(line for line in action.output.splitlines() if name in line and "not found" in line).strip()
    used = (command_of(instead) or "").split("\n")[0]
    return MemoryDraft(
        content=words["no_program"].format(name=f"`{name}`", line=clean_line(line)),
        context=words["running"].format(subject=f"`{clean_line(command_of(action) or '', 160)}`"),
        resolution=words["worked"].format(subject=f"`{clean_line(used, 160)}`"),
        tags=("environment", name),
        confidence=0.6,
        memory_type="pattern",
        evidence=(_at(messages[action.result], line), _at(messages[instead.call], used[:200].strip())),
    )


def _folder(messages: Sequence[Message], path: str, tries: Sequence[Action]) -> MemoryDraft:
    words = PHRASES[talk_language(messages, tries[0].result)]
    lines = [next(line.strip() for line in a.output.splitlines() if path in line) for a in tries[:_TIMES]]
    commands = dict.fromkeys(clean_line(command_of(a) or "", 100) for a in tries[:_TIMES])
    return MemoryDraft(
        content=words["no_folder"].format(name=f"`{path}`", line=clean_line(lines[0])),
        context=words["running"].format(subject=", ".join(f"`{command}`" for command in commands)),
        tags=("environment", "path"),
        confidence=0.6,
        memory_type="pattern",
        evidence=tuple(_at(messages[a.result], line) for a, line in zip(tries[:_TIMES], lines, strict=True)),
    )


def _at(message: Message, quote: str) -> Evidence:
    return Evidence(message.start_line, message.end_line, quote[:400])
