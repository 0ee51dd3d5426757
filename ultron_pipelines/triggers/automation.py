"""When a partition is worked on: when the data version of an upstream asset has changed, and only then.

Level-triggered conditions without `since_last_handled` request failed partitions again forever; the ones here
ask once per change. The pending-work sensor takes up what failed or waits for a model.
"""

from __future__ import annotations

import warnings
from typing import Any

import dagster as dg

from ultron_core.steps.stages.table import FILES, LABELS, MEMORIES, SEGMENTS, WINDOWS
from ultron_pipelines.triggers.quiet import QuietAutomationSensor

__all__ = ["automation_sensors", "on_new_code", "on_new_data_version"]


def on_new_data_version(*, new_code: bool = False) -> dg.AutomationCondition[Any]:
    """Request a partition once when an upstream data version has changed, or when it is newly missing; with `new_code`
    also when the code version of the asset has."""
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
    asked: dg.AutomationCondition[Any] = changed | missing
    if new_code:
        asked = asked | _new_code()
    return (asked & ready & sound).with_label("on_new_data_version")


def on_new_code() -> dg.AutomationCondition[Any]:
    """Request every partition that is there once when the code version has changed: for what has nothing upstream."""
    changed = _new_code()
    idle = ~dg.AutomationCondition.in_progress() & ~dg.AutomationCondition.missing()
    return (changed & idle).with_label("on_new_code")


def _new_code() -> dg.AutomationCondition[Any]:
    changed: dg.AutomationCondition[Any] = dg.AutomationCondition.code_version_changed()
    return changed.since_last_handled()


_STAGES = {
    FILES: "Reads files again when the parser has changed.",
    SEGMENTS.name: "Segments a session file when its content is new.",
    LABELS.name: "Labels segments when they are new.",
    MEMORIES.name: "Extracts memories from segments when they are labelled.",
    WINDOWS.name: "Makes the windows of a log when it is segmented.",
}


def automation_sensors(
    status: dg.DefaultSensorStatus, seconds: int
) -> list[dg.AutomationConditionSensorDefinition]:
    """One sensor a stage.

    A stage records its good partitions itself and yields no output, so a later stage in the same run would be
    skipped; and a slow model in one stage must not delay another.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # of evaluation in the code server
        return [_sensor(asset, about, status, seconds) for asset, about in _STAGES.items()]


def _sensor(asset: str, about: str, status: dg.DefaultSensorStatus, seconds: int) -> QuietAutomationSensor:
    return QuietAutomationSensor(
        name=f"{asset}_automation",
        target=dg.AssetSelection.assets(asset).without_checks(),
        default_status=status,
        minimum_interval_seconds=seconds,
        description=about,
        use_user_code_server=True,
    )
