"""Commands for what is one's own: memories out of the store and in again, and the whole store as one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import PARTLY, console, print_json, table
from ultron_core.cli.progress import progress_bar
from ultron_core.display import one_line
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.steps.transfer.compare import Conflict

__all__ = ["COMMANDS"]

#: conflicts that are listed; --json has all of them
_MOST_SHOWN = 20
#: characters of a memory in a list
_TEXT = 60


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--vectors", is_flag=True, help="Vectors too: an import by the same model need not embed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def export_command(settings: Settings, folder: Path, vectors: bool, as_json: bool) -> None:
    """Write all memories into FOLDER, one a line of JSON, with where they come from and what became of them.

    FOLDER is new or empty. `ultron import` brings them into another store.
    """
    with (
        open_ultron(settings, reading=True) as ultron,
        progress_bar("exporting", quiet=as_json) as advance,
    ):
        done = ultron.export_memories(folder, vectors=vectors, progress=lambda n, of: advance("", n, of))
    if as_json:
        print_json(done)
    else:
        with_vectors = f", vectors: {done.vectors:,}" if vectors else ""
        size = f"{done.bytes / 1e6:,.1f} MB in {done.folder}"
        console().print(f"Memories: {done.memories:,}{with_vectors}; {size}", soft_wrap=True)


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def import_command(settings: Settings, folder: Path, as_json: bool) -> int | None:
    """Bring the memories of an export into this store.

    Who stands behind each is taken over: import what you trust. What is here otherwise stays as it is and is listed;
    importing again brings what is missing. Exit code 3 when anything was left alone.
    """
    with open_ultron(settings) as ultron, progress_bar("importing", quiet=as_json) as advance:
        done = ultron.import_memories(folder, progress=lambda n, of: advance("", n, of))
    if as_json:
        print_json(done)
    else:
        console().print(
            f"Memories: {done.new:,} new, {done.known:,} already here. Vectors: {done.vectors:,} taken over, "
            f"{done.embedded:,} made. Sources whose log is not here: {done.cited:,}.",
            soft_wrap=True,
        )
        if done.conflicts:
            _show(done.conflicts)
    return PARTLY if done.conflicts else None


def _show(conflicts: Sequence[Conflict]) -> None:
    out = console()
    rows = [(one.id, one_line(one.content)[:_TEXT], _reason(one)) for one in conflicts[:_MOST_SHOWN]]
    out.print(table(f"{len(conflicts):,} left alone", ["memory", "content", "why"], rows))
    if len(conflicts) > _MOST_SHOWN:
        out.print(f"... and {len(conflicts) - _MOST_SHOWN:,} more: --json lists them.")


def _reason(conflict: Conflict) -> str:
    if conflict.reason == "differs":
        return f"here it has another {', '.join(conflict.fields)}"
    if conflict.reason == "same_words":
        return f"{conflict.other} has these words"
    if conflict.reason == "merged":
        return f"it is part of {conflict.other} here"
    return "another account of this database has its id"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--logs", is_flag=True, help="The logs of the drop folder too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def backup(settings: Settings, file: Path, logs: bool, as_json: bool) -> None:
    """Write the whole store into FILE: its database, Dagster's, and the settings without keys.

    Others may go on working meanwhile. `ultron restore` brings it into an empty home or database.
    """
    with open_ultron(settings, reading=True) as ultron, progress_bar("backing up", quiet=as_json):
        done = ultron.back_up(file, logs=logs)
    if as_json:
        print_json(done)
        return
    held = _held(dagster=done.dagster, settings=done.settings, logs=done.logs)
    console().print(f"{done.file}: {done.bytes / 1e6:,.1f} MB with {held}.", soft_wrap=True)
    _show_digests(done.digests)


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def restore_command(settings: Settings, file: Path, as_json: bool) -> None:
    """Bring the backup in FILE into this home or database, which must be empty.

    Whether all is there is checked by the digest of each account. After a kill the same command goes on.
    """
    from ultron_core.facade.transferring import restore_backup

    with progress_bar("restoring", quiet=as_json):
        done = restore_backup(file, settings)
    if as_json:
        print_json(done)
        return
    held = _held(dagster=done.dagster, settings=done.settings, logs=done.logs)
    console().print(f"Restored into {settings.store.home}: {held}.", soft_wrap=True)
    _show_digests(done.digests)


def _held(*, dagster: bool, settings: bool, logs: int) -> str:
    parts = {
        "the store": True,
        "Dagster's history": dagster,
        "settings": settings,
        f"logs ({logs:,})": logs > 0,
    }
    return ", ".join(name for name, is_in in parts.items() if is_in)


def _show_digests(digests: Mapping[str, str]) -> None:
    for account, digest in digests.items():
        console().print(f"account {account}: content {digest[:16]}")


COMMANDS = [export_command, import_command, backup, restore_command]
