"""Sensors of the drop folder and of pending work."""

import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.display import one_line
from ultron_core.steps.files.drop_folder import SeenFile, scan, stamp_digest, unreported
from ultron_core.steps.stages.process import count_pending
from ultron_core.steps.stages.segment_rows import close_quiet_segments
from ultron_pipelines.jobs import ingest_sessions
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.triggers.queue import active_runs, ingest_config, next_batches
from ultron_pipelines.triggers.suspects import give_up, suspects

__all__ = ["make_sensors"]

#: the same files are requested again no sooner than this: a run that died has told by then what it did
_ASK_AGAIN_SECONDS = 60


def make_sensors(status: dg.DefaultSensorStatus, seconds: int) -> list[dg.SensorDefinition]:
    """All sensors with the given default status and interval."""

    @dg.sensor(
        job=ingest_sessions,
        default_status=status,
        minimum_interval_seconds=seconds,
        description="New and changed files in the drop folder, and sessions that a library call ingested.",
    )
    def session_drop_sensor(
        context: dg.SensorEvaluationContext, ultron: UltronResource
    ) -> dg.SensorResult | dg.SkipReason:
        with ultron.look() as opened:
            found = scan(opened.runtime)
            silent = unreported(opened.runtime, limit=1)
            size = opened.settings.run_files
            waiting, alone = _separated(context.instance, opened, (*found.changed, *found.retry))
        problem = one_line(found.problem or "")
        if problem:
            context.log.warning(problem)
        if not waiting and not silent:
            return dg.SkipReason(problem or f"{found.unchanged} files unchanged, {found.settling} settling.")
        active = active_runs(context.instance)
        batches = next_batches(waiting, active, size, alone)
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
        with ultron.look() as opened:
            closed = close_quiet_segments(opened.runtime)
            counts = count_pending(opened.runtime, due=True)
            waiting = {name: n for name, n in counts.items() if name not in {"open", "exhausted"} and n}
        if not closed and not waiting:
            context.update_cursor("")
            return dg.SkipReason("Nothing is pending.")
        if _is_running(context):
            return dg.SkipReason("The last run is still running.")
        # automation starts fresh work by itself: only what is still pending a tick later is requested here
        seen_before = context.cursor == "waiting"
        context.update_cursor("waiting" if not seen_before else "")
        if not closed and not seen_before:
            return dg.SkipReason(
                f"Pending: {waiting}. A run is requested if it is still pending at the next tick."
            )
        return dg.RunRequest(tags={"ultron/waiting": str(sum(waiting.values()))})

    @dg.sensor(
        job_name="reconcile_events",
        default_status=status,
        minimum_interval_seconds=max(seconds, 60),
        description="After a run that failed, was killed or cancelled: it may have done more than it told.",
    )
    def reconcile_sensor(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        last = context.cursor or str(time.time())
        context.update_cursor(str(time.time()))
        bad = _ended_badly(context.instance, datetime.fromtimestamp(float(last), UTC))
        if not bad:
            return dg.SkipReason("No run ended badly.")
        return dg.RunRequest(tags={"ultron/ended_badly": str(bad)})

    return [session_drop_sensor, pending_work_sensor, reconcile_sensor]


def _separated(
    instance: dg.DagsterInstance, opened: Ultron, files: Sequence[SeenFile]
) -> tuple[list[SeenFile], Collection[str]]:
    """The files to read now, and which of them alone."""
    died = suspects(instance, files)
    given_up = {
        file.key
        for file in files
        if file.key in died and give_up(instance, opened.runtime, file, died[file.key])
    }
    return [file for file in files if file.key not in given_up], died.keys()


def _ended_badly(instance: dg.DagsterInstance, since: datetime) -> int:
    bad = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
    records = instance.get_run_records(dg.RunsFilter(statuses=bad, updated_after=since), limit=100)
    return sum(record.dagster_run.job_name != "reconcile_events" for record in records)


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
