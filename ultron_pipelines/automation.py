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
    # "passed" would wait for a check run after every batch; a blocking check that failed is what must stop us
    failed = dg.AutomationCondition.any_checks_match(
        dg.AutomationCondition.check_failed(), blocking_only=True
    )
    sound = ~dg.AutomationCondition.any_deps_match(failed)
    return ((changed | missing) & ready & sound).with_label("on_new_data_version")


_STAGES = {
    "segments": "Segments a session file once its content is new.",
    "quality_labels": "Labels segments once they are new.",
    "extracted_memories": "Looks through labelled segments for memories.",
}


def automation_sensors(
    status: dg.DefaultSensorStatus, seconds: int
) -> list[dg.AutomationConditionSensorDefinition]:
    """One sensor a stage, and one for the checks.

    A stage marks its good partitions itself and gives no output, so a later stage in the same run would be
    skipped; and a slow model in one stage must not delay another.
    """
    return [
        dg.AutomationConditionSensorDefinition(
            name=f"{asset}_automation",
            target=dg.AssetSelection.assets(asset),
            default_status=status,
            minimum_interval_seconds=seconds,
            description=about,
        )
        for asset, about in _STAGES.items()
    ] + [
        dg.AutomationConditionSensorDefinition(
            name="checks_automation",
            target=dg.AssetSelection.all_asset_checks(),
            default_status=status,
            minimum_interval_seconds=60,
            description="Every check each ten minutes.",
        )
    ]
