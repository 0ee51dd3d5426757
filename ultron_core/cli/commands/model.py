"""`ultron model`: which models are at hand, a check of one, and the choice."""

from __future__ import annotations

from dataclasses import asdict

import click

from ultron_core.cli.model.check import QUESTIONS
from ultron_core.cli.model.choosing import AtHand, at_hand, choose, is_person, told, try_model
from ultron_core.cli.model.configuration import write_choice
from ultron_core.cli.output import FAILED, console, print_json
from ultron_core.errors import InputError
from ultron_core.settings import Settings

__all__ = ["COMMANDS"]


@click.command()
@click.option("--check", is_flag=True, help=f"Ask the chosen model {QUESTIONS} short made-up questions.")
@click.option("--off", is_flag=True, help="Use no model from now on.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; nothing is asked.")
@click.pass_obj
def model(settings: Settings, check: bool, off: bool, as_json: bool) -> None:
    """Look for models on this machine and choose one.

    Only the usual ports of this machine are looked at, and variables that hold a key. Nothing is sent, and nothing
    chosen, before you agree. Without a terminal it only lists.
    """
    if check and off:
        raise click.UsageError("Give either --check or --off.")
    if off:
        _off(settings, as_json)
    elif check:
        _check(settings, as_json)
    else:
        _list(settings, as_json)


def _off(settings: Settings, as_json: bool) -> None:
    path = write_choice(settings.store.home, {"offline": True})
    if as_json:
        print_json({"model": None, "settings": path})
    else:
        console().print(
            f"No model is used from now on ({path}). `ultron model` chooses one again.", soft_wrap=True
        )


def _check(settings: Settings, as_json: bool) -> None:
    llm = settings.llm
    if not llm.enabled:
        raise InputError("No model is chosen: `ultron model` looks for one.")
    checked = try_model(llm, quiet=as_json)
    if as_json:
        print_json({"model": llm.model_name, "url": llm.url, "verdict": checked.verdict, **asdict(checked)})
    else:
        console().print(f"{llm.model_name} at {llm.url}. {told(checked)}", soft_wrap=True)
    if not checked.verdict.startswith("works"):
        raise click.exceptions.Exit(FAILED)


def _list(settings: Settings, as_json: bool) -> None:
    found = at_hand(settings)
    if as_json:
        print_json(_as_json(settings, found))
        return
    llm = settings.llm
    console().print(
        f"Now: {f'{llm.model_name} at {llm.url}' if llm.enabled else 'no model'}.", soft_wrap=True
    )
    if not (found.choices or found.servers):
        console().print("No model server and no key was found on this machine (docs/models.md).")
    elif is_person():
        choose(settings, found)
    else:
        _print_names(found)


def _print_names(found: AtHand) -> None:
    for choice in found.choices:
        console().print("  ".join(choice.row), soft_wrap=True)
    for problem in found.problems:
        console().print(problem, soft_wrap=True)
    console().print(
        "Run `ultron model` at a terminal to choose, or set ULTRON_MODEL and ULTRON_LLM_BASE_URL."
    )


def _as_json(settings: Settings, found: AtHand) -> dict[str, object]:
    llm = settings.llm
    now = {"model": llm.model_name, "url": llm.url, "context": llm.max_input_tokens} if llm.enabled else None
    keys = [{"vendor": v.name, "variable": v.variable, "url": v.url} for v in found.vendors]
    return {"now": now, "servers": list(found.servers), "keys": keys}


COMMANDS = [model]
