"""An automation sensor that evaluates its conditions when Dagster was told something new, and costs little otherwise.

Evaluating a condition reads the state of every partition, whether or not anything happened: at 20,000 keys seconds of
CPU for each sensor and look. What a condition says changes with an event of Dagster, with the end of a backfill, or
with the code, which a new code server brings.

The cursor of a condition grows with the keys. Dagster's daemons read the cursors of all sensors every few seconds and
write them with each look, so they are given a short name of it instead.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from time import monotonic

import dagster as dg
from dagster._core.definitions.sensor_definition import SensorExecutionData
from dagster._core.execution.backfill import BULK_ACTION_TERMINAL_STATUSES, BulkActionsFilter
from dagster_shared.record import copy

__all__ = ["QuietAutomationSensor"]

#: set by hand: whatever was missed, such as an event whose transaction was slower than a later one's, is seen by then
_AT_LEAST_EVERY_SECONDS = 1800.0
#: a number that goes up with every event, and one that goes up with every backfill that ends
_State = tuple[int, int]
#: what a name of a cursor begins with; Dagster's own begin with a digit
_NAMED = "kept:"


@dataclass(frozen=True, slots=True)
class _Seen:
    """The last evaluation, which asked for nothing: of which state, what it left, and how long that holds."""

    state: _State
    cursor: str | None
    until: float


class QuietAutomationSensor(dg.AutomationConditionSensorDefinition):
    """Evaluated in the code server, which remembers the state that it evaluated last."""

    _seen: _Seen | None = None

    def evaluate_tick(self, context: dg.SensorEvaluationContext) -> SensorExecutionData:
        """As Dagster does, unless nothing has happened since the last time.

        What was asked for is not remembered, and a cursor that the daemon did not keep is not taken for its own: what a
        killed daemon did not request is asked for again.
        """
        seen, state, name = self._seen, _state(context.instance), context.cursor
        if seen and (seen.state, seen.cursor) == (state, name) and monotonic() < seen.until:
            return SensorExecutionData(skip_message="Nothing has happened since.", cursor=name)
        cursors = _Cursors(context.instance, self.name)
        context._cursor = cursors.named(name)  # `update_cursor` would forbid the condition to set one
        told = super().evaluate_tick(context)
        told = copy(told, cursor=cursors.keep(told.cursor, beside=name))
        self._seen = (
            None if told.run_requests else _Seen(state, told.cursor, monotonic() + _AT_LEAST_EVERY_SECONDS)
        )
        return told


def _state(instance: dg.DagsterInstance) -> _State:
    ended = BulkActionsFilter(statuses=list(set(BULK_ACTION_TERMINAL_STATUSES)))
    return instance.event_log_storage.get_maximum_record_id() or 0, instance.get_backfills_count(ended)


class _Cursors:
    """The last two cursors of a sensor by name, in Dagster's storage: the daemon may be killed before it keeps the name
    of the newer one."""

    def __init__(self, instance: dg.DagsterInstance, sensor: str) -> None:
        self._storage, self._key = instance.daemon_cursor_storage, f"ultron/{sensor}"
        self._kept: dict[str, str] = json.loads(
            self._storage.get_cursor_values({self._key}).get(self._key, "{}")
        )

    def named(self, name: str | None) -> str | None:
        """The cursor of this name; one that is no name, from an older version, is itself."""
        return self._kept.get(name) if name and name.startswith(_NAMED) else name

    def keep(self, cursor: str | None, *, beside: str | None) -> str | None:
        """The name of a new cursor."""
        if cursor is None:
            return None
        name = _NAMED + hashlib.sha256(cursor.encode()).hexdigest()[:16]
        last = {beside: self._kept[beside]} if beside in self._kept else {}
        self._storage.set_cursor_values({self._key: json.dumps({**last, name: cursor})})
        return name
