"""An action in words: what was called, where, and what about it changed before it worked."""

from __future__ import annotations

import re
from typing import Any

from ultron_core.memories.codechange import find_code_change
from ultron_core.memories.episodes import Episode
from ultron_core.memories.failures import clean_line
from ultron_core.memories.language import Lang
from ultron_core.memories.phrases import PHRASES
from ultron_core.memories.reading import Action
from ultron_core.memories.sameness import command_of, purpose
from ultron_core.memories.wording import clip

__all__ = [
    "EDIT",
    "core_command",
    "describe_change",
    "describe_context",
    "describe_failure",
    "describe_subject",
    "describe_tags",
    "is_mismatch",
    "path_of",
]

_STEP_NAMES = {"PatchMismatch": "Applying a search-and-replace patch", "Lint": "Linting after an edit"}
#: names of tools and commands that write files
EDIT = re.compile(r"edit|write|replace|patch|create|insert|notebook|update_file|apply", re.IGNORECASE)
_OLD_KEYS = ("old_string", "old_str", "oldtext", "old_text")
_NEW_KEYS = ("new_string", "new_str", "newtext", "new_text")


def describe_subject(action: Action) -> str:
    """What was called, fit for a sentence: the command, the tool's name, or "The code"."""
    command = command_of(action)
    if command is not None:
        return f"`{clean_line(core_command(command), 100)}`"
    if action.tool in ("code", "patch"):
        return (
            "Python code"
            if action.tool == "code"
            else _STEP_NAMES.get(_kind(action), "The test run after an edit")
        )
    return f"`{action.tool}`" if action.tool else "The tool call"


def describe_failure(action: Action, lang: Lang) -> str:
    assert action.failure is not None
    if action.failure.kind == "PatchMismatch":
        return PHRASES[lang]["mismatch"]
    return PHRASES[lang]["failed"].format(
        subject=describe_subject(action), line=clean_line(action.failure.line)
    )


def describe_context(action: Action, lang: Lang) -> str:
    command = command_of(action)
    if command is not None:
        return PHRASES[lang]["running"].format(subject=f"`{clean_line(_without_cd(command), 160)}`")
    if action.tool == "code":
        names = dict.fromkeys(re.findall(r"^\s*(?:from|import)\s+([A-Za-z_]\w*)", action.text, re.MULTILINE))
        if names:
            return PHRASES[lang]["using"].format(names=", ".join(f"`{name}`" for name in list(names)[:5]))
        return PHRASES[lang]["code"]
    if action.tool == "patch":
        path = path_of(action.arguments)
        return PHRASES[lang]["patching"].format(file=f" `{_short(path)}`" if path else "")
    return PHRASES[lang]["with"].format(tool=f"`{action.tool or 'tool'}`")


def describe_change(episode: Episode, worked: Action, lang: Lang) -> str | None:
    """The change between the failing and the working try, as a sentence; None when it cannot be named."""
    failed, words = episode.failed, PHRASES[lang]
    before, after = command_of(failed), command_of(worked)
    if after is not None and EDIT.match(core_command(after)):
        return None
    if (
        before is not None
        and after is not None
        and core_command(before) != core_command(after)
        and not _is_subset(before, after)
    ):
        return words["worked"].format(subject=f"`{clean_line(core_command(after), 200)}`")
    if failed.failure is not None and failed.failure.kind == "PatchMismatch":
        return words["exact"]
    if failed.tool == "patch":
        path = path_of(worked.arguments)
        change = _edit_change(worked, lang)
        return words["edited"].format(files=f"`{_short(path)}`", change=change) if path and change else None
    if is_mismatch(failed):
        return words["exact"]
    if failed.tool == "code":
        return _describe_code(failed, worked, lang)
    edits = [
        a
        for a in episode.between
        if a.failure is None and EDIT.search(a.tool) and purpose(a) != purpose(failed)
    ]
    if edits:
        files = ", ".join(
            dict.fromkeys(f"`{_short(path_of(a.arguments))}`" for a in edits[-3:] if path_of(a.arguments))
        )
        if files:
            return words["edited"].format(files=files, change=_edit_change(edits[-1], lang))
    if isinstance(failed.arguments, dict) and isinstance(worked.arguments, dict):
        names = [
            key
            for key in worked.arguments
            if worked.arguments[key] != failed.arguments.get(key)
            and key not in ("command", "cmd", "description")
        ]
        if names:
            return words["arguments"].format(names=", ".join(f"`{name}`" for name in names[:4]))
    path = path_of(failed.arguments)
    if path and any(a.failure is None and path_of(a.arguments) == path for a in episode.between):
        return words["reread"].format(file=f"`{_short(path)}`")
    steps = [
        f"`{clean_line(_main_part(command_of(a) or ''), 100)}`"
        for a in episode.between
        if a.failure is None and command_of(a) and not EDIT.match(command_of(a) or "")
    ]
    if steps and before is not None:
        return words["after"].format(steps=", ".join(steps[-2:]))
    return None


