"""What changed between a failing and a working try, as a sentence that names it and the call that made it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.lessons.describe import (
    EDIT,
    NEW_KEYS,
    OLD_KEYS,
    core_command,
    edited_path,
    file_name,
    file_stem,
    folder_of,
    general_line,
    is_mismatch,
    main_part,
    names_in,
    path_of,
    short_path,
)
from ultron_core.lessons.errors.argument_change import argument_change
from ultron_core.lessons.errors.code_diff import find_code_change
from ultron_core.lessons.errors.episodes import Episode
from ultron_core.lessons.errors.same_check import INSTALL, code_of, not_here, selects
from ultron_core.lessons.sentences import PHRASES
from ultron_core.transcript.actions import GIT, Action
from ultron_core.transcript.commands import command_of, purpose
from ultron_core.transcript.language import Lang, one_line
from ultron_core.transcript.results.failures import clean_line

__all__ = ["Change", "describe_change", "missing_name", "name_files", "silences"]

#: characters of a line that a sentence can quote
_MAX_LINE = 120
#: an edit of more new lines is a rewrite that no sentence can hold
_MAX_ADDED = 2
#: a change of more files is the work itself
_MOST_FILES = 3
#: commands that look and change nothing, so are not what solved a failure, e.g. `git -C api diff`, `cat app.py`
_LOOKING = re.compile(
    r"^(?:ls|cat|grep|rg|find|head|tail|echo|pwd|which|wc|sed -n|sleep|true|tree|file|stat|type|env|printenv|less|more|"
    rf"du|df|ps|{GIT}(?:status|diff|log|show|branch))\b"
)
#: words that prove no tie between a failure and a change
_COMMON_WORDS = """
error Error the and not for with test tests import from type module name this that const get set run add use has are new
"""
_COMMON = frozenset(_COMMON_WORDS.split())
#: failures that say so: "sh: 1: jq: not found"
_MISSING = re.compile(
    r"No module|not found|Cannot find|not installed|missing|[Cc]ould not resolve|no such table|not available",
    re.IGNORECASE,
)
#: the module that a name is brought from, e.g. `from sympy.core import Basic`
_BROUGHT_FROM = re.compile(r"\bfrom\s+([.\w]+)\s+import\b")
#: commands that change what the next one meets: "git config", "docker compose up", "chmod +x run.sh"
_CHANGES_STATE = re.compile(
    r"(?<!-)\b(?:config|init|create|mkdir|chmod|chown|start|up|enable|login|generate|format|fmt|fix|kill|mv|cp|ln|link|"
    r"\w*fmt|black|prettier|pull|clone|fetch|unset|reset)\b|--(?:fix|write)\b"
)
#: output that names a file, e.g. `src/loader.ts:12`, `tests/test_a.py`
_NAMES_FILE = re.compile(r"[\w-]{2,60}\.[a-z]{1,4}\b")
#: a file that holds tests, e.g. `live/session_test.exs`, `src/a.spec.ts`, `tests/a.py`, `test_a.py`
_TEST_FILE = re.compile(
    r"(?:^|[/\\])(?:(?:__)?tests?(?:__)?|specs?)[/\\]|[_.-](?:test|spec)s?\.\w+$|(?:^|[/\\])test_\w+\.\w+$"
)


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed, as a sentence, and the call that changed it."""

    sentence: str
    made: Action


def describe_change(episode: Episode, worked: Action, lang: Lang) -> Change | None:
    """The change between the failing and the working try; None when it cannot be named."""
    failed = episode.failed
    if is_mismatch(failed):
        return None  # that the old text must be the file's is known to everybody
    before, after = command_of(failed), command_of(worked)
    if before is not None and after is not None:
        if EDIT.match(core_command(after)):
            return None
        return (
            _command_change(episode, before, worked, lang)
            or _file_change(episode, lang, near=True)
            or _steps(episode, lang)
            or _file_change(episode, lang)
        )
    if failed.tool == "patch":
        path, change = path_of(worked.arguments), _edit_change(worked, failed, lang)
        if not path or not change or (missing_name(failed) and not _brings_known(change)):
            return None
        return Change(_edited([path], change, lang), worked)
    describe = _script_change if code_of(failed) else argument_change
    sentence = describe(failed, worked, lang)
    return Change(sentence, worked) if sentence else _file_change(episode, lang)


