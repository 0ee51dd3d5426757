"""A dataset's folder to and from anywhere that fsspec reaches; the manifest comes last: what has one is complete."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsspec.core import url_to_fs

from ultron_core.errors import ExportError
from ultron_core.folders import make_folders
from ultron_core.paths import below, check_folder_name
from ultron_core.remote import as_os_errors
from ultron_core.sft.files.read import MANIFEST, load_manifest

__all__ = ["Copied", "copy_dataset", "fetch_dataset"]


@dataclass(frozen=True, slots=True)
class Copied:
    """What is, or would be, at `place`; `unchanged`: it was there already."""

    place: str
    files: Mapping[str, int]
    unchanged: bool


def copy_dataset(folder: Path, target: str, *, dry_run: bool = False) -> Copied:
    """Copy the folder to `target`/<name>/<version>. Raises ExportError when something else is at that place, or it
    cannot be reached."""
    manifest = load_manifest(folder)
    try:
        with as_os_errors():
            return _copied(folder, target, manifest, dry_run)
    except (OSError, ValueError, ImportError) as error:
        raise ExportError(f"Nothing complete was published to {target}: {error}.") from error


def _copied(folder: Path, target: str, manifest: Mapping[str, Any], dry_run: bool) -> Copied:
    system, root = url_to_fs(target)
    system.invalidate_cache()
    for field in ("name", "version"):
        check_folder_name(f"{field} of the manifest", manifest[field])
    place = f"{root.rstrip('/')}/{manifest['name']}/{manifest['version']}"
    files = {name: below(folder, name).stat().st_size for name in (*manifest["files"], MANIFEST)}
    there = _there(system, place)
    if there is not None and there != manifest["content_hash"]:
        raise ExportError(f"{place} holds another dataset. Publish to another target.")
    if there is None and not dry_run:
        for name in files:
            system.makedirs(f"{place}/{name}".rpartition("/")[0], exist_ok=True)
            system.put_file(str(folder / name), f"{place}/{name}")
    return Copied(system.unstrip_protocol(place), files, there is not None)


def fetch_dataset(source: str, folder: Path) -> bool:
    """Bring `source`/<name>/<version> into the folder of that name and version; False when it is not there."""
    try:
        with as_os_errors():
            return _fetched(source, folder)
    except (OSError, ValueError, ImportError) as error:
        raise ExportError(f"{source} cannot be read: {error}.") from error


def _fetched(source: str, folder: Path) -> bool:
    system, root = url_to_fs(source)
    place = f"{root.rstrip('/')}/{folder.parent.name}/{folder.name}"
    system.invalidate_cache()
    if _there(system, place) is None:
        return False
    names = [path.removeprefix(f"{place}/") for path in system.find(place)]
    for name in sorted(names, key=lambda name: name == MANIFEST):
        path = below(folder, name)
        make_folders(path.parent)
        system.get_file(f"{place}/{name}", str(path))
    return True


def _there(system: Any, place: str) -> str | None:
    """The content hash of the dataset at the place, if there is a complete one."""
    if not system.exists(f"{place}/{MANIFEST}"):
        return None
    return str(json.loads(system.cat_file(f"{place}/{MANIFEST}"))["content_hash"])
