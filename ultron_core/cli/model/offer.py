"""A model is offered once: by `ultron init` and by the first `ultron ingest` where a person sits at a terminal."""

from __future__ import annotations

import click

from ultron_core.cli.model.choosing import at_hand, choose, is_person
from ultron_core.cli.output import console
from ultron_core.folders import make_home
from ultron_core.settings import Settings

__all__ = ["offer_model"]

_MARK = "model-offered"


def offer_model(settings: Settings) -> Settings:
    """The settings, with the model that the person chose.

    Nothing is asked where there is a model or it is switched off, nor a second time; where nobody can be asked, or
    nothing is found, one line says how to look.
    """
    mark = settings.store.home / _MARK
    if settings.llm.enabled or settings.llm.offline or mark.exists():
        return settings
    if not is_person():
        console(stderr=True).print("No model is used; `ultron model` looks for one.")
        return settings
    found = at_hand(settings)
    make_home(settings.store.home)
    mark.touch(mode=0o600)
    if not found.choices:
        console().print(
            "No model was found on this machine: everything works offline. `ultron model` looks again."
        )
        return settings
    names = ", ".join(choice.name for choice in found.choices[:3])
    console().print(
        f"Found: {names}. With a model most of what a person would note is kept; the rules alone miss half of it.",
        soft_wrap=True,
    )
    if not click.confirm("Look at them? Nothing is sent before you agree.", default=False):
        console().print("`ultron model` asks again.")
        return settings
    return choose(settings, found) or settings
