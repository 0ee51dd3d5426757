"""What commands print: tables for people, JSON for machines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ultron_core.display import harmless_json, plain

__all__ = [
    "DONE",
    "FAILED",
    "PARTLY",
    "USAGE",
    "ReaderLeft",
    "Terminal",
    "console",
    "key_values",
    "print_json",
    "print_rows",
    "table",
    "terminal",
]

#: exit codes: done; needs attention; wrong usage, as click's own; partly done (some failed, or waits for a model)
DONE, FAILED, USAGE, PARTLY = 0, 1, 2, 3


#: characters of a line where there is no terminal to ask
_PIPE_WIDTH = 240
#: in fewer a table leaves its words no room
_TABLE_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Terminal:
    """Of somebody whom the server answers; `columns` None: not known, as in a pipe."""

    columns: int | None
    is_terminal: bool


_TERMINAL: ContextVar[Terminal | None] = ContextVar("terminal", default=None)


@contextmanager
def terminal(shown: Terminal) -> Iterator[None]:
    """What is printed meanwhile is for this terminal."""
    token = _TERMINAL.set(shown)
    try:
        yield
    finally:
        _TERMINAL.reset(token)


class ReaderLeft(Exception):
    """The reader of standard output is gone. Not BrokenPipeError, for which click and rich exit with 1."""


class _Plain(Console):
    """A console that shows words, never markup or controls, and whose reader may stop early."""

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(plain(text), **how)

    def on_broken_pipe(self) -> None:
        raise ReaderLeft


def console(*, stderr: bool = False) -> Console:
    """Made at call time, so that tests and pipes get the current stream.

    Outside a terminal there is no width: a row is one line where possible, so that it can be searched.
    """
    asked = _TERMINAL.get()
    out = _Plain(
        file=sys.stderr if stderr else sys.stdout,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
        force_terminal=asked.is_terminal if asked else None,
    )
    if asked is not None:
        out.width = asked.columns or _PIPE_WIDTH
    elif not out.is_terminal and not os.environ.get("COLUMNS"):
        out.width = _PIPE_WIDTH
    return out


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    try:
        text = json.dumps(_written(value), default=_plain, ensure_ascii=False, indent=2)
        click.echo(harmless_json(text))
    except BrokenPipeError:
        raise ReaderLeft from None


def _written(value: Any) -> Any:
    """Numbers as people write them: a `real` column gives 0.6499999761581421 for 0.65."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {name: _written(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_written(one) for one in value]
    return value


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID | Path):
        return str(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """A plain table; columns whose name starts with `#` hold numbers."""
    made = Table(title=title or None, title_justify="left", show_edge=False, pad_edge=False)
    for name in columns:
        numeric = name.startswith("#")
        made.add_column(name.lstrip("#"), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        made.add_row(*[_cell(value) for value in row])
    return made


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table whose last column holds words; in a narrow terminal each row is a block, the words below the rest."""
    out = console()
    if out.width >= _TABLE_WIDTH:
        out.print(table("", columns, rows))
        return
    # a number does not say by itself what it is
    labels = [f"{name.lstrip('#')} " if name.startswith("#") else "" for name in columns]
    for row in rows:
        *facts, words = map(_cell, row)
        told = [f"{label}{fact}" for label, fact in zip(labels, facts, strict=False) if fact != "-"]
        out.print("  ".join(told), style="bold")
        out.print(Padding(Text(plain(words)), (0, 0, 0, 2), expand=False))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return str(value)


def key_values(title: str, values: Mapping[str, Any]) -> Table:
    """A two-column table."""
    return table(title, ["what", "#value"], list(values.items()))
