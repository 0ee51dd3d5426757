"""What a call touches: its file, its folder, the telling part of its command."""

from __future__ import annotations

import re
from typing import Any

from ultron_core.transcript.actions import Action, argument_strings
from ultron_core.transcript.commands import PATH_KEYS, command_of

__all__ = [
    "EDIT",
    "core_command",
    "edited_path",
    "file_name",
    "folder_of",
    "names_in",
    "path_of",
    "short_path",
    "texts_of",
]


#: tools that change files, e.g. `str_replace_editor`, `apply_patch`, `NotebookEdit`
EDIT = re.compile(r"edit|write|replace|patch|create|insert|notebook|update_file|apply", re.IGNORECASE)
_NEW_KEYS = ("new_string", "new_str", "newtext", "new_text", "new", "replacement", "insert_text")
_OLD_KEYS = ("old_string", "old_str", "oldtext", "old_text", "old", "search")


#: a name in code, a path, a version or a number, e.g. `user_id`, `src/a.py`, `--force`, `3.11`
_NAME = re.compile(
    r"`[^`\n]{1,200}`|(?<![\w./\\-])[\w.-]{0,80}[/\\][\w./\\-]{1,200}|(?<!\w)[^\W_]{1,40}(?:_[^\W_]{1,40}){1,8}|"
    r"(?<![\w-])--?[a-z][\w-]{1,40}|\b[a-z]{1,40}[A-Z]\w{0,60}|(?<![\w.])\d{1,8}(?:\.\d{1,8}){1,4}"
)

#: only prepares or shows, e.g. `cd /repo`, `export CI=1`, `git add a.py`
_PREPARES = re.compile(r"(?:cd|export|source|set|echo|ls|head|tail|cat|sleep|git add)\b")


def _main_part(command: str) -> str:
    parts = [part.strip() for part in re.split(r"&&|\n", command) if part.strip()]
    useful = [part for part in parts if not _PREPARES.match(part)]
    return (useful or parts or [command])[-1]


#: a lone argument that shows the call as an exported chat does: "`./main.go`", "The file /repo/a.go has been updated"
_SHOWN_PATH = re.compile(r"^`([^`\s]+\.\w+)`|\b(?:[Ff]ile:?|at:) ((?:[A-Za-z]:|~|\.)?/[\w./@+-]+\w)")
#: a lone argument of these names is a program or a question
_NO_PATH_KEYS = ("code", "script", "query", "command", "cmd", "q")
#: arguments of these names hold a path, whatever it looks like, e.g. `{"path": "Makefile"}`, `{"File_Name": "notes"}`
_PATH_KEYS = frozenset(key.replace("_", "") for key in PATH_KEYS)
#: a word of the name of an argument, e.g. `target`, `File`, `URL`
_KEY_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: how the name of a path may begin, e.g. `path_to_edit`, `pathInProject`
_PATH_BEGINS = (["path", "to"], ["path", "in"])
#: a path, where the name only begins or ends so (`path_to_edit`, `output_file`), e.g. `src/app`, `C:\\repo\\a b.md`,
#: `/Users/My Docs`; "Senior", the career path of a customer, is none
_PATH_VALUE = re.compile(
    r"[^\n]{1,400}\.\w{1,10}|[^\s/\\]{0,200}[/\\]\S{0,400}|(?:[A-Za-z]:)?[/\\][^\n]{1,400}"
)


def path_of(arguments: Any) -> str:
    """The file that a call names, or nothing."""
    if not isinstance(arguments, dict):
        return ""
    for key, value in arguments.items():
        if isinstance(value, str) and _holds_path(str(key), value):
            return value
    lone = next(iter(arguments.items())) if len(arguments) == 1 else ("", None)
    if not isinstance(lone[1], str) or lone[0].lower() in _NO_PATH_KEYS:
        return ""
    shown = _SHOWN_PATH.findall(lone[1])
    return "".join(shown[-1]) if shown else ""


def _holds_path(key: str, value: str) -> bool:
    """Not `profile` or `career_path` of a customer, nor the `file_type` of an upload."""
    words = [word.lower() for word in _KEY_WORD.findall(key)]
    if "".join(words) in _PATH_KEYS:
        return True
    ends = [*words[-1:], "".join(words[-2:])]
    likely = words[:2] in _PATH_BEGINS or not _PATH_KEYS.isdisjoint(ends)
    return likely and _PATH_VALUE.fullmatch(value) is not None


#: files that a shell writes: "sed -i 's/a/b/' src/a.py", "cat > src/a.py <<'EOF'", "echo x >> notes.md", "tee a.py"
_SHELL_WRITES = re.compile(
    r"\bsed (?:-[a-hj-zE]+ )*-i\S* [^\n]{0,400}?(?<![\w./~+-])([\w./~+-]+\.\w{1,6})(?=[^\S\n]*(?:$|&&|;|\|))"
    r"|\b(?:cat|echo|printf)\b[^\n|]{0,200}?>{1,2} ?([\w./~+-]+\.\w{1,6})|\btee (?:-a )?([\w./~+-]+\.\w{1,6})",
    re.MULTILINE,
)
#: a shell with its own editor, whose answer names the open file: "edit 287:295\nnew lines\nend_of_edit"
_EDITOR = re.compile(r"^(?:edit|insert|str_replace)\b")
#: characters of a command and of its answer in which the changed file is looked for
_MAX_SHELL = 600


def edited_path(action: Action) -> str:
    """The file that a call changed, by an editing tool or through the shell, or nothing; a failed call changes none."""
    if action.failure is not None:
        return ""
    command = command_of(action)
    if command is None:
        return (path_of(action.arguments) or _open_file(action.output)) if EDIT.search(action.tool) else ""
    text = next(argument_strings(action.arguments), "")[:_MAX_SHELL]
    if _EDITOR.match(text):
        return _open_file(action.output)
    written = [path for found in _SHELL_WRITES.findall(text) for path in found if path]
    return next((path for path in written if not path.startswith(("/tmp", "/dev"))), "")


def _open_file(output: str) -> str:
    """The file that the answer of an editor shows at its head or its end: "(Open file: /repo/a.py)"."""
    shown = _SHOWN_PATH.search(output[:_MAX_SHELL]) or _SHOWN_PATH.search(output[-_MAX_SHELL:])
    return (shown[1] or shown[2] or "") if shown else ""


def texts_of(arguments: Any) -> tuple[str, str]:
    """The text that an edit takes out and the one that it puts in; each is empty where the call names none."""
    named = arguments if isinstance(arguments, dict) else {}
    lowered = {key.lower(): value for key, value in named.items() if isinstance(value, str)}
    old, new = (next((lowered[key] for key in keys if key in lowered), "") for keys in (_OLD_KEYS, _NEW_KEYS))
    return old, new


def names_in(text: str) -> set[str]:
    """What a text calls by its name, without marks of code."""
    return {name.strip("`") for name in _NAME.findall(text)}


def short_path(path: str) -> str:
    return "/".join(re.split(r"[/\\]", path)[-2:])


def file_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def folder_of(command: str) -> str:
    """The folder that a command changes to before it runs, or nothing."""
    found = re.findall(r"(?:^|&&|;|\n)\s*cd\s+(\S+)\s*(?=&&|;|\n)", command)
    return str(found[-1]) if found else ""


def core_command(command: str) -> str:
    """The telling part of a command, without what only cuts or joins its output."""
    part = re.sub(r"\s*(?:\d?>&?\s*\S+|&>\s*\S+)", "", _main_part(command).split(" | ")[0])
    return " ".join(part.split())
