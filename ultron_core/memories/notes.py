"""What a model answers when it extracts: notes with their quotes, and how far the record bears out a cure."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ultron_core.models import Cure, MemoryType

__all__ = ["MOST_NOTES", "ExtractAnswer", "Note", "NoteQuote"]

#: bound of one answer; how many memories a segment may have is a setting that the extract step applies
MOST_NOTES = 200
#: characters of a field, as llm/answering/schemas.py explains
_MOST_TEXT = 1_900


class NoteQuote(BaseModel):
    """Words of one message, by the number that its header shows (of a text: by the number of its line)."""

    message: int = Field(ge=0)
    quote: str = Field(max_length=400)


class Note(BaseModel):
    """One thing worth remembering: what it is and the words it rests on come first, so that it is written from them."""

    model_config = ConfigDict(json_schema_extra={"asked": ["memory_type", "evidence"]})

    memory_type: MemoryType | None = None
    evidence: list[NoteQuote] = Field(default_factory=list, max_length=5)
    content: str = Field(max_length=_MOST_TEXT)
    #: the content in a line, where it is longer than one
    summary: str = Field("", max_length=400)
    context: str = Field("", max_length=_MOST_TEXT)
    resolution: str = Field("", max_length=_MOST_TEXT)
    resolution_status: Cure = "claimed"
    verified_by: NoteQuote | None = None
    tags: list[str] = Field(default_factory=list, max_length=8)
    confidence: float = Field(0.5, ge=0, le=1)


class ExtractAnswer(BaseModel):
    """What the model is asked for."""

    memories: list[Note] = Field(max_length=MOST_NOTES)
