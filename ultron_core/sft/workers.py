"""Batches worked on in order, in this process or in others that are started anew."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing import get_context
from typing import Any, Generic, Self, TypeVar

from ultron_core.errors import ExportError
from ultron_core.sft.heap import give_back

__all__ = ["Workers"]

Handed = TypeVar("Handed")
Context = TypeVar("Context")
Given = TypeVar("Given")
Made = TypeVar("Made")

#: what the functions of a worker process are handed; made once in each
_handed: Any = None


@dataclass(slots=True)
class _Task:
    """One batch: done already when it is empty, by a process when it has a future, else when it is asked for."""

    context: Any
    function: Callable[[Any, Any], Sequence[Any]]
    batch: Sequence[Any]
    future: Future[Any] | None = None

    @property
    def ready(self) -> bool:
        return not self.batch or (self.future is not None and self.future.done())


class Workers(Generic[Handed]):
    """`count` processes; fewer than two, or a single batch, and the work is done here.

    `make` builds what the functions are handed in this process, `anew` in a new one, where it is pickled, so it is a
    function of a module. Processes are spawned, never forked: this one holds threads and connections. They start once
    two batches wait that hold `least` items together.
    """

    def __init__(
        self,
        make: Callable[[], Handed],
        count: int = 1,
        anew: Callable[[], Handed] | None = None,
        *,
        least: int = 2,
    ) -> None:
        self._make, self._anew, self._least = make, anew, least
        self._count = count if anew else 1
        self._pool: ProcessPoolExecutor | None = None
        #: batches in work or waiting; more would only fill the memory
        self._ahead = 2 * self._count + 1 if self._count > 1 else 0

    @cached_property
    def tools(self) -> Handed:
        """What the functions are handed in this process."""
        return self._make()

    def map(
        self,
        function: Callable[[Handed, Sequence[Given]], Sequence[Made]],
        batches: Iterable[tuple[Context, Sequence[Given]]],
        *,
        here: int = 0,
    ) -> Iterator[tuple[Context, Sequence[Made]]]:
        """(context, what the function of a module makes of the batch), in the order of the batches.

        `here` batches are done in this process first: a new one needs a second to start.
        """
        waiting: deque[_Task] = deque()
        for number, (context, batch) in enumerate(batches):
            waiting.append(_Task(context, function, batch))
            if number < here and self._pool is None:
                yield self._finish(waiting.popleft())
                continue
            self._submit(waiting)
            while waiting and (len(waiting) > self._ahead or waiting[0].ready):
                yield self._finish(waiting.popleft())
        while waiting:
            yield self._finish(waiting.popleft())

    def _submit(self, waiting: Iterable[_Task]) -> None:
        """Hand everything that waits to the processes, once that is worth starting them."""
        if self._count < 2:
            return
        mine = [task for task in waiting if task.batch and task.future is None]
        if self._pool is None and (len(mine) < 2 or sum(len(task.batch) for task in mine) < self._least):
            return
        pool = self._started()
        for task in mine:
            task.future = pool.submit(_run, task.function, task.batch)

    def start(self) -> None:
        """Start the processes now, beside what this one does next; for a caller that knows that there is enough."""
        if self._count > 1:
            for _ in range(self._count):
                self._started().submit(_run, _nothing, ())

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._count, mp_context=get_context("spawn"), initializer=partial(_prepare, self._anew)
            )
        return self._pool

    def _finish(self, task: _Task) -> tuple[Any, Sequence[Any]]:
        if not task.batch:
            return task.context, ()
        if task.future is None:
            return task.context, task.function(self.tools, task.batch)
        try:
            made = task.future.result()
        except BrokenProcessPool as error:
            raise ExportError(
                "A worker process of the export was ended from outside, perhaps for lack of memory. "
                "Export again, with fewer of them (ULTRON_SFT_WORKERS)."
            ) from error
        give_back()
        return task.context, made

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _prepare(make: Callable[[], Any] | None) -> None:
    global _handed
    _handed = make() if make else None
    # tables of words and models stay: they need not be looked through for garbage again and again
    gc.freeze()
    gc.set_threshold(50_000)


def _nothing(_: Any, batch: Sequence[Any]) -> Sequence[Any]:
    return batch


def _run(function: Callable[[Any, Any], Sequence[Any]], batch: Sequence[Any]) -> Sequence[Any]:
    # what the batch before left: its results were sent meanwhile
    give_back()
    return function(_handed, batch)
