"""`ultron erase`: one scope of what is stored, taken out for good."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import console, key_values, print_json
from ultron_core.display import plain
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.steps.upkeep.erase import Erased

__all__ = ["COMMANDS"]


@click.command()
@click.option("--memory", help="A memory; its first characters do.")
@click.option("--session", help="A session: its key or id, as `ultron sessions` prints them.")
@click.option("--message", help="Lines of a session: SESSION:LINE or SESSION:FIRST-LAST.")
@click.option("--project", help="All that was seen in this project.")
@click.option("--agent", help="All that this agent gave.")
@click.option("--before", type=click.DateTime(), help="All that ended before this day, such as 2026-01-31.")
@click.option("--account", is_flag=False, flag_value="", help="Everything: type the name of the account.")
@click.option("--dry-run", is_flag=True, help="Only say what would be erased.")
@click.option(
    "--datasets",
    is_flag=True,
    help="Also delete datasets that hold a row of it, and adapters trained on one.",
)
@click.option("--with-file", is_flag=True, help="Also delete the logs outside the drop folder.")
@click.option("--scrub", is_flag=True, help="Then rewrite the embedded server's files; also without a scope.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def erase(
    settings: Settings,
    /,
    before: datetime | None,
    memory: str | None,
    dry_run: bool,
    datasets: bool,
    with_file: bool,
    scrub: bool,
    yes: bool,
    as_json: bool,
    **named: str | None,
) -> None:
    """Erase what one scope takes: logs in the drop folder, rows, and everything made of it alone.

    Memories that others gave too are worded without it. What was erased is not read again (`ultron ingest --again`
    does). What stays, and where, is said. The same command goes on with one that was killed.
    """
    from ultron_core.steps.names import find_memory

    if scrub and memory is None and before is None and not any(value is not None for value in named.values()):
        with open_ultron(settings) as ultron:
            ultron.scrub()
        console().print("The server's files were written anew.")
        return
    with open_ultron(settings) as ultron:
        scope: dict[str, Any] = {**named, "before": before and before.astimezone()}
        scope["memory"] = find_memory(ultron.runtime, memory) if memory is not None else None
        scope |= {"datasets": datasets, "with_file": with_file}
        if not (dry_run or yes):
            foreseen = ultron.erase(**scope, dry_run=True)
            console().print(_shown(foreseen))
            click.confirm(f"Erase {foreseen.scope} {foreseen.named} permanently?", abort=True)
        report = ultron.erase(**scope, dry_run=dry_run)
        if scrub and not dry_run:
            ultron.scrub()
    if as_json:
        print_json(report)
        return
    console().print(_shown(report))
    for sentence in report.left:
        console().print(plain(sentence), soft_wrap=True)
    console().print("Nothing was changed." if dry_run else "Erased.")


def _shown(report: Erased) -> Any:
    values = asdict(report)
    shown = {report.scope: report.named, **report.counts, "memories worded anew": report.reworded}
    for name in ("logs", "datasets", "adapters"):
        shown[name] = ", ".join(str(path) for path in values[name])
    return key_values("", shown)


COMMANDS = [erase]
