"""Rebalance, export and checks, each at any interval of 0.1 hours or more."""

import dagster as dg

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
    status: dg.DefaultScheduleStatus, *, rebalance_hours: float, export_hours: float, checks_hours: float
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
