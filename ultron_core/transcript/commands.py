"""Which two actions are the same thing tried again."""

from __future__ import annotations

import re
import shlex
from functools import lru_cache
from typing import Any

from ultron_core.transcript.actions import Action

__all__ = ["PATH_KEYS", "command_in", "command_of", "purpose", "same_purpose"]

_COMMAND_KEYS = ("command", "cmd", "script", "commandline")
#: arguments of these names hold a path and nothing else
PATH_KEYS = (
    "file_path",
    "path",
    "filepath",
    "filename",
    "file",
    "notebook_path",
    "absolutepath",
    "targetfile",
)
#: tools that run what they are given, whatever the argument is called: `Bash`, `run_in_terminal`, `shell`
_SHELL_TOOL = re.compile(
    r"^(?:bash|sh|shell|terminal|run_(?:in_)?(?:terminal|command|shell)(?:_cmd)?|execute_(?:bash|command|shell))$",
    re.IGNORECASE,
)
#: a call as an exported chat shows it: "Run the linter\n\n`ruff check .`"
_QUOTED_COMMAND = re.compile(r"(?:^|\n)`++([^`](?:[\s\S]*[^`])?)`+$")
#: a part that only prepares the next, e.g. `cd /repo`, `export PATH=/opt/bin`, `set -e`, `CI=1`
_SETUP = re.compile(r"^(?:cd\s+\S+|export\s+\S+|source\s+\S+|set\s+-\S+|\w+=\S*)$")
#: where a here-document begins, e.g. `cat <<'EOF'`, `python - <<EOF`, `git commit -m "$(cat <<'EOF'`
_DOCUMENT = re.compile(r"(?P<quoted>\"\$\(cat )?<<-?\s{0,8}['\"]?(?P<word>\w++)['\"]?")
#: behind a here-document in a text handed to a flag, e.g. `)"`
_QUOTED_END = re.compile(r"\s{0,20}\)\"")
#: here-documents of one command that are looked for: no person writes more
_MOST_DOCUMENTS = 40
#: stands before the command itself, e.g. `CI=1`
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=\S*$")
_WRAPPERS = ("sudo", "time", "timeout", "env", "nohup", "nice", "npx", "uv", "poetry", "pipenv", "conda")
_VERBED = """
git npm yarn pnpm cargo go docker kubectl pip pip3 apt apt-get gh bd make brew terraform helm dotnet mvn
gradle bun mix rails manage.py
"""
_WITH_VERB = frozenset(_VERBED.split())
#: the shell of `bash -lc "make check"`, e.g. `bash`, `/bin/sh`, `zsh`
_SHELL = re.compile(r"(?:\S{0,200}/)?(?:ba|z|da|k)?sh")
#: between the parts of a compound command, e.g. `cd a && make`, `make || true`, `export A=1; make`
_PARTS = re.compile(r"\s{0,80}(?:&&|\|\||;|\n)\s*")
#: words that two commands share, e.g. `pytest`, `test_parser`
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_NO_PURPOSE = (
    "ls",
    "cat",
    "echo",
    "grep",
    "rg",
    "find",
    "head",
    "tail",
    "cd",
    "pwd",
    "which",
    "test",
    "wc",
    "sed",
    "sleep",
    "true",
)


def command_of(action: Action) -> str | None:
    """The shell command of an action without here-documents, or None when it is not a command."""
    return command_in(action.tool, action.arguments)


def command_in(tool: str, arguments: Any) -> str | None:
    """The shell command that a call of `tool` with these arguments runs."""
    if isinstance(arguments, dict):
        for key, value in arguments.items():
            if key.lower() in _COMMAND_KEYS and isinstance(value, str | list):
                command = value if isinstance(value, str) else _joined([str(part) for part in value])
                return _without_documents(command).strip()
        values = list(arguments.values())
        if len(values) == 1 and isinstance(values[0], str) and _SHELL_TOOL.search(tool):
            text = values[0].strip()
            quoted = _QUOTED_COMMAND.search(text) if text.endswith("`") else None
            return _without_documents(quoted.group(1) if quoted else text).strip()
    if isinstance(arguments, str) and tool == "command":
        # a fenced block of a text protocol: its first line is the command, the rest what it is given
        return arguments.split("\n", 1)[0]
    return None


