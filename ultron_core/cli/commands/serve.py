"""`ultron serve`: the resident process that programs, coding agents and people ask."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime

import click

from ultron_core.settings import Settings

__all__ = ["COMMANDS"]


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), help="0: any free one.  [default: 9999]")
@click.option("--idle-exit", type=click.FloatRange(min=0, min_open=True), metavar="MINUTES",
              help="End when nobody asked for so long.")  # fmt: skip
@click.option("--background", is_flag=True,
              help="As hooks and commands start it: end after 30 idle minutes, or when a command of another version"
              " asks; listen on any free port when 9999 is taken.")  # fmt: skip
@click.option(
    "--behind-tls", is_flag=True, help="A proxy in front of an address that others reach speaks TLS."
)
@click.option("--sign-in", is_flag=True, help="Print a new address for a browser; the server runs already.")
@click.pass_obj
def serve(
    settings: Settings,
    host: str,
    port: int | None,
    idle_exit: float | None,
    background: bool,
    behind_tls: bool,
    sign_in: bool,
) -> None:
    """Answer programs, agents and browsers from one process.

    Models stay loaded; commands that only read ask it, too. One server for each store (home).
    """
    if sign_in:
        from ultron_core.serve.pages.addresses import new_address, running_address

        home = settings.store.home
        click.echo(new_address(home, running_address(home), datetime.now(UTC)))
        return
    from ultron_core.cli.resident import answering
    from ultron_core.serve.run import Listen
    from ultron_core.serve.run import serve as run

    # else the MCP SDK puts a handler of its own at the root, which prints our lines a second time, in colours
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("ultron").propagate = False
    out = sys.stdout  # while a command is answered, the process prints to whoever asked

    def say(text: str) -> None:
        click.echo(text, file=out)

    run(settings, Listen(host, port, idle_exit, behind_tls, background), say, answering)


COMMANDS = [serve]
