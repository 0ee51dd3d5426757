"""An action in words: what was called, where, and how it failed, without what is true only once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Message
from ultron_core.transcript.actions import Action, argument_strings
from ultron_core.transcript.commands import PATH_KEYS, command_of, purpose
from ultron_core.transcript.language import Lang
from ultron_core.transcript.results.failures import clean_line

__all__ = [
    "EDIT",
    "NEW_KEYS",
    "OLD_KEYS",
    "core_command",
    "describe_context",
    "describe_failure",
    "describe_subject",
    "describe_tags",
    "edited_path",
    "file_name",
    "file_stem",
    "folder_of",
    "general_line",
    "general_value",
    "is_mismatch",
    "main_part",
    "names_in",
    "path_of",
    "short_path",
]

#: `file.py:52:12:`, `file.ts(499,20):`
_POSITION = re.compile(r"(?<=\w):\d+(?::\d+)?(?=:|\s|$)|(?<=\w)\(\d+,\d+\)(?=:)")
#: of which the host is kept, e.g. `https://host/long/path?query=1`
_URL = re.compile(r"(https?://[^/\s'\"()]+)(/[^\s'\"()?#,]*)?([?#][^\s'\"(),]*)?")
#: a longer path is that of one page and not of an endpoint
_MAX_URL_PATH = 30
#: urllib3: "Max retries exceeded with url: /api/v1/items"
_ASKED = re.compile(r"(\bwith url: )\S+")
#: a number that is not a status code as in "HTTP 404", e.g. `balance 1342.50`
_NUMBER = re.compile(
    r"(?<!HTTP )(?<!status )(?<!code )(?<!Error )(?<!error )(?<![\w.…-])\d{2,}(?:\.\d+)?\b(?!\w)"
)
#: "/tmp/tmpab12/x.log", "0x7f9ec04d7d60"
_TEMPORARY = re.compile(r"(?:/tmp|/var/folders)/[^\s'\":,]+|\b0x[0-9a-f]{6,}\b")
#: an identifier that somebody was given: letters and at least four digits, e.g. `reservation-4821`, `INC0042`
_GIVEN = re.compile(r"\b(?=[\w-]{0,80}[A-Za-z_-])([A-Za-z]{1,60}(?:[_-][A-Za-z]{1,60}){0,8}[_-]?)\d{4,}\b")


def general_line(line: str) -> str:
    """A line of output without positions in files, query strings, temporary paths and addresses in memory."""
    line = _URL.sub(_short_url, _ASKED.sub(r"\1…", line))
    return _TEMPORARY.sub("…", _POSITION.sub("", line))


def general_value(text: str) -> str:
    """The same, without amounts, and identifiers of one booking or account by their kind alone:
    `gift_card_8190333` -> `gift_card_…`."""
    return _NUMBER.sub("…", _GIVEN.sub(lambda match: match.group(1) + "…", general_line(text)))


def _short_url(match: re.Match[str]) -> str:
    host, path, query = match.group(1), match.group(2) or "", match.group(3) or ""
    if len(path) <= _MAX_URL_PATH and not query:
        return match.group()
    return f"{host}{path if len(path) <= _MAX_URL_PATH else '/'}…"


#: kinds of failure of an edit -> how the step is called in a sentence
_STEP_NAMES = {"PatchMismatch": "step_patch", "Lint": "step_lint"}
#: names of fences -> how their language is called in a sentence
_LANGUAGES = {"python": "Python", "py": "Python", "javascript": "JavaScript", "js": "JavaScript"}
#: the fence before a block and its language, e.g. ```` ```python ````
_FENCE_NAME = re.compile(r"```([\w+-]*)$")
#: the modules that a program uses, e.g. `import numpy as np`, `from json import loads`
_IMPORTED = re.compile(r"^[^\S\n]*(?:from|import)\s+([A-Za-z_]\w*)", re.MULTILINE)
#: characters of a query that a sentence can quote
_MAX_QUESTION = 160
#: tools that change files, e.g. `str_replace_editor`, `apply_patch`, `NotebookEdit`
EDIT = re.compile(r"edit|write|replace|patch|create|insert|notebook|update_file|apply", re.IGNORECASE)
NEW_KEYS = ("new_string", "new_str", "newtext", "new_text", "new", "replacement", "insert_text")
OLD_KEYS = ("old_string", "old_str", "oldtext", "old_text", "old", "search")


def describe_subject(messages: Sequence[Message], action: Action, lang: Lang) -> str:
    """What was called, fit for a sentence: the command, the tool's name, or what kind of step it was."""
    command, words = command_of(action), PHRASES[lang]
    if command is not None:
        return f"`{clean_line(_all_parts(command) or core_command(command), 100)}`"
    if action.tool == "code":
        return _code_name(messages, action, lang) or words["script"]
    if action.tool == "patch":
        return words[_STEP_NAMES.get(_kind(action), "step_tests")]
    return f"`{action.tool}`" if action.tool else words["some_call"]


def describe_failure(messages: Sequence[Message], action: Action, lang: Lang, project: str) -> str:
    """What failed, in which project, and what it reported, without what is true only this once."""
    assert action.failure is not None
    reported = action.failure.line
    ran = command_of(action) is not None or action.tool in ("code", "patch")
    # what only announces ("expected one element, but got none within:") ends there
    line = clean_line(general_line(reported) if ran else general_value(reported)).rstrip(":： ")
    return PHRASES[lang]["failed_in" if project else "failed"].format(
        subject=describe_subject(messages, action, lang), line=line, project=project
    )


