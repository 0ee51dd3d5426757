"""Which messages a model sees in one call, and what is kept of its answer (the Trajectory Hub spec's rule).

several tasks   the last one may go on behind the window: the next window starts at its first message,
                and its new cut replaces the old one
one task        it fills the window and is kept: the next window starts behind this one
one message     alone over the budget: it is shortened and sent alone
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

__all__ = ["DEFAULT_WINDOW_TOKENS", "Task", "Window", "cut_by_windows"]

#: 200,000 tokens of context less 8,192 for the instructions and the answer.
DEFAULT_WINDOW_TOKENS = 191_808


@dataclass(frozen=True, slots=True)
class Window:
    """Messages start..end (end exclusive) of one thread; `shortened` when a lone message is over the budget."""

    start: int
    end: int
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One task, positions in the thread, end exclusive; `repair` says what a rule had to repair."""

    start: int
    end: int
    topic: str
    repair: str = ""


AskWindow = Callable[[Window], list[Task]]


def cut_by_windows(
    tokens: Sequence[int], budget: int, ask: AskWindow, closed: Collection[int] = frozenset()
) -> list[Task]:
    """Tasks that tile all messages. `ask` gives the tasks that tile one window; `tokens` is what each costs.

    Each window starts behind the one before, so there are at most as many calls as messages; when no task is
    longer than half a window, each window moves on by half a window or more.
    """
    done: list[Task] = []
    start = 0
    while start < len(tokens):
        window = _pack(tokens, budget, start, closed)
        tasks = ask(window)
        if window.end == len(tokens) or len(tasks) == 1:
            done += tasks
            start = window.end
        else:
            done += tasks[:-1]
            start = tasks[-1].start
    return keep_pairs(done, closed)


def _pack(tokens: Sequence[int], budget: int, start: int, closed: Collection[int]) -> Window:
    """As many messages as the budget holds; the edge moves back rather than part a call from its result."""
    end, used = start, 0
    while end < len(tokens) and used + tokens[end] <= budget:
        used += tokens[end]
        end += 1
    if end == start:
        return Window(start, start + 1, shortened=True)
    if end < len(tokens):
        open_end = next((e for e in range(end, start, -1) if e not in closed), end)
        return Window(start, open_end)
    return Window(start, end)


def keep_pairs(tasks: Sequence[Task], closed: Collection[int]) -> list[Task]:
    """Boundaries between a call and its result move back to the call, or go when no room is left."""
    kept: list[Task] = []
    for task in tasks:
        start = task.start
        while start in closed:
            start -= 1
        if start == task.start:
            kept.append(task)
            continue
        while kept and kept[-1].start >= start:
            kept.pop()
        if kept:
            kept[-1] = replace(kept[-1], end=start)
        kept.append(
            replace(task, start=start, repair=_join(task.repair, "boundary inside a tool call moved"))
        )
    return kept


def _join(first: str, second: str) -> str:
    return f"{first}; {second}" if first else second
