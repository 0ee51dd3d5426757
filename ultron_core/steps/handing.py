"""What may be put before an agent unasked: by who said it and what bears it out, never by tags or words."""

from __future__ import annotations

from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.transcript.hazards import hazards
from ultron_core.transcript.speech import is_wish

__all__ = ["for_message", "for_session_start", "is_harmless"]

#: what tells an agent what to do
_RULES = ("preference", "correction")


def for_message(record: MemoryRecord) -> bool:
    """Whether a memory that bears on a message may come with it: a rule is a person's, and nothing is held. What others
    handed in is data, unless it words a wish."""
    if record.held:
        return False
    ruling = record.memory_type in _RULES or (record.trust == "upload" and is_wish(record.content))
    return record.proven == "person" or not ruling


def for_session_start(record: MemoryRecord) -> bool:
    """The same of what comes unasked at the beginning of a session: from logs of the owner and what they confirmed."""
    return for_message(record) and (record.trust != "upload" or record.proven == "person")


def is_harmless(text: str) -> bool:
    """Whether words of a log make an agent do nothing that its owner must confirm first."""
    return not hazards(text)
