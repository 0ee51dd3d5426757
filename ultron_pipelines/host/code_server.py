"""Dagster's code server under `ultron dev`: says first which runs ended with the one before it.

Runs are processes below the code server, which alone notices when one of them dies. Killed together with it, or while
the database was away, they would stay Started for ever, and with them the files they hold.
"""

import time

import click
import dagster as dg
from dagster._cli.api import grpc_command
from dagster._core.launcher import DefaultRunLauncher
from sqlalchemy.exc import OperationalError

__all__ = ["fail_lost_runs", "main"]

_AT_WORK = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
#: PostgreSQL has replayed its log by then, as EmbeddedServer waits for it
_DATABASE_SECONDS = 60


def main() -> None:
    """Takes the arguments of `dagster api grpc`."""
    with _instance() as instance:
        fail_lost_runs(instance)
    serve: click.Command = grpc_command
    serve.main(prog_name="dagster api grpc")


def fail_lost_runs(instance: dg.DagsterInstance) -> int:
    """Mark runs as failed that no process works on: there is no other code server on this home. Runs that another
    launcher started, elsewhere, are left alone."""
    if not isinstance(instance.run_launcher, DefaultRunLauncher):
        return 0
    lost = instance.get_runs(dg.RunsFilter(statuses=_AT_WORK))
    for run in lost:
        instance.report_run_failed(run, "Its process ended together with Dagster's code server.")
    return len(lost)


def _instance() -> dg.DagsterInstance:
    """Waits for a database that is being started again."""
    deadline = time.monotonic() + _DATABASE_SECONDS
    while True:
        try:
            return dg.DagsterInstance.get()
        except (OperationalError, dg.DagsterError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.5)


if __name__ == "__main__":
    main()
