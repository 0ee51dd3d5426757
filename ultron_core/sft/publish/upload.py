"""A reviewed dataset to a folder anywhere: a path, a bucket, a dataset on a hub; the manifest arrives last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ultron_core.errors import ExportError
from ultron_core.sft.files.read import load_manifest
from ultron_core.sft.publish.copy import copy_dataset
from ultron_core.sft.publish.review import confirmed
from ultron_core.sft.verify import TOKENIZER, verify_dataset

__all__ = ["Published", "publish_dataset"]


@dataclass(frozen=True, slots=True)
class Published:
    """What is, or would be, at `place`; `unchanged`: it was there already."""

    place: str
    files: Mapping[str, int]
    dry_run: bool
    unchanged: bool


def publish_dataset(
    folder: Path, target: str, reviews: Path, *, dry_run: bool = False, tokenizer: str = TOKENIZER
) -> Published:
    """Copy the folder to `target`/<name>/<version>. Raises ExportError when it breaks a rule, when nobody has reviewed
    this very content, or when something else is at that place. What is there is complete once it has a manifest."""
    manifest = load_manifest(folder)
    if problems := verify_dataset(folder, tokenizer=tokenizer):
        raise ExportError(
            f"{len(problems)} violation(s), nothing was published (`ultron sft verify DIR` lists them). "
            f"First: {problems[0]}"
        )
    confirmed(reviews, manifest["content_hash"])
    copied = copy_dataset(folder, target, dry_run=dry_run)
    return Published(copied.place, copied.files, dry_run, copied.unchanged)
