"""An automation sensor that evaluates its conditions when Dagster was told something new, and costs little otherwise.

Evaluating a condition reads the state of every partition, whether or not anything happened: at 20,000 keys seconds of
CPU for each sensor and look. What a condition says changes with an event of Dagster, with the end of a backfill, or
with the code, which a new code server brings.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import dagster as dg
from dagster._core.definitions.sensor_definition import SensorExecutionData
from dagster._core.execution.backfill import BULK_ACTION_TERMINAL_STATUSES, BulkActionsFilter

__all__ = ["QuietAutomationSensor"]

#: set by hand: whatever was missed, such as an event whose transaction was slower than a later one's, is seen by then
_AT_LEAST_EVERY_SECONDS = 1800.0
#: a number that goes up with every event, and one that goes up with every backfill that ends
_State = tuple[int, int]


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
        seen, state = self._seen, _state(context.instance)
        if seen and (seen.state, seen.cursor) == (state, context.cursor) and monotonic() < seen.until:
            return SensorExecutionData(skip_message="Nothing has happened since.", cursor=context.cursor)
        told = super().evaluate_tick(context)
        self._seen = (
            None if told.run_requests else _Seen(state, told.cursor, monotonic() + _AT_LEAST_EVERY_SECONDS)
        )
        return told


def _state(instance: dg.DagsterInstance) -> _State:
    ended = BulkActionsFilter(statuses=list(set(BULK_ACTION_TERMINAL_STATUSES)))
    return instance.event_log_storage.get_maximum_record_id() or 0, instance.get_backfills_count(ended)
