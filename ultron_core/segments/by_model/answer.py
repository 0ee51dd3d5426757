"""What a model answers for one window, whether it tiles the window, and the rule that repairs it otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ultron_core.errors import ModelAnswerError
from ultron_core.segments.by_model.windows import Task

__all__ = ["MAX_TASKS", "TaskList", "TaskRange", "problems", "repaired"]

#: of one window
MAX_TASKS = 500


class TaskRange(BaseModel):
    """One task: numbers of its first and last message as the prompt shows them, and a short title."""

    model_config = ConfigDict(json_schema_extra={"asked": ["topic"]})

    start: int = Field(description="number of the first message of the task")
    end: int = Field(description="number of the last message of the task")
    topic: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = Field(
        default="", description="short title of the task in the language of its messages"
    )


class TaskList(BaseModel):
    """All tasks of the window, in order."""

    model_config = ConfigDict(title="TaskList")

    # a grammar has the model write at least one; an answer without any is read, and asked about
    tasks: Annotated[list[TaskRange], Field(max_length=MAX_TASKS, json_schema_extra={"minItems": 1})]


def problems(tasks: Sequence[TaskRange], length: int) -> list[str]:
    """What keeps the tasks from tiling messages 1..length; empty when they do."""
    if not tasks:
        return ["there is no task"]
    found = []
    if tasks[0].start != 1:
        found.append(f"the first task starts at {tasks[0].start}, not at 1")
    for number, task in enumerate(tasks, start=1):
        if not 1 <= task.start <= task.end <= length:
            found.append(f"task {number} is {task.start}-{task.end}, outside 1-{length}")
    for number, (before, after) in enumerate(pairwise(tasks), start=1):
        if after.start <= before.end:
            found.append(f"tasks {number} and {number + 1} overlap")
        elif after.start > before.end + 1:
            found.append(f"messages {before.end + 1}-{after.start - 1} are in no task")
    if tasks[-1].end != length:
        found.append(f"the last task ends at {tasks[-1].end}, not at {length}")
    return found


def repaired(tasks: Sequence[TaskRange], length: int, wrong: Sequence[str]) -> list[Task]:
    """Tasks that tile 0..length from the starts that lie inside the window; the first reaches back to 0.

    Raises ModelAnswerError when no start is inside.
    """
    starts = {task.start: task.topic for task in reversed(tasks) if 1 <= task.start <= length}
    if not starts:
        raise ModelAnswerError(f"the model named no task within {length} messages: {'; '.join(wrong[:3])}")
    order = sorted(starts)
    begins = [0, *(start - 1 for start in order[1:])]
    ends = [*begins[1:], length]
    note = "; ".join(wrong[:3])
    return [
        Task(begin, end, starts[start], note) for begin, end, start in zip(begins, ends, order, strict=True)
    ]
