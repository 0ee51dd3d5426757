"""Rebalance, export, training and checks, each at any interval of 0.1 hours or more."""

import dagster as dg

from ultron_core.steps.training.waiting import rows_due
from ultron_pipelines.resources import UltronResource

__all__ = ["cron_for", "is_due", "make_schedules"]

_TICK_MINUTES = 6


def cron_for(hours: float) -> str:
    """The cron line of an interval; one that cron cannot express ticks every six minutes and skips until due."""
    minutes = hours * 60
    if minutes < 60 and minutes == int(minutes) and 60 % int(minutes) == 0:
        return f"*/{int(minutes)} * * * *"
    if hours == int(hours) and 24 % int(hours) == 0:
        return "0 0 * * *" if hours == 24 else f"0 */{int(hours)} * * *"
    return f"*/{_TICK_MINUTES} * * * *"


def is_due(hours: float, at: float) -> bool:
    """Whether a multiple of the interval (counted from the epoch) fell into the tick that ends at `at` seconds."""
    if cron_for(hours) != f"*/{_TICK_MINUTES} * * * *" or hours * 60 == _TICK_MINUTES:
        return True
    interval = hours * 3600
    return at // interval != (at - _TICK_MINUTES * 60) // interval


def make_schedules(
    status: dg.DefaultScheduleStatus,
    *,
    rebalance_hours: float,
    export_hours: float,
    checks_hours: float,
    training_hours: float,
) -> list[dg.ScheduleDefinition]:
    """All schedules with the given default status."""
    return [
        _every(
            rebalance_hours,
            "rebalance_schedule",
            "rebalance_job",
            status,
            "Tiers, clusters and topics.",
        ),
        _every(export_hours, "sft_export_schedule", "sft_export_job", status, "Exports the training set."),
        _every(checks_hours, "checks_schedule", "checks_job", status, "Checks the stored rows and sums up."),
        _training(training_hours, status),
    ]


def _every(
    hours: float, name: str, job_name: str, status: dg.DefaultScheduleStatus, about: str
) -> dg.ScheduleDefinition:
    @dg.schedule(
        name=name,
        job_name=job_name,
        cron_schedule=cron_for(hours),
        default_status=status,
        description=f"{about} Every {hours:g} h.",
        execution_timezone="UTC",
    )
    def schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        if not is_due(hours, context.scheduled_execution_time.timestamp()):
            return dg.SkipReason(f"Due every {hours:g} h.")
        return dg.RunRequest()

    return schedule


def _training(hours: float, status: dg.DefaultScheduleStatus) -> dg.ScheduleDefinition:
    """Asks for a run only when enough rows wait: a run that finds nothing to do would cost as much as a look."""

    @dg.schedule(
        name="sft_training_schedule",
        job_name="sft_training_job",
        cron_schedule=cron_for(hours),
        default_status=status,
        description=f"Trains when enough rows are new to ULTRON_TRAIN_BASE. Looks every {hours:g} h.",
        execution_timezone="UTC",
    )
    def schedule(
        context: dg.ScheduleEvaluationContext, ultron: UltronResource
    ) -> dg.RunRequest | dg.SkipReason:
        if not is_due(hours, context.scheduled_execution_time.timestamp()):
            return dg.SkipReason(f"Due every {hours:g} h.")
        train = ultron.settings().train
        if train.base is None:
            return dg.SkipReason("ULTRON_TRAIN_BASE is not set.")
        with ultron.open() as opened:
            waiting = rows_due(opened.runtime)
        if waiting < train.rows:
            return dg.SkipReason(f"{waiting} rows are new, {train.rows} start a training.")
        return dg.RunRequest(tags={"ultron/new_rows": str(waiting)})

    return schedule
