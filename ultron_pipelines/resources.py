"""The resource through which every op, sensor and check reaches Ultron."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg
from pydantic import PrivateAttr

from ultron_core.client import Ultron
from ultron_core.settings import Settings

__all__ = ["UltronResource"]


class UltronResource(dg.ConfigurableResource[Any]):
    """Opens an `Ultron` from the environment of the process; tests pass `make` to open their own."""

    _make: Callable[[], Ultron] | None = PrivateAttr(default=None)

    @classmethod
    def made_by(cls, make: Callable[[], Ultron]) -> UltronResource:
        """A resource that opens with `make` instead of the environment."""
        resource = cls()
        resource._make = make
        return resource

    @contextmanager
    def open(self) -> Iterator[Ultron]:
        """An open `Ultron`, closed at the end of the block."""
        ultron = self._make() if self._make is not None else Ultron(Settings.load())
        try:
            yield ultron
        finally:
            ultron.close()
