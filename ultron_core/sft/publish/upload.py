"""A reviewed dataset to a folder anywhere: a path, a bucket, a dataset on a hub; the manifest arrives last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsspec.core import url_to_fs

from ultron_core.errors import ExportError
from ultron_core.sft.files.read import MANIFEST, load_manifest
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
        raise ExportError(f"{len(problems)} violation(s), nothing was published. First: {problems[0]}")
    confirmed(reviews, manifest["content_hash"])
    try:
        system, root = url_to_fs(target)
        place = f"{root.rstrip('/')}/{manifest['name']}/{manifest['version']}"
        files = {name: (folder / name).stat().st_size for name in (*manifest["files"], MANIFEST)}
        there = _there(system, place)
        if there is not None and there != manifest["content_hash"]:
            raise ExportError(f"{place} holds another dataset. Publish to another target.")
        if there is None and not dry_run:
            for name in files:
                system.makedirs(f"{place}/{name}".rpartition("/")[0], exist_ok=True)
                system.put_file(str(folder / name), f"{place}/{name}")
    except (OSError, ValueError, ImportError) as error:
        raise ExportError(f"Nothing complete was published to {target}: {error}.") from error
    return Published(system.unstrip_protocol(place), files, dry_run, there is not None)


def _there(system: Any, place: str) -> str | None:
    """The content hash of the dataset at the place, if there is a complete one."""
    if not system.exists(f"{place}/{MANIFEST}"):
        return None
    return str(json.loads(system.cat_file(f"{place}/{MANIFEST}"))["content_hash"])
