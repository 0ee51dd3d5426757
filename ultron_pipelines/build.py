"""Everything as one `Definitions`; tests and tools pass their own settings and resource."""

from __future__ import annotations

import dagster as dg

from ultron_core.settings import Settings
from ultron_pipelines.assets.clusters import clusters
from ultron_pipelines.assets.labels import quality_labels
from ultron_pipelines.assets.memories import extracted_memories
from ultron_pipelines.assets.segments import segments
from ultron_pipelines.assets.sessions import session_files
from ultron_pipelines.assets.sft import sft_dataset
from ultron_pipelines.assets.tiers import tier_assignments
from ultron_pipelines.assets.windows import message_windows
from ultron_pipelines.automation import automation_sensors
from ultron_pipelines.checks import CHECKS
from ultron_pipelines.jobs import JOBS
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.schedules import make_schedules
from ultron_pipelines.sensors import make_sensors

__all__ = ["build_defs"]


def build_defs(
    settings: Settings,
    *,
    resource: UltronResource | None = None,
    running: bool = False,
    sensor_seconds: int = 15,
) -> dg.Definitions:
    """All assets, checks, jobs, sensors and schedules.

    `running`: sensors and schedules start switched on (as under `ultron dev`). Steps run in the process of
    their run: they mostly wait for Postgres and models, and a process per step would cost seconds each.
    """
    sensor_status = dg.DefaultSensorStatus.RUNNING if running else dg.DefaultSensorStatus.STOPPED
    schedule_status = dg.DefaultScheduleStatus.RUNNING if running else dg.DefaultScheduleStatus.STOPPED
    return dg.Definitions(
        assets=[
            *(
                asset.with_attributes(backfill_policy=dg.BackfillPolicy.multi_run(settings.run_files))
                for asset in (session_files, segments, quality_labels, extracted_memories, message_windows)
            ),
            tier_assignments,
            clusters,
            sft_dataset,
        ],
        asset_checks=CHECKS,
        jobs=JOBS,
        sensors=[
            *make_sensors(sensor_status, sensor_seconds),
            *automation_sensors(sensor_status, sensor_seconds),
        ],
        schedules=make_schedules(
            schedule_status,
            rebalance_hours=settings.tiers.decay_interval_hours,
            export_hours=settings.sft.interval_hours,
        ),
        resources={"ultron": resource or UltronResource()},
        executor=dg.in_process_executor,
    )
