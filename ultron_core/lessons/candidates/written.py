"""Passages of files that are written for agents, where the log shows such a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.passages import joined_of, passages_of
from ultron_core.lessons.describe import file_name, path_of
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.harness import HARNESS_REMINDERS, joined

__all__ = ["find_written", "shows_guide"]

#: files that are written for agents, whatever the harness, e.g. `/repo/CLAUDE.md`, `.cursor/rules/style.mdc`
_FILE = re.compile(
    r"(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|QWEN|copilot-instructions|CONVENTIONS)\.md\b|"
    r"\.(?:cursor|windsurf|cline)rules|\.cursor/rules/[\w./-]+"
)
#: how a harness hands such a file in, e.g. `Contents of /src/CLAUDE.md (project instructions):`, `# AGENTS.md
#: instructions for /src`
_INJECTED = re.compile(
    rf"^(?:Contents of [^\n:]{{0,200}}?|# )({_FILE.pattern})[^\n]{{0,200}}$",
    re.MULTILINE,
)
#: what a harness adds below a file that it shows, e.g. `<system-reminder>Whenever you read ...</system-reminder>`
_REMINDER = joined(HARNESS_REMINDERS)
#: how a tool that reads files numbers their lines, e.g. `    12→- Never commit`
_LINE_NUMBER = re.compile(r"^[^\S\n]*\d+[→\t]", re.MULTILINE)
#: what Codex puts around the file that it hands in, e.g. `<INSTRUCTIONS>`
_AROUND = re.compile(r"^</?INSTRUCTIONS>[^\S\n]*$", re.MULTILINE)
#: what Codex adds to the file that it hands in, e.g. `## Skills`
_ADDED = re.compile(r"^## Skills$|^</INSTRUCTIONS>|^--- project-doc ---$", re.MULTILINE)
#: what a template left open, or a program fills in, e.g. `[PROJECT_NAME]`, `<!-- MANUAL ADDITIONS START -->`
_OPEN = re.compile(r"<!--|\[[A-Z][A-Z_ ]{3,}\]")
#: passages of one file
_MOST = 40


def shows_guide(text: str) -> bool:
    """True for text in which a harness shows a file that is written for agents."""
    return _INJECTED.search(text) is not None


def find_written(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[Candidate]:
    """A candidate of each passage of an instruction file, once a text."""
    seen: set[str] = set()
    for place, name, text in _shown(messages, actions):
        message = messages[place]
        own = _AROUND.sub("", _LINE_NUMBER.sub("", _REMINDER.sub("", text)))
        for passage in (*passages_of(own)[:_MOST], *joined_of(own, sections=False)[:_MOST]):
            if passage.text in seen or _OPEN.search(passage.text):
                continue
            seen.add(passage.text)
            yield Candidate(
                "guide",
                "file",
                passage.text,
                place,
                message.start_line,
                message.end_line,
                passage.head,
                name,
            )


def _shown(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[tuple[int, str, str]]:
    """Places, names and texts of the files: handed in by the harness, read by a tool or printed by a command."""
    for place, message in enumerate(messages):
        found = _INJECTED.search(message.content) if message.role == "user" else None
        if found:
            yield place, file_name(found[1]), _ADDED.split(message.content[found.end() :])[0]
    for action in actions:
        named = path_of(action.arguments) or _printed(command_of(action) or "")
        found = _FILE.search(named)
        if found and action.failure is None:
            yield action.result, file_name(found[0]), action.output


def _printed(command: str) -> str:
    """The command, when it prints a file."""
    return command if re.match(r"\s*(?:cat|head|sed -n|less|bat|Get-Content)\b", command) else ""
