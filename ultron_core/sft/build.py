"""Candidates -> rows and rejects, in the order that matters; every drop has a reason.

normalise -> redact -> verify -> length -> exact duplicates -> near-duplicates -> evaluation texts -> limit -> split
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ultron_core.sft.decontaminate import EvalIndex
from ultron_core.sft.dedup import duplicate_clusters, minhash
from ultron_core.sft.normalize import Normalized, normalize_messages
from ultron_core.sft.records import Candidate, Reject, Row, canonical_json, content_sha256

__all__ = ["BuildConfig", "Built", "build_rows", "counts_by_reason"]

#: tokens a chat template adds to each message, a good approximation for the common families
_TOKENS_A_MESSAGE = 4
_SPLIT_SEED = "ultron-sft-split-1"


@dataclass(frozen=True, slots=True)
class BuildConfig:
    """Everything that decides which rows are exported; it is stored in the manifest."""

    limit: int = 5000
    max_tokens: int = 32_768
    tool_output_max_tokens: int = 2048
    validation_share: float = 0.1
    reasoning: str = "keep"


@dataclass(frozen=True, slots=True)
class Built:
    """Rows in file order and everything that was left out."""

    rows: tuple[Row, ...]
    rejects: tuple[Reject, ...]


def build_rows(
    candidates: Sequence[Candidate],
    config: BuildConfig,
    *,
    redact: Callable[[Any], Any],
    has_secret: Callable[[str], bool],
    count_tokens: Callable[[str], int],
    eval_index: EvalIndex | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Built:
    """Rows sorted by id; equal candidates and config give equal rows, whatever their order.

    `redact` replaces secrets and personal data in a JSON value; `has_secret` is the independent second look:
    a row in which it still finds something is rejected.
    """
    rejects: list[Reject] = []
    rows: list[Row] = []
    for done, candidate in enumerate(candidates):
        outcome = _row(candidate, config, redact, has_secret, count_tokens)
        (rows if isinstance(outcome, Row) else rejects).append(outcome)  # type: ignore[arg-type]
        if progress:
            progress(done + 1, len(candidates))
    rows = _drop_exact(_best_first(rows), rejects)
    rows = _drop_near(rows, rejects)
    rows = _drop_contaminated(rows, eval_index, rejects)
    for row in rows[config.limit :]:
        rejects.append(_reject(row, "over_limit", f"limit {config.limit}"))
    rows = [replace(row, split=_split(row.group_key, config)) for row in rows[: config.limit]]
    return Built(tuple(sorted(rows, key=lambda r: r.id)), tuple(sorted(rejects, key=lambda r: r.segment_id)))


def _row(
    candidate: Candidate,
    config: BuildConfig,
    redact: Callable[[Any], Any],
    has_secret: Callable[[str], bool],
    count_tokens: Callable[[str], int],
) -> Row | Reject:
    normal = normalize_messages(
        candidate.messages,
        candidate.tools,
        reasoning=config.reasoning,
        tool_output_max_tokens=config.tool_output_max_tokens,
        count_tokens=count_tokens,
    )
    if normal.reason:
        return _refuse(candidate, normal.reason, normal.detail)
    clean = redact({"messages": list(normal.messages), "tools": list(normal.tools)})
    normal = replace(normal, messages=tuple(clean["messages"]), tools=tuple(clean["tools"]))
    if has_secret(canonical_json(clean)):
        return _refuse(candidate, "secret_after_redaction")
    total, trained = _tokens(normal, count_tokens)
    if total > config.max_tokens:
        return _refuse(candidate, "too_long", f"{total} tokens, limit {config.max_tokens}")
    if trained < 1:
        return _refuse(candidate, "nothing_to_train")
    return _as_row(candidate, normal, total, trained)


def _refuse(candidate: Candidate, reason: str, detail: str = "") -> Reject:
    summary = candidate.label.summary
    return Reject(candidate.segment_id, reason, detail[:200], summary.overall_score, summary.task_type)


def _reject(row: Row, reason: str, detail: str = "") -> Reject:
    return Reject(row.id, reason, detail[:200], row.quality_score, row.task_type)


def _tokens(normal: Normalized, count_tokens: Callable[[str], int]) -> tuple[int, int]:
    """(all tokens with tools and a template's marks, tokens of assistant text, reasoning and calls)."""
    total = count_tokens(canonical_json(list(normal.tools))) if normal.tools else 0
    trained = 0
    for message in normal.messages:
        parts = [message["content"], message.get("reasoning_content", "")]
        if "tool_calls" in message:
            parts.append(canonical_json([c["function"] for c in message["tool_calls"]]))
        tokens = sum(count_tokens(part) for part in parts if part)
        total += tokens + _TOKENS_A_MESSAGE
        trained += tokens if message["role"] == "assistant" else 0
    return total, trained


def _as_row(candidate: Candidate, normal: Normalized, total: int, trained: int) -> Row:
    messages, tools = normal.messages, normal.tools
    calls = [len(m.get("tool_calls", ())) for m in messages]
    summary = candidate.label.summary
    return Row(
        id=candidate.segment_id,
        messages=messages,
        tools=tools,
        task_type=summary.task_type,
        topic=candidate.topic,
        quality_score=round(summary.overall_score, 6),
        source_harness=candidate.harness,
        session_key=candidate.session_key,
        group_key=candidate.session_key,
        content_sha256=content_sha256(messages, tools),
        dup_cluster="",
        num_turns=sum(m["role"] == "user" for m in messages),
        num_tool_calls=sum(calls),
        num_tokens=total,
        num_trained_tokens=trained,
        has_reasoning=any("reasoning_content" in m for m in messages),
        max_parallel_calls=max(calls, default=0),
        truncated_tool_outputs=normal.truncated,
        tools_inferred=normal.tools_inferred,
        labeler_version=candidate.label.labeler,
        redaction_version=candidate.redaction_version,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        origin="session",
        trust="human" if any(message.origin == "human" for message in candidate.messages) else "agent",
        agent_id=candidate.agent_id,
        session_id=candidate.session_id,
    )


def _best_first(rows: Sequence[Row]) -> list[Row]:
    """Best score, then longest, then smallest content hash: the order in which duplicates lose."""
    return sorted(rows, key=lambda r: (-r.quality_score, -r.num_tokens, r.content_sha256, r.id))


def _drop_exact(rows: Sequence[Row], rejects: list[Reject]) -> list[Row]:
    first: dict[str, Row] = {}
    for row in rows:
        kept = first.setdefault(row.content_sha256, row)
        if kept is not row:
            rejects.append(_reject(row, "exact_duplicate", f"of {kept.id}"))
    return list(first.values())


def _drop_near(rows: Sequence[Row], rejects: list[Reject]) -> list[Row]:
    kept: list[Row] = []
    heads = duplicate_clusters([minhash(row.messages) for row in rows])
    for position, (row, head) in enumerate(zip(rows, heads, strict=True)):
        if head != position:
            rejects.append(_reject(row, "near_duplicate", f"of {rows[head].id}"))
            continue
        kept.append(replace(row, dup_cluster=row.content_sha256[:16]))
    return kept


def _drop_contaminated(rows: Sequence[Row], index: EvalIndex | None, rejects: list[Reject]) -> list[Row]:
    if index is None:
        return list(rows)
    kept = []
    for row in rows:
        hit = index.match(row.messages)
        if hit is None:
            kept.append(row)
        else:
            rejects.append(_reject(row, "in_evaluation_set", f"{hit[0]}: {hit[1]}"))
    return kept


def _split(group_key: str, config: BuildConfig) -> str:
    """By hash of the group alone: a row never moves between splits from one version to the next."""
    digest = hashlib.sha256(f"{_SPLIT_SEED}/{group_key}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return "validation" if share < config.validation_share else "train"


def counts_by_reason(rejects: Sequence[Reject]) -> Mapping[str, int]:
    """How many were left out, by reason."""
    counts: dict[str, int] = {}
    for reject in rejects:
        counts[reject.reason] = counts.get(reject.reason, 0) + 1
    return dict(sorted(counts.items()))
