"""Written rules for agents that the log shows: instruction files and the guides that slash commands hand in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ultron_core.lessons.describe import path_of
from ultron_core.lessons.people.statements import clean_statement, statement_draft
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import MemoryDraft, Message
from ultron_core.transcript.actions import Action, without_code
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.harness import (
    HARNESS_COMMAND_NAMES,
    HARNESS_COMMANDS,
    HARNESS_GUIDES,
    HARNESS_REMINDERS,
    joined,
)
from ultron_core.transcript.language import language, sentences
from ultron_core.transcript.speech import PREFERENCE, any_of

__all__ = ["find_cited", "find_guides", "quotes_guide"]

#: files that are written for agents, whatever the harness, e.g. `/repo/CLAUDE.md`, `.cursorrules`,
#: `.cursor/rules/style.mdc`
_FILE = re.compile(
    r"(?:^|[/\\\s])(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|copilot-instructions|CONVENTIONS)\.md\b|\.cursorrules|"
    r"\.windsurfrules|"
    r"\.cursor/rules/\S+|\.clinerules"
)
#: "Contents of /src/shop/CLAUDE.md (project instructions, checked into the codebase):"
_QUOTED = re.compile(rf"^Contents of \S*(?:{_FILE.pattern})[^\n]*:\s*$", re.MULTILINE)
#: the harness's mark of a slash command: what follows it was handed in by the command, e.g.
#: `<command-message>pr-review</command-message>`
_COMMAND = joined(HARNESS_COMMANDS)
#: its name in that mark, e.g. `<command-name>/pr-review</command-name>`
_NAME = joined(HARNESS_COMMAND_NAMES)
#: the layout in which a harness hands in a guide, in transcript/harness.py, e.g. `## Context⏎⏎- Branch:
#: main⏎⏎## Your task⏎`
_LAYOUT = joined(HARNESS_GUIDES)
#: what a harness adds below a file that it shows, e.g. `<system-reminder>Whenever you read ...</system-reminder>`
_REMINDER = joined(HARNESS_REMINDERS)
#: "## Your task"
_TASK = re.compile(
    r"^#{1,3} .*\b(?:task|instructions|rules|guidelines)\b.*$|^#{1,3} .*(?:任务|规则|要求).*$",
    re.IGNORECASE | re.MULTILINE,
)
#: how many rows of the log after the mark the guide of the command may come
_REACH = 3
#: characters; a shorter text is the order itself
_MIN_GUIDE = 400
#: a rule by its form, e.g. `Always run make check before a commit`, `we don't mock the database`,
#: `禁止直接推送到主分支`
_RULE = any_of(
    # "No emojis in commits", but not git's own "no changes added to commit"
    r"^(?:never|always|do not|don't|avoid|prefer|must|only|make sure|ensure|ignore|keep|run|use|follow|"
    r"(?-i:No ))\b.{12,}",
    r"^(?:also,? |and )?we (?:also )?(?:only |always |never )?(?:focus|prefer|aim|avoid|require|use|follow|"
    r"(?:don't|do not) \w+)\b",
    r"\b(?:must(?: not)?|never|always|should (?:not|always|never|only)|(?:it is |"
    r"it's )?better (?:to )?not .+ than)\b",
    # "For any new test case, change only the assertion"
    r"^for (?:any|each|every|all) .{4,80}, \w{2,}",
    r"^(?:不要|禁止|必须|始终|总是|一律|请勿|避免|优先|使用|保持|确保).{4,}|必须|不得|禁止",
)
#: a list and what its items are: "In the review, pay attention to:"
_LIST = any_of(
    r"\b(?:pay attention to|ignore|follow|rules?|guidelines?|conventions?|requirements?|make sure|check|verify|"
    r"avoid|never|always)\b[^:]{0,60}:$",
    r"(?:注意|忽略|遵循|遵守|规则|规范|要求|避免)[^：:]{0,30}[：:]$",
)
#: how to answer this once, e.g. `output like this example:`, `your task`
_FORMAT = any_of(r"\b(?:format your|like this|example|output|respond|answer|summary|arguments?:|your task)\b")
#: a point of a list, e.g. `- run make check first`, `2) ask before a push`
_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(?P<text>\S.*)$")
#: how a tool that reads files numbers their lines, e.g. `    12→- Never commit`
_LINE_NUMBER = re.compile(r"^[^\S\n]*\d+[→\t]", re.MULTILINE)
#: what such a file lays down, in an agent's words, e.g. `not a supported platform per CLAUDE.md`, `AGENTS.md says to
#: ask first`, `根据 CLAUDE.md 不得提交`
_CITED = re.compile(
    r"\b(?:per|according to) (?:the |our )?(?:project's )?`?{file}|"
    r"\b{file}`? (?:\w+ )?(?:says|states|requires|forbids|allows|asks|mandates)\b|"
    r"(?:根据|按照) ?`?{file}|{file}`? ?中?(?:规定|要求|写明|说明)".replace(
        "{file}", r"(?:CLAUDE|AGENTS|GEMINI|CONTRIBUTING|CONVENTIONS)\.md"
    )
)
#: rules of one guide
_MOST = 10
#: a shorter item (in bytes) is a heading, a longer one is a paragraph
_LENGTH = (20, 360)


def find_guides(messages: Sequence[Message], actions: Sequence[Action], project: str) -> list[MemoryDraft]:
    """The rules of each guide, the first ten of one text; a list is one rule with its items."""
    drafts: list[MemoryDraft] = []
    for message, text, command in _guides(messages, actions):
        for rule, quote in list(_rules(text))[:_MOST]:
            draft = statement_draft(
                "guide", rule, message, quote, project, memory_type="preference", tags=("preference", "guide")
            )
            if quote in message.content:
                drafts.append(_scoped(draft, command))
    return drafts


def find_cited(messages: Sequence[Message], project: str) -> list[MemoryDraft]:
    """What an agent says that the project's instruction file lays down, where the log does not show the file."""
    drafts = []
    for message in messages:
        for sentence in sentences(without_code(message.content)) if message.role == "assistant" else ():
            cited = clean_statement(sentence)
            if _CITED.search(cited) and _LENGTH[0] <= len(cited.encode()) and len(cited) <= _LENGTH[1]:
                drafts.append(
                    statement_draft("fact", cited, message, sentence, project, tags=("fact", "guide"))
                )
    return drafts[:_MOST]


