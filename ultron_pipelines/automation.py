"""When a partition is worked on: when the data version of what is above it changed, never just because.

Level-triggered conditions without `since_last_handled` re-request failed partitions for ever; the ones here
ask once per change. What failed or waits for a model is taken up by the pending-work sensor.
"""

from __future__ import annotations

from typing import Any

import dagster as dg

__all__ = ["automation_sensors", "on_new_data_version"]


def on_new_data_version() -> dg.AutomationCondition[Any]:
    """Request a partition once when an upstream data version changed, or when it newly is missing."""
    changed = dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.data_version_changed()
    ).since_last_handled()
    missing = dg.AutomationCondition.newly_missing().since_last_handled()
    ready = ~dg.AutomationCondition.any_deps_missing() & ~dg.AutomationCondition.in_progress()
    blocking = dg.AutomationCondition.all_deps_blocking_checks_passed()
    return ((changed | missing) & ready & blocking).with_label("on_new_data_version")


def automation_sensors(
    status: dg.DefaultSensorStatus, seconds: int
) -> list[dg.AutomationConditionSensorDefinition]:
    """One sensor for the assets that may call a model, so that a slow family cannot delay another."""
    return [
        dg.AutomationConditionSensorDefinition(
            name="segment_automation",
            target=dg.AssetSelection.assets("segments"),
            default_status=status,
            minimum_interval_seconds=seconds,
            description="Segments a session file once its content is new.",
        ),
        dg.AutomationConditionSensorDefinition(
            name="label_and_memory_automation",
            target=dg.AssetSelection.assets("quality_labels", "extracted_memories"),
            default_status=status,
            minimum_interval_seconds=seconds,
            description="Labels new segments, then looks through them for memories.",
        ),
    ]
