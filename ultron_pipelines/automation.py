"""When a partition is worked on: when the data version of an upstream asset has changed, and only then.

Level-triggered conditions without `since_last_handled` request failed partitions again forever; the ones here
ask once per change. The pending-work sensor takes up what failed or waits for a model.
"""

from __future__ import annotations

from typing import Any

import dagster as dg

from ultron_core.steps.stages.table import LABELS, MEMORIES, SEGMENTS, WINDOWS

__all__ = ["automation_sensors", "on_new_data_version"]


def on_new_data_version() -> dg.AutomationCondition[Any]:
    """Request a partition once when an upstream data version has changed, or when it is newly missing."""
    changed = dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.data_version_changed()
    ).since_last_handled()
    missing = dg.AutomationCondition.newly_missing().since_last_handled()
    ready = ~dg.AutomationCondition.any_deps_missing() & ~dg.AutomationCondition.in_progress()
    # "passed" would wait for a check run after every batch; only a blocking check that failed must stop the stage
    failed = dg.AutomationCondition.any_checks_match(
        dg.AutomationCondition.check_failed(), blocking_only=True
    )
    sound = ~dg.AutomationCondition.any_deps_match(failed)
    return ((changed | missing) & ready & sound).with_label("on_new_data_version")


_STAGES = {
    SEGMENTS: "Segments a session file when its content is new.",
    LABELS: "Labels segments when they are new.",
    MEMORIES: "Extracts memories from segments when they are labelled.",
    WINDOWS: "Makes the windows of a log when it is segmented.",
}


def automation_sensors(
    status: dg.DefaultSensorStatus, seconds: int
) -> list[dg.AutomationConditionSensorDefinition]:
    """One sensor a stage, and one for the checks.

    A stage records its good partitions itself and yields no output, so a later stage in the same run would be
    skipped; and a slow model in one stage must not delay another.
    """
    return [
        dg.AutomationConditionSensorDefinition(
            name=f"{stage.name}_automation",
            target=dg.AssetSelection.assets(stage.name),
            default_status=status,
            minimum_interval_seconds=seconds,
            description=about,
        )
        for stage, about in _STAGES.items()
    ] + [
        dg.AutomationConditionSensorDefinition(
            name="checks_automation",
            target=dg.AssetSelection.all_asset_checks(),
            default_status=status,
            minimum_interval_seconds=60,
            description="Runs every check every ten minutes.",
        )
    ]
