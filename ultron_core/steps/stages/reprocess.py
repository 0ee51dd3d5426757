"""Mark what a version made to be done again; ids, and memories that come out again, stay."""

from __future__ import annotations

from ultron_core.errors import InputError
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import segments as segment_store

__all__ = ["reprocess"]

_QUERIES = {
    "segments": "reprocess_segment",
    "labels": "reprocess_labels",
    "memories": "reprocess_extract",
}


def reprocess(runtime: Runtime, stage: str, made_by: str | None = None) -> int:
    """Rows of `stage` (segments, labels, memories) whose maker starts with `made_by` will be done again.

    New labels decide anew about memories: re-labelled segments are looked through again as well.
    """
    if stage not in _QUERIES:
        raise InputError(f"stage {stage!r} does not work: segments, labels or memories.")
    params = {"account_id": runtime.account_id, "made_by": made_by, "now": runtime.clock()}
    with runtime.database.transaction() as conn:
        count = segment_store.run(conn, _QUERIES[stage], params)
        if stage == "labels":
            segment_store.run(conn, "reopen_extraction", params)
    return count
