"""Everything as one `Definitions`; tests and tools pass their own settings and resource."""

from __future__ import annotations

from typing import Any

import dagster as dg

from ultron_core.settings import Settings
from ultron_core.steps.stages.standing import code_versions
from ultron_pipelines.assets.clusters import clusters
from ultron_pipelines.assets.labels import quality_labels
from ultron_pipelines.assets.memories import extracted_memories
from ultron_pipelines.assets.segments import segments
from ultron_pipelines.assets.sessions import session_files
from ultron_pipelines.assets.sft import sft_dataset
from ultron_pipelines.assets.summary import pipeline_summary
from ultron_pipelines.assets.tiers import tier_assignments
from ultron_pipelines.assets.training import sft_training
from ultron_pipelines.assets.windows import message_windows
from ultron_pipelines.catalog import catalogued
from ultron_pipelines.checks import CHECKS
from ultron_pipelines.host.executors import executor_of
from ultron_pipelines.jobs import JOBS
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.triggers.automation import automation_sensors, on_new_code, on_new_data_version
from ultron_pipelines.triggers.failures import make_failure_sensor
from ultron_pipelines.triggers.schedules import make_schedules
from ultron_pipelines.triggers.sensors import make_sensors

__all__ = ["build_defs"]


def build_defs(
    settings: Settings,
    *,
    resource: UltronResource | None = None,
    running: bool = False,
) -> dg.Definitions:
    """All assets, checks, jobs, sensors and schedules.

    `running`: sensors and schedules start switched on (as under `ultron dev`). By default steps run in the process
    of their run: they mostly wait for Postgres and models, and a process per step would cost seconds each.
    """
    sensor_status = dg.DefaultSensorStatus.RUNNING if running else dg.DefaultSensorStatus.STOPPED
    schedule_status = dg.DefaultScheduleStatus.RUNNING if running else dg.DefaultScheduleStatus.STOPPED
    return dg.Definitions(
        assets=[
            catalogued(asset, settings)
            for asset in (
                *_partitioned(settings),
                tier_assignments,
                clusters,
                sft_dataset,
                sft_training,
                pipeline_summary,
            )
        ],
        asset_checks=CHECKS,
        jobs=JOBS,
        sensors=[
            *make_sensors(sensor_status, settings.runs.sensor_seconds),
            *automation_sensors(sensor_status, settings.runs.sensor_seconds),
            make_failure_sensor(sensor_status),
        ],
        schedules=make_schedules(
            schedule_status,
            rebalance_hours=settings.tiers.decay_interval_hours,
            export_hours=settings.sft.interval_hours,
            checks_hours=settings.runs.checks_interval_hours,
            training_hours=settings.train.interval_hours,
        ),
        resources={"ultron": resource or UltronResource()},
        executor=executor_of(settings),
    )


def _partitioned(settings: Settings) -> list[dg.AssetsDefinition]:
    """The assets with a partition a file. Where a model would have to be paid, what it made with an older version is
    shown as stale and done again when somebody asks for it, or with ULTRON_AUTO_REPROCESS=1."""
    versions = code_versions(settings)
    again = settings.auto_reprocess
    stages = (segments, quality_labels, extracted_memories, message_windows)
    conditions = {session_files: on_new_code() if again else None}
    conditions |= dict.fromkeys(stages, on_new_data_version(new_code=again))
    policy = dg.BackfillPolicy.multi_run(settings.run_files)

    def versioned(
        asset: dg.AssetsDefinition, condition: dg.AutomationCondition[Any] | None
    ) -> dg.AssetsDefinition:
        known = asset.map_asset_specs(
            lambda spec: spec.replace_attributes(
                code_version=versions[spec.key.to_user_string()], automation_condition=condition
            )
        )
        return known.with_attributes(backfill_policy=policy)

    return [versioned(asset, condition) for asset, condition in conditions.items()]
