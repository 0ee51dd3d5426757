"""Sensors of the drop folder and of pending work."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

import dagster as dg

from ultron_core.steps.files.drop_folder import scan, stamp_digest, unreported
from ultron_core.steps.stages.process import count_pending
from ultron_core.steps.stages.segment_rows import close_quiet_segments
from ultron_pipelines.jobs import ingest_sessions
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.queue import active_runs, ingest_config, next_batches
from ultron_pipelines.resources import UltronResource

__all__ = ["make_sensors"]

#: a run that died before it wrote the ledger is requested again after this long
_ASK_AGAIN_SECONDS = 600


def make_sensors(status: dg.DefaultSensorStatus, seconds: int) -> list[dg.SensorDefinition]:
    """Both sensors with the given default status and interval."""

    @dg.sensor(
        job=ingest_sessions,
        default_status=status,
        minimum_interval_seconds=seconds,
        description="New and changed files in the drop folder, and sessions that a library call ingested.",
    )
    def session_drop_sensor(
        context: dg.SensorEvaluationContext, ultron: UltronResource
    ) -> dg.SensorResult | dg.SkipReason:
        with ultron.open() as opened:
            found = scan(opened.runtime)
            silent = unreported(opened.runtime, limit=1)
            size = opened.settings.run_files
        if found.problem:
            context.log.warning(found.problem)
        waiting = (*found.changed, *found.retry)
        if not waiting and not silent:
            return dg.SkipReason(
                found.problem or f"{found.unchanged} files unchanged, {found.settling} settling."
            )
        active = active_runs(context.instance)
        batches = next_batches(waiting, active, size)
        bucket = int(time.time() // _ASK_AGAIN_SECONDS)
        requests = [
            dg.RunRequest(
                run_key=f"{stamp_digest(batch)}:{bucket}",
                run_config=ingest_config([file.key for file in batch]),
            )
            for batch in batches
        ]
        if silent and not requests and not active:
            requests = [dg.RunRequest(run_key=f"unreported:{int(time.time() // 30)}")]
        if not requests:
            return dg.SkipReason(f"{len(waiting)} files wait; {len(active)} runs hold others or these.")
        asked = {file.key for batch in batches for file in batch}
        new = sorted(asked - set(_known_partitions(context)))
        return dg.SensorResult(
            run_requests=requests,
            dynamic_partitions_requests=[sessions_partitions.build_add_request(new)] if new else [],
        )

    @dg.sensor(
        job_name="pending_work",
        default_status=status,
        minimum_interval_seconds=max(seconds, 60),
        description="Work that no file change announces: logs that became quiet, models that are back.",
    )
    def pending_work_sensor(
        context: dg.SensorEvaluationContext, ultron: UltronResource
    ) -> dg.RunRequest | dg.SkipReason:
        with ultron.open() as opened:
            closed = close_quiet_segments(opened.runtime)
            counts = count_pending(opened.runtime, due=True)
            waiting = {name: n for name, n in counts.items() if name not in {"open", "exhausted"} and n}
        if _is_running(context):
            return dg.SkipReason("The last run is still running.")
        before = _Seen.of(context.cursor)
        broken = _ended_badly(context.instance, before.at)
        if not (closed or waiting or broken):
            context.update_cursor(_Seen(time.time(), False).text)
            return dg.SkipReason("Nothing is pending.")
        # automation starts fresh work by itself: only what is still pending a tick later is requested here
        asked = bool(closed or broken or before.waiting)
        context.update_cursor(_Seen(time.time() if asked else before.at, not asked).text)
        if not asked:
            return dg.SkipReason(
                f"Pending: {waiting}. A run is requested if it is still pending at the next tick."
            )
        return dg.RunRequest(
            tags={"ultron/waiting": str(sum(waiting.values())), "ultron/broken_runs": str(broken)}
        )

    return [session_drop_sensor, pending_work_sensor]


@dataclass(frozen=True, slots=True)
class _Seen:
    """The cursor: when runs were looked at last, and whether something waited already."""

    at: float
    waiting: bool

    @classmethod
    def of(cls, cursor: str | None) -> Self:
        at, _, waiting = (cursor or "").partition(" ")
        return cls(float(at), waiting == "waiting") if at else cls(time.time(), False)

    @property
    def text(self) -> str:
        return f"{self.at} waiting" if self.waiting else f"{self.at}"


def _ended_badly(instance: dg.DagsterInstance, since: float) -> int:
    """Runs that failed or were cancelled since then: a killed one may have done more than it told."""
    bad = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
    after = datetime.fromtimestamp(since, UTC)
    return len(instance.get_run_records(dg.RunsFilter(statuses=bad, updated_after=after), limit=100))


def _known_partitions(context: dg.SensorEvaluationContext) -> Sequence[str]:
    name = sessions_partitions.name
    assert name is not None
    return context.instance.get_dynamic_partitions(name)


def _is_running(context: dg.SensorEvaluationContext) -> bool:
    active = [
        dg.DagsterRunStatus.QUEUED,
        dg.DagsterRunStatus.STARTING,
        dg.DagsterRunStatus.STARTED,
    ]
    records = context.instance.get_run_records(
        dg.RunsFilter(job_name="pending_work", statuses=active), limit=1
    )
    return bool(records)
