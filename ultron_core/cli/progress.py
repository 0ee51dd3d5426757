"""How far long work is: a bar in a terminal, a line every few seconds in a pipe or a log file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import Console

from ultron_core.cli.output import console
from ultron_core.display import one_line

__all__ = ["Advance", "progress_bar"]

#: between two lines where there is no terminal: nobody waits longer than ten seconds for a sign of life
_EVERY_SECONDS = 8.0
#: characters of what is worked on, e.g. the end of a path
_TEXT = 48


class Advance(Protocol):
    """Tells what is worked on now, how much is done, and of how much where that is known."""

    def __call__(self, text: str, done: int, total: int | None = None) -> None: ...


@contextmanager
def progress_bar(label: str, *, quiet: bool, every: float = _EVERY_SECONDS) -> Iterator[Advance]:
    """Shows on standard error how far the work is; yields what the work calls. Nothing when quiet."""
    out = console(stderr=True)
    if quiet:
        yield lambda text, done, total=None: None
    elif out.is_terminal:
        with _bar(label, out) as advance:
            yield advance
    else:
        with _lines(label, every) as advance:
            yield advance


@contextmanager
def _bar(label: str, out: Console) -> Iterator[Advance]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=out, transient=True) as progress:
        task = progress.add_task(label, total=None)

        def advance(text: str, done: int, total: int | None = None) -> None:
            progress.update(
                task, description=f"{label} {one_line(text)[-_TEXT:]}", completed=done, total=total
            )

        yield advance


@contextmanager
def _lines(label: str, every: float) -> Iterator[Advance]:
    """A line each `every` seconds, also while one item takes longer than that; none for work that ends sooner."""
    start, over = time.monotonic(), threading.Event()
    last = [label]

    def advance(text: str, done: int, total: int | None = None) -> None:
        of = f" of {total}" if total is not None else ""
        last[0] = f"{label} {one_line(text)[-_TEXT:]} {done}{of}"

    watch = threading.Thread(target=_report, args=(over, every, start, lambda: last[0]), daemon=True)
    watch.start()
    try:
        yield advance
    finally:
        over.set()
        watch.join()


def _report(over: threading.Event, every: float, start: float, last: Callable[[], str]) -> None:
    while not over.wait(every):
        click.echo(f"{last()}, {time.monotonic() - start:.0f} s", err=True)
