"""Each row of a dataset folder looked at alone, some at a time, in any process; `dataset.py` compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ultron_core.sft.counting.counts import CountTokens, token_counts
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.files.read import rows_of
from ultron_core.sft.kinds.runs import content_of, runs_of
from ultron_core.sft.records import Scanned, canonical_json, content_sha256
from ultron_core.sft.rules.calls import call_problems, is_inline
from ultron_core.sft.rules.files import flavour_problems
from ultron_core.sft.rules.turns import Finding, text_problems, token_problems, turn_problems

__all__ = ["COLUMNS", "Checks", "Looked", "Piece", "look_at"]

#: what rows are compared by
COLUMNS = ("session_key", "rejected_session_key", "task_key", "group_key")


@dataclass(frozen=True, slots=True)
class Checks:
    """What a look at the rows needs besides the folder."""

    count_tokens: CountTokens
    has_secret: Callable[[str], bool]
    eval_index: EvalIndex | None = None
    #: rows that were counted and scanned a moment ago, by content hash
    scanned: Mapping[str, Scanned] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows as they lie in a file (a `pyarrow.RecordBatch`), and beside each its line of every flavour."""

    kind: str
    split: str
    most_tokens: int
    rows: Any
    flavours: Sequence[tuple[Path, Sequence[str]]]
    #: of `Checks.scanned`, which stays in the first process
    scanned: Mapping[str, Scanned]


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in one row alone, and what it is compared with others by."""

    id: str
    findings: Sequence[Finding]
    #: hash of the content as it was read, and as the row says
    content: str
    told: str
    columns: Mapping[str, str]
    #: of each run: does it hold reasoning?
    thinks: Sequence[bool]
    #: problems of its lines
    lines: Sequence[str]


def look_at(checks: Checks, pieces: Sequence[Piece]) -> list[list[Looked]]:
    """For `Workers`: what is found in each row of each piece."""
    return [[_looked(*row, piece, checks) for row in _beside(piece)] for piece in pieces]


def _beside(piece: Piece) -> Iterator[tuple[Mapping[str, Any], list[tuple[Path, str | None]]]]:
    lines = [(path, iter(held)) for path, held in piece.flavours]
    for row in rows_of(piece.rows, piece.split):
        yield row, [(path, next(held, None)) for path, held in lines]


def _looked(
    row: Mapping[str, Any], lines: Sequence[tuple[Path, str | None]], piece: Piece, checks: Checks
) -> Looked:
    runs = runs_of(piece.kind, row)
    return Looked(
        id=row["id"],
        findings=[finding for run in runs for finding in _run_findings(run, piece, checks)],
        content=content_of(piece.kind, row),
        told=row["content_sha256"],
        columns={name: row[name] for name in COLUMNS if name in row},
        thinks=[any("reasoning_content" in m or is_inline(m) for m in run["messages"]) for run in runs],
        lines=[problem for path, line in lines for problem in flavour_problems(path, line, row)],
    )


def _run_findings(row: Mapping[str, Any], piece: Piece, checks: Checks) -> Iterator[Finding]:
    shape = list(turn_problems(row["messages"]))
    yield from shape
    yield from text_problems([row["messages"], row["tools"], row["topic"]])
    if any(rule == 5 for rule, _ in shape):
        return  # the others read the contents
    calls = list(call_problems(row))
    yield from calls
    if any(rule == 1 for rule, _ in calls):
        return
    content = content_sha256(tuple(row["messages"]), tuple(row["tools"]))
    known = piece.scanned.get(content) or checks.scanned.get(content)
    if known and known.topic == row["topic"]:
        tokens = known.tokens, known.trained
    else:
        tokens = token_counts(row["messages"], row["tools"], checks.count_tokens)
        if checks.has_secret(canonical_json([row["messages"], row["tools"], row["topic"]])):
            yield 19, "a secret"
    yield from token_problems(row, tokens, piece.most_tokens)
    if checks.eval_index and (hit := checks.eval_index.match(row["messages"])):
        yield 19, f"a text of the evaluation set {hit[0]}"
