"""The rows of a preference dataset and of an outcome dataset, in the columns that DPO and KTO trainers read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ultron_core.sft.counting.counts import CountTokens, token_counts
from ultron_core.sft.records import Row, canonical_json, content_sha256

__all__ = ["Outcome", "Pair", "outcome_of", "pair_content", "pair_of"]

_Messages = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """What a person or a check preferred, and what they did not, to one and the same prompt."""

    id: str
    prompt: _Messages
    chosen: _Messages
    rejected: _Messages
    tools: _Messages
    #: `runs` of one task that ended differently, or an answer that was `corrected` and then accepted
    made_from: str
    task_type: str
    topic: str
    source_harness: str
    session_key: str
    task_key: str
    group_key: str
    content_sha256: str
    rejected_session_key: str
    chosen_id: str
    rejected_id: str
    chosen_evidence: str
    rejected_evidence: str
    chosen_tokens: int
    rejected_tokens: int
    labeler_version: str
    redaction_version: str
    split: str = "train"
    sides: tuple[Row, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run and whether it did what was asked."""

    id: str
    prompt: _Messages
    completion: _Messages
    label: bool
    tools: _Messages
    task_type: str
    topic: str
    quality_score: float
    evidence: str
    source_harness: str
    session_key: str
    task_key: str
    group_key: str
    content_sha256: str
    num_tokens: int
    labeler_version: str
    redaction_version: str
    split: str = "train"
    sides: tuple[Row, ...] = field(default=(), compare=False)


def outcome_of(row: Row) -> Outcome:
    """The run behind the first request is the completion."""
    asked = _first_answer(row.messages)
    return Outcome(
        id=row.id,
        prompt=row.messages[:asked],
        completion=row.messages[asked:],
        label=bool(row.succeeded),
        tools=row.tools,
        task_type=row.task_type,
        topic=row.topic,
        quality_score=row.quality_score,
        evidence=row.evidence,
        source_harness=row.source_harness,
        session_key=row.session_key,
        task_key=row.task_key,
        group_key=row.group_key,
        content_sha256=row.content_sha256,
        num_tokens=row.num_tokens,
        labeler_version=row.labeler_version,
        redaction_version=row.redaction_version,
        split=row.split,
        sides=(row,),
    )


def pair_of(chosen: Row, rejected: Row, made_from: str, count_tokens: CountTokens) -> Pair | None:
    """None when the two were not asked the same, or when one only goes on where the other ends."""
    common = _common(chosen.messages, rejected.messages)
    better, worse = chosen.messages[common:], rejected.messages[common:]
    if common < _first_answer(chosen.messages) or not (better and worse) or better == worse:
        return None
    tools = _union(chosen.tools, rejected.tools)
    sides = [_with_tools(row, tools, count_tokens) for row in (chosen, rejected)]
    return Pair(
        id=f"{chosen.id}+{rejected.id}",
        prompt=chosen.messages[:common],
        chosen=better,
        rejected=worse,
        tools=tools,
        made_from=made_from,
        task_type=chosen.task_type,
        topic=chosen.topic,
        source_harness=chosen.source_harness,
        session_key=chosen.session_key,
        task_key=chosen.task_key,
        group_key=chosen.group_key,
        content_sha256=pair_content(chosen.messages[:common], better, worse, tools),
        rejected_session_key=rejected.session_key,
        chosen_id=chosen.id,
        rejected_id=rejected.id,
        chosen_evidence=chosen.evidence,
        rejected_evidence=rejected.evidence,
        chosen_tokens=sides[0].num_tokens,
        rejected_tokens=sides[1].num_tokens,
        labeler_version=chosen.labeler_version,
        redaction_version=chosen.redaction_version,
        split=chosen.split,
        sides=tuple(sides),
    )


def pair_content(
    prompt: Sequence[Mapping[str, Any]],
    chosen: Sequence[Mapping[str, Any]],
    rejected: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
) -> str:
    """Identity of a pair's content."""
    sides = [content_sha256((*prompt, *side), tuple(tools)) for side in (chosen, rejected)]
    return hashlib.sha256(canonical_json([len(prompt), sides]).encode()).hexdigest()


def _first_answer(messages: Sequence[Mapping[str, Any]]) -> int:
    return next(i for i, message in enumerate(messages) if message["role"] == "assistant")


def _common(one: _Messages, other: _Messages) -> int:
    """Messages that both begin with, up to a turn that the model answers."""
    same = next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    common = min(len(one), len(other)) if same is None else same
    while common and one[common - 1]["role"] == "assistant":
        common -= 1
    # a prompt must not end between the results of one turn
    while common < len(one) and one[common]["role"] == "tool":
        common -= 1
        while common and one[common - 1]["role"] in {"tool", "assistant"}:
            common -= 1
    return common


def _union(one: _Messages, other: _Messages) -> _Messages:
    """Tools of both; of two schemas of one name the first, with the properties of both."""
    found: dict[str, Any] = {}
    for tool in (*one, *other):
        name = tool["function"]["name"]
        found[name] = _joined(found[name], tool) if name in found else tool
    return tuple(found[name] for name in sorted(found))


def _joined(tool: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    shapes = [one["function"].get("parameters", {}) for one in (tool, other)]
    if tool == other or not all(isinstance(shape, Mapping) for shape in shapes):
        return tool
    properties = {**shapes[1].get("properties", {}), **shapes[0].get("properties", {})}
    if not properties:
        return tool
    parameters = {**shapes[0], "properties": properties}
    return {**tool, "function": {**tool["function"], "parameters": parameters}}


def _with_tools(row: Row, tools: _Messages, count_tokens: CountTokens) -> Row:
    if canonical_json(list(row.tools)) == canonical_json(list(tools)):
        return row
    total, trained = token_counts(row.messages, tools, count_tokens)
    return replace(
        row,
        tools=tools,
        num_tokens=total,
        num_trained_tokens=trained,
        content_sha256=content_sha256(row.messages, tools),
    )
