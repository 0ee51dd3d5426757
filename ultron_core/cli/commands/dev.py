"""`ultron dev`: database, Dagster UI, sensors and schedules in one command; `ultron demo`: the example sessions."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import click

from ultron_core.cli.output import console
from ultron_core.errors import InputError
from ultron_core.settings import CONFIG_FILE, DEMO_MARK, Settings

__all__ = ["COMMANDS"]


@click.command()
@click.option("--port", default=3000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--host", default="127.0.0.1", show_default=True)
@click.pass_obj
def dev(settings: Settings, port: int, host: str) -> None:
    """Open the Dagster UI with sensors and schedules running. Ctrl-C stops everything."""
    _pipelines()
    _become("ultron_pipelines.host.launch", settings.store.home, "--host", host, "--port", str(port))


@click.command()
@click.option("--clean", is_flag=True, help="Remove the demo's store.")
def demo(clean: bool) -> None:
    """Take the example sessions through the whole path.

    They are in a clone of the project, and go into a store apart from your own.
    """
    clone = _pipelines().parent
    if not (clone / "examples").is_dir():
        raise InputError(
            "The examples are in a clone of the project: run `ultron demo` of a clone's environment."
        )
    home = clone / ".ultron"
    if not clean:
        os.environ.setdefault("ULTRON_OFFLINE", "1")
        _become("ultron_pipelines.demo", home)
    removed = _remove(home)
    console().print(f"Removed {home}." if removed else f"There is no demo store at {home}.", soft_wrap=True)


def _pipelines() -> Path:
    """The folder of the Dagster side: a separate program, which the library does not know."""
    found = importlib.util.find_spec("ultron_pipelines")
    if found is None or not found.submodule_search_locations or importlib.util.find_spec("dagster") is None:
        raise InputError(
            "The Dagster side is not installed: install `ultron-memory[pipeline]` (docs/dependencies.md says how)."
        )
    return Path(found.submodule_search_locations[0])


def _become(module: str, home: Path, *arguments: str) -> None:
    """Replaces this process, so that signals reach the one that has to clean up."""
    os.execve(
        sys.executable,
        [sys.executable, "-m", module, *arguments],
        {**os.environ, "ULTRON_HOME": str(home)},
    )


def _remove(home: Path) -> bool:
    """The store goes with its server; a folder that the demo did not make stays."""
    from ultron_core.store.server import EmbeddedServer
    from ultron_core.store.server.place import has_data

    config = home / CONFIG_FILE
    if not home.is_dir():
        return False
    if not config.is_file() or DEMO_MARK not in config.read_text("utf-8", "replace"):
        raise InputError(f"{home} was not made by the demo: it stays.")
    if has_data(home):
        with EmbeddedServer.open(home) as server:
            data = Path(server.describe()["data"])
        if (data / "postmaster.pid").exists():
            raise InputError("The demo's store is in use: end `ultron dev` and other commands on it first.")
        shutil.rmtree(data.parent)
    shutil.rmtree(home)
    return True


COMMANDS = [dev, demo]
