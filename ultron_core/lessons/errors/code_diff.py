"""What changed in a script between the run that failed and the one that worked, as lines of code."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

__all__ = ["CodeChange", "find_code_change"]

#: a change of more lines is a rewrite, which no sentence can hold
_MAX_LINES = 3
#: characters of a line that a sentence can quote
_MAX_LENGTH = 160
#: how alike two lines must be for the one to count as the other, changed
_SAME_LINE = 0.6
#: "NameError: name 'json' is not defined"
_QUOTED_NAME = re.compile(
    r"name '(\w+)' is not defined|No module named '([\w.]+)'|cannot import name '(\w+)'"
)
#: the statement below `File "app.py", line 3` in a traceback, e.g. `  File "app.py", line 3, in run⏎    x = 1
#: / 0`
_FAILING_LINE = re.compile(r"^[^\S\n]*File \"[^\"\n]+\", line \d+.*\n\s+(\S.*)$", re.MULTILINE)

#: comments, prints and bare keywords, e.g. `# as before`, `print(x)`, `else:`
_SAYS_NOTHING = re.compile(r"#|//|print\(|(?:else|try|finally|pass|return|except(?: \w+)?)\s*:?$")


@dataclass(frozen=True, slots=True)
class CodeChange:
    """`added` alone: new lines; with `removed`: that line became the first added one; `layout`: indentation."""

    added: tuple[str, ...] = ()
    removed: str = ""
    layout: bool = False


def find_code_change(before: str, after: str, output: str) -> CodeChange | None:
    """The change that a failure's own output points to, else a change of three lines at most, else None.

    `output` is what the failing run printed: the name it misses and the statement that it stopped at.
    """
    old, new = _lines(before), _lines(after)
    if old == new:
        indented = [line for line in before.splitlines() if line.strip()] != [
            line for line in after.splitlines() if line.strip()
        ]
        return CodeChange(layout=True) if indented and "IndentationError" in output else None
    added = [line for line in new if line not in old]
    removed = [line for line in old if line not in new]
    return (
        _missing_name(added, output) or _failing_statement(added, removed, output) or _small(added, removed)
    )


def _missing_name(added: list[str], output: str) -> CodeChange | None:
    """The line that brings the name which was not defined."""
    found = _QUOTED_NAME.search(output)
    name = next((group for group in found.groups() if group), "").split(".")[0] if found else ""
    if not name:
        return None
    brings = re.compile(
        rf"^(?:from\s+\S+\s+)?import\s.*\b{re.escape(name)}\b|^(?:async\s+)?def\s+{re.escape(name)}\b|"
        rf"^{re.escape(name)}\s*(?::[^=]+)?=[^=]"
    )
    line = next((line for line in added if brings.search(line)), None)
    return CodeChange(added=(line,)) if line else None


def _failing_statement(added: list[str], removed: list[str], output: str) -> CodeChange | None:
    """The statement that the run stopped at, when it became another line."""
    stopped = [line.strip() for line in _FAILING_LINE.findall(output)]
    for statement in reversed(stopped):
        if statement not in removed:
            continue
        close = difflib.get_close_matches(statement, added, n=1, cutoff=_SAME_LINE)
        if close and _readable(statement, close[0]):
            return CodeChange(added=(close[0],), removed=statement)
    return None


def _small(added: list[str], removed: list[str]) -> CodeChange | None:
    if len(added) == 1 and len(removed) == 1 and _readable(added[0], removed[0]):
        return CodeChange(added=(added[0],), removed=removed[0])
    if added and not removed and len(added) <= _MAX_LINES and _readable(*added):
        return CodeChange(added=tuple(added))
    return None


def _readable(*lines: str) -> bool:
    return all(len(line) <= _MAX_LENGTH for line in lines)


def _lines(code: str) -> list[str]:
    """Statements without blank lines, comments, bare keywords and what only prints."""
    stripped = (line.strip() for line in code.splitlines())
    return [line for line in stripped if len(line) > 1 and not _SAYS_NOTHING.match(line)]
