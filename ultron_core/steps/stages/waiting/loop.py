"""The one loop of all stages: take rows that wait, work on each, record failures, stop when the model is down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

from psycopg import errors

from ultron_core.llm.protocol import LLM
from ultron_core.models import Drop, Message
from ultron_core.records.asking import made_by
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.table import Stage
from ultron_core.steps.stages.waiting.failures import ROW_FAULTS, describe_failure
from ultron_core.steps.stages.waiting.leases import Leases
from ultron_core.steps.upload.records import UploadResult
from ultron_core.store.database import Connection

__all__ = ["NEXT_TRY_AFTER", "Item", "StageResult", "Step", "groups_of", "run_batch", "work_through"]

Row = TypeVar("Row")
#: unattended work (the sensor of pending work) leaves a row alone for so long after a failed model call
NEXT_TRY_AFTER = timedelta(minutes=5)
Params = Mapping[str, Any]
#: messages that are held in memory at once, about 100 MB: 50 files of usual size have far fewer
_MOST_MESSAGES = 20_000
_GONE = "its log was cut again or deleted meanwhile"


@dataclass(frozen=True, slots=True)
class Item(Generic[Row]):
    """A row that waits, with its id and its partition key (empty for a plain text)."""

    id: UUID
    partition_key: str
    row: Row


@dataclass(frozen=True, slots=True)
class StageResult:
    """What became of one row.

    status: done, refused (by a gate), pending (the model is unavailable), failed (its answer is unusable) or
    changed (its file grew or its row went meanwhile: the next cycle takes what is there then).
    """

    id: UUID
    partition_key: str
    status: str
    counts: Mapping[str, int] = field(default_factory=dict)
    drops: tuple[Drop, ...] = ()
    uploads: tuple[UploadResult, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Step(Generic[Row]):
    """How a stage finds its rows, reads their messages and works on them."""

    stage: Stage
    #: of its offline rules
    version: str
    #: of what a model is asked
    prompt_version: Callable[[], str]
    waiting: Callable[[Connection, str, Params], list[Item[Row]]]
    messages: Callable[[Connection, Row], list[Message]]
    work: Callable[[Runtime, Item[Row]], StageResult]
    #: runs a named query of the table family that the rows belong to
    run: Callable[[Connection, str, Params], int]
    #: the model that is asked, None where the rules decide
    model: Callable[[Runtime], LLM | None] = lambda runtime: runtime.llm
    #: how many rows may be worked on at once
    workers: Callable[[Runtime], int] = lambda _: 1
    #: the work on many rows where no model is asked: what they share is done once
    together: Callable[[Runtime, Sequence[Item[Row]]], list[StageResult]] | None = None
    #: what else is due at the end of a batch
    finish: Callable[[Runtime, Sequence[str] | None], object] = lambda _runtime, _keys: None

    def maker(self, runtime: Runtime) -> str:
        """What its rows would name as their maker if they were made now."""
        llm = self.model(runtime)
        return self.version if llm is None else made_by(llm, self.prompt_version())

    @property
    def code_version(self) -> str:
        """Changes when rules or prompts do: what an older one made is then shown as stale."""
        return f"{self.version}#{self.prompt_version()}"


def run_batch(
    runtime: Runtime,
    step: Step[Any],
    batch_size: int | None = None,
    keys: Sequence[str] | None = None,
    tried: Collection[UUID] = (),
) -> list[StageResult]:
    """Work on one batch of what waits for a stage, only of these partitions when `keys` is given; rows that were
    `tried` in this cycle wait for the next one."""

    def note_failure(conn: Connection, params: Params) -> int:
        return step.run(conn, step.stage.failed, params)

    with Leases(runtime, step.stage.name) as leases:
        params = runtime.waiting(keys, batch_size, tried)
        items = leases.take(lambda conn: step.waiting(conn, step.stage.pending, params))
        results = _together(runtime, step, items)
        if results is None:
            results = work_through(runtime, items, step.work, note_failure, workers=step.workers(runtime))
    step.finish(runtime, keys)
    return results


def _together(runtime: Runtime, step: Step[Any], items: Sequence[Item[Any]]) -> list[StageResult] | None:
    """None where rows have to be worked on one by one: a model is asked, or one of them is at fault and which one is
    seen then."""
    if step.together is None or (step.stage.call and step.model(runtime) is not None):
        return None
    try:
        return step.together(runtime, items)
    except ROW_FAULTS:
        return None


def groups_of(items: Sequence[Item[Row]], messages: Callable[[Item[Row]], int]) -> Iterator[list[Item[Row]]]:
    """The items in order, so many at once that their messages fit into memory; a huge session stands alone."""
    group: list[Item[Row]] = []
    total = 0
    for item in items:
        total += messages(item)
        if group and total > _MOST_MESSAGES:
            yield group
            group, total = [], messages(item)
        group.append(item)
    if group:
        yield group


def work_through(
    runtime: Runtime,
    items: Sequence[Item[Row]],
    work: Callable[[Runtime, Item[Row]], StageResult],
    note_failure: Callable[[Connection, Params], int],
    *,
    workers: int = 1,
) -> list[StageResult]:
    """One result an item, in order. An endpoint that is down ends the batch: the rest stays pending."""
    down = threading.Event()

    def one(item: Item[Row]) -> StageResult:
        if down.is_set():
            return StageResult(
                item.id, item.partition_key, "pending", error="not tried: the model endpoint is down"
            )
        try:
            return work(runtime, item)
        except errors.ForeignKeyViolation:  # what was to be written names a row that is no longer there
            return StageResult(item.id, item.partition_key, "changed", error=_GONE)
        except ROW_FAULTS as error:
            failure = describe_failure(runtime, error)
        if failure.transient:
            down.set()
        params = {
            "id": item.id,
            "error": failure.reason,
            "transient": failure.transient,
            "next_try": runtime.clock() + NEXT_TRY_AFTER,
            "now": runtime.clock(),
        }
        with runtime.database.transaction() as conn:
            note_failure(conn, params)
        return StageResult(item.id, item.partition_key, failure.status, error=failure.reason)

    if workers == 1:
        return [one(item) for item in items]
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(one, items))
