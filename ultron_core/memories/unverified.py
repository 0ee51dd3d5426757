"""Cures that nothing in a log bears out: kept, since they may help, and shown as what they are."""

from __future__ import annotations

from dataclasses import replace

from ultron_core.models import MemoryDraft
from ultron_core.transcript.language import language

__all__ = ["UNVERIFIED", "mark_unverified"]

#: tag of a memory whose cure nobody has seen work
UNVERIFIED = "unverified"
_SAID = {"en": "Unverified: ", "zh": "未经验证："}


def mark_unverified(draft: MemoryDraft) -> MemoryDraft:
    """The draft with its tag, and with the word before its resolution wherever that is read."""
    said = f"{_SAID[language(draft.resolution)]}{draft.resolution}"
    return replace(draft, resolution=said, tags=(UNVERIFIED, *draft.tags))
