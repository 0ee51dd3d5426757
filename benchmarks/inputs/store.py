"""A store of its own for a benchmark, offline, with the example logs."""

from __future__ import annotations

from pathlib import Path

from inputs.places import EXAMPLES

from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings

__all__ = ["ingest_examples", "offline_settings"]


def offline_settings(home: Path) -> Settings:
    """No model is asked, and a log's last task does not wait."""
    return Settings(
        store=StoreSettings(home=home),
        sessions=SessionSettings(quiet_minutes=0),
        llm=LLMSettings(offline=True),
    )


def ingest_examples(ultron: Ultron) -> None:
    """The example logs, each folder under the agent of its name."""
    for agent in sorted((EXAMPLES / "sessions").iterdir()):
        ultron.ingest([agent], agent.name)
