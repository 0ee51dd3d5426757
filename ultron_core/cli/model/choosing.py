"""A person chooses a model: what is there, what would be sent where, a try of it, and the settings that name it.

Nothing is sent before the person agrees, and nothing is chosen for them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

import click

from ultron_core.cli.model.check import QUESTIONS, Checked, check_model
from ultron_core.cli.model.configuration import write_choice
from ultron_core.cli.output import console, table
from ultron_core.cli.progress import progress_bar
from ultron_core.llm.found.look import base_of, listed_by, look, look_at, places_of
from ultron_core.llm.found.server import Model, Server
from ultron_core.llm.found.vendors import Vendor, vendors_at_hand
from ultron_core.settings import LLMSettings, Settings

__all__ = ["AtHand", "Choice", "at_hand", "choose", "is_person", "told", "try_model"]

Values = dict[str, str | int | bool]
#: the least that ULTRON_LLM_MAX_INPUT_TOKENS may be
_LEAST = 1_024
#: tokens that a session of middle size takes, as docs/models.md measured it
_SESSION_IN, _SESSION_OUT = 5_600, 600


@dataclass(frozen=True, slots=True)
class Choice:
    """A model of a server of this machine, or a vendor whose model the person names."""

    place: Server | Vendor
    model: Model | None = None

    @property
    def name(self) -> str:
        """As it is told in a line."""
        return self.model.name if self.model else self.place.name if isinstance(self.place, Vendor) else ""

    @property
    def row(self) -> list[str]:
        """Model, where it is, what it reads."""
        if isinstance(self.place, Vendor):
            key = f"key in {self.place.variable}"
            return [self.place.model or "(you name it)", f"{self.place.name}, {self.place.url}", key]
        reads = (
            f"{self.model.reads:,} tokens{'' if self.model.context else ', assumed'}" if self.model else ""
        )
        return [self.name, f"{self.place.kind}, {self.place.url}", reads]


@dataclass(frozen=True, slots=True)
class AtHand:
    """What was found: servers of this machine, and vendors whose key is in the environment."""

    servers: tuple[Server, ...]
    vendors: tuple[Vendor, ...]

    @property
    def choices(self) -> list[Choice]:
        """What can be chosen, in the order that it is shown in."""
        ours = [Choice(server, model) for server in self.servers for model in server.models]
        return [*ours, *(Choice(vendor) for vendor in self.vendors)]

    @property
    def problems(self) -> list[str]:
        """Servers that cannot be used as they are, and why."""
        return [f"{one.kind} at {one.url}: {one.problem}." for one in self.servers if one.problem]


def at_hand(settings: Settings, env: Mapping[str, str] = os.environ) -> AtHand:
    """Look at the loopback addresses of this machine, and at the names of variables."""
    llm = settings.llm
    keys = {base_of(llm.url): llm.api_key} if llm.is_local and llm.api_key else {}
    servers = look(places_of(env, llm.base_url or ""), keys)
    return AtHand(tuple(servers), tuple(vendors_at_hand(env)))


def is_person() -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def choose(settings: Settings, found: AtHand) -> Settings | None:
    """Let the person choose, try it, and write it down; None when they choose none."""
    out, choices = console(), found.choices
    rows = [[str(number), *choice.row] for number, choice in enumerate(choices, start=1)]
    if rows:
        out.print(table("", ["#", "model", "where", "reads"], rows))
    for problem in found.problems:
        out.print(problem, soft_wrap=True)
    if not choices:
        return None
    number = click.prompt(
        "Which one? Its number, or 0 for none", type=click.IntRange(0, len(choices)), default=0
    )
    if number == 0:
        out.print("None is chosen. `ultron model` asks again.")
        return None
    values = _values(choices[number - 1])
    return _agreed(settings, values) if values is not None else None


def _values(choice: Choice) -> Values | None:
    """What would be written down; None where the vendor does not have the model that the person names."""
    if isinstance(choice.place, Vendor):
        return _of_vendor(choice.place)
    reads = choice.model.reads if choice.model else 0
    return {"base_url": choice.place.url, "model": choice.name, "max_input_tokens": max(reads, _LEAST)}


def _of_vendor(vendor: Vendor) -> Values | None:
    """The model that the person names; what it reads is asked of the vendor, if they agree."""
    name = click.prompt(f"Model of {vendor.name}", default=vendor.model or None, type=str).strip()
    values: Values = {
        "base_url": vendor.url,
        "model": name,
        "key_variable": vendor.variable,
    }
    if click.confirm(f"Ask {vendor.url} for its list of models, with your key?", default=True):
        listed = {model.name: model for model in listed_by(vendor.url, os.environ[vendor.variable])}
        if listed and name not in listed:
            console().print(f"{vendor.name} lists no model {name!r}.", soft_wrap=True)
            return None
        if name in listed and listed[name].context:
            values["max_input_tokens"] = listed[name].context or 0
    return values


def _agreed(settings: Settings, values: Values) -> Settings | None:
    out, given = console(), _given(settings, values)
    out.print(_what_is_sent(given), soft_wrap=True)
    if not click.confirm(f"Try it now with {QUESTIONS} short made-up questions?", default=True):
        out.print("Nothing was sent, and nothing is chosen.")
        return None
    checked = try_model(given)
    out.print(told(checked), soft_wrap=True)
    values = _as_loaded(given, values)
    if not click.confirm("Use this model from now on?", default=checked.verdict.startswith("works")):
        out.print("Nothing is chosen. `ultron model` asks again.")
        return None
    path = write_choice(settings.store.home, values)
    out.print(f"Written into {path}. `ultron model --off` switches it off again.", soft_wrap=True)
    loaded = Settings.load(home=settings.store.home)
    if not loaded.llm.enabled or (loaded.llm.model_name, loaded.llm.url) != (given.model_name, given.url):
        out.print("Variables of the environment win over it (ULTRON_OFFLINE, ULTRON_MODEL, ...): unset them.")
    return loaded


def _given(settings: Settings, values: Values) -> LLMSettings:
    """The settings of the model as they would be."""
    key = os.environ.get(str(values.get("key_variable", "")))
    own = os.environ.get("ULTRON_LLM_API_KEY") if "key_variable" not in values else None
    fresh = {"provider": None, "key_variable": None, "offline": False, "api_key": key or own, **values}
    return settings.llm.model_copy(update=fresh)


def _as_loaded(llm: LLMSettings, values: Values) -> Values:
    """With the context that the server has given the model now that it is loaded."""
    server = look_at(base_of(llm.url), llm.api_key) if llm.is_local else None
    context = next((m.context for m in server.models if m.name == llm.model), None) if server else None
    return values | {"max_input_tokens": max(context, _LEAST)} if context else values


def _what_is_sent(llm: LLMSettings) -> str:
    redacted = (
        "secrets and names redacted first" if llm.redact_input else "NOT redacted (ULTRON_LLM_REDACT_INPUT=0)"
    )
    where = f"{llm.url} (this machine)" if llm.is_local else llm.url
    cost = (
        "It costs nothing but time."
        if llm.is_local
        else (
            f"A session of middle size takes about {_SESSION_IN:,} tokens in and {_SESSION_OUT} out, at that vendor's "
            "prices; `ultron process --estimate` tells it before."
        )
    )
    return f"Text of sessions, memories and queries would be sent to {where}, {redacted}. {cost}"


def try_model(llm: LLMSettings, *, quiet: bool = False) -> Checked:
    """Ask it the questions of the check, with a bar."""
    from ultron_core.llm.client import OpenAICompatibleLLM

    client, started = OpenAICompatibleLLM(llm), time.monotonic()
    with progress_bar("checking", quiet=quiet) as advance:

        def say(done: int) -> None:
            left = (time.monotonic() - started) / done * (QUESTIONS - done)
            advance(f"{client.pace.tokens_per_second:.3g} tokens/s, {left:.0f} s left", done, QUESTIONS)

        return check_model(client, say)


def told(checked: Checked) -> str:
    """The verdict in a sentence."""
    if checked.problem:
        return f"No answer: {checked.problem}"
    counts = ", ".join(f"{stage} {checked.right[stage]} of {checked.of}" for stage in checked.right)
    unusable = checked.of - min(checked.usable.values())
    refused = f"; {unusable} answer(s) of a question could not be used" if unusable else ""
    return f"The model {'is unfit' if checked.verdict == 'unfit' else checked.verdict}: right were {counts}{refused}."
