"""Segment -> quality label: how well it went, what can be learned from it, what it is good for.

Two scores, because they differ: `overall_score` (worth training on) and `memory_score` (worth learning
from; a failed run is a good source of memories). Definitions and weights: docs/quality.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.labels.eligibility import Eligibility, is_memory_eligible, is_sft_eligible
from ultron_core.labels.judge import label_with_model
from ultron_core.labels.offline import LABELER_VERSION, label_offline
from ultron_core.labels.task_type import TASK_TYPES
from ultron_core.llm.protocol import LLM
from ultron_core.models import Message, MessageLike, QualityLabel, as_messages

__all__ = [
    "LABELER_VERSION",
    "TASK_TYPES",
    "Eligibility",
    "is_memory_eligible",
    "is_sft_eligible",
    "label_segment",
]


def label_segment(
    messages: Sequence[MessageLike],
    llm: LLM | None = None,
    *,
    topic: str = "",
    project: str = "",
    following: Message | None = None,
) -> QualityLabel:
    """The quality label of one segment; `project` is the name of its session's project, `following` the turn of a
    person that opens the next segment, which may tell what came of this one.

    Without a model the rules of this version judge (`labeler` = LABELER_VERSION). With one the model judges
    (`labeler` = `model:<model_id>`), and ModelUnavailableError, ModelAnswerError and BudgetExceededError
    are raised: the caller leaves the segment pending.
    """
    records = as_messages(messages)
    if llm is None:
        return label_offline(records, topic, project=project, following=following)
    return label_with_model(records, llm, topic)
