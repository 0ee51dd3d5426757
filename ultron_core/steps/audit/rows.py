"""Invariants of the stored rows, as findings that Dagster's checks report."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultron_core.redaction import find_secrets
from ultron_core.sft import verify_dataset
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.sft.elsewhere import bring_here
from ultron_core.steps.training.registry import list_runs
from ultron_core.store.queries import load_queries
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store

__all__ = [
    "Finding",
    "adapters_untainted",
    "clusters_consistent",
    "dataset_matches_manifest",
    "left_failed",
    "lines_accounted",
    "memories_have_sources",
    "no_secret_stored",
    "scores_in_range",
    "segments_tile",
    "tier_shares",
    "windows_in_log",
]

_SQL = load_queries("upkeep/audit")
#: rows that violate a rule, by name
_SHOWN = 20
#: what redaction put in, e.g. `<API_KEY>`, `<PERSON_2>`
_PLACEHOLDER = re.compile(r"<[A-Z_]+(?:_\d+)?>")
#: a control in arguments as JSON has it, e.g. `\\u001b[31m`
_CONTROL = re.compile(r"\\u00([01][0-9a-f])")
#: a quote may have been wrapped, e.g. `a ⏎ b`
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule: how many rows were checked, how many violate it, and some of those by name."""

    about: str
    checked: int
    count: int
    sample: tuple[str, ...] = ()
    blocking: bool = False


def _finding(about: str, checked: int, lines: Sequence[str], *, blocking: bool = False) -> Finding:
    return Finding(about, checked, len(lines), tuple(lines[:_SHOWN]), blocking)


def _rows(runtime: Runtime, query: str) -> list[dict[str, Any]]:
    with runtime.database.transaction() as conn:
        return conn.execute(_SQL[query], {"account_id": runtime.account_id}).fetchall()


def _count(runtime: Runtime, query: str) -> int:
    return int(_rows(runtime, query)[0]["count"])


def lines_accounted(runtime: Runtime) -> Finding:
    """The fates of a file's lines add up to its number of lines."""
    bad = [f"{row['partition_key']}: {row['lines']}" for row in _rows(runtime, "unbalanced_ledgers")]
    return _finding("lines with exactly one fate", _count(runtime, "session_count"), bad, blocking=True)


def left_failed(runtime: Runtime) -> Finding:
    """Files and sessions that need a person: exact count, a sample with the reason."""
    with runtime.database.transaction() as conn:
        rows = session_store.fetch(
            conn,
            "failed",
            {
                "account_id": runtime.account_id,
                "max_attempts": runtime.settings.segments.max_attempts,
                "limit": 10_000,
            },
        )
    bad = [f"{row['partition_key']}: {row['error']}" for row in rows]
    return _finding("sessions left failed", _count(runtime, "session_count"), bad)


def segments_tile(runtime: Runtime) -> Finding:
    """Segments cover every message of each thread once."""
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(conn, "tiling", {"account_id": runtime.account_id})
    bad = [f"{row['partition_key']} thread {row['thread']}" for row in rows]
    return _finding("threads tiled by segments", _count(runtime, "session_count"), bad, blocking=True)


def windows_in_log(runtime: Runtime) -> Finding:
    """Windows lie within the log that they were made of, and each with a vector has its model."""
    bad = [f"{row['partition_key']}: {row['windows']} windows" for row in _rows(runtime, "strayed_windows")]
    return _finding("windows within their log", _count(runtime, "window_count"), bad)


def scores_in_range(runtime: Runtime) -> Finding:
    """All scores of all labels are between 0 and 1."""
    bad = [f"{row['partition_key']} segment {row['segment_index']}" for row in _rows(runtime, "bad_scores")]
    return _finding("labels with scores in range", _count(runtime, "labeled_count"), bad)


def no_secret_stored(runtime: Runtime) -> Finding:
    """No secret pattern matches outside the private log."""
    rows = _rows(runtime, "redacted_texts")
    bad = [
        f"{row['place']}: {finding.entity}" for row in rows for finding in find_secrets(row["text"] or "")[:1]
    ]
    return _finding("redacted texts without a secret", len(rows), bad, blocking=True)


def memories_have_sources(runtime: Runtime) -> Finding:
    """Every active memory has a source; its quote appears in the lines that the source names."""
    without = [f"memory {row['id']} has no source" for row in _rows(runtime, "memories_without_source")]
    quotes = _rows(runtime, "segment_quotes")
    wrong = [
        f"memory {row['memory_id']}: quote not in {row['partition_key']} lines "
        f"{row['start_line']}-{row['end_line']}"
        for row in quotes
        if not quote_in_text(row["quote"], row["text"] or "")
    ]
    return _finding("memories supported by their lines", len(quotes), without + wrong)


def quote_in_text(quote: str, text: str) -> bool:
    """Whether a redacted quote occurs in the text: its pieces between placeholders, in order, whitespace folded."""
    folded = _SPACE.sub(" ", text)
    # arguments are stored as JSON, where a newline, a quotation mark or a control is escaped
    plain = text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")
    unescaped = _SPACE.sub(" ", _CONTROL.sub(lambda match: chr(int(match[1], 16)), plain))
    pieces = [_SPACE.sub(" ", p).strip() for p in _PLACEHOLDER.split(quote)]
    return any(_in_order([p for p in pieces if p], haystack) for haystack in (folded, unescaped))


def _in_order(pieces: Sequence[str], text: str) -> bool:
    position = 0
    for piece in pieces:
        found = text.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def tier_shares(runtime: Runtime) -> Finding:
    """HOT and WARM hold at most their percentile, rounded up, plus what arrived since the last rebalance."""
    counts = {row["tier"]: int(row["count"]) for row in _rows(runtime, "tier_counts")}
    total = sum(counts.values())
    most = math.ceil(total * runtime.settings.tiers.hot_percentile / 100)
    bad = [f"HOT holds {counts['HOT']} of {total}"] if counts.get("HOT", 0) > most else []
    return _finding("HOT within its share", total, bad)


def clusters_consistent(runtime: Runtime) -> Finding:
    """Cluster sizes equal their members, all of them active."""
    bad = [
        f"cluster {row['cluster_id']}: size {row['size']}, {row['members']} members, {row['active']} active"
        for row in _rows(runtime, "bad_clusters")
    ]
    return _finding("clusters whose members are active", _count(runtime, "cluster_count"), bad)


def dataset_matches_manifest(runtime: Runtime) -> Finding:
    """The newest dataset's files match the hashes and counts of its manifest and pass validation."""
    rows = _rows(runtime, "newest_export")
    if not rows:
        return _finding("datasets that match their manifest", 0, [], blocking=True)
    bring_here(runtime, Path(rows[0]["path"]))
    problems = verify_dataset(Path(rows[0]["path"]), tokenizer=runtime.settings.sft.tokenizer)
    return _finding("datasets that match their manifest", 1, problems, blocking=True)


def adapters_untainted(runtime: Runtime) -> Finding:
    """No adapter that was trained on rows erased since then still lies in its folder."""
    found = [run for run in list_runs(runtime) if run.status == "finished" and run.path.is_dir()]
    bad = [f"adapter {run.name}: delete {run.path}" for run in found if run.tainted_at]
    return _finding("adapters without erased rows", len(found), bad)
