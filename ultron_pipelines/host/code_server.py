"""Dagster's code server under `ultron dev`: says first which runs ended with the one before it.

Runs are processes below the code server, which alone notices when one of them dies. Killed together with it, or while
the database was away, they would stay Started for ever, and with them the files they hold.
"""

import click
import dagster as dg
from dagster._cli.api import grpc_command
from dagster._core.launcher import DefaultRunLauncher

__all__ = ["fail_lost_runs", "main"]

_AT_WORK = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


def main() -> None:
    """Takes the arguments of `dagster api grpc`."""
    with dg.DagsterInstance.get() as instance:
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


if __name__ == "__main__":
    main()
