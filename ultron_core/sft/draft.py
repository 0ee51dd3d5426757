"""One candidate -> one row before redaction, or the reason why there is none."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ultron_core.sft.clean import Tools
from ultron_core.sft.config import BuildConfig
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.curate.dedup import BandKeys, band_keys
from ultron_core.sft.curate.same_task import first_request, task_key
from ultron_core.sft.curate.shingles import Shingles, compared_text, shingles
from ultron_core.sft.records import Candidate, Reject, Row, canonical_json, content_sha256
from ultron_core.sft.shape.normalize import Normalized, normalize_messages
from ultron_core.sft.tokens import CountTokens, over_limit

__all__ = ["DRAFT_VERSION", "Draft", "DraftMemory", "Drafted", "draft_batch", "draft_row"]

#: of what exports remember; raised when a candidate's evidence, shape or row comes out otherwise than before
DRAFT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Draft:
    """A row that is not redacted yet, with what it is compared by."""

    row: Row
    shingles: Shingles
    twin: str = ""


@dataclass(frozen=True, slots=True)
class Drafted:
    """What is decided on of one draft, and the draft itself as bytes for the disk."""

    id: str
    score: float
    length: int
    content: str
    session: str
    task: str
    task_type: str
    succeeded: bool | None
    twin: str
    row: bytes
    shingles: bytes
    keys: BandKeys

    @classmethod
    def of(cls, row: Row, length: int, keys: BandKeys, shingles: bytes, twin: str = "") -> Drafted:
        return cls(
            id=row.id,
            score=row.quality_score,
            length=length,
            content=row.content_sha256,
            session=row.session_key,
            task=row.task_key,
            task_type=row.task_type,
            succeeded=row.succeeded,
            twin=twin,
            row=pickle.dumps(row, protocol=pickle.HIGHEST_PROTOCOL),
            shingles=shingles,
            keys=keys,
        )


class DraftMemory(Protocol):
    """What earlier exports drafted. Such a draft has no texts; where they are needed, the log is read again."""

    def remember(self, made: Sequence[tuple[bytes, Drafted | Reject]]) -> None:
        """Each draft or reject with the source of its candidate."""

    def reread(self, segments: Sequence[str]) -> Iterable[Candidate | Drafted | Reject]:
        """The candidates that the drafts were made of."""


def draft_batch(config: BuildConfig, tools: Tools, candidates: Sequence[Candidate]) -> list[Drafted | Reject]:
    """A draft or a reject for each candidate."""
    made = [draft_row(candidate, config, tools.count_tokens, tools.eval_index) for candidate in candidates]
    drafts = [draft for draft in made if isinstance(draft, Draft)]
    keys = iter(band_keys([draft.shingles for draft in drafts], config.near_duplicate_jaccard))
    return [_packed(draft, np.array(next(keys))) if isinstance(draft, Draft) else draft for draft in made]


def _packed(draft: Draft, keys: BandKeys) -> Drafted:
    return Drafted.of(draft.row, _length(draft.row.messages), keys, draft.shingles.tobytes(), draft.twin)


def _length(messages: Iterable[Mapping[str, Any]]) -> int:
    """Characters that a person, a model or a tool wrote."""
    return sum(len(message["content"]) for message in messages)


def draft_row(
    candidate: Candidate, config: BuildConfig, count_tokens: CountTokens, eval_index: EvalIndex | None
) -> Draft | Reject:
    """Everything that can be decided of one candidate alone and without redaction."""
    normal = normalize_messages(
        candidate.messages,
        candidate.tools,
        system=candidate.system,
        continues=candidate.continues,
        reasoning=config.reasoning,
        tool_output_max_tokens=config.tool_output_max_tokens,
        count_tokens=count_tokens,
    )
    reason, detail = normal.reason, normal.detail
    if not reason:
        reason, detail = _refusal(candidate, normal, config, eval_index)
    if reason:
        return _refuse(candidate, reason, detail)
    if tokens := over_limit(normal.messages, normal.tools, config.max_tokens, count_tokens):
        return _refuse(candidate, "too_long", f"more than {tokens} tokens, limit {config.max_tokens}")
    row = _as_row(candidate, normal)
    # an answer and its correction share what they were asked: they are compared by what was answered
    compared = [m for m in row.messages if not candidate.twin or m["role"] == "assistant"]
    return Draft(row, shingles(compared_text(compared)), candidate.twin)


def _refusal(
    candidate: Candidate, normal: Normalized, config: BuildConfig, eval_index: EvalIndex | None
) -> tuple[str, str]:
    if config.reasoning != "drop" and not any(
        m.reasoning for m in candidate.messages if m.role == "assistant"
    ):
        return "without_reasoning", f"reasoning={config.reasoning} takes rows with reasoning only"
    if config.parallel_calls == "drop" and any(len(m.get("tool_calls", ())) > 1 for m in normal.messages):
        return "parallel_calls", ""
    if config.bad_turns == "drop" and any("loss" in m for m in normal.messages):
        return "bad_turn", ""
    if not any(m["role"] == "assistant" and m.get("loss", True) for m in normal.messages):
        return "nothing_to_learn", "every turn of the model is masked"
    hit = eval_index.match(normal.messages) if eval_index else None
    return ("in_evaluation_set", f"{hit[0]}: {hit[1]}") if hit else ("", "")


def _refuse(candidate: Candidate, reason: str, detail: str = "") -> Reject:
    summary = candidate.label.summary
    return Reject(candidate.segment_id, reason, detail[:200], summary.overall_score, summary.task_type)


def _as_row(candidate: Candidate, normal: Normalized) -> Row:
    messages = normal.messages
    calls = [len(m.get("tool_calls", ())) for m in messages]
    summary = candidate.label.summary
    return Row(
        id=candidate.segment_id,
        messages=messages,
        tools=normal.tools,
        task_type=summary.task_type,
        topic=candidate.topic,
        quality_score=round(summary.overall_score, 6),
        evidence=candidate.evidence,
        success_probability=round(candidate.success_probability, 6),
        source_harness=candidate.harness,
        session_key=candidate.session_key,
        task_key=task_key(candidate.project, first_request(messages), candidate.task_id),
        group_key="",
        content_sha256=content_sha256(messages, normal.tools),
        dup_cluster="",
        num_turns=sum(m["role"] == "user" for m in messages),
        num_tool_calls=sum(calls),
        num_tokens=0,
        num_trained_tokens=0,
        num_images=normal.repairs.get("image", 0),
        has_reasoning=any(m.reasoning for m in candidate.messages if m.role == "assistant")
        and any("reasoning_content" in m or m["content"].startswith("<think>\n") for m in messages),
        max_parallel_calls=max(calls, default=0),
        ends_with_call="tool_calls" in messages[-1],
        truncated_tool_outputs=normal.truncated,
        tools_inferred=normal.tools_inferred,
        repairs=canonical_json(dict(normal.repairs)),
        labeler_version=candidate.label.labeler,
        redaction_version=candidate.redaction_version,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        origin="session",
        trust="human" if any(message.origin == "human" for message in candidate.messages) else "agent",
        agent_id=candidate.agent_id,
        session_id=candidate.session_id,
        succeeded=candidate.succeeded,
    )
