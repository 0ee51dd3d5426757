"""What a shell call became before it ran: another spelling of the same aim, or the same call after a step."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ultron_core.lessons.describe import edited_path, general_value
from ultron_core.lessons.errors.same_check import INSTALL, is_proof
from ultron_core.transcript.actions import Action, argument_strings
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import one_line

__all__ = ["Form", "find_form", "shown_call"]

#: commands of one aim in the shells of two systems: `mkdir`, `New-Item`
_NAMES = {
    "new-item": "mkdir", "ni": "mkdir", "md": "mkdir", "touch": "mkdir", "remove-item": "rm", "ri": "rm", "del": "rm",
    "rmdir": "rm", "copy-item": "cp", "copy": "cp", "xcopy": "cp", "move-item": "mv", "move": "mv", "rename-item": "mv",
    "ren": "mv", "get-content": "cat", "type": "cat", "gc": "cat", "get-childitem": "ls", "gci": "ls", "dir": "ls",
    "select-string": "grep", "findstr": "grep", "rg": "grep", "invoke-webrequest": "curl", "invoke-restmethod": "curl",
    "iwr": "curl", "irm": "curl", "wget": "curl", "get-command": "which", "where": "which", "stop-process": "kill",
    "taskkill": "kill", "py": "python", "pip3": "pip", "python3": "python", "docker-compose": "docker",
    "yarn": "npm", "pnpm": "npm", "bun": "npm",
}  # fmt: skip
#: only look, or ask a machine that may be down: what they then show is no other form, e.g. `cat`, `curl`
_LOOKS = frozenset(
    ["cat", "ls", "grep", "find", "head", "tail", "which", "curl", "ping", "nc", "wc", "ps", "lsof", "netstat", "echo",
     "sed", "awk", "get-process", "pwd", "get-location", "tree", "stat", "file", "diff", "test-path", "whoami", "env",
     "printenv", "sleep", "jq", "less", "more", "date", "write-host", "write-output", "select-object"]
)  # fmt: skip
#: of git, docker and the like what only looks, e.g. `status`, `ps`, `ls`, `view`
_LOOKING_VERB = re.compile(
    r"^(?:status|diff|log|show|ls|list|ps|images|view|info|help|version|whoami|get|describe|inspect|search|outdated|"
    r"remote|branch|blame|config --(?:get|list)|--version|-v|--help)\b"
)
#: stands before the program, e.g. `sudo`, `npx`, `NAME=x`, `$env:NAME='x'`
_BEFORE = re.compile(r"^(?:sudo|time|env|nohup|npx|bunx|dlx|call|&|\$env:\w+=.*|[A-Za-z_]\w*=.*)$")
#: between commands, e.g. `a && b`, `a; b`
_PARTS = re.compile(r"[^\S\n]{0,8}(?:&&|\|\||;|\n)[^\S\n]{0,8}")
#: prepares the part after it, e.g. `cd web`, `export A=1`, `source .venv/bin/activate`
_PREPARES = re.compile(
    r"^(?:cd|chdir|pushd|export|set|source|\.|Set-Location|sl|activate|conda activate|\$env:\w+\s{0,4}=)(?:\s|$)"
    r"|[\\/]activate\b",
    re.IGNORECASE,
)
#: a text handed over that is about this once, e.g. `-m "fix: the tests"`, `--title 'Retry the upload'`
_TEXT = re.compile(
    r"(?P<flag>(?:^|\s)(?:-m|-am|--message|--title|--body|-t|-b)[ =])"
    r"(?P<quote>[\"'])(?!\$\()(?:(?!(?P=quote))[\s\S]){12,}(?P=quote)"
)
#: a here-document with its text, e.g. `<<'EOF'⏎text⏎EOF`
_DOCUMENT = re.compile(r"(<<-?\s{0,4}['\"]?(\w+)['\"]?)[\s\S]*?(?:\n[ \t]*\2\b|\Z)")
#: a here-document handed over in quotes, e.g. `"$(cat <<'EOF'⏎)"`
_QUOTED_DOCUMENT = re.compile(r"\"\$\(cat <<[^()\"]*\)\s*\"")
#: the name of a program, a verb, a package, a path, e.g. `react-dom`, `src/a`
_TOKEN = re.compile(r"(?<![\w@.:/\\-])[\w@.:/\\-]*[A-Za-z\u3400-\u9fff][\w@.:/\\\u3400-\u9fff-]*")
#: how alike two operands must be for one to be the other put right, e.g. `yaml`, `pyyaml`
_ALIKE = 0.7
#: later calls among which the other form is looked for: a person's cure in ten sessions read came within nine
_REACH = 15
#: steps between that are told
_MOST_STEPS = 2
#: characters of the form that ran; a longer one is a program
_MAX_SHOWN = 300
#: of a longer command the beginning is read: what follows is text that it hands over
_MAX_READ = 4_000


@dataclass(frozen=True, slots=True)
class Form:
    """`ran` is the call that worked; `steps` are the commands that were run before the same call worked, empty when
    the call itself was put in another way."""

    ran: Action
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """One command of a line: its program by its common name, its verb, what it is about, and itself."""

    program: str
    verb: str
    operands: tuple[str, ...]
    text: str


def find_form(failed: Action, later: Sequence[Action], *, refused: bool) -> Form | None:
    """How the aim of a failed command was reached by one of the next calls; with `refused` the program did not accept
    the call, so that a check or a look counts too."""
    before = _raw(failed)
    parts = [part for part in _parts(before) if refused or not _only_looks(part)]
    if not parts:
        return None
    between: list[Action] = []
    for action in later[:_REACH]:
        after = _raw(action)
        if not after or len(shown_call(after)) > _MAX_SHOWN:
            between.append(action)
            continue
        if is_proof(action) and (match := _match(parts, _parts(after), failed)):
            return _form(failed, match, action, between)
        between.append(action)
    return None


def shown_call(command: str) -> str:
    """A command in one line, without the texts that it handed over."""
    command = _DOCUMENT.sub(r"\1 … \2", command[:_MAX_READ])
    return one_line(_TEXT.sub(r"\g<flag>\g<quote>…\g<quote>", command))


def _raw(action: Action) -> str:
    """The command as it was called, with its here-documents."""
    command = command_of(action)
    if command is None:
        return ""
    texts = [text for text in argument_strings(action.arguments) if "<<" in text and "…" in command]
    return (texts[0] if texts else command).strip()


def _match(parts: Sequence[_Part], others: Sequence[_Part], failed: Action) -> tuple[_Part, _Part] | None:
    """The part that failed and the part of a later line with the same aim; the part that the failure names first."""
    line = f"{failed.failure.line if failed.failure else ''} "
    named = [part for part in parts if re.search(rf"(?:^|[\s/'\"`:]){re.escape(part.program)}\b", line)]
    for part in (*named, *reversed(parts)):
        for other in others:
            if _same_aim(part, other, line):
                return part, other
    return None


def _form(failed: Action, match: tuple[_Part, _Part], ran: Action, between: Sequence[Action]) -> Form | None:
    """The other form, or the steps after which the same part ran; None when nothing, or too much, lies between."""
    one, other = match
    before, after = _raw(failed), _raw(ran)
    if _plain(one.text) != _plain(other.text):
        return Form(ran)
    joined = len(_parts(before)) > 1 or _before(before, one) != _before(after, other)
    own = [part for part in _parts(after) if part.text != other.text and part.text not in before]
    first = [part for part in own if after.find(part.text) < after.find(other.text) and not _only_looks(part)]
    done = [part for action in between if is_proof(action) for part in _parts(_raw(action))]
    steps = [part for part in (*done, *first) if not _only_looks(part) and part.text not in before]
    if not steps:
        return Form(ran) if joined and _plain(before) != _plain(after) else None
    if any(edited_path(action) or (command_of(action) is None and _changes(action)) for action in between):
        return None
    told = f"{failed.output} {one.program}".casefold()
    related = [part for part in steps if part.program == one.program or _speaks_of(part, told)]
    chosen = related or (steps if len(steps) == 1 else [])
    texts = tuple(dict.fromkeys(general_value(shown_call(part.text)) for part in chosen))
    return Form(ran, texts) if 0 < len(texts) <= _MOST_STEPS else None


def _changes(action: Action) -> bool:
    return re.search(r"edit|write|patch|replace|create", action.tool, re.IGNORECASE) is not None


def _before(command: str, part: _Part) -> str:
    return _plain(command.partition(part.text)[0])


def _speaks_of(part: _Part, told: str) -> bool:
    words = (part.program, part.verb, *part.operands)
    return any(len(word) > 2 and word.casefold() in told for word in words)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _only_looks(part: _Part) -> bool:
    verb = f"{part.verb} {' '.join(part.operands)}".strip()
    if part.program in ("python", "node", "ruby", "perl", "php", "deno") and re.search(
        r"\s-[ce]\s", part.text
    ):
        return True  # a program for one occasion
    return part.program in _LOOKS or (bool(_LOOKING_VERB.match(verb)) and not INSTALL.search(verb))


def _same_aim(one: _Part, other: _Part, line: str) -> bool:
    if one.program == other.program and not (one.verb and other.verb):
        one, other = _verbless(one), _verbless(other)  # what stands first may be an operand: `crawl docs`
    if one.program != other.program or one.verb != other.verb:
        # a program under its new name: `npx old-cli add card`, `npx cli add card`
        renamed = _is_other(one.program, other.program) and _names(line, other.program)
        return renamed and bool(one.operands) and one.operands == other.operands
    left, right = set(one.operands) - set(other.operands), set(other.operands) - set(one.operands)
    shared = set(one.operands) & set(other.operands)
    if not left or not right:
        return bool(shared) or not one.operands or not (left or right)
    if any(_is_other(a, b) for a in left for b in right):
        return True
    # what the failure names was replaced, and nothing else: `npm run serve`, `npm run dev`
    return bool(shared) if len(left) > 1 else all(_names(line, word) for word in left) and len(right) == 1


def _verbless(part: _Part) -> _Part:
    return replace(part, verb="", operands=(*((part.verb,) if part.verb else ()), *part.operands))


def _names(line: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", line) is not None


def _is_other(one: str, other: str) -> bool:
    """True for one name in two spellings, with or without its version, its folder or a part."""
    a, b = (
        re.sub(r"(?<=\w)@[\w.^~-]+$|[=<>~].*$", "", re.split(r"[/\\]", word)[-1]) for word in (one, other)
    )
    if min(len(a), len(b)) >= 3 and (a in b or b in a):
        return True
    return difflib.SequenceMatcher(None, a, b).ratio() >= _ALIKE


@lru_cache(maxsize=2048)
def _parts(command: str) -> tuple[_Part, ...]:
    """The commands of a line that do something; those that only prepare are left out."""
    command = _DOCUMENT.sub(r"\1", command[:_MAX_READ])
    found = (_part(part.strip()) for part in _PARTS.split(_masked(command)))
    return tuple(part for part in found if part is not None)


def _masked(command: str) -> str:
    """The command with the line breaks and separators inside of quotes as spaces."""
    return re.sub(r"\"[^\"]*\"|'[^']*'", lambda found: re.sub(r"[\n;|&]", " ", found[0]), command)


def _part(text: str) -> _Part | None:
    if not text or _PREPARES.search(text):
        return None
    words = _words(_QUOTED_DOCUMENT.sub("…", _TEXT.sub(r"\g<flag>…", text)).split(" | ")[0])
    while words and (_BEFORE.match(words[0]) or re.fullmatch(r"\d+[smh]?", words[0])):
        words = words[1:]
    if words and words[0] == "timeout":
        words = words[2:]
    if not words:
        return None
    program = re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", re.split(r"[/\\]", words[0])[-1]).casefold()
    rest = words[1:]
    if program == "docker-compose":
        rest = ["compose", *rest]
    if program in ("python", "python3", "py") and rest[:1] == ["-m"] and len(rest) > 1:
        program, rest = rest[1], rest[2:]
    if program in ("pnpm", "npm", "yarn", "bun") and rest[:1] in (["exec"], ["dlx"], ["x"]) and len(rest) > 1:
        program, rest = rest[1].casefold(), rest[2:]
    plain = [word for word in rest if not word.startswith(("-", "/")) or "/" in word[1:]]
    program = re.sub(r"(?<=\w)@[\w.^~-]+$", "", program)
    name = _NAMES.get(program, program)
    verb = (
        plain[0]
        if plain and re.fullmatch(r"[a-z][a-z-]*", plain[0]) and name not in ("mkdir", "rm", "cp", "mv")
        else ""
    )
    operands = tuple(
        token for word in (plain[1:] if verb else plain) for token in _TOKEN.findall(word) if len(token) > 1
    )
    return _Part(name, verb, operands, text)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text.replace("\\", "/"))
    except ValueError:
        return text.split()
