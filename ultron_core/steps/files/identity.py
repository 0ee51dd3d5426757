"""Which session a file is: agent, session_file, partition key, the log's own id."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ultron_core.errors import InputError
from ultron_core.models import SessionInfo
from ultron_core.paths import real_path
from ultron_core.redaction import redact_patterns
from ultron_core.sessions import discover_sessions
from ultron_core.steps.files.bucket import BucketObject
from ultron_core.steps.given import check_agent
from ultron_core.steps.runtime import Runtime

__all__ = [
    "IngestFile",
    "find_files",
    "log_id",
    "partition_key",
    "private_path",
    "readable",
    "session_file_name",
    "storable",
]

#: characters; file systems allow 255 bytes per name
_KEY_LIMIT = 200
#: names that are looked at for secrets once, at 80 us each: the drop sensor sees all of a folder again at each look
_REMEMBERED = 100_000
#: what a file name cannot hold on every system, e.g. `a:b`, `..`
_UNSAFE = re.compile(r"[^A-Za-z0-9._@=-]|\.\.+")


@dataclass(frozen=True, slots=True)
class IngestFile:
    """One file to read. `session_file` is its stable name, `path` where it is now, `brought_by` the key that sent it
    in, None for the owner's own hooks, command line and folders."""

    path: Path | BucketObject
    agent_id: str
    session_file: str
    brought_by: str | None = None


def find_files(runtime: Runtime, paths: Sequence[str | Path], agent_id: str) -> list[IngestFile]:
    """The session files under `paths`, directories expanded, each once.

    Inside the drop folder of this agent the name is relative to it, elsewhere `@abs/<hash>/<name>`.
    Raises InputError for what is no agent's id, no paths or an empty one, SessionFileError for a path that does not
    exist.
    """
    check_agent("agent_id", agent_id)
    if isinstance(paths, str | Path):
        paths = [paths]
    if not paths:
        raise InputError("No paths given: name session files or folders that hold .jsonl files.")
    # what files are named by; nothing is opened there
    root = real_path(runtime.settings.sessions_dir / agent_id)
    files: dict[str, IngestFile] = {}
    for path in discover_sessions(paths):
        name = session_file_name(path, root)
        files[name] = IngestFile(path, agent_id, name)
    return list(files.values())


def session_file_name(path: Path, agent_root: Path) -> str:
    """The stable name of a file: relative to the agent's drop folder, else by its folder's hash."""
    # resolve the folder, not the file: a symlinked file was skipped by discovery already
    absolute = path.parent.resolve() / path.name
    if absolute.is_relative_to(agent_root):
        return storable(absolute.relative_to(agent_root).as_posix())
    folder = hashlib.sha256(str(absolute.parent).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return f"@abs/{folder}/{storable(path.name)}"


def log_id(info: SessionInfo) -> str | None:
    """The id that the harness gave the session, as a hash: it has one size and no words, whatever a log holds there."""
    if not info.session_id:
        return None
    return hashlib.sha256(info.session_id.encode()).hexdigest()


def private_path(path: Path | BucketObject) -> bytes:
    """Where a file is, byte for byte and from the root: what a rename is noticed by. Part of the private log."""
    return path.url.encode() if isinstance(path, BucketObject) else os.fsencode(path.absolute())


def readable(name: str) -> str:
    """A file name as text that a database takes: bytes that are not UTF-8 become `\\xNN`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@lru_cache(_REMEMBERED)
def storable(name: str) -> str:
    """A file name that everyone may see: a key or an address in it becomes a placeholder, and a hash of the name
    is appended. UUIDs, which many logs are named by, stay.
    """
    text = readable(name)
    parts, at = [], 0
    for finding in redact_patterns(text).findings:
        if finding.entity != "UUID":
            parts += [text[at : finding.start], finding.placeholder]
            at = finding.end
    if not parts:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return "".join([*parts, text[at:]]) + f"-{digest}"


def partition_key(runtime: Runtime, agent_id: str, session_file: str, *, distinct: bool = False) -> str:
    """`<agent>/<relative path>`, redacted and percent-encoded, at most 200 characters.

    The account comes first when it is not the default one. A hash is appended when the key was redacted or cut,
    or when `distinct` asks for it, so that two files never share a key.
    """
    account = "" if runtime.account_id == "default" else f"{runtime.account_id}/"
    return _key(f"{account}{agent_id}/{session_file}", distinct)


@lru_cache(_REMEMBERED)
def _key(name: str, distinct: bool) -> str:
    clean = redact_patterns(name).text
    key = "/".join(_UNSAFE.sub(_percent, part) for part in clean.split("/"))
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:10]
    if len(key) > _KEY_LIMIT:
        return f"{key[: _KEY_LIMIT - 11].rstrip('%')}-{digest}"
    return f"{key}-{digest}" if distinct or clean != name else key


def _percent(match: re.Match[str]) -> str:
    encoded = match.group().encode("utf-8", "surrogateescape")
    return "".join(f"%{byte:02X}" for byte in encoded)
