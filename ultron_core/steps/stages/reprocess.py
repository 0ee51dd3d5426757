"""Mark what a version made to be done again; ids, and memories that come out again, stay."""

from __future__ import annotations

from ultron_core.errors import InputError
from ultron_core.steps.context import Context
from ultron_core.store.tables import segments as segment_store

__all__ = ["reprocess"]

_QUERIES = {
    "segments": "reprocess_segment",
    "labels": "reprocess_labels",
    "memories": "reprocess_extract",
}


def reprocess(context: Context, stage: str, made_by: str | None = None) -> int:
    """Rows of `stage` (segments, labels, memories) whose maker starts with `made_by` will be done again.

    New labels decide anew about memories: re-labelled segments are looked through again as well.
    """
    if stage not in _QUERIES:
        raise InputError(f"stage {stage!r} does not work: segments, labels or memories.")
    params = {"account_id": context.account_id, "made_by": made_by, "now": context.clock()}
    with context.database.transaction() as conn:
        count = segment_store.run(conn, _QUERIES[stage], params)
        if stage == "labels":
            segment_store.run(conn, "reopen_extraction", params)
    return count
