"""`ultron keys`: who may reach this account from outside."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from ultron_core.access.keys import PRESETS, SCOPES
from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import console, print_json, table
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.access.keys import AccessKey

__all__ = ["COMMANDS"]

#: of a key for which nothing else is said
_USUAL = "agent"


@click.group()
def keys() -> None:
    """Make, list and revoke access keys of `ultron serve`."""


@keys.command()
@click.argument("name")
@click.option("--agent", "agent_id", help="The one agent that it acts for.")
@click.option(
    "--preset", type=click.Choice(list(PRESETS)), help=f"Scopes of a kind of key; {_USUAL} without --scope."
)
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="One scope, beside a preset's."
)
@click.option(
    "--expires", "days", type=click.FloatRange(min=0, min_open=True), metavar="DAYS", help="Days it holds."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def add(
    settings: Settings,
    name: str,
    agent_id: str | None,
    preset: str | None,
    scopes: tuple[str, ...],
    days: float | None,
    as_json: bool,
) -> None:
    """Make a key. It is shown once."""
    preset = preset or (None if scopes else _USUAL)
    with open_ultron(settings) as ultron:
        expires = None if days is None else ultron.runtime.clock() + timedelta(days=days)
        key, text = ultron.keys.add(name, preset=preset, scopes=scopes, agent_id=agent_id, expires_at=expires)
    if as_json:
        print_json({"id": key.id, "name": key.name, "scopes": key.scopes, "key": text})
        return
    click.echo(text)
    console(stderr=True).print(f"{key.name}: {', '.join(key.scopes)}. It is not shown again.", style="dim")


@keys.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_(settings: Settings, as_json: bool) -> None:
    """List all keys, revoked ones too."""
    with open_ultron(settings) as ultron:
        found = ultron.keys.list()
        now = ultron.runtime.clock()
    rows = [_row(key, now) for key in found]
    if as_json:
        print_json(rows)
        return
    console().print(table("", list(rows[0]) if rows else ["no keys"], [list(row.values()) for row in rows]))


def _row(key: AccessKey, now: datetime) -> dict[str, str | None]:
    return {
        "id": key.id,
        "name": key.name,
        "agent": key.agent_id,
        "scopes": " ".join(key.scopes),
        "state": key.state(now),
        "last used": f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else None,
        "expires": f"{key.expires_at:%Y-%m-%d}" if key.expires_at else None,
    }


@keys.command()
@click.argument("which")
@click.pass_obj
def revoke(settings: Settings, which: str) -> None:
    """End a key by its name or id, at once."""
    with open_ultron(settings) as ultron:
        for key in ultron.keys.revoke(which):
            console().print(f"{key.name} ({key.id}) is revoked.")


COMMANDS = [keys]
