"""Messages of a segment -> memory drafts, as ultron_core.lessons finds them or by a model."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.drafts import find_drafts
from ultron_core.llm.protocol import LLM
from ultron_core.memories.by_model import extract_with_model
from ultron_core.models import MemoryDraft, MessageLike, as_messages

__all__ = ["EXTRACTOR_VERSION", "extract_memories"]

#: stored on rows that the rules made; raised when they would find other drafts
EXTRACTOR_VERSION = "offline:23"


def extract_memories(
    messages: Sequence[MessageLike],
    llm: LLM | None = None,
    *,
    project: str = "",
) -> list[MemoryDraft]:
    """Drafts, the likeliest first; `gate_draft` decides about each afterwards, the caller how many.

    `project` is the name of the session's project, which the drafts then bear. With a
    model (stage `extract`, windows of 65,536 tokens) every quote is checked against its lines; ModelError
    passes through.
    """
    records = as_messages(messages)
    if llm is not None:
        return extract_with_model(records, llm)
    return find_drafts(records, project)
