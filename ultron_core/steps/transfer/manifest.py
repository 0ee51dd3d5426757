"""The manifest of an export: what the folder holds, who wrote it and how each file is told from a damaged one.

    manifest.json  memories-00001.jsonl  memories-00002.jsonl ...

It is written last: a folder without it is no export.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ultron_core.errors import InputError
from ultron_core.paths import below
from ultron_core.store.migrate import read_migrations

__all__ = [
    "FORMAT",
    "MANIFEST",
    "Manifest",
    "Part",
    "check_age",
    "checked_lines",
    "newest_schema",
    "private",
    "read_manifest",
    "write_manifest",
]

MANIFEST = "manifest.json"
KIND = "ultron memories"
#: of lines and manifest; raised when a field changes its meaning
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Part:
    """One file of lines."""

    file: str
    lines: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an export holds. `schema` is the last migration of the store it left, `model` that of its vectors, None
    without any."""

    ultron: str
    schema: str
    account: str
    made_at: str
    memories: int
    vectors: int
    model: str | None
    dimension: int | None
    parts: tuple[Part, ...]


def newest_schema() -> str:
    """The last migration that this version knows."""
    return read_migrations()[-1].name


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put it into the folder at once, when all parts are on the disk."""
    begun = folder / f"{MANIFEST}.part"
    text = json.dumps({"kind": KIND, "format": FORMAT, **asdict(manifest)}, ensure_ascii=False, indent=2)
    with open(begun, "w", encoding="utf-8", opener=private) as handle:
        handle.write(text + "\n")
        handle.flush()
        os.fsync(handle.fileno())
    begun.replace(folder / MANIFEST)


def private(path: str, flags: int) -> int:
    """Opener of files for their owner alone."""
    return os.open(path, flags, 0o600)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an export. Raises InputError for a folder that is none, is damaged, or was made by a newer
    version."""
    path = folder / MANIFEST
    try:
        told = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise InputError(
            f"{folder} is no export: it has no {MANIFEST}. One that was interrupted has none either: export again."
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: it is damaged. Export again.") from error
    if not isinstance(told, dict) or told.get("kind") != KIND:
        raise InputError(f"{path} is not the manifest of an export of Ultron's memories.")
    check_age(path, told, FORMAT)
    return _manifest(path, told)


def check_age(path: Path, told: Mapping[str, Any], known: int) -> None:
    """Raises InputError when a newer version wrote what `told` describes."""
    try:
        newer = int(told["format"]) > known or int(str(told["schema"])[:4]) > int(newest_schema()[:4])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is damaged: it does not say in which format and schema it was written."
        ) from error
    if newer:
        raise InputError(
            f"{path} was written by Ultron {told.get('ultron')} with schema {told['schema']}, which is newer than this "
            f"version ({newest_schema()}): update Ultron first."
        )


def _manifest(path: Path, told: Mapping[str, Any]) -> Manifest:
    try:
        parts = tuple(Part(**part) for part in told["parts"])
        values = {name: value for name, value in told.items() if name not in ("kind", "format", "parts")}
        return Manifest(**values, parts=parts)
    except (KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged: a field is missing or unknown. Export again.") from error


def checked_lines(folder: Path, part: Part) -> Iterator[tuple[int, bytes]]:
    """The lines of a part with their numbers. Raises InputError, at the latest after the last one, when the file is
    missing or is not what the manifest says."""
    path = below(folder, part.file)
    digest, number = hashlib.sha256(), 0
    try:
        with path.open("rb") as handle:
            for number, line in enumerate(handle, 1):
                digest.update(line)
                yield number, line
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}. Copy the whole export again.") from error
    if digest.hexdigest() != part.sha256 or number != part.lines:
        raise InputError(
            f"{path} is damaged: it is not what {MANIFEST} says (SHA-256). Copy it again, or export again."
        )
