"""`ultron connect`: enter Ultron into the files of a coding agent, and take it out again."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from ultron_core.access.clients.plan import CLIENTS, Commands, Edit, plan_edits
from ultron_core.cli.output import console
from ultron_core.cli.writing import write_beside
from ultron_core.errors import InputError
from ultron_core.settings import Settings

__all__ = ["COMMANDS", "connect"]


@dataclass(frozen=True, slots=True)
class _Change:
    path: Path
    old: str | None
    new: str


@click.command()
@click.argument("client", type=click.Choice(list(CLIENTS)))
@click.option("--project", "project", is_flag=True, help="Only for the project of the working folder.")
@click.option("--dry-run", is_flag=True, help="Print what would change; write nothing.")
@click.option("--remove", is_flag=True, help="Take Ultron out again.")
@click.pass_obj
def connect(settings: Settings, client: str, project: bool, dry_run: bool, remove: bool) -> None:
    """Connect a coding agent: hooks and the MCP server.

    They are written into the agent's own files. What is there stays, a backup is kept, --remove takes ours out again.
    """
    scripts = Path(sys.executable).parent
    commands = Commands(
        str(scripts / "ultron-hook"), str(scripts / "ultron-mcp"), str(settings.store.home), client
    )
    base = Path.cwd() if project else Path.home()
    edits = plan_edits(client, base, commands, in_project=project, remove=remove)
    changes = [change for edit in edits if (change := _changed(edit)) is not None]
    if not changes:
        click.echo("Nothing to change.")
    for change in changes:
        if dry_run:
            console().print(_diff(change), soft_wrap=True, end="")
        else:
            write_beside(change.path, change.new, change.old)
            beside = ", its backup is beside it." if change.old is not None else "."
            console().print(f"{change.path} is written{beside}", soft_wrap=True)


def _changed(edit: Edit) -> _Change | None:
    try:
        old = edit.path.read_text("utf-8")
    except FileNotFoundError:
        old = None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{edit.path} cannot be read: {error}.") from error
    try:
        new = edit.change(old or "")
    except InputError as error:
        raise InputError(f"{edit.path}, {error}") from error
    return None if new == (old or "") else _Change(edit.path, old, new)


def _diff(change: _Change) -> str:
    lines: Sequence[str] = list(
        difflib.unified_diff(
            (change.old or "").splitlines(keepends=True),
            change.new.splitlines(keepends=True),
            str(change.path),
            str(change.path),
        )
    )
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


COMMANDS = [connect]
