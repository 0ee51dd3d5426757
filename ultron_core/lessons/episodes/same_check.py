"""Is a later call the same check as the one that failed, and does it prove that the failure is gone?"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ultron_core.lessons.describe import EDIT, core_command, folder_of, path_of
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of, purpose, purposes, same_purpose

__all__ = ["code_of", "is_proof", "same_check"]

#: how alike two words must be for one to be the other, spelled right: `mian.py`, `main.py`
_SPELLING = 0.7
#: a statement in which more words changed is another statement
_MAX_CHANGED = 2
#: share of a statement's words that must be unchanged: `SELECT nam FROM t`, `SELECT name FROM t`
_SAME_STATEMENT = 0.6
#: says nothing about how the command will end, e.g. `Command running in background with ID: b1`, `still
#: running`
_NOT_DONE = re.compile(
    r"\brunning in (?:the )?background\b|\bstill running\b|\bsession ID \d+\b", re.IGNORECASE
)
#: the exit code is thrown away: `npm test || true`
_EXIT_HIDDEN = re.compile(r"\|\|\s*(?:true|:|echo\b)")
#: a check whose output is sifted says neither by its exit code nor by what is left that all passed:
#: `make check | grep a`
_SIFTED = re.compile(r"\|\s*(?:grep|egrep|rg|head|wc|awk|sed|cut|sort|uniq)\b")
#: what is left says so after all: "0 issues.", "All checks passed!", "Success: no issues found"
_CLEAN = re.compile(
    r"\b0 (?:issues|errors|problems|warnings)\b|\bno (?:issues|errors|problems) found\b|\ball checks passed\b",
    re.IGNORECASE,
)
#: a file or a script is not where the command looked, so that another folder may be the cure: "Missing script: build"
_NOT_HERE = re.compile(
    r"no such file|not found|cannot find|could(?: not|n't) (?:find|open|read|resolve)|does not exist|ENOENT|"
    r"missing script|no rule to make|not a git repository|no (?:tests? )?(?:files?|package\S*|makefile)\b",
    re.IGNORECASE,
)
#: commands that check something; what they are given selects what is checked, e.g. `pytest tests/test_a.py`,
#: `npm run lint`
_CHECKS = re.compile(
    r"\b(?:tests?|check|lint|typecheck|tsc|pytest|mypy|ruff|eslint|vitest|jest|clippy|vet|verify|rspec|ctest)\b"
)
#: options whose value selects tests: `pytest -k name`, `go test -run TestA`, `jest -t "adds"`
_SELECTING = frozenset(
    {"-k", "-m", "-run", "--run", "-t", "--filter", "--grep", "-g", "--testNamePattern", "--only"}
)
#: commands that bring what was missing: "npm install", "mix deps.get"
INSTALL = re.compile(r"\b(?:install|add|sync|deps\.get|migrate|restore|bootstrap|update|upgrade)\b")
#: what follows the name of a package: `numpy>=1.2`, `react@18`, `uvicorn[standard]`
_VERSION = re.compile(r"(?<=\w)(?:[=<>~!^\[]|@\d).*")
#: arguments that hold a program
_CODE_KEYS = ("code", "script", "source")
#: the tokens of a program, e.g. `df.head`, `(`
_WORD = re.compile(r"\w+(?:\.\w+)*|[^\w\s]")


def is_proof(action: Action) -> bool:
    """True when a result shows that its call worked: it ended, nobody refused it and its exit code counts."""
    if action.outcome not in ("ok", "passed") or _NOT_DONE.search(action.output[:400]):
        return False
    command = command_of(action) or ""
    if _SIFTED.search(command) and _CHECKS.search(" ".join(purpose(action))):
        return action.checks == "passed" or _CLEAN.search(action.output) is not None
    return not _EXIT_HIDDEN.search(command)


def not_here(failed: Action) -> bool:
    """True for a failure that says that something is not where the command looked for it."""
    return failed.failure is not None and _NOT_HERE.search(failed.failure.line) is not None


def same_check(failed: Action, later: Action) -> bool:
    """True when `later` asks what `failed` asked: the same tests or more, packages, script, file or statement."""
    if not same_purpose(failed, later):
        return False
    before, after = command_of(failed), command_of(later)
    if before is not None and after is not None:
        if _CHECKS.search(" ".join(purpose(failed))) and not not_here(failed) and _apart(before, after):
            return False
        return _checks_in(before) <= _checks_in(after) and _same_command(before, after, purpose(failed))
    if code_of(failed) or failed.tool == "patch":
        return True
    if EDIT.search(failed.tool):
        return path_of(failed.arguments) == path_of(later.arguments)
    return _same_request(failed.arguments, later.arguments)


def code_of(action: Action) -> str:
    """The program that a call runs: a fenced block, or the one argument that holds code; else empty."""
    if action.tool == "code":
        return action.text
    if isinstance(action.arguments, dict):
        return next((str(v) for k, v in action.arguments.items() if k.lower() in _CODE_KEYS), "")
    return ""


def changed_words(before: str, after: str) -> tuple[str, str] | None:
    """The words of a statement that became others, when it is the same statement but for two words at most."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    edits = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if len(edits) != 1 or matcher.ratio() < _SAME_STATEMENT:
        return None
    _, i, j, k, n = edits[0]
    if max(j - i, n - k) > _MAX_CHANGED:
        return None
    return " ".join(old[i:j]), " ".join(new[k:n])


