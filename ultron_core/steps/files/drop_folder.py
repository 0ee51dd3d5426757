"""The drop folder `<agent_id>/**/*.jsonl[.gz]` compared with the ledger: new, changed, missing, to be retried."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from ultron_core.sessions import PARSER_VERSION
from ultron_core.sessions.discover import is_session_name
from ultron_core.steps.erased.marks import find_marks
from ultron_core.steps.files.bucket import BucketObject, list_objects
from ultron_core.steps.files.identity import IngestFile, partition_key, storable
from ultron_core.steps.files.snapshot import FileFacts
from ultron_core.steps.ids import session_data_version
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import sessions as session_store

__all__ = [
    "SETTLE_SECONDS",
    "DropScan",
    "SeenFile",
    "UnreportedSession",
    "files_of_partitions",
    "mark_reported",
    "scan",
    "stamp_digest",
    "unreported",
]

#: a file is read once its last change is this many seconds old: half-written lines wait for the next tick
SETTLE_SECONDS = 3.0
#: files directly in the drop folder are attributed to this agent
DEFAULT_AGENT = "default"
#: after so many failures a file waits until it changes
MAX_FILE_TRIES = 5


@dataclass(frozen=True, slots=True)
class SeenFile:
    """One file of the folder with its key and stamp (size and modification time)."""

    key: str
    file: IngestFile
    size: int
    mtime_ns: int

    @property
    def stamp(self) -> str:
        return f"{self.key}:{self.size}:{self.mtime_ns}"


@dataclass(frozen=True, slots=True)
class DropScan:
    """One scan of the folder. `problem` is set when it cannot be listed: then nothing counts as missing."""

    changed: tuple[SeenFile, ...] = ()
    retry: tuple[SeenFile, ...] = ()
    settling: int = 0
    unchanged: int = 0
    #: were erased and lie there again
    erased: int = 0
    missing: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class UnreportedSession:
    """A session that a library call ingested and that Dagster does not know yet."""

    partition_key: str
    data_version: str
    status: str


def scan(runtime: Runtime, now: datetime | None = None) -> DropScan:
    """Compare the folder with the ledger, and mark missing files. Reads no file."""
    now = now or runtime.clock()
    root, url = runtime.settings.sessions_dir, runtime.settings.sessions.sessions_url
    if not url and not root.is_dir():
        return DropScan(problem=f"{root} is not a folder. Create it, or set ULTRON_SESSIONS_DIR.")
    with runtime.database.transaction() as conn:
        ledger = {
            (row["agent_id"], row["session_file"]): row
            for row in session_store.source_file_states(conn, runtime.account_id)
        }
    problems: list[OSError] = []
    counts: Counter[str] = Counter()
    changed: list[SeenFile] = []
    retry: list[SeenFile] = []
    seen: set[tuple[str, str]] = set()
    for facts, place in _in_bucket(url, problems) if url else _in_folder(root, problems):
        identity = (place.agent_id, place.session_file)
        seen.add(identity)
        row = ledger.get(identity)
        state = _state(row, facts, now)
        counts[state] += 1
        if state in ("changed", "retry"):
            key = row["partition_key"] if row else partition_key(runtime, *identity)
            found = SeenFile(key, place.file(), facts.size, facts.mtime_ns)
            (changed if state == "changed" else retry).append(found)
    new = [(one.file.agent_id, one.file.session_file) for one in changed]
    erased = _erased(runtime, set(new) - ledger.keys())
    changed = [one for one, identity in zip(changed, new, strict=True) if identity not in erased]
    missing = [] if problems else _missing(ledger, seen)
    _mark_missing(runtime, missing, now)
    return DropScan(
        unchanged=counts["unchanged"],
        settling=counts["settling"],
        erased=len(erased),
        changed=tuple(sorted(changed, key=lambda f: f.key)),
        retry=tuple(sorted(retry, key=lambda f: f.key)),
        missing=tuple(f"{agent}/{name}" for agent, name in missing),
        problem=f"{problems[0].filename} cannot be listed: {problems[0].strerror}" if problems else None,
    )


def _erased(runtime: Runtime, unknown: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of the files without a row that were erased: they are not read again."""
    if not unknown:
        return set()
    with runtime.database.transaction() as conn:
        marks = find_marks(runtime, conn)
        found = marks.known([("file", *identity) for identity in unknown]) if marks else set()
    return {(name[1], name[2]) for name in found}


def _state(row: dict[str, Any] | None, facts: FileFacts, now: datetime) -> str:
    same = row is not None and facts.is_as_in(row)
    if row is not None and same and row["state"] == "ingested":
        return "unchanged"
    if row is not None and same and row["state"] == "failed":
        due = row["next_try"] is None or row["next_try"] <= now
        return "retry" if due and row["attempts"] < MAX_FILE_TRIES else "unchanged"
    if facts.device and 0 <= now.timestamp() - facts.mtime_ns / 1e9 < SETTLE_SECONDS:
        return "settling"
    return "changed"


class _Place(NamedTuple):
    """Where a session file lies. A `Path` and a record of each of 20,000 files would take half the time of a scan: they
    are made of those alone that are to be read."""

    path: str | BucketObject
    agent_id: str
    session_file: str

    def file(self) -> IngestFile:
        path = Path(self.path) if isinstance(self.path, str) else self.path
        return IngestFile(path, self.agent_id, self.session_file)