def _scoped(draft: MemoryDraft, command: str) -> MemoryDraft:
    """A rule that a slash command handed in holds where the command is called. Its name is a tag: the same rule in the
    guides of two commands is one memory with both."""
    if not command:
        return draft
    context = PHRASES[language(draft.content)]["for_command"]
    return replace(draft, context=context, tags=(*draft.tags, f"/{command}"))


def quotes_guide(text: str) -> bool:
    """True for text in which a harness shows a file that is written for agents."""
    return _QUOTED.search(text) is not None


def _guides(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[tuple[Message, str, str]]:
    """Each guide with its text and the slash command that handed it in, where one did."""
    called, command, rows = -_REACH - 1, "", 0
    for position, message in enumerate(messages):
        text = message.content
        whole = not _same_row(messages, position, position - 1)
        rows += whole
        if message.role != "user":
            continue
        quoted = _QUOTED.search(text)
        if quoted:
            yield message, text[quoted.end() :], ""
        elif _COMMAND.search(text) and whole:
            named = _NAME.search(text)
            called, command = rows, named.group(1).strip() if named else ""
        elif len(text) >= _MIN_GUIDE and (rows - called <= _REACH or _LAYOUT.search(text)):
            split = not whole or _same_row(messages, position, position + 1)
            if not split or _TASK.search(text):
                yield message, text[_start(text) :], command if rows - called <= _REACH else ""
    for action in actions:
        if action.failure is None and _FILE.search(
            path_of(action.arguments) or _shown(command_of(action) or "")
        ):
            yield messages[action.result], _REMINDER.sub("", action.output), ""


def _same_row(messages: Sequence[Message], one: int, other: int) -> bool:
    """True for two parts of one row of the log: a diff in a guide may hold the marks of a harness."""
    return 0 <= other < len(messages) and messages[one].start_line == messages[other].start_line


def _start(text: str) -> int:
    """Where the rules of a command begin: after what the command had gathered, such as a status and a diff."""
    found = [match.end() for match in _TASK.finditer(text)]
    return found[0] if found else 0


def _shown(command: str) -> str:
    """The command when it prints a file."""
    return command if re.match(r"\s*(?:cat|head|sed -n|less|bat)\b", command) else ""


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Rules with the line or sentence that each is quoted from."""
    lines = without_code(_LINE_NUMBER.sub("", text)).splitlines()
    place = 0
    while place < len(lines):
        line = lines[place].strip()
        place += 1
        if not line or re.match(r"[+|#<@]|diff |---", line):
            continue
        if line.endswith((":", "：")):
            items = []
            while place < len(lines) and (not lines[place].strip() or _ITEM.match(lines[place])):
                item = _ITEM.match(lines[place])
                items += [clean_statement(item["text"])] if item else []
                place += 1
            if len(items) >= 2 and not _FORMAT.search(line) and (_LIST.search(line) or _RULE.search(line)):
                yield f"{clean_statement(line)}: {'; '.join(items)}"[:600], line
            continue
        yield from _single(line)


def _single(line: str) -> Iterator[tuple[str, str]]:
    for sentence in sentences(line):
        bare = clean_statement(sentence)
        fits = _LENGTH[0] <= len(bare.encode()) and len(bare) <= _LENGTH[1]
        if fits and not _FORMAT.search(bare) and (_RULE.search(bare) or PREFERENCE.search(bare)):
            yield bare, sentence
