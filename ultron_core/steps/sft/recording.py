"""What the store keeps of a published dataset: its place, its content and the segments that it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ultron_core.sft import Built
from ultron_core.sft.kinds.records import Outcome, Pair
from ultron_core.sft.records import Row
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import exports

__all__ = ["record", "shipped_segments"]


def record(runtime: Runtime, target: Path, built: Built, digest: str, manifest: Mapping[str, Any]) -> None:
    """A dataset that lies in `target`; nothing when its path is recorded already."""
    values = {
        "account_id": runtime.account_id,
        "name": manifest["name"],
        "version": manifest["version"],
        "path": str(target),
        "content_hash": digest,
        "manifest": dict(manifest),
        "rows": len(built.rows),
        "now": runtime.clock(),
    }
    # read anew each time that the transaction is tried
    runtime.database.run(
        lambda conn: exports.insert(conn, values, shipped_segments(runtime.account_id, built.rows))
    )


def shipped_segments(account_id: str, rows: Iterable[Row | Pair | Outcome]) -> Iterator[dict[str, Any]]:
    """Each segment in the rows once. The rows come from disk one by one: their texts are let go at once.

    Of a segment that is shipped as a whole and in parts (`<segment>:corrected`) the whole is recorded.
    """
    wholes: set[bytes] = set()
    parts: dict[str, dict[str, Any]] = {}
    for row in rows:
        for run in row.sides:
            segment_id, _, part = run.id.partition(":")
            if part:
                parts[segment_id] = _segment(account_id, segment_id, run)
            elif segment_id.encode() not in wholes:
                wholes.add(segment_id.encode())
                yield _segment(account_id, segment_id, run)
    yield from (one for name, one in parts.items() if name.encode() not in wholes)


def _segment(account_id: str, segment_id: str, run: Row) -> dict[str, Any]:
    return {
        "segment_id": segment_id,
        "account_id": account_id,
        "agent_id": run.agent_id,
        "session_id": run.session_id,
        "start_line": run.start_line,
        "end_line": run.end_line,
        "content_sha256": run.content_sha256,
        "split": run.split,
    }