def _command_change(episode: Episode, before: str, worked: Action, lang: Lang) -> Change | None:
    """The command that worked, when it is not the same one again, only longer, shorter or with less output."""
    failed, after = episode.failed, command_of(worked) or ""
    one, other = core_command(before), core_command(after)
    moved = not_here(failed) and folder_of(before) != folder_of(after) and folder_of(after)
    left, right = one.split(), other.split()
    first = _done_first(before, after) if left == right else ""
    if first and _nearness(first, failed) and not _tried(episode, first) and not _edits(episode):
        return Change(PHRASES[lang]["after"].format(steps=f"`{_short_step(first)}`"), worked)
    if left == right and not moved:
        return None
    if not moved and selects(before, after, purpose(failed)):
        return None
    if not moved and set(right) < set(left):
        return None
    if (
        not moved
        and set(left) < set(right)
        and not any(word.startswith("-") for word in set(right) - set(left))
    ):
        return None
    shown = f"cd {moved} && {other}" if moved else other
    if moved and left == right and clean_line(shown) != shown:
        return None  # the same call in another folder of this machine
    return Change(PHRASES[lang]["worked"].format(subject=f"`{clean_line(shown, 200)}`"), worked)


def _done_first(before: str, after: str) -> str:
    """What the working command did before the same check: "gofmt -w ." of `gofmt -w . && golangci-lint run`."""
    parts = [part.strip() for part in after.split("&&")]
    extra = [part for part in parts[:-1] if part not in before and _CHANGES_STATE.search(part)]
    return extra[-1] if extra and len(extra[-1]) <= _MAX_LINE else ""


def _last_try(episode: Episode) -> int:
    """Where the last failing try ended: what was done before it cured nothing."""
    return episode.again[-1].result if episode.again else episode.failed.result


def _tried(episode: Episode, step: str) -> bool:
    """True when the check failed once more after the same step."""
    done = (command_of(a) or "" for a in episode.between if a.call < _last_try(episode))
    return any(step in command for command in done)


def _edits(episode: Episode) -> list[Action]:
    """The files that were changed after the last failing try: with one of them a step alone is no proven cure."""
    return [a for a in episode.between if a.call > _last_try(episode) and edited_path(a)]


def _script_change(failed: Action, worked: Action, lang: Lang) -> str | None:
    change, words = find_code_change(code_of(failed), code_of(worked), failed.output), PHRASES[lang]
    if change is None or change.layout:
        return None
    if change.removed:
        return words["line"].format(old=change.removed, new=change.added[0])
    if missing_name(failed) and not _brings_known(", ".join(change.added)):
        return None
    return words["added"].format(lines=", ".join(f"`{line}`" for line in change.added))


def _file_change(episode: Episode, lang: Lang, *, near: bool = False) -> Change | None:
    """The edit before the working try that has most to do with the failure, with the lines that it changed.

    Edits before the last failing try did not cure it. A lone edit need not name what the failure names, unless
    it must be `near`.
    """
    failed = episode.failed
    edits = [
        a
        for a in episode.between
        if a.failure is None
        and a.call > _last_try(episode)
        and EDIT.search(a.tool)
        and purpose(a) != purpose(failed)
        and path_of(a.arguments)
    ]
    changes = [(a, change) for a in edits if (change := _edit_change(a, failed, lang))]
    related = [(a, change) for a, change in changes if _nearness(change, failed)]
    if related:
        action, change = max(related, key=lambda item: (_nearness(item[1], failed), edits.index(item[0])))
    elif len(edits) == 1 and changes and not near and _is_named(edits[0], failed):
        action, change = changes[0]
    else:
        return None
    return Change(_edited([path_of(action.arguments)], change, lang), action)


