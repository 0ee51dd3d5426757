"""Logs that come as bytes, from other machines: laid into the agent's drop folder, then read like any other.

Agent and name are outside words: nothing is touched before they are checked."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ultron_core.errors import InputError
from ultron_core.folders import make_folders
from ultron_core.paths import below, check_folder_name
from ultron_core.sessions.discover import is_session_name
from ultron_core.steps.files.bucket import put_object
from ultron_core.steps.files.identity import IngestFile, find_files, storable
from ultron_core.steps.files.ingest import FileResult, Progress, ingest_files
from ultron_core.steps.given import check_agent, check_id, check_text
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions

__all__ = ["drop_folder_of", "ingest_paths", "receive_log"]

#: parts of a name, as a drop folder has them: a project and a file
_MOST_PARTS = 6


def ingest_paths(
    runtime: Runtime,
    paths: Sequence[str | Path],
    agent_id: str,
    *,
    over: bool = False,
    brought_by: str | None = None,
    lift: bool = False,
    progress: Progress | None = None,
) -> list[FileResult]:
    """Read session files; `over` says that these sessions have ended, so that their last tasks wait for nothing; `lift`
    reads all of them again, also what was erased.

    What `brought_by`, the id of a key of somebody else than the owner, hands in is that key's: nothing in it is a
    person's word. Raises InputError for what is no id.
    """
    check_id("brought_by", brought_by, optional=True)
    files = [replace(file, brought_by=brought_by) for file in find_files(runtime, paths, agent_id)]
    return _ingest(runtime, files, over=over, lift=lift, progress=progress)


def _ingest(
    runtime: Runtime,
    files: Sequence[IngestFile],
    *,
    over: bool,
    lift: bool = False,
    progress: Progress | None = None,
) -> list[FileResult]:
    results = ingest_files(runtime, files, progress, lift=lift)
    for file, result in zip(files, results, strict=True):
        if file.brought_by is not None:  # also of one that a scan of the folder read first
            sent = {"partition_key": result.partition_key, "brought_by": file.brought_by}
            runtime.database.run(partial(_mark_brought, {**runtime.account, **sent}))
    if over:
        done = [result for result in results if result.success]
        named = {
            "keys": [result.partition_key for result in done],
            "sha256s": [result.content_sha256 for result in done],
        }
        runtime.database.run(lambda conn: sessions.run(conn, "mark_over", {**runtime.account, **named}))
    return results


def drop_folder_of(runtime: Runtime, agent_id: str) -> Path:
    """The agent's part of the drop folder, there or not. Raises InputError for what is no agent's id, and where a link
    leads out of the drop folder."""
    check_agent("agent_id", agent_id)
    return below(runtime.settings.sessions_dir, agent_id)


def _mark_brought(params: dict[str, Any], conn: Connection) -> None:
    sessions.run(conn, "mark_brought", params)


def receive_log(
    runtime: Runtime,
    body: bytes,
    agent_id: str,
    name: str,
    *,
    over: bool = False,
    brought_by: str | None = None,
) -> FileResult:
    """Keep the bytes of one log as `<drop folder>/<agent_id>/<name>` and read it. A longer log of the same name
    continues it. `brought_by` as in `ingest_paths`. Raises InputError for what is no agent's id and for a name that is
    not a plain relative one."""
    check_agent("agent_id", agent_id)
    check_id("brought_by", brought_by, optional=True)
    relative = _relative(name)
    if not body.strip():
        raise InputError("The log is empty: send its bytes as the body.")
    if url := runtime.settings.sessions.sessions_url:
        put = put_object(url, f"{agent_id}/{relative}", body)
        file = IngestFile(put, agent_id, storable(str(relative)), brought_by)
        return _ingest(runtime, [file], over=over)[0]
    path = below(drop_folder_of(runtime, agent_id), relative)
    try:
        _put(path, body)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise InputError(
            "name: a file lies where it needs a folder, or the reverse. Use another name."
        ) from error
    return ingest_paths(runtime, [path], agent_id, over=over, brought_by=brought_by)[0]


def _put(path: Path, body: bytes) -> None:
    make_folders(path.parent)
    # hidden, so that nobody reads half of it
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(body)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _relative(name: str) -> PurePosixPath:
    check_text("name", name, most=200)
    path = PurePosixPath(name)
    plain = not path.is_absolute() and name.isprintable() and "\\" not in name
    if not plain or not 0 < len(path.parts) <= _MOST_PARTS or not is_session_name(path.name):
        raise InputError("name must be a plain relative file name that ends in .jsonl or .jsonl.gz.")
    for part in path.parts:
        check_folder_name("name", part)
    return path
