"""A backup as one file: a ZIP of dumps and files, each with its SHA-256 in the manifest, which comes last.

    ultron.dump  dagster.dump  ultron.toml  sessions/00001 ...  manifest.json

Logs are numbered: a file name need not be text.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self
from zipfile import BadZipFile, ZipFile, ZipInfo

from ultron_core.errors import InputError
from ultron_core.steps.transfer.manifest import MANIFEST, check_age

__all__ = [
    "DAGSTER_DUMP",
    "SESSIONS",
    "SETTINGS",
    "STORE_DUMP",
    "Archive",
    "Contents",
    "Log",
    "Writer",
    "opened",
]

#: names of entries
STORE_DUMP, DAGSTER_DUMP, SETTINGS, SESSIONS = "ultron.dump", "dagster.dump", "ultron.toml", "sessions/"
KIND = "ultron backup"
#: raised when an entry or field changes its meaning
FORMAT = 1
#: bytes read at a time
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Log:
    """Where an entry lay below the drop folder, and when it was changed last, in nanoseconds."""

    path: str
    changed: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds. `digests` of each account's content when it was made, `files` the SHA-256 of each entry."""

    ultron: str
    schema: str
    postgres: int
    made_at: str
    digests: Mapping[str, str]
    files: Mapping[str, str]
    logs: Mapping[str, Log]


class Writer:
    """Entries one after another, hashed as they are written."""

    def __init__(self, target: IO[bytes]) -> None:
        self._zip = ZipFile(target, "w")
        self.files: dict[str, str] = {}

    def add(self, name: str, source: IO[bytes]) -> None:
        """An entry of unknown length; dumps are compressed already."""
        digest = hashlib.sha256()
        with self._zip.open(ZipInfo(name), "w", force_zip64=True) as entry:
            while piece := source.read(_PIECE):
                digest.update(piece)
                entry.write(piece)
        self.files[name] = digest.hexdigest()

    def end(self, contents: Contents) -> None:
        """The manifest is the last entry."""
        told = {"kind": KIND, "format": FORMAT, **asdict(contents)}
        self._zip.writestr(ZipInfo(MANIFEST), json.dumps(told, indent=2) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(OSError) if kind else nullcontext():  # what went wrong first is told
            self._zip.close()


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup whose every entry was found to be what its manifest says."""

    path: Path
    contents: Contents
    identity: str
    _zip: ZipFile

    @contextmanager
    def stream(self, name: str) -> Iterator[IO[bytes]]:
        """The bytes of an entry."""
        with self._zip.open(name) as entry:
            yield entry

    def copy(self, name: str, target: IO[bytes]) -> None:
        """Write the bytes of an entry."""
        with self.stream(name) as entry:
            shutil.copyfileobj(entry, target, _PIECE)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """A backup, read through once. Raises InputError for a file that is none, is damaged, or is of a newer version."""
    try:
        with ZipFile(path) as found:
            text = _manifest(path, found)
            contents = _contents(path, text)
            for name, sha256 in contents.files.items():
                _check(path, found, name, sha256)
            yield Archive(path, contents, hashlib.sha256(text).hexdigest(), found)
    except BadZipFile as error:
        raise InputError(f"{path} is no backup of Ultron, or it is damaged: copy it again.") from error
    except FileNotFoundError as error:
        raise InputError(f"There is no file {error.filename}.") from error


def _manifest(path: Path, found: ZipFile) -> bytes:
    try:
        return found.read(MANIFEST)
    except KeyError as error:
        raise InputError(f"{path} is no backup of Ultron: it has no {MANIFEST}.") from error


def _contents(path: Path, text: bytes) -> Contents:
    try:
        told: Any = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path} is damaged: its {MANIFEST} is not JSON. Copy it again.") from error
    if not isinstance(told, dict) or told.get("kind") != KIND:
        raise InputError(f"{path} is no backup of Ultron.")
    check_age(path, told, FORMAT)
    try:
        values = {name: value for name, value in told.items() if name not in ("kind", "format", "logs")}
        return Contents(**values, logs={name: Log(**log) for name, log in told["logs"].items()})
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged: a field of its {MANIFEST} is missing or unknown.") from error


def _check(path: Path, found: ZipFile, name: str, sha256: str) -> None:
    digest = hashlib.sha256()
    try:
        with found.open(name) as entry:
            while piece := entry.read(_PIECE):
                digest.update(piece)
    except KeyError as error:
        raise InputError(f"{path} is damaged: {name} is missing. Copy it again.") from error
    if digest.hexdigest() != sha256:
        raise InputError(f"{path} is damaged: {name} is not what its manifest says. Copy it again.")
