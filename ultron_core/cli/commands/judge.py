"""`ultron judge`: say which memories are useful and which are junk, and have that learned."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.options import shown_project
from ultron_core.cli.output import console, key_values, print_json, table
from ultron_core.models import WORTHS, Worth
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.client import Ultron
    from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["COMMANDS"]

#: what a key stands for where memories are asked about one by one
_KEYS: dict[str, Worth | None] = {"u": "useful", "j": "junk", "s": None, "q": None}
_USAGE = (
    f"Give ids and then one of {', '.join(WORTHS)}, as in `ultron judge 0a1b2c3d useful`; or one of --next, --refit "
    "and --status."
)


@click.command()
@click.argument("ids", nargs=-1, metavar="[MEMORY_ID... useful|junk]")
@click.option(
    "--next",
    "count",
    is_flag=False,
    flag_value=20,
    type=click.IntRange(1, 1000),
    metavar="[N]",
    help="The N (20) memories most worth judging: not judged yet, those that the ranker was least sure of first, then "
    "the newest. At a terminal each is asked about.",
)
@click.option("--refit", is_flag=True, help="Learn from the verdicts now; `ultron dev` does this by itself.")
@click.option("--status", "asked_status", is_flag=True, help="What the verdicts have taught.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and ask nothing.")
@click.pass_obj
def judge(
    settings: Settings,
    ids: tuple[str, ...],
    count: int | None,
    refit: bool,
    asked_status: bool,
    as_json: bool,
) -> None:
    """Say that memories are useful or junk.

    A useful one is handed on like what a person said, unless it is held. Junk is archived, and stays so when its words
    are found again; `useful` brings it back. Each MEMORY_ID may be its first characters. From 30 verdicts on the ranker
    learns from them, where that proves better.
    """
    if sum((bool(ids), count is not None, refit, asked_status)) != 1:
        raise click.UsageError(_USAGE)
    with open_ultron(settings) as ultron:
        if ids:
            _judge(ultron, ids, as_json)
        elif count is not None:
            _next(ultron, count, as_json)
        elif refit:
            _print_taste(asdict(ultron.refit_taste()), as_json)
        else:
            _status(ultron, as_json)


def _judge(ultron: Ultron, ids: Sequence[str], as_json: bool) -> None:
    from ultron_core.steps.names import find_memories

    *named, word = ids
    if not named or word not in WORTHS:
        raise click.UsageError(_USAGE)
    # all are known before the first is judged
    found = find_memories(ultron.runtime, named)
    judged = [ultron.judge_memory(one, word) for one in found]
    if as_json:
        print_json(judged)
        return
    for record in judged:
        console().print(f"{str(record.id)[:8]} is {word}, now {record.status}.")


def _next(ultron: Ultron, count: int, as_json: bool) -> None:
    records = ultron.memories_to_judge(count)
    if as_json:
        print_json(records)
    elif not records:
        console().print("Every memory in use has been judged.")
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _ask_each(ultron, records)
    else:
        rows = [
            [str(r.id)[:8], r.memory_type, r.trust, shown_project(r.projects), f"{r.summary_l0}{r.doubt}"]
            for r in records
        ]
        console().print(table("", ["id", "type", "said by", "project", "memory"], rows))
        console().print("`ultron judge ID useful` or `ultron judge ID junk` judges one.", style="dim")


def _ask_each(ultron: Ultron, records: Sequence[MemoryRecord]) -> None:
    out = console()
    given = 0
    for number, record in enumerate(records, 1):
        about = f"{str(record.id)[:8]} {record.memory_type}, said by {record.trust}"
        out.print(f"\n{number} of {len(records)}: {about}", style="bold")
        resolution = record.resolution and f"{record.resolution}{record.doubt}"
        out.print("\n".join(part for part in (record.content, record.context, resolution) if part))
        key = click.prompt(
            "(u)seful, (j)unk, (s)kip, (q)uit", type=click.Choice(list(_KEYS)), show_choices=False
        )
        if key == "q":
            break
        verdict = _KEYS[key]
        if verdict is not None:
            ultron.judge_memory(record.id, verdict)
            given += 1
    out.print(f"{given} judged.")


def _status(ultron: Ultron, as_json: bool) -> None:
    known = ultron.get_taste_status()
    if as_json:
        print_json(known)
        return
    console().print(key_values("verdicts that hold", known["judged"] or {"none": 0}))
    if known["taste"] is None:
        console().print(
            "Nothing was learned of them yet: `ultron judge --refit`, or leave it to `ultron dev`."
        )
    else:
        _print_taste(known["taste"], as_json=False)


def _print_taste(taste: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(taste)
    elif taste["coefficients"] is None:
        console().print(f"The ranker is left as it is: {taste['reason']}.")
    else:
        gain = f"log loss on sessions left out falls by {taste['gain']:.3f}"
        console().print(f"Learned from {taste['verdicts']} verdicts: {gain}.")
        largest = sorted(taste["coefficients"].items(), key=lambda one: -abs(one[1]))[:10]
        console().print(key_values("", {name: f"{value:+.2f}" for name, value in largest}))


COMMANDS = [judge]