def _is_named(edit: Action, failed: Action) -> bool:
    """True when the failure or the check names the file that was edited, or no file at all: a note cures nothing."""
    stem = file_stem(path_of(edit.arguments))
    shown = f"{failed.text} {failed.output}"
    return bool(stem) and (stem in shown or _NAMES_FILE.search(shown) is None)


def name_files(episode: Episode, lang: Lang) -> Change | None:
    """The files that were edited after the last failing try, three at most; for a cause that the agent has told."""
    edits = _edits(episode)
    paths = list(dict.fromkeys(edited_path(a) for a in edits))
    if not paths or len(paths) > _MOST_FILES:
        return None
    return Change(_edited(paths, "", lang), edits[-1])


def _edited(paths: Sequence[str], change: str, lang: Lang) -> str:
    """The sentence on changed files; a test that was changed until it passed is called one."""
    key = "edited_test" if all(_TEST_FILE.search(path) for path in paths) else "edited"
    files = ", ".join(dict.fromkeys(f"`{short_path(path)}`" for path in paths))
    return PHRASES[lang][key].format(files=files, change=change)


def _nearness(change: str, failed: Action) -> int:
    """How many names of the failure, its file left out, appear in the changed lines."""
    line = failed.failure.line if failed.failure else ""
    line = " ".join(part for part in line.split() if not re.search(r"\.\w+[(:]", part))
    return len((names_in(line) & names_in(change)) - _COMMON)


def _edit_change(action: Action, failed: Action, lang: Lang) -> str:
    """` : old became new` or the lines put in, when they are few, short and differ to the eye; else nothing."""
    if not isinstance(action.arguments, dict):
        return ""
    lowered = {key.lower(): value for key, value in action.arguments.items()}
    old = next((lowered[key] for key in OLD_KEYS if isinstance(lowered.get(key), str)), "")
    new = next((lowered[key] for key in NEW_KEYS if isinstance(lowered.get(key), str)), "")
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


def _brings_known(lines: str) -> bool:
    """True when a missing name is brought from somewhere that a reader may not know: not the standard library."""
    found = _BROUGHT_FROM.search(lines)
    return found is not None and found.group(1).split(".")[0] not in sys.stdlib_module_names


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


def _steps(episode: Episode, lang: Lang) -> Change | None:
    """The last two commands before the working try that may have changed what the failure speaks of."""
    failed = episode.failed
    line = failed.failure.line if failed.failure else ""
    own = names_in((command_of(failed) or "").lower())
    commands = [
        (a, main_part(command_of(a) or ""))
        for a in episode.between
        if a.failure is None and a.call > _last_try(episode) and command_of(a)
    ]
    edits = _edits(episode)
    ran = {file_name(word) for word in (command_of(failed) or "").split()}
    if any(file_name(edited_path(a)) in ran for a in edits):
        return None  # the script was written anew without what was missing
    steps = [
        (a, c)
        for a, c in commands
        if not EDIT.match(c)
        and not _LOOKING.match(c)
        and len(c) <= _MAX_LINE
        and (
            (_MISSING.search(line) and INSTALL.search(c))
            or (
                not edits
                and not _tried(episode, c)
                and (_CHANGES_STATE.search(c) or INSTALL.search(c))
                and (names_in(line.lower()) & names_in(c.lower())) - own - _COMMON
            )
        )
    ]
    if not steps:
        return None
    shown = dict.fromkeys(f"`{_short_step(c)}`" for _, c in steps[-2:])
    return Change(PHRASES[lang]["after"].format(steps=", ".join(shown)), steps[-1][0])


def _short_step(command: str) -> str:
    """A command with its paths shortened, unless that leaves two paths alike."""
    short = clean_line(general_line(command), _MAX_LINE)
    return short if short.count("…/") < 2 else general_line(one_line(command))
