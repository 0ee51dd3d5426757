"""The resource through which every op, sensor and check reaches Ultron."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
