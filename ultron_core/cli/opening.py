"""Opening Ultron for one command. Imported late: `ultron --help` must not load models and drivers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ultron_core.errors import StoreMissingError
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.client import Ultron

__all__ = ["lend", "lent", "open_ultron", "tell_store"]

#: of a process that answers for others: every command uses it, none opens its own
_LENT: ContextVar[Ultron | None] = ContextVar("lent", default=None)


def open_ultron(settings: Settings, *, reading: bool = False) -> Ultron:
    """An open `Ultron`; use it as a context manager. `reading` makes no store: StoreMissingError without one."""
    if (given := _LENT.get()) is not None:
        return given.within(settings.store.working_folder)
    if reading and settings.store.database_url is None:
        _check_store(settings)
    from ultron_core.client import Ultron

    return Ultron(settings)


def lent() -> Ultron | None:
    """The one of the process that answers this command."""
    return _LENT.get()


@contextmanager
def lend(ultron: Ultron) -> Iterator[None]:
    """Commands run meanwhile use this one."""
    token = _LENT.set(ultron)
    try:
        yield
    finally:
        _LENT.reset(token)


def _check_store(settings: Settings) -> None:
    from ultron_core.store.server.place import has_data

    home = settings.store.home
    if not has_data(home):
        raise StoreMissingError(
            f"There is no store at {home}: nothing was put into it yet. `ultron ingest` makes it; --home or ULTRON_HOME"
            " choose another one."
        )


def tell_store(ultron: Ultron) -> None:
    """An empty answer says where it was looked for, and what is there: on standard error, beside a JSON document."""
    from ultron_core.cli.output import console
    from ultron_core.steps.overview import holdings

    held = holdings(ultron.runtime)
    place = held.pop("store")
    counts = ", ".join(f"{count:,} {what}" for what, count in held.items())
    console(stderr=True).print(f"Nothing found. Store {place}: {counts}.", soft_wrap=True)
