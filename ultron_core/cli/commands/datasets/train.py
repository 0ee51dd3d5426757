"""`ultron train`: a LoRA adapter on what was exported, and the registry of adapters."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import console, key_values, print_json, table
from ultron_core.errors import InputError
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.steps.training.registry import Run
    from ultron_core.steps.training.run import Trained

__all__ = ["COMMANDS"]


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path, exists=True, file_okay=False), required=False)
@click.option("--base", type=click.Path(path_type=Path, exists=True),
              help="The model: a folder of transformers or a .gguf file (ULTRON_TRAIN_BASE).")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), help="First of the three seeds.")
@click.option("--steps", type=click.IntRange(0), help="Steps of one training; 0 is one pass over the rows.")
@click.option("--lr", "learning_rate", type=click.FloatRange(0, 1, min_open=True), help="Learning rate.")
@click.option("--rank", type=click.IntRange(1, 1024), help="Rank of a new adapter.")
@click.option("--max-length", type=click.IntRange(16), help="Longer rows are left out (tokens of the base).")
@click.option("--batch", type=click.IntRange(1), help="Rows of one step.")
@click.option("--again", is_flag=True, help="Train on all rows, from the base, whatever was trained before.")
@click.option("--list", "listing", is_flag=True, help="List runs and adapters; train nothing.")
@click.option("--show", "shown", metavar="RUN", help="Show one run with its losses; train nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def train(
    settings: Settings,
    /,
    dataset: Path | None,
    base: Path | None,
    again: bool,
    listing: bool,
    shown: str | None,
    as_json: bool,
    **recipe: Any,
) -> None:
    """Train a LoRA adapter on rows that are new to its base.

    On the rows of DATASET, or of the newest export, that no adapter of the base was trained on. Options that are
    not given are the settings ULTRON_TRAIN_...; docs/training.md says what is promoted. Needs the extra `train`.
    """
    if listing or shown:
        if (listing and shown) or dataset or base or again or any(v is not None for v in recipe.values()):
            raise click.UsageError("--list and --show train nothing: give one of them alone.")
        _look(settings, shown, as_json)
        return
    if (base := base or settings.train.base) is None:
        raise InputError("Which model? Give --base PATH, or set ULTRON_TRAIN_BASE.")
    done = _train(settings, dataset, base, recipe, again)
    if as_json:
        print_json(done)
    elif done.run is None:
        console().print(f"Nothing to train: no row is new to this base. {_left_out(done)}".rstrip())
    else:
        _show(done.run)


def _train(
    settings: Settings, dataset: Path | None, base: Path, given: dict[str, Any], again: bool
) -> Trained:
    from ultron_core.steps.training import run as training
    from ultron_core.steps.training.waiting import newest_dataset, recipe_of
    from ultron_core.training.learner import check_installed

    check_installed()
    with open_ultron(settings) as ultron:
        recipe = replace(
            recipe_of(ultron.runtime), **{name: value for name, value in given.items() if value is not None}
        )
        return training.train(
            ultron.runtime,
            dataset or newest_dataset(ultron.runtime),
            base,
            recipe,
            again=again,
            tell=lambda line: click.echo(line, file=sys.stderr),
        )


def _look(settings: Settings, name: str | None, as_json: bool) -> None:
    from ultron_core.steps.training.registry import list_runs, show_run

    with open_ultron(settings, reading=True) as ultron:
        found = [show_run(ultron.runtime, name)] if name else list_runs(ultron.runtime)
    if as_json:
        print_json(found[0] if name else found)
    elif name:
        _show(found[0])
    elif not found:
        console().print("No run yet.")
    else:
        columns = ["run", "state", "#rows", "#loss before", "#after", "goes on from", "base", "started"]
        console().print(table("", columns, [_line(run) for run in found]))


def _line(run: Run) -> list[Any]:
    before, after = (run.report.get(side, {}).get("losses", {}).get("loss") for side in ("before", "after"))
    started = f"{run.started_at:%Y-%m-%d %H:%M}"
    return [run.name, _state(run), run.rows, before, after, run.parent, Path(run.base).name, started]


def _state(run: Run) -> str:
    state = "promoted" if run.promoted else run.status
    return f"{state}, tainted" if run.tainted_at else state


def _show(run: Run) -> None:
    out = console()
    told = asdict(run)
    report = told.pop("report")
    told["settings"] = ", ".join(f"{name} {value}" for name, value in run.settings.items())
    out.print(key_values("", {name: value for name, value in told.items() if value is not None}))
    if not report:
        return
    before, after, verdict = report["before"], report["after"], report["verdict"]
    rows = [("loss", before["losses"]["rows"], before["losses"]["loss"], after["losses"]["loss"])]
    for kind, old in sorted(before["losses"]["by_type"].items()):
        rows.append((f"loss, {kind}", old["rows"], old["loss"], after["losses"]["by_type"][kind]["loss"]))
    rows.append(
        ("valid calls", before["calls"]["prompts"], before["calls"]["valid"], after["calls"]["valid"])
    )
    out.print(table("", ["measured", "#rows", "#before", "#after"], rows))
    out.print(f"Fall {verdict['fall']:.4f}, spread of the seeds {verdict['spread']:.4f}.")
    out.print("Promoted." if verdict["promoted"] else f"Not promoted: {'; '.join(verdict['reasons'])}.")
    if run.tainted_at:
        out.print(
            "Tainted: rows it was trained on were erased since. Delete the folder when it is not needed."
        )


def _left_out(done: Trained) -> str:
    return "".join(f"{count} {reason}. " for reason, count in done.left_out.items())


COMMANDS = [train]