def _same_request(before: Any, after: Any) -> bool:
    """One or two arguments differ and another is the same; a lone text is all but the same statement."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return bool(before == after)
    if before == after:
        return True
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    if len(changed) < len(before):
        return len(changed) <= _MAX_CHANGED
    old, new = before.get(changed[0]), after.get(changed[0])
    one_text = len(before) == len(after) == 1 and isinstance(old, str) and isinstance(new, str)
    return one_text and changed_words(str(old), str(new)) is not None


def _same_command(before: str, after: str, aim: Sequence[str]) -> bool:
    old, new = _split(before), _split(after)
    if old == new:
        return True
    if _CHECKS.search(" ".join(aim)):
        return _filters(new) <= _filters(old) and _covers(_places(old, aim), _places(new, aim))
    left, right = _operands(old), _operands(new)
    if INSTALL.search(" ".join(aim)):
        return {_VERSION.sub("", word) for word in left} <= {_VERSION.sub("", word) for word in right}
    if folder_of(before) != folder_of(after):
        left, right = [_last(word) for word in left], [_last(word) for word in right]
    if left == right:
        return True
    if len(left) == len(right):
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
        return len(pairs) == 1 and difflib.SequenceMatcher(None, *pairs[0]).ratio() >= _SPELLING
    more_options = any(word.startswith("-") and word not in old for word in new)
    return more_options and right[: len(left)] == left


def _checks_in(command: str) -> set[tuple[str, ...]]:
    """The checks of a compound command: tests that pass say nothing of the linter that ran before them."""
    return {each for each in purposes(command) if _CHECKS.search(" ".join(each))}


def _apart(before: str, after: str) -> bool:
    """True for two folders of which neither holds the other: `cd api && npm test`, `cd web && npm test`."""
    one, other = (folder.rstrip("/") for folder in (folder_of(before), folder_of(after)))
    return bool(one and other) and not (_below(one, other) or _below(other, one))


def _split(command: str) -> list[str]:
    try:
        return shlex.split(core_command(command))
    except ValueError:
        return core_command(command).split()


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words[1:] if not word.startswith("-")]


def _filters(words: Sequence[str]) -> set[str]:
    """Options that leave tests out, with their values."""
    apart = {f"{option}={value}" for option, value in pairwise(words) if option in _SELECTING}
    return apart | {word for word in words if word.split("=")[0] in _SELECTING and "=" in word}


def _places(words: Sequence[str], aim: Sequence[str]) -> list[str]:
    """What is checked: paths and names, not the program, its verb or the values of options that select."""
    values = {value for option, value in pairwise(words) if option in _SELECTING and option != "-m"}
    left_out = {*aim, *values, "run", "test"}
    return [word for word in _operands(words) if word not in left_out]


def _covers(before: Sequence[str], after: Sequence[str]) -> bool:
    """Every place of before is one of after, or below one; no place means all of them."""
    if not after:
        return True
    roots = [word.removesuffix("...").rstrip("/") for word in after]
    return bool(before) and all(any(_below(word, root) for root in roots) for word in before)


def _below(word: str, root: str) -> bool:
    return word == root or word.startswith((f"{root}/", f"{root}::"))


def _last(word: str) -> str:
    return word.rsplit("/", 1)[-1]