def _in_bucket(url: str, problems: list[OSError]) -> Iterator[tuple[FileFacts, _Place]]:
    """The same of a bucket."""
    try:
        found = [(name, one) for name, one in list_objects(url) if _is_session(name)]
    except OSError as error:
        problems.append(OSError(error.errno, error.strerror or str(error), url))
        return
    names = {name for name, _ in found}
    for name, one in found:
        agent, _, rest = name.partition("/")
        twin = f"{DEFAULT_AGENT}/{agent}" in names
        own = _Place(one, DEFAULT_AGENT, ("@root/" if twin else "") + storable(agent))
        yield FileFacts.of(one), _Place(one, storable(agent), storable(rest)) if rest else own


def _is_session(name: str) -> bool:
    *folders, last = name.split("/")
    return is_session_name(last) and not any(part.startswith(".") for part in folders)


def _in_folder(root: Path, problems: list[OSError]) -> Iterator[tuple[FileFacts, _Place]]:
    """Every session file with what identifies it."""
    for entry, place in _walk(root, problems):
        try:
            yield FileFacts.of(entry.stat(follow_symlinks=False)), place
        except FileNotFoundError:
            continue  # deleted during the scan
        except OSError as error:
            problems.append(error)


def _walk(root: Path, problems: list[OSError]) -> Iterator[tuple[os.DirEntry[str], _Place]]:
    """Every session file below `root`; hidden parts and symlinks are skipped."""
    base = str(root)
    stack = [base]
    while stack:
        folder = stack.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda e: e.name)
        except OSError as error:
            problems.append(error)
            continue
        for entry in listed:
            if is_session_name(entry.name) and entry.is_file(follow_symlinks=False):
                yield entry, _place(base, entry.path)
            elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                stack.append(entry.path)


def _place(base: str, path: str) -> _Place:
    # os.scandir made the path of the root: `relative_to` would take a third of the time of a scan
    agent, _, rest = path.removeprefix(base).lstrip(os.sep).partition(os.sep)
    if not rest:
        # `drop/x.jsonl` and `drop/default/x.jsonl` are two files of one agent
        twin = Path(base, DEFAULT_AGENT, agent).exists()
        return _Place(path, DEFAULT_AGENT, ("@root/" if twin else "") + storable(agent))
    return _Place(path, storable(agent), storable(rest.replace(os.sep, "/")))


def _missing(ledger: dict[tuple[str, str], Any], seen: set[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(
        identity
        for identity, row in ledger.items()
        if identity not in seen and row["state"] != "missing" and not identity[1].startswith("@abs/")
    )


def _mark_missing(runtime: Runtime, missing: Sequence[tuple[str, str]], now: datetime) -> None:
    by_agent: dict[str, list[str]] = {}
    for agent, name in missing:
        by_agent.setdefault(agent, []).append(name)
    if not by_agent:
        return
    with runtime.database.transaction() as conn:
        for agent, names in by_agent.items():
            session_store.mark_missing(conn, runtime.account_id, agent, names, now)


def files_of_partitions(runtime: Runtime, keys: Sequence[str]) -> dict[str, IngestFile]:
    """The files behind these keys, found in the drop folder, or where they were last read."""
    wanted = set(keys)
    with runtime.database.transaction() as conn:
        rows = session_store.source_files(conn, runtime.account_id)
    known = {(r["agent_id"], r["session_file"]): r for r in rows}
    files: dict[str, IngestFile] = {}
    for place in _all_files(runtime):
        identity = (place.agent_id, place.session_file)
        row = known.get(identity)
        key = row["partition_key"] if row else partition_key(runtime, *identity)
        if key in wanted:
            files[key] = place.file()
    for (agent, name), row in known.items():
        key = row["partition_key"]
        if key in files or key not in wanted or row["private_path"] is None:
            continue
        path = Path(os.fsdecode(row["private_path"]))
        if path.is_file():
            files[key] = IngestFile(path, agent, name)
    return files


def _all_files(runtime: Runtime) -> Iterator[_Place]:
    root, url = runtime.settings.sessions_dir, runtime.settings.sessions.sessions_url
    if url:
        yield from (place for _, place in _in_bucket(url, []))
    elif root.is_dir():
        yield from (place for _, place in _walk(root, []))


def unreported(runtime: Runtime, limit: int = 1000) -> list[UnreportedSession]:
    """Sessions for whose latest content Dagster has no event."""
    with runtime.database.transaction() as conn:
        rows = session_store.fetch(conn, "unreported", {"account_id": runtime.account_id, "limit": limit})
    return [
        UnreportedSession(
            row["partition_key"],
            session_data_version(row["content_sha256"], row["parser_version"] or PARSER_VERSION),
            row["status"],
        )
        for row in rows
    ]


def mark_reported(runtime: Runtime, told: Mapping[str, str]) -> None:
    """Record that Dagster has an event for the content with this data version, by partition."""
    if told:
        named = {"keys": list(told), "versions": list(told.values())}
        with runtime.database.transaction() as conn:
            session_store.run(conn, "mark_reported", {**runtime.account, **named})


def stamp_digest(files: Sequence[SeenFile]) -> str:
    """One short name for these files as they are now."""
    return hashlib.sha256("\n".join(f.stamp for f in files).encode()).hexdigest()[:24]
