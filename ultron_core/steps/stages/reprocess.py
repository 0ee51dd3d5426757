"""Mark rows for reprocessing: what a version made, or what used up its attempts. Ids stay, and so do memories that are
extracted again."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.errors import InputError
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.standing import makers_of
from ultron_core.steps.stages.table import LABELS, STAGES, Stage, option_named
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.llm import forget_answers

__all__ = ["redo", "redo_stale", "reprocess", "retry"]


def reprocess(runtime: Runtime, option: str, made_by: str | None = None) -> int:
    """Mark the rows of a stage (segments, labels, memories) whose maker starts with `made_by`; returns how many.

    New labels decide again about memories: segments that get one are extracted again as well. A model is asked
    again: its cached answers of this stage are forgotten.
    """
    stage = option_named(option)
    if stage is None:
        options = ", ".join(each.option for each in STAGES)
        raise InputError(f"stage {option!r} is not valid: use one of {options}.")
    return _mark(runtime, stage, made_by=made_by)


def redo(runtime: Runtime, stage: Stage, keys: Sequence[str]) -> int:
    """Mark all rows of these partitions, whatever their state: somebody asked for exactly these."""
    return _mark(runtime, stage, keys=list(keys))


def redo_stale(runtime: Runtime, stage: Stage, keys: Sequence[str]) -> int:
    """Mark the rows of these partitions that an older version or another model made."""
    return _mark(runtime, stage, keys=list(keys), not_by=makers_of(runtime)[stage.name])


def _mark(
    runtime: Runtime,
    stage: Stage,
    *,
    made_by: str | None = None,
    not_by: str | None = None,
    keys: list[str] | None = None,
) -> int:
    params = {**runtime.account, "made_by": made_by, "not_by": not_by, "keys": keys, "now": runtime.clock()}
    with runtime.database.transaction() as conn:
        count = segment_store.run(conn, stage.reprocess, params)
        if stage.call and count and not_by is None:
            forget_answers(conn, runtime.account_id, stage.call, made_by)
        if stage is LABELS:
            segment_store.run(conn, "reopen_extraction", params)
    return count


def retry(runtime: Runtime) -> int:
    """Let the rows that used up their attempts be tried again; returns how many."""
    params = {**runtime.waiting(), "now": runtime.clock()}
    with runtime.database.transaction() as conn:
        return (
            session_store.run(conn, "retry", params)
            + segment_store.run(conn, "retry", params)
            + session_store.run(conn, "retry_texts", params)
        )