def describe_context(messages: Sequence[Message], action: Action, lang: Lang) -> str:
    """In what situation it failed: the whole command, what the script imports, the file that was edited."""
    words = PHRASES[lang]
    command = command_of(action)
    if command is not None:
        return words["running"].format(subject=f"`{clean_line(_shown(command), 160)}`")
    if action.tool == "code":
        code = _code_name(messages, action, lang)
        names = list(dict.fromkeys(_IMPORTED.findall(action.text)))
        if names:
            shown = ", ".join(f"`{name}`" for name in names[:5])
            return words["using" if code else "script_using"].format(code=code, names=shown)
        return words["running"].format(subject=code) if code else words["running_script"]
    if action.tool == "patch":
        path = _linted(action) or path_of(action.arguments)
        return words["patching"].format(file=f"`{short_path(path)}`") if path else words["patching_some"]
    if not action.tool:
        return words["calling_some"]
    asked = next(iter(action.arguments.values()), "") if _is_question(action.arguments) else ""
    return words["calling_with" if asked else "calling"].format(tool=f"`{action.tool}`", asked=f"`{asked}`")


def _is_question(arguments: Any) -> bool:
    """True for a lone argument of one short line without values of one account: a query, a name to look up."""
    if not isinstance(arguments, dict) or len(arguments) != 1:
        return False
    value = next(iter(arguments.values()))
    return (
        isinstance(value, str)
        and len(value) <= _MAX_QUESTION
        and "\n" not in value
        and general_value(value) == value
    )


def _code_name(messages: Sequence[Message], action: Action, lang: Lang) -> str:
    """The script's language as its fence names it ("Python code"), or nothing."""
    before = messages[action.call].content.partition(action.text)[0].rstrip()
    fence = _FENCE_NAME.search(before)
    name = _LANGUAGES.get(fence.group(1).lower(), "") if fence else ""
    return PHRASES[lang]["code_in"].format(language=name) if name else ""


def is_mismatch(action: Action) -> bool:
    """An edit refused because its old text does not appear in the file."""
    if action.failure is None:
        return False
    if action.tool == "patch":
        # what follows a patch may be the output of tests, in which "not found" means anything
        return action.failure.kind == "PatchMismatch"
    keys = {key.lower() for key in action.arguments} if isinstance(action.arguments, dict) else set()
    line = action.failure.line.lower()
    return bool(keys & set(OLD_KEYS)) and ("not find" in line or "not found" in line or "match" in line)


def describe_tags(action: Action) -> tuple[str, ...]:
    tags = [part.lower() for part in purpose(action)[1:2] if re.fullmatch(r"[\w.-]{2,30}", part)]
    if action.tool and re.fullmatch(r"[\w.-]{2,40}", action.tool):
        tags.append(action.tool.lower())
    if action.failure and action.failure.kind:
        tags.append(action.failure.kind)
    return tuple(dict.fromkeys(tags))


def _kind(action: Action) -> str:
    return action.failure.kind if action.failure else ""


def _linted(action: Action) -> str:
    """The file that a linter names, which is not always the file that was edited last."""
    found = (
        re.match(r"(\S+?):\d+", action.failure.line) if action.failure and _kind(action) == "Lint" else None
    )
    return found.group(1) if found else ""


def _shown(command: str) -> str:
    """The command without changes of folder before it and without what only cuts or joins its output."""
    command = re.sub(r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+", "", command)
    return re.sub(r"\s*2>&1|\s*\|\s*(?:head|tail)(?:\s+-\S+)*(?:\s+\d+)?\s*$", "", command)


#: only prepares or shows, e.g. `cd /repo`, `export CI=1`, `git add a.py`
_PREPARES = re.compile(r"(?:cd|export|source|set|echo|ls|head|tail|cat|sleep|git add)\b")
#: a longer chain is told by its last part
_MAX_CHAIN = 100


def main_part(command: str) -> str:
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


def short_path(path: str) -> str:
    return "/".join(re.split(r"[/\\]", path)[-2:])


def file_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def file_stem(path: str) -> str:
    """Its name up to the first full stop: `a` of `src/a.spec.ts`."""
    return file_name(path).split(".")[0]


def names_in(text: str) -> set[str]:
    """Words of three letters and more that may be names in code."""
    return set(re.findall(r"[A-Za-z_]\w{2,}", text))


def _all_parts(command: str) -> str:
    """A chain of commands any of which may have failed, `npm run lint && npm test`; of one command nothing."""
    parts = [core_command(part.strip()) for part in command.split("&&") if part.strip()]
    parts = [part for part in parts if part and not _PREPARES.match(part)]
    shown = " && ".join(parts)
    return shown if len(parts) > 1 and "\n" not in command and len(shown) <= _MAX_CHAIN else ""


def folder_of(command: str) -> str:
    """The folder that a command changes to before it runs, or nothing."""
    found = re.findall(r"(?:^|&&|;|\n)\s*cd\s+(\S+)\s*(?=&&|;|\n)", command)
    return str(found[-1]) if found else ""


def core_command(command: str) -> str:
    """The telling part of a command, without what only cuts or joins its output."""
    part = re.sub(r"\s*(?:\d?>&?\s*\S+|&>\s*\S+)", "", main_part(command).split(" | ")[0])
    return " ".join(part.split())
