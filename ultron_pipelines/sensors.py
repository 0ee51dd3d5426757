"""Sensors of the drop folder and of pending work."""

import time
from collections.abc import Iterator, Sequence

import dagster as dg

from ultron_core.steps.files.drop_folder import SeenFile, scan, stamp_digest, unreported
from ultron_core.steps.stages.process import count_pending
from ultron_core.steps.stages.segment_rows import close_quiet_segments
from ultron_pipelines.jobs import ingest_sessions, session_files_job
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource

__all__ = ["make_sensors"]

_FILES_A_RUN = 200
#: a run that died before it wrote the ledger is requested again after this long
_ASK_AGAIN_SECONDS = 600


def make_sensors(status: dg.DefaultSensorStatus, seconds: int) -> list[dg.SensorDefinition]:
    """Both sensors with the given default status and interval."""

    @dg.sensor(
        jobs=[ingest_sessions, session_files_job],
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
        if found.problem:
            context.log.warning(found.problem)
        keys = [file.key for file in (*found.changed, *found.retry)]
        if not keys and not silent:
            return dg.SkipReason(
                found.problem or f"{found.unchanged} files unchanged, {found.settling} settling."
            )
        new = sorted(set(keys) - set(_known_partitions(context)))
        return dg.SensorResult(
            run_requests=list(_requests(found.changed, found.retry, bool(silent))),
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
        if not closed and not waiting:
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

    return [session_drop_sensor, pending_work_sensor]


def _known_partitions(context: dg.SensorEvaluationContext) -> Sequence[str]:
    name = sessions_partitions.name
    assert name is not None
    return context.instance.get_dynamic_partitions(name)


def _requests(
    changed: Sequence[SeenFile], retry: Sequence[SeenFile], silent: bool
) -> Iterator[dg.RunRequest]:
    """A few large runs for changed files; one partitioned run per failed file, so that the UI shows it."""
    bucket = int(time.time() // _ASK_AGAIN_SECONDS)
    for begin in range(0, len(changed), _FILES_A_RUN):
        chunk = changed[begin : begin + _FILES_A_RUN]
        yield dg.RunRequest(
            job_name=ingest_sessions.name,
            run_key=f"{stamp_digest(chunk)}:{bucket}",
            run_config={"ops": {"read_session_files": {"config": {"keys": [f.key for f in chunk]}}}},
        )
    if silent and not changed:
        yield dg.RunRequest(job_name=ingest_sessions.name, run_key=f"unreported:{int(time.time() // 30)}")
    for file in retry:
        yield dg.RunRequest(
            job_name=session_files_job.name,
            partition_key=file.key,
            run_key=f"{stamp_digest([file])}:retry:{bucket}",
        )


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
