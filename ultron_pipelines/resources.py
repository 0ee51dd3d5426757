"""The resource through which every op, sensor and check reaches Ultron."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import dagster as dg
from pydantic import Field

from ultron_core.client import Ultron
from ultron_core.settings import Settings

__all__ = ["UltronResource"]


class UltronResource(dg.ConfigurableResource[Any]):
    """Opens an `Ultron` with the settings of the process's environment, or with settings a test gives as JSON."""

    settings_json: str = Field(
        default="", description="Settings instead of those of the environment; for tests."
    )

    @classmethod
    def of(cls, settings: Settings) -> UltronResource:
        """A resource with these settings. The UI shows them, passwords included: for tests only."""
        return cls(settings_json=settings.model_dump_json())

    def settings(self) -> Settings:
        """The settings in force."""
        given = self.settings_json
        return Settings.model_validate_json(given) if given else Settings.load()

    @contextmanager
    def open(self) -> Iterator[Ultron]:
        """An open `Ultron`, closed at the end of the block."""
        with Ultron(self.settings()) as ultron:
            yield ultron

    @contextmanager
    def look(self) -> Iterator[Ultron]:
        """An `Ultron` for a look that comes again every few seconds: the one of this process, which stays open.

        Opening one costs this process 40 ms of CPU and PostgreSQL as much; most looks need less.
        """
        if self.settings_json:
            with self.open() as opened:
                yield opened
        else:
            yield _left_open(self.settings())


_LOCK = Lock()
#: the last one is in use; those before it had other settings, and a look may still be at work with them
_OPEN: list[Ultron] = []


def _left_open(settings: Settings) -> Ultron:
    with _LOCK:
        if not _OPEN or _OPEN[-1].settings != settings:
            opened = Ultron(settings)
            atexit.register(opened.close)
            _OPEN.append(opened)
        return _OPEN[-1]
