"""The sensor that tells of failed runs, with their reason."""

from datetime import UTC, datetime

import dagster as dg

from ultron_core.redaction import PresidioRedactor
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.triggers.notify import Notice, tell_log, tell_webhook

__all__ = ["make_failure_sensor", "notice_of"]

#: characters of a reason that are told, of so many that are redacted
_LONGEST, _READ = 1000, 20_000


def make_failure_sensor(status: dg.DefaultSensorStatus) -> dg.SensorDefinition:
    """The sensor with the given default status."""

    @dg.run_failure_sensor(
        name="failure_sensor",
        default_status=status,
        minimum_interval_seconds=30,
        description="Tells of each failed run: in the log, and at ULTRON_NOTIFY_URL if it is set.",
    )
    def failure_sensor(context: dg.RunFailureSensorContext, ultron: UltronResource) -> None:
        settings = ultron.settings()
        notice = notice_of(context, PresidioRedactor(settings.redaction.word_list))
        tell_log(notice)
        if settings.runs.notify_url:
            tell_webhook(settings.runs.notify_url, notice)

    assert isinstance(failure_sensor, dg.SensorDefinition)
    return failure_sensor


def notice_of(context: dg.RunFailureSensorContext, redactor: PresidioRedactor) -> Notice:
    """What is told: the reason of the first step that failed, else of the run."""
    run = context.dagster_run
    reason = context.failure_event.message or "no reason was given"
    for event in context.get_step_failure_events()[:1]:
        data = event.step_failure_data
        if data.user_failure_data is not None and data.user_failure_data.description:
            reason = data.user_failure_data.description
        elif data.error is not None:
            reason = (data.error.cause or data.error).message.strip()
    # cut to what is told after it is redacted: half a key is no longer known as one
    reason = redactor.redact_text(reason[:_READ]).text[:_LONGEST]
    return Notice(
        text=f"Ultron: run {run.run_id[:8]} of {run.job_name} failed: {reason}",
        job=run.job_name,
        run_id=run.run_id,
        reason=reason,
        failed_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