def _describe_code(failed: Action, worked: Action, lang: Lang) -> str | None:
    change, words = find_code_change(failed.text, worked.text, failed.output), PHRASES[lang]
    if change is None:
        return None
    if change.layout:
        return words["indented"]
    if change.gone:
        return words["line"].format(old=change.gone, new=change.added[0])
    return words["added"].format(lines=", ".join(f"`{line}`" for line in change.added))


def is_mismatch(action: Action) -> bool:
    """An edit refused because its old text does not stand in the file."""
    keys = {key.lower() for key in action.arguments} if isinstance(action.arguments, dict) else set()
    line = action.failure.line.lower() if action.failure else ""
    return bool(keys & set(_OLD_KEYS)) and ("not find" in line or "not found" in line or "match" in line)


def describe_tags(action: Action) -> tuple[str, ...]:
    tags = [part.lower() for part in purpose(action)[1:2] if re.fullmatch(r"[\w.-]{2,30}", part)]
    if action.tool and re.fullmatch(r"[\w.-]{2,40}", action.tool):
        tags.append(action.tool.lower())
    if action.failure and action.failure.kind:
        tags.append(action.failure.kind)
    return tuple(dict.fromkeys(tags))


def _edit_change(action: Action, lang: Lang) -> str:
    if not isinstance(action.arguments, dict):
        return ""
    lowered = {key.lower(): value for key, value in action.arguments.items()}
    old = next((lowered[key] for key in _OLD_KEYS if isinstance(lowered.get(key), str)), "")
    new = next((lowered[key] for key in _NEW_KEYS if isinstance(lowered.get(key), str)), "")
    gone = [line.strip() for line in old.splitlines() if line.strip() and line not in new.splitlines()]
    come = [line.strip() for line in new.splitlines() if line.strip() and line not in old.splitlines()]
    if len(gone) == 1 and len(come) == 1:
        return PHRASES[lang]["change"].format(old=clip(gone[0], 100), new=clip(come[0], 100))
    return ""


def _kind(action: Action) -> str:
    return action.failure.kind if action.failure else ""


def _without_cd(command: str) -> str:
    return re.sub(r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+", "", command)


def _main_part(command: str) -> str:
    parts = [part.strip() for part in re.split(r"&&|\n", command) if part.strip()]
    useful = [
        part
        for part in parts
        if not re.match(r"(?:cd|export|source|set|echo|ls|head|tail|cat|sleep)\b", part)
    ]
    return (useful or parts or [command])[-1]


def path_of(arguments: Any) -> str:
    """The file that a call names, or nothing."""
    if not isinstance(arguments, dict):
        return ""
    for key, value in arguments.items():
        if ("path" in key.lower() or "file" in key.lower()) and isinstance(value, str):
            return value
    return ""


def _short(path: str) -> str:
    return "/".join(re.split(r"[/\\]", path)[-2:])


def core_command(command: str) -> str:
    """The telling part of a command, without what only cuts or joins its output."""
    part = re.sub(r"\s*(?:\d?>&?\s*\S+|&>\s*\S+)", "", _main_part(command).split(" | ")[0])
    return " ".join(part.split())


def _is_subset(before: str, after: str) -> bool:
    """True when one try only ran more or less of the same (`pytest a b`, then `pytest a`)."""
    left, right = set(core_command(before).split()), set(core_command(after).split())
    return (
        left < right and not any(word.startswith("-") for word in right - left)
        if left < right
        else right < left
    )
