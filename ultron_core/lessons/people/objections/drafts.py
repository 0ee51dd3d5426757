"""The draft of an objection: what a person said, what it was about, and the agent's words on it."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.people.statements import phrase, without_opening
from ultron_core.lessons.people.turns import Turn
from ultron_core.models import Evidence, MemoryDraft, MemoryType, Message
from ultron_core.transcript.language import one_line

__all__ = ["objection_draft"]

#: characters of a quote
_MAX_QUOTE = 400


def objection_draft(
    messages: Sequence[Message],
    turn: Turn,
    told: Sequence[str],
    *,
    key: str,
    memory_type: MemoryType,
    tag: str,
    confidence: float,
    context: str,
    resolution: str,
    quote: str,
    project: str,
) -> MemoryDraft:
    """`told` are sentences of the turn, `quote` the words of its answer that `resolution` rests on."""
    said = [(turn.message, told[0])] + ([(messages[turn.answer], quote)] if quote else [])
    statement = without_opening(one_line(" ".join(told)))
    return MemoryDraft(
        content=phrase(key, statement, project, statement=statement),
        context=context,
        resolution=resolution,
        tags=(tag,),
        confidence=confidence,
        memory_type=memory_type,
        evidence=tuple(Evidence(m.start_line, m.end_line, words[:_MAX_QUOTE].strip()) for m, words in said),
    )
