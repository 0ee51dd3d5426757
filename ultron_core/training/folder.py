"""A run's folder: adapter, card, log, and the manifest last; it gets its name once all of that is there.

adapters/20260301-1f2e3d4c/   adapter/  README.md  log.txt  manifest.json
adapters/.20260301-1f2e3d4c/  the same while it is made
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ultron_core.errors import ExportError
from ultron_core.folders import make_folders
from ultron_core.sft.rules.files import hash_of
from ultron_core.training.card import render_card

__all__ = [
    "ADAPTER",
    "LOG",
    "is_complete",
    "publish",
    "read_manifest",
    "start_work",
    "take_up",
    "work_folder",
]

ADAPTER, LOG, CARD, MANIFEST = "adapter", "log.txt", "README.md", "manifest.json"


def work_folder(target: Path) -> Path:
    """Where a run's files are made: beside its folder, under a hidden name."""
    return target.with_name(f".{target.name}")


def start_work(target: Path) -> Path:
    """An empty folder for the files of a run. Raises ExportError where none can be made."""
    work = work_folder(target)
    try:
        make_folders(target.parent)
        work.mkdir()
    except OSError as error:
        raise ExportError(
            f"The adapter cannot be written to {target.parent}: {error.strerror or error}. Check its "
            "permissions and free space, or set ULTRON_TRAIN_DIR."
        ) from error
    return work


def publish(target: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Write card and manifest, with the hash of every file, then give the folder its name."""
    work = work_folder(target)
    (work / CARD).write_text(render_card(manifest), "utf-8")
    files = {
        path.relative_to(work).as_posix(): {"bytes": path.stat().st_size, "sha256": hash_of(path)}
        for path in sorted(work.rglob("*"))
        # the log goes on while the folder is renamed
        if path.is_file() and path.name not in (LOG, MANIFEST)
    }
    full = {**manifest, "files": files}
    begun = work / f"{MANIFEST}.new"
    begun.write_text(json.dumps(full, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    begun.replace(work / MANIFEST)
    work.replace(target)
    return full


def take_up(target: Path) -> dict[str, Any] | None:
    """The manifest of a run that was killed once its files were whole, whether or not they had their name; else None,
    and what it left is removed."""
    work = work_folder(target)
    if work.is_dir():
        if is_complete(work):
            work.replace(target)
        else:
            shutil.rmtree(work)
    return read_manifest(target) if is_complete(target) else None


def read_manifest(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    return manifest


def is_complete(folder: Path) -> bool:
    """Whether the folder has a manifest, and every file is what it says."""
    if not (folder / MANIFEST).is_file():
        return False
    return all(
        (folder / name).is_file() and hash_of(folder / name) == told["sha256"]
        for name, told in read_manifest(folder)["files"].items()
    )
