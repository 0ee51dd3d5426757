"""Messages of a segment -> memory drafts, by the rules of ultron_core.lessons or by a model."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.registry import find_lessons
from ultron_core.llm.protocol import LLM
from ultron_core.memories.by_model import extract_with_model
from ultron_core.models import MemoryDraft, MessageLike, QualityLabel, as_messages

__all__ = ["EXTRACTOR_VERSION", "extract_memories"]

#: stored on rows that the rules made; raised when they would find other drafts
EXTRACTOR_VERSION = "offline:21"


def extract_memories(
    messages: Sequence[MessageLike],
    llm: LLM | None = None,
    *,
    label: QualityLabel | None = None,
    project: str = "",
) -> list[MemoryDraft]:
    """Drafts in the order of their evidence; `gate_draft` decides about each afterwards, the caller how many.

    `label` says how the task ended: failures that were never solved are drafts of a failed task. `project` is the name
    of the session's project, which the drafts then bear. With a
    model (stage `extract`, windows of 65,536 tokens) every quote is checked against its lines; ModelError
    passes through.
    """
    records = as_messages(messages)
    if llm is not None:
        return extract_with_model(records, llm)
    outcome = label.summary.outcome if label is not None else "unknown"
    return [lesson.told for lesson in find_lessons(records, outcome, project)]