@lru_cache(maxsize=2048)
def _without_documents(command: str) -> str:
    """Each here-document as "…", with its opening and, in a quoted text, with the quotes kept."""
    parts, at = [], 0
    for _ in range(_MOST_DOCUMENTS):
        opened = _DOCUMENT.search(command, at)
        if opened is None:
            break
        closed = re.compile(rf"^[ \t]*{re.escape(opened['word'])}\b", re.MULTILINE).search(
            command, opened.end()
        )
        if closed is None:
            parts.append(command[at : opened.end()])
            at = opened.end()
            continue
        quotes = _QUOTED_END.match(command, closed.end()) if opened["quoted"] else None
        head = "" if quotes or not opened["quoted"] else opened["quoted"]
        parts += [command[at : opened.start()], '"…"' if quotes else f"{head}…"]
        at = quotes.end() if quotes else closed.end()
    return "".join([*parts, command[at:]])


def _joined(words: list[str]) -> str:
    """The command line of a list of words; of `["bash", "-lc", script]` what the shell is given to run."""
    if len(words) == 3 and _SHELL.fullmatch(words[0]) and words[1] in ("-c", "-lc"):
        return words[2]
    return " ".join(words)


def purpose(action: Action) -> tuple[str, ...]:
    """What the action tries: ("$", program, verb or script), (tool, file) or (tool,)."""
    command = command_of(action)
    if command is not None:
        return _command_purpose(command)
    if action.tool == "patch":
        return (action.tool,)
    path = _path_of(action.arguments)
    return (action.tool, path) if path else (action.tool,)


def same_purpose(failed: Action, later: Action) -> bool:
    """True when `later` tries what `failed` tried."""
    if purpose(failed) != purpose(later) or not purpose(failed)[0]:
        return False
    if failed.tool == "code":
        return _overlap(failed.text, later.text) >= 0.3
    return True


@lru_cache(maxsize=2048)  # each failure is held against every later command of its segment
def _command_purpose(command: str) -> tuple[str, ...]:
    for part in reversed(_PARTS.split(command.strip())):
        words = _words(part)
        if not words or _SETUP.match(part.strip()):
            continue
        program = words[0].rsplit("/", 1)[-1]
        rest = [word for word in words[1:] if not word.startswith("-")]
        if program in _NO_PURPOSE:
            continue
        if re.fullmatch(r"(?:python|node|ruby|bash|sh|perl)[\d.]*", program):
            return ("$", *_script(words[1:]))
        if program in _WITH_VERB and rest:
            # `npm run lint` and `npm run test` are two things; so are `uv pip install` and `uv sync`
            return ("$", program, *rest[: 2 if rest[0] in ("run", "exec", "task") else 1])
        return ("$", program)
    return ("",)


def _words(part: str) -> list[str]:
    try:
        words = shlex.split(part.split("|")[0])
    except ValueError:
        words = part.split("|")[0].split()
    while words and (
        _ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS or re.fullmatch(r"\d+[smh]?", words[0])
    ):
        wrapper = words.pop(0)
        if wrapper in ("uv", "poetry", "pipenv", "conda") and words and words[0] in ("run", "exec"):
            words.pop(0)
        if wrapper == "conda":
            while words and (words[0].startswith("-") or "=" in words[0]):
                words = words[2:] if words[0] in ("-n", "-p") else words[1:]
    return words


def _script(words: list[str]) -> tuple[str, ...]:
    """`python -m pytest` counts as pytest, `python app.py` as the file, `python -c` as inline code."""
    for i, word in enumerate(words):
        if word == "-m" and i + 1 < len(words):
            return (words[i + 1],)
        if word in ("-c", "-e", "-"):
            return ("inline",)
        if not word.startswith("-"):
            return (word.rsplit("/", 1)[-1],)
    return ("inline",)


def _path_of(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return ""
    for key, value in arguments.items():
        if key.lower() in PATH_KEYS and isinstance(value, str):
            return value
    return ""


def _overlap(a: str, b: str) -> float:
    left, right = set(_WORD.findall(a)), set(_WORD.findall(b))
    return len(left & right) / max(min(len(left), len(right)), 1)
