"""`ultron handbook`: what is known for certain of a project, as a marked section of a file that agents read."""

from __future__ import annotations

from pathlib import Path

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.options import project_option
from ultron_core.cli.output import FAILED
from ultron_core.cli.writing import write_beside
from ultron_core.errors import InputError, NotFoundError
from ultron_core.settings import Settings

__all__ = ["COMMANDS"]


@click.command()
@project_option("The project; by default that of the working folder.")
@click.option("--write", "path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Put the section into this file, e.g. AGENTS.md; nothing else in it changes.")  # fmt: skip
@click.option(
    "--check", is_flag=True, help="With --write: change nothing; exit code 1 when the section is out of date."
)
@click.option(
    "--tokens", default=800, show_default=True, type=click.IntRange(100, 10_000), help="At most so long."
)
@click.pass_obj
def handbook(settings: Settings, project: str | None, path: Path | None, check: bool, tokens: int) -> None:
    """Print what is certain about a project, for AGENTS.md.

    What people said for good and what the logs prove: conventions, checks, cures that held, warnings.
    """
    from ultron_core.recall.handbook import put_section

    if check and path is None:
        raise click.UsageError("--check needs --write FILE.")
    with open_ultron(settings, reading=True) as ultron:
        found = ultron.handbook(project, budget_tokens=tokens)
    if not found.text:
        raise NotFoundError(
            f"Nothing certain is known of {found.project} yet: no person's rule, check or proven cure. More "
            "sessions of it may bring some (`ultron ingest`)."
        )
    if path is None:
        click.echo(found.text)
    else:
        old = _read(path)
        new = put_section(old or "", found.text)
        if check and new != old:
            click.echo(
                f"{path} is out of date: `ultron handbook --project {found.project} --write {path}`.",
                err=True,
            )
            raise click.exceptions.Exit(FAILED)
        if new != old:
            write_beside(path, new, old)
        click.echo(f"{path}: {'up to date' if new == old else 'written'}, {len(found.lines)} lines.")
    if found.left_out:
        click.echo(f"{found.left_out} more do not fit into {tokens} tokens (--tokens).", err=True)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


COMMANDS = [handbook]
