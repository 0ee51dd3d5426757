"""What changed between a failing and a working try, as a sentence that names it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ultron_core.lessons.describe import (
    EDIT,
    OLD_KEYS,
    core_command,
    general_line,
    general_value,
    is_mismatch,
    main_part,
    path_of,
    short_path,
)
from ultron_core.lessons.errors.code_diff import find_code_change
from ultron_core.lessons.errors.episodes import Episode
from ultron_core.lessons.sentences import PHRASES
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of, purpose
from ultron_core.transcript.failures import clean_line
from ultron_core.transcript.language import Lang, one_line

__all__ = ["describe_change", "missing_name", "silences"]

_NEW_KEYS = ("new_string", "new_str", "newtext", "new_text")
_MAX_LINE = 120
_MAX_VALUE = 60
#: an edit of more new lines is a rewrite that no sentence can hold
_MAX_ADDED = 2
#: commands that look and change nothing, so are not what solved a failure
_LOOKING = re.compile(
    r"^(?:ls|cat|grep|rg|find|head|tail|echo|pwd|which|wc|sed -n|sleep|true|git (?:status|diff|log|show|branch)|tree|"
    r"file|stat|type|env|printenv|less|more|du|df|ps)\b"
)
#: words that prove no tie between a failure and a change
_COMMON_WORDS = """
error Error the and not for with test tests import from type module name this that const get set run add use has are new
"""
_COMMON = frozenset(_COMMON_WORDS.split())
#: commands that bring what was missing: "npm install", "mix deps.get"
_INSTALL = re.compile(r"\b(?:install|add|sync|deps\.get|migrate|restore|bootstrap|update|upgrade)\b")
#: failures that say so: "sh: 1: jq: not found"
_MISSING = re.compile(
    r"No module|not found|Cannot find|not installed|missing|[Cc]ould not resolve|no such table|not available",
    re.IGNORECASE,
)
#: arguments that describe a call and do not change what it does
_NO_ARGUMENT = ("command", "cmd", "description", "timeout", "run_in_background", "workdir")


def describe_change(episode: Episode, worked: Action, lang: Lang) -> str | None:
    """The change between the failing and the working try, as a sentence; None when it cannot be named."""
    failed, words = episode.failed, PHRASES[lang]
    before, after = command_of(failed), command_of(worked)
    if after is not None and EDIT.match(core_command(after)):
        return None
    if before is not None and after is not None and _other_command(before, after):
        return words["worked"].format(subject=f"`{clean_line(core_command(after), 200)}`")
    if is_mismatch(failed):
        return words["exact"]
    if failed.tool == "patch":
        path, change = path_of(worked.arguments), _edit_change(worked, failed, lang)
        return (
            words["edited"].format(files=f"`{short_path(path)}`", change=change) if path and change else None
        )
    if failed.tool == "code":
        return _script_change(failed, worked, lang)
    return (
        _file_change(episode, lang)
        or _argument_change(failed, worked, lang)
        or _reading(episode, lang)
        or (_steps(episode, lang) if before is not None else None)
    )


def _other_command(before: str, after: str) -> bool:
    """True when another command worked, and not only more or less of the same (`pytest a b`, then `pytest a`)."""
    one, other = core_command(before), core_command(after)
    left, right = set(one.split()), set(other.split())
    if right < left:
        return False
    return one != other and not (left < right and not any(word.startswith("-") for word in right - left))


def _script_change(failed: Action, worked: Action, lang: Lang) -> str | None:
    change, words = find_code_change(failed.text, worked.text, failed.output), PHRASES[lang]
    if change is None:
        return None
    if change.layout:
        return words["indented"]
    if change.removed:
        return words["line"].format(old=change.removed, new=change.added[0])
    return words["added"].format(lines=", ".join(f"`{line}`" for line in change.added))


def _file_change(episode: Episode, lang: Lang) -> str | None:
    """The edit before the working try that has most to do with the failure; one of several must name its lines."""
    failed = episode.failed
    edits = [
        a
        for a in episode.between
        if a.failure is None
        and EDIT.search(a.tool)
        and purpose(a) != purpose(failed)
        and path_of(a.arguments)
    ]
    changes = [(a, change) for a in edits if (change := _edit_change(a, failed, lang))]
    near = [(a, change) for a, change in changes if _nearness(change, failed)]
    if len(edits) == 1 or near:
        action, change = (
            max(near, key=lambda item: (_nearness(item[1], failed), edits.index(item[0])))
            if near
            else (edits[0], changes[0][1] if changes else "")
        )
    elif len({path_of(a.arguments) for a in edits}) == 1:
        action, change = edits[-1], ""
    else:
        return None
    path = short_path(path_of(action.arguments))
    line = failed.failure.line if failed.failure else ""
    if not change and path.rsplit("/", 1)[-1] in line:
        return None  # that the file with the error was changed says nothing
    return PHRASES[lang]["edited"].format(files=f"`{path}`", change=change)


def _nearness(change: str, failed: Action) -> int:
    """How many names of the failure, its file left out, appear in the changed lines."""
    line = failed.failure.line if failed.failure else ""
    line = " ".join(part for part in line.split() if not re.search(r"\.\w+[(:]", part))
    return len((_names(line) & _names(change)) - _COMMON)


def _names(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w{2,}", text))


def _edit_change(action: Action, failed: Action, lang: Lang) -> str:
    """` : old became new` or the lines put in, when they are few, short and differ to the eye; else nothing."""
    if not isinstance(action.arguments, dict):
        return ""
    lowered = {key.lower(): value for key, value in action.arguments.items()}
    old = next((lowered[key] for key in OLD_KEYS if isinstance(lowered.get(key), str)), "")
    new = next((lowered[key] for key in _NEW_KEYS if isinstance(lowered.get(key), str)), "")
    removed, added = _only(old, new), _only(new, old)
    name = missing_name(failed)
    if failed.tool == "patch" and name and not any(_has(name, line) for line in (*removed, *added)):
        return ""
    if name and len(added) > 1:
        added = [line for line in added if _has(name, line)] or added
    few = (len(removed) == 1 and len(added) == 1) or (not removed and 0 < len(added) <= _MAX_ADDED)
    if few and any(len(line) > _MAX_LINE for line in (*removed, *added)):
        return ""
    if few and removed:
        return PHRASES[lang]["change"].format(old=removed[0], new=added[0])
    if few:
        return PHRASES[lang]["inserted"].format(lines=", ".join(f"`{line}`" for line in added))
    brings = [line for line in added if name and len(line) <= _MAX_LINE and _brings(name).search(line)]
    return PHRASES[lang]["inserted"].format(lines=f"`{brings[0]}`") if brings else ""


def _has(name: str, line: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", line) is not None


def _brings(name: str) -> re.Pattern[str]:
    """A line that makes a name known: an import, a definition, a parameter or a value."""
    n = re.escape(name)
    return re.compile(
        rf"^(?:from\b.*\bimport|import|use|require)\b.*\b{n}\b|^(?:async def|def|class|func|fn|const|let|var)\s+{n}\b|"
        rf"^{n}\s*(?::[^=]+)?=[^=]|^def \w+\(.*\b{n}\b.*\)|^for\s+.*\b{n}\b.*\bin\b"
    )


def silences(change: str, name: str) -> bool:
    """True for a change that only gives an undefined name an empty value, which quiets the linter alone."""
    return (
        re.search(rf"`{re.escape(name)}\s*=\s*(?:False|True|None|0|''|\"\"|\[\]|\{{\}})`", change) is not None
    )


def missing_name(failed: Action) -> str:
    """The name that a failure says is not known, or nothing."""
    line = failed.failure.line if failed.failure else ""
    found = re.search(r"(?:undefined name|name|module named|Cannot find name|undefined:) '?(\w+)", line)
    return found.group(1) if found else ""


def _only(text: str, other: str) -> Sequence[str]:
    there = {line.strip() for line in other.splitlines()}
    return [line.strip() for line in text.splitlines() if line.strip() and line.strip() not in there]


def _argument_change(failed: Action, worked: Action, lang: Lang) -> str | None:
    before, after = failed.arguments, worked.arguments
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    names = [key for key in after if after[key] != before.get(key) and key not in _NO_ARGUMENT]
    if not names or not _speaks_of(failed, [(name, before.get(name), after[name]) for name in names]):
        return None
    words = PHRASES[lang]
    if len(names) == 1:
        old, new = _value(before.get(names[0])), _value(after[names[0]])
        if new and old != new:
            kind = "set" if not old else "value"
            return words[kind].format(name=f"`{names[0]}`", old=f"`{old}`", new=f"`{new}`")
    kind = "arguments" if any(key in before for key in names) else "given"
    return words[kind].format(names=", ".join(f"`{name}`" for name in names[:4]))


def _speaks_of(failed: Action, changed: Sequence[tuple[str, object, object]]) -> bool:
    """True when the failure names a changed argument or its value: a different order is not a cure."""
    line = failed.failure.line if failed.failure else ""
    reported = {word.lower() for word in re.findall(r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2}", line)}
    given = re.findall(
        r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2}", json.dumps(changed, ensure_ascii=False, default=str)
    )
    return bool(reported & {word.lower() for word in given})


def _value(value: object) -> str:
    """A value in a few words, without the numbers of one booking or account; empty when it is too long."""
    if value is None or value == "":
        return ""
    text = general_value(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _MAX_VALUE and "\n" not in text else ""


def _reading(episode: Episode, lang: Lang) -> str | None:
    path = path_of(episode.failed.arguments)
    if path and any(a.failure is None and path_of(a.arguments) == path for a in episode.between):
        return PHRASES[lang]["reread"].format(file=f"`{short_path(path)}`")
    return None


def _steps(episode: Episode, lang: Lang) -> str | None:
    """The last two commands before the working try that may have changed what the failure speaks of."""
    commands = [
        main_part(command_of(a) or "") for a in episode.between if a.failure is None and command_of(a)
    ]
    steps = [c for c in commands if not EDIT.match(c) and not _LOOKING.match(c) and len(c) <= _MAX_LINE]
    lacks = _MISSING.search(episode.failed.failure.line if episode.failed.failure else "")
    steps = [c for c in steps if (lacks and _INSTALL.search(c)) or _nearness(c, episode.failed)]
    if not steps:
        return None
    return PHRASES[lang]["after"].format(
        steps=", ".join(f"`{_short_step(c)}`" for c in dict.fromkeys(steps[-2:]))
    )


def _short_step(command: str) -> str:
    """A command with its paths shortened, unless that leaves two paths alike."""
    short = clean_line(general_line(command), _MAX_LINE)
    return short if short.count("…/") < 2 else general_line(one_line(command))
