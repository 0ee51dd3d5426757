"""Opening Ultron for one command. Imported late: `ultron --help` must not load models and drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.client import Ultron

__all__ = ["open_ultron"]


def open_ultron(settings: Settings) -> Ultron:
    """An open `Ultron`; use it as a context manager."""
    from ultron_core.client import Ultron

    return Ultron(settings)
