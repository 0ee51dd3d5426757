"""Extraction by a model: windows of messages in, drafts with checked quotes out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from ultron_core.errors import ContextTooLongError
from ultron_core.lessons.evidence import appears_in
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import count_tokens, truncate_tokens
from ultron_core.memories.classify import classify_memory
from ultron_core.memories.prompting import ask
from ultron_core.memories.quotes import find_words
from ultron_core.models import Evidence, MemoryDraft, MemoryType, Message

__all__ = ["WINDOW_TOKENS", "extract_with_model", "ingest_with_model"]

#: the default of ULTRON_CONVERSATION_EXTRACT_WINDOW_TOKENS
WINDOW_TOKENS = 65_536
#: bound of one answer; how many memories a segment may have is a setting that the extract step applies
_MAX_ANSWER = 200
#: tokens; a model that reads less cannot extract
_LEAST_WINDOW = 256


class _Quote(BaseModel):
    start_line: int = Field(ge=0)
    end_line: int = Field(ge=0)
    quote: str = Field(max_length=400)


class _Memory(BaseModel):
    content: str = Field(max_length=4_000)
    context: str = Field("", max_length=4_000)
    resolution: str = Field("", max_length=8_000)
    tags: list[str] = Field(default_factory=list, max_length=8)
    confidence: float = Field(0.5, ge=0, le=1)
    memory_type: MemoryType | None = None
    evidence: list[_Quote] = Field(default_factory=list, max_length=5)


class ExtractAnswer(BaseModel):
    """What the model is asked for."""

    memories: list[_Memory] = Field(max_length=_MAX_ANSWER)


def extract_with_model(
    messages: Sequence[Message], llm: LLM, window_tokens: int = WINDOW_TOKENS
) -> list[MemoryDraft]:
    """Drafts of every window in order; quotes that are not on the lines they name are left out of a draft."""
    drafts: list[MemoryDraft] = []
    for window in _windows(messages, window_tokens):
        drafts += [_draft(memory, messages) for memory in _ask_halving("extract", window, "\n\n", llm)]
    return drafts


def _ask_halving(prompt: str, shown: Sequence[str], between: str, llm: LLM) -> list[_Memory]:
    """What the model finds in a window, in its halves when it is too long for the model."""
    log = between.join(shown)
    try:
        answer = llm.complete(ask(prompt, {"log": log}), ExtractAnswer, stage="extract")
    except ContextTooLongError:
        if count_tokens(log) < _LEAST_WINDOW:
            raise
        halves = _halves(shown)
        return [memory for half in halves for memory in _ask_halving(prompt, half, between, llm)]
    return [memory for memory in answer.memories if memory.content.strip()]


def _halves(shown: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Two runs of messages of about the same length; a lone message keeps its head and its tail."""
    if len(shown) == 1:
        text = shown[0]
        head = text.partition(":")[0]
        return [text[: len(text) // 2]], [f"{head}: … {text[len(text) // 2 :]}"]
    half, used = sum(map(len, shown)) / 2, 0
    for at, text in enumerate(shown):
        used += len(text)
        if used >= half:
            at = min(max(at, 1), len(shown) - 1)
            break
    return shown[:at], shown[at:]


def ingest_with_model(text: str, parts: Sequence[str], llm: LLM) -> list[MemoryDraft]:
    """Drafts of a text that somebody hands in, part by part; each part is a run of its lines with their numbers."""
    lines = [
        Message("user", line, start_line=i, end_line=i) for i, line in enumerate(text.splitlines(), start=1)
    ]
    drafts: list[MemoryDraft] = []
    for part in parts:
        found = _ask_halving("ingest", part.splitlines(), "\n", llm)
        drafts += [_draft(memory, lines) for memory in found]
    return drafts


def _windows(messages: Sequence[Message], limit: int) -> Iterator[list[str]]:
    """Consecutive messages up to `limit` tokens; one that is longer alone is cut and sent alone."""
    window: list[str] = []
    used = 0
    for message in messages:
        shown = _show(message)
        size = count_tokens(shown)
        if window and used + size > limit:
            yield window
            window, used = [], 0
        if size > limit:
            shown, size = truncate_tokens(shown, limit), limit
        window.append(shown)
        used += size
    if window:
        yield window


def _show(message: Message) -> str:
    head = f"[{message.start_line}-{message.end_line}] {message.role}"
    if message.origin in ("harness", "recalled"):
        head += f" ({message.origin})"
    calls = [
        f"call {call.name}: {json.dumps(call.arguments, ensure_ascii=False)}" for call in message.tool_calls
    ]
    return "\n".join([f"{head}: {message.content}", *calls])


def _draft(memory: _Memory, messages: Sequence[Message]) -> MemoryDraft:
    evidence = [found for quote in memory.evidence if (found := _checked(quote, messages)) is not None]
    content, context, resolution = (t.strip() for t in (memory.content, memory.context, memory.resolution))
    memory_type = memory.memory_type or classify_memory(content, context, resolution)
    if memory_type in (
        "preference",
        "correction",
    ):  # only a person has wishes; without a quote the gate refuses
        evidence = _of_people(evidence, messages)
    return MemoryDraft(
        content=content,
        context=context,
        resolution=resolution,
        tags=tuple(tag.strip()[:40] for tag in memory.tags if tag.strip())[:5],
        confidence=memory.confidence,
        memory_type=memory_type,
        evidence=tuple(evidence),
    )


def _checked(quote: _Quote, messages: Sequence[Message]) -> Evidence | None:
    """The quote with the lines of the message that holds it; None when no message near the given lines does."""
    words = quote.quote.strip()
    for message in messages:
        near = message.start_line <= quote.end_line and message.end_line >= quote.start_line
        if near and appears_in(words, message):
            return Evidence(message.start_line, message.end_line, words)
        if near and (own := find_words(words, message)):
            return Evidence(message.start_line, message.end_line, own)
    return None


def _of_people(evidence: Sequence[Evidence], messages: Sequence[Message]) -> list[Evidence]:
    """The quotes that a person wrote, and not a tool's output that looks like one."""
    lines = {(m.start_line, m.end_line) for m in messages if m.role == "user" and m.origin == "human"}
    return [one for one in evidence if (one.start_line, one.end_line) in lines]
