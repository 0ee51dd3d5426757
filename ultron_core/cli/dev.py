"""`ultron dev`: the database, the Dagster UI, the sensors and schedules, in one command."""

from __future__ import annotations

import importlib.util
import os
import sys

import click

from ultron_core.errors import InputError
from ultron_core.settings import Settings

__all__ = ["COMMANDS"]


@click.command()
@click.option("--port", default=3000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--host", default="127.0.0.1", show_default=True)
@click.pass_obj
def dev(settings: Settings, port: int, host: str) -> None:
    """Open the Dagster UI with sensors and schedules running; Ctrl-C stops everything."""
    # a separate program: the library does not know Dagster
    if importlib.util.find_spec("ultron_pipelines") is None:
        raise InputError("The Dagster side (ultron_pipelines) is not installed: install the whole project.")
    command = [sys.executable, "-m", "ultron_pipelines.launch", "--host", host, "--port", str(port)]
    env = {**os.environ, "ULTRON_HOME": str(settings.store.home)}
    # replaces this process, so that signals reach the one that has to clean up
    os.execve(sys.executable, command, env)


COMMANDS = [dev]
