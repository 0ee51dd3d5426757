"""What is stored of a file beside its messages: the session row's values, its partition key, its skipped lines."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from ultron_core.models import Drop
from ultron_core.redaction import redact_patterns
from ultron_core.sessions import PARSER_VERSION
from ultron_core.steps.files.identity import IngestFile, log_id, partition_key
from ultron_core.steps.files.parsed import Parsed
from ultron_core.steps.files.snapshot import Snapshot
from ultron_core.steps.projects import session_project
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import drops, sessions

__all__ = ["free_partition_key", "session_values", "store_skips"]

_STAGE = "sessions"


def session_values(
    runtime: Runtime, conn: Connection, file: IngestFile, snapshot: Snapshot, session: Parsed, key: str
) -> dict[str, Any]:
    """The columns of a session that was read."""
    info = session.info
    now = runtime.clock()
    project = session_project(runtime, conn, info)
    changed = datetime.fromtimestamp(snapshot.facts.mtime_ns / 1e9, UTC)
    return {
        "account_id": runtime.account_id,
        "agent_id": file.agent_id,
        "session_file": file.session_file,
        "partition_key": key,
        "content_sha256": snapshot.sha256,
        "bytes": snapshot.size,
        "format": info.format,
        "harness": info.harness,
        "harness_version": _clean(info.harness_version),
        "cwd": runtime.redactor.redact_text(info.cwd).text if info.cwd else None,
        "project": project.name if project else None,
        "project_remote": project.remote or None if project else None,
        "private_root": os.fsencode(project.root) if project else None,
        "log_id": log_id(info),
        "brought_by": file.brought_by,
        "tools": runtime.redactor.redact_json(list(info.tools))[0] if info.tools else [],
        "model": _clean(info.model),
        "started_at": info.started_at,
        "ended_at": info.ended_at,
        "changed_at": min(changed, now),
        "lines": session.ledger.to_json(),
        "message_count": len(session.messages),
        "status": "ok" if session.messages or not session.ledger.total else "empty",
        "error": None,
        "parser_version": PARSER_VERSION,
        "now": now,
    }


def _clean(name: str | None) -> str | None:
    """A log may hold anything where a version is expected, a key among it."""
    return redact_patterns(name).text if name else None


def free_partition_key(runtime: Runtime, conn: Connection, file: IngestFile) -> str:
    """The file's key; when a renamed file still holds it, a key with the path's hash."""
    plain = partition_key(runtime, file.agent_id, file.session_file)
    owner = sessions.partition_key_owner(conn, runtime.account_id, plain)
    if owner is None or owner == (file.agent_id, file.session_file):
        return plain
    return partition_key(runtime, file.agent_id, file.session_file, distinct=True)


def store_skips(
    runtime: Runtime, conn: Connection, file: IngestFile, session_id: UUID, session: Parsed
) -> None:
    """The skipped lines of a session, in place of those of an earlier reading."""
    rows: list[drops.DropPlace] = [
        (
            Drop(_STAGE, skip.reason, runtime.redactor.redact_text(skip.detail).text if skip.detail else ""),
            skip.start_line,
            skip.end_line,
        )
        for skip in session.ledger.skips
    ]
    owner = (runtime.account_id, file.agent_id)
    drops.replace_of_session(conn, owner, session_id, _STAGE, rows, runtime.clock())
