"""What samples of the stored rows say: drift of scores, duplicates, junk, the index, memories by their own words.

Nothing is written and no model is called. Samples change from day to day and are the same within one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from psycopg import sql

from ultron_core.lessons.gate import gate_draft
from ultron_core.memories import Body
from ultron_core.models import MemoryDraft
from ultron_core.steps.audit.rows import Finding
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.memories import search_memories
from ultron_core.steps.upload.judge import Judge
from ultron_core.store.queries import NamedQueries

__all__ = ["duplicates", "found_by_own_words", "index_recall", "junk", "largest_gap", "score_drift"]

_SQL = NamedQueries("upkeep/samples")
_SEARCH = NamedQueries("search/search")
#: some seconds of searching at 50 ms each
_SAMPLE = 50
#: neighbours that the index and an exact search are compared on, as many as a search lists by default
_NEAREST = 10
#: violations by name
_SHOWN = 20
#: the newest labels, of which one half is compared with the other
_LABELS = 500
#: with fewer in a half, chance alone moves a distribution by a quarter
_FEWEST_LABELS = 50
#: how far the shares below some score may be apart: a shift that is seen in the histogram
_MOST_DRIFT = 0.25
#: two halves of n from one distribution are farther apart once in 1,000 times (Kolmogorov, Smirnov: 1.95 * sqrt(2/n))
_BY_CHANCE = 1.95
#: what upkeep merges late may wait for its turn
_MOST_DUPLICATES = 0.02
#: at the width that searches walk it with, the index finds .998 of the ten nearest of 100,000 memories and .985 of a
#: million (see `tune` in queries/search/search.sql)
_LEAST_RECALL = 0.95
#: set by hand: summaries repeat, but where one memory in ten is not among the first ten for its own, search is broken
_LEAST_FOUND = 0.9
#: two distances that differ by less are one: half floats keep three digits
_SAME = 1e-3


def score_drift(runtime: Runtime) -> Finding:
    """Whether the scores of the newest labels are distributed as those of the labels before them."""
    with runtime.database.transaction() as conn:
        rows = _SQL.fetch(conn, "newest_scores", {**runtime.account, "limit": _LABELS})
    half = len(rows) // 2
    if half < _FEWEST_LABELS:
        return Finding("scores without drift", 0, 0)
    allowed = max(_MOST_DRIFT, _BY_CHANCE * (2 / half) ** 0.5)
    labelers = [", ".join(sorted({row["labeler"] for row in part})) for part in (rows[half:], rows[:half])]
    bad = []
    for name in ("overall_score", "memory_score"):
        newer, older = (
            [float(row[name]) for row in part if row[name] is not None] for part in (rows[:half], rows[half:])
        )
        if newer and older and (gap := largest_gap(newer, older)) > allowed:
            means = f"mean {np.mean(older):.2f} before, {np.mean(newer):.2f} now"
            bad.append(
                f"{name}: {means}, largest gap {gap:.2f}; made by {labelers[0]} before, {labelers[1]} now"
            )
    return Finding("scores without drift", len(rows), len(bad), tuple(bad))


def largest_gap(first: Sequence[float], second: Sequence[float]) -> float:
    """The largest distance between the two shares of values that are at most x, for any x."""
    places = np.sort(np.concatenate([first, second]))
    shares = [np.searchsorted(np.sort(one), places, side="right") / len(one) for one in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())


def duplicates(runtime: Runtime) -> Finding:
    """Memories of a sample that say the same as another one, by the rule that an upload is merged by."""
    sample = [row["id"] for row in _sample(runtime, 4 * _SAMPLE) if row["embedded"]]
    params = {**runtime.model_key, "ids": sample, "above": runtime.thresholds.merge}
    with runtime.database.transaction() as conn:
        near = _SQL.fetch(conn, "nearest_of_type", params)
    judge = Judge(runtime)
    bad = [
        f"memory {row['memory_id']} repeats {row['other_id']} (cosine {row['cosine']:.3f})"
        for row in near
        if judge.difference(_text(row, "other_"), _text(row)) is None
    ]
    few = len(bad) <= _MOST_DUPLICATES * len(sample)
    return Finding("memories that repeat no other", len(sample), 0 if few else len(bad), tuple(bad[:_SHOWN]))


def _text(row: dict[str, str], prefix: str = "") -> str:
    return Body(*(row[f"{prefix}{name}"] for name in ("content", "context", "resolution"))).text


def junk(runtime: Runtime) -> Finding:
    """Active memories of logs that the gate of today would refuse for what they say."""
    with runtime.database.transaction() as conn:
        rows = _SQL.fetch(conn, "all_drafted", runtime.account)
    bad = []
    for row in rows:
        draft = MemoryDraft(
            content=row["content"],
            context=row["context"],
            resolution=row["resolution"],
            confidence=float(row["confidence"]),
            memory_type=row["memory_type"],
            cure=row["cure"],
        )
        by_rules = not row["extractor"].startswith("model:")
        if (refused := gate_draft(draft, (), by_rules=by_rules)) is not None:
            bad.append(f"memory {row['id']}: {refused.reason}")
    return Finding("memories that pass the gate", len(rows), len(bad), tuple(bad[:_SHOWN]))


def index_recall(runtime: Runtime) -> Finding:
    """How many of the nearest memories the vector index finds, against comparing all rows."""
    sample = [row["id"] for row in _sample(runtime, _SAMPLE) if row["embedded"]]
    params = {**runtime.model_key, "ids": sample, "nearest": _NEAREST}
    names = {
        "model": sql.Literal(runtime.embedder.model_id),
        "dimension": sql.Literal(runtime.embedder.dimension),
    }
    with runtime.database.transaction() as conn:
        exact = {row["memory_id"]: row for row in _SQL.fetch(conn, "farthest_exact", params)}
        _SEARCH.fetch(conn, "tune", {**runtime.account, "plan": "force_custom_plan"})
        _SQL.fetch(conn, "index_only", {})
        by_index = sql.SQL(_SQL["distances_by_index"]).format(**names)
        found = conn.execute(by_index, params).fetchall()
    wanted = sum(int(row["count"]) for row in exact.values())
    near = sum(row["distance"] <= exact[row["memory_id"]]["distance"] + _SAME for row in found)
    about = "nearest memories that the vector index finds"
    if near >= _LEAST_RECALL * wanted:
        return Finding(about, wanted, 0)
    return Finding(about, wanted, wanted - near, (f"the index finds {near} of {wanted}: rebuild it",))


def found_by_own_words(runtime: Runtime) -> Finding:
    """Memories of a sample that a search for their own summary does not bring among the first ten."""
    sample = [row for row in _sample(runtime, _SAMPLE) if row["summary_l0"].strip()]
    plain = replace(runtime, llm=None)  # a model could reword the question, and would have to be paid
    bad = []
    for row in sample:
        hits = search_memories(plain, row["summary_l0"], limit=_NEAREST, record_hits=False)
        if row["id"] not in {one for hit in hits for one in (hit.record.id, *hit.same)}:
            bad.append(f"memory {row['id']} is not found by its summary")
    few = len(sample) - len(bad) >= _LEAST_FOUND * len(sample)
    about = "memories found by their own words"
    return Finding(about, len(sample), 0 if few else len(bad), tuple(bad[:_SHOWN]))


def _sample(runtime: Runtime, size: int) -> list[dict[str, Any]]:
    params = {**runtime.model_key, "salt": f"{runtime.clock():%Y-%m-%d}", "limit": size}
    with runtime.database.transaction() as conn:
        return _SQL.fetch(conn, "memories", params)
