"""Datasets at ULTRON_EXPORTS_URL: each is copied there, and fetched where this machine has not made it."""

from __future__ import annotations

from pathlib import Path

from ultron_core.sft.publish.copy import copy_dataset, fetch_dataset
from ultron_core.steps.runtime import Runtime

__all__ = ["bring_here", "send_away"]


def send_away(runtime: Runtime, folder: Path) -> None:
    """Copy the dataset, unless it is there. After an ExportError nothing is recorded, and the next export retries."""
    if url := runtime.settings.store.exports_url:
        copy_dataset(folder, url)


def bring_here(runtime: Runtime, folder: Path) -> None:
    """Fetch a dataset that another machine has made, if it is there."""
    url = runtime.settings.store.exports_url
    if url and not folder.exists():
        fetch_dataset(url, folder)
