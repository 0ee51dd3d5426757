"""What the verdicts of an account teach: fitted from what is stored, kept as one row, used where drafts are gated."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from psycopg.types.json import Jsonb

from ultron_core.lessons.taste import Features, Judged, Taste, fit_taste
from ultron_core.steps.rows.locks import lock_types
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import verdicts
from ultron_core.transcript.language import language

__all__ = ["current_taste", "forget_in_taste", "refit_if_judged", "refit_taste", "taste_status"]


def refit_taste(runtime: Runtime) -> Taste:
    """Learn from all verdicts on words that stand, and keep what was learned."""
    return runtime.database.run(partial(_refit, runtime))


def refit_if_judged(runtime: Runtime) -> None:
    """The same when there are verdicts since the last time."""
    with runtime.database.transaction() as conn:
        newer = verdicts.fetch_one(conn, "newer", runtime.account)
    if newer and newer["any"]:
        refit_taste(runtime)


def forget_in_taste(runtime: Runtime, conn: Connection) -> None:
    """Learn again without what was erased or redacted, in the caller's transaction: coefficients name projects."""
    if verdicts.fetch_one(conn, "taste", runtime.account) is not None:
        _refit(runtime, conn)


def _refit(runtime: Runtime, conn: Connection) -> Taste:
    lock_types(runtime, conn, ["taste"])  # who erases must have the last word
    taste = fit_taste([_judged(row) for row in verdicts.fetch(conn, "to_learn_from", runtime.account)])
    coefficients = None if taste.coefficients is None else Jsonb(dict(taste.coefficients))
    found = {"coefficients": coefficients, "reason": taste.reason, "gain": taste.gain}
    values = {**found, "verdicts": taste.verdicts, "now": runtime.clock()}
    verdicts.run(conn, "keep_taste", {**runtime.account, **values})
    return taste


def taste_status(runtime: Runtime) -> dict[str, Any]:
    """`{judged, taste}`: how many verdicts of each kind hold, and what was learned the last time, None if never."""
    with runtime.database.transaction() as conn:
        counts = verdicts.fetch(conn, "counts", runtime.account)
        taste = verdicts.fetch_one(conn, "taste", runtime.account)
    return {"judged": {row["verdict"]: row["count"] for row in counts}, "taste": taste}


def current_taste(runtime: Runtime) -> Mapping[str, float] | None:
    """The coefficients in use; None when the ranker is left as it is."""
    with runtime.database.transaction() as conn:
        row = verdicts.fetch_one(conn, "taste", runtime.account)
    coefficients: Mapping[str, float] | None = row["coefficients"] if row else None
    return coefficients


def _judged(row: Mapping[str, Any]) -> Judged:
    features = Features(
        lesson=row["lesson"],
        memory_type=row["memory_type"],
        trust=row["trust"],
        proof=row["proof"],
        project=row["project"] or "",
        language=language(row["content"]),
    )
    # what nobody's log gave stands for itself
    return Judged(row["probability"], features, row["verdict"] != "junk", str(row["session_id"] or row["id"]))
