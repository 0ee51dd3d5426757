"""What language models were asked, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import console, print_json, table
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.steps.costs import Costs, Spent

__all__ = ["COMMANDS"]


@click.command()
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only from this day on, in UTC.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def cost(settings: Settings, since: datetime | None, as_json: bool) -> None:
    """Show what language models were asked, and what it cost.

    Calls and tokens by stage, day and model, and for each memory that is kept; money where ULTRON_LLM_PRICE_INPUT and
    ULTRON_LLM_PRICE_OUTPUT are set. `ultron process --estimate` tells what the waiting work would take.
    """
    with open_ultron(settings, reading=True) as ultron:
        found = ultron.get_costs(since=since)
    if as_json:
        print_json(found)
    else:
        _show(found, since)


def _show(found: Costs, since: datetime | None) -> None:
    out = console()
    total = found.total
    if not total.calls + total.cached + total.failed:
        when = f" since {since:%Y-%m-%d}" if since else " yet"
        out.print(f"No model was asked{when}.")
        return
    for title, parts in (("stage", found.stages), ("day", found.days), ("model", found.models)):
        out.print(_table(title, parts, priced=total.cost is not None))
    money = f", {_money(total.cost)}" if total.cost is not None else ""
    calls = f"{total.calls:,} call{'' if total.calls == 1 else 's'}"
    out.print(f"{calls}, {total.input_tokens:,} tokens in, {total.output_tokens:,} out{money}.")
    if found.tokens_per_memory is not None:
        each = f", {_money(found.cost_per_memory)}" if found.cost_per_memory is not None else ""
        out.print(
            f"Memories kept of it: {found.memories:,}, at {found.tokens_per_memory:,} tokens{each} each."
        )
    if total.cost is None:
        out.print("No prices are set (ULTRON_LLM_PRICE_INPUT, ULTRON_LLM_PRICE_OUTPUT).", style="dim")


def _table(title: str, parts: Sequence[Spent], *, priced: bool) -> object:
    columns = [
        title,
        "#calls",
        "#cached",
        "#failed",
        "#tokens in",
        "#tokens out",
        *(["#cost"] if priced else []),
    ]
    rows = [
        [
            *(one.name, one.calls, one.cached, one.failed, f"{one.input_tokens:,}", f"{one.output_tokens:,}"),
            *([_money(one.cost)] if priced else []),
        ]
        for one in parts
    ]
    return table("", columns, rows)


def _money(cost: float | None) -> str:
    return f"{cost or 0:.4f}"


COMMANDS = [cost]
