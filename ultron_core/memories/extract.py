"""Messages of a segment -> memory drafts, by patterns offline or by a model."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.errors.episodes import find_episodes
from ultron_core.lessons.errors.failed_calls import left_drafts, solved_drafts, unsolved_drafts
from ultron_core.lessons.errors.reported import find_reported
from ultron_core.lessons.groups.mistakes import find_doubts, is_group
from ultron_core.lessons.habits import find_habits
from ultron_core.lessons.lookups import find_lookups
from ultron_core.lessons.people import find_corrections, find_preferences, find_tips
from ultron_core.lessons.security import find_dangers, find_incidents
from ultron_core.llm.protocol import LLM
from ultron_core.memories.by_model import extract_with_model
from ultron_core.models import MemoryDraft, Message, MessageLike, QualityLabel, as_messages

__all__ = ["EXTRACTOR_VERSION", "extract_memories"]

#: stored as `offline:<version>` on rows that the patterns made; changes when they would find other drafts
EXTRACTOR_VERSION = "3"
_UNREAD = ("system",)


def extract_memories(
    messages: Sequence[MessageLike], llm: LLM | None = None, *, label: QualityLabel | None = None
) -> list[MemoryDraft]:
    """Drafts in the order of their evidence; `gate_draft` decides about each afterwards, the caller how many.

    `label` says how the task ended: failures that were never solved are drafts of a failed task. With a
    model (stage `extract`, windows of 65,536 tokens) every quote is checked against its lines; ModelError
    passes through.
    """
    records = as_messages(messages)
    if llm is not None:
        return extract_with_model(records, llm)
    outcome = label.summary.outcome if label is not None else "unknown"
    return _unique(_by_patterns(_readable(records), outcome))


def _readable(messages: Sequence[Message]) -> list[Message]:
    """Without system prompts and recalled memories, and without branches that were given up."""
    return [m for m in messages if m.role not in _UNREAD and m.origin != "recalled"]


def _by_patterns(messages: Sequence[Message], outcome: str) -> list[MemoryDraft]:
    episodes = find_episodes(messages)
    drafts = solved_drafts(messages, episodes)
    drafts += unsolved_drafts(messages, episodes, outcome=outcome)
    drafts += find_reported(messages)
    drafts += find_corrections(messages)
    drafts += find_preferences(messages)
    drafts += find_incidents(messages)
    drafts += find_dangers(messages)
    drafts += find_tips(messages)
    drafts += find_lookups(messages)
    drafts += find_habits(messages, episodes)
    if outcome != "success":
        drafts += find_doubts(messages, failed=outcome == "failure")
        if is_group(messages):
            drafts += left_drafts(messages, episodes)
    return sorted(drafts, key=lambda draft: draft.evidence[0].start_line if draft.evidence else 0)


def _unique(drafts: Sequence[MemoryDraft]) -> list[MemoryDraft]:
    """The same words said twice are one draft; the one of higher confidence stays in its place."""
    kept: dict[str, MemoryDraft] = {}
    for draft in drafts:
        key = draft.content.casefold()
        if key not in kept or draft.confidence > kept[key].confidence:
            kept[key] = draft
    return list(kept.values())
