"""Dagster's code server under `ultron dev`: says first which runs ended with the one before it.

Runs are processes below the code server, which alone notices when one of them dies. Killed together with it, or while
the database was away, they would stay Started for ever, and with them the files they hold.

Dagster starts a new interpreter for each run, of which 3 of 5 s of CPU are imports, and the models take 3.5 s more.
Here a run is forked from a process that has imported the definitions, has loaded the models and does nothing else, so
it has no threads and no connections to inherit.
"""

import multiprocessing
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from typing import Any

import click
import dagster as dg
from dagster._cli.api import grpc_command
from dagster._core.launcher import DefaultRunLauncher
from dagster._grpc import server

__all__ = ["fail_lost_runs", "main", "start_of_runs"]

_DEFINITIONS, _MODELS = "ultron_pipelines.definitions", "ultron_pipelines.host.models"
_AT_WORK = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


def main() -> None:
    """Takes the arguments of `dagster api grpc`."""
    start_of_runs()
    forkserver.ensure_running()  # it imports while this process does
    with dg.DagsterInstance.get() as instance:
        fail_lost_runs(instance)
    server.DagsterApiServer = _Server  # type: ignore[misc]
    serve: click.Command = grpc_command
    serve.main(prog_name="dagster api grpc")


class _Server(server.DagsterApiServer):
    """Dagster's own, but for how runs begin."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._mp_ctx = start_of_runs()  # type: ignore[assignment]


def start_of_runs() -> ForkServerContext:
    """Starts processes that have imported the definitions and loaded the models."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([_DEFINITIONS, _MODELS])
    return context


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
