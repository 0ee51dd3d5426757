"""Extraction by a model: windows of messages in, notes out, and what becomes a draft of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from ultron_core.errors import ContextTooLongError
from ultron_core.lessons.evidence import appears_in, is_own
from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import LLM, Named
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories.classify import classify_memory
from ultron_core.memories.notes import ExtractAnswer, Note, NoteQuote
from ultron_core.memories.prompting import ask
from ultron_core.memories.quotes import find_words
from ultron_core.models import Cure, Evidence, MemoryDraft, Message, Proof, QualityLabel
from ultron_core.records.asking import Question, ask_windows, made_by, prompt_digest
from ultron_core.records.frame import mark_of
from ultron_core.records.record import Record

__all__ = [
    "WINDOW_TOKENS",
    "drafts_from",
    "extract_prompt",
    "extract_rules",
    "extract_with_model",
    "extractor_of",
    "ingest_with_model",
    "prompt_version",
    "usable",
]

STAGE = "extract"
#: the default of ULTRON_CONVERSATION_EXTRACT_WINDOW_TOKENS
WINDOW_TOKENS = 65_536
#: tokens; a model that reads less cannot extract
_LEAST_WINDOW = 256
#: only a person has wishes and corrects an agent
_OF_PEOPLE = ("preference", "correction")
#: types whose resolution is no cure that could help or not
_WITHOUT_CURE = (*_OF_PEOPLE, "life")


def extract_with_model(
    messages: Sequence[Message],
    llm: LLM,
    window_tokens: int = WINDOW_TOKENS,
    *,
    label: QualityLabel | None = None,
    topic: str = "",
    system: str = "",
) -> list[MemoryDraft]:
    """Drafts of every window in order; quotes that are not in the message they name are left out of a draft.

    `label` and `topic` tell the model how the segment ended and what it was about; `system` is the session's
    system prompt.
    """
    record = Record(messages, system=system)
    if not record.has_work:
        return []
    question = Question(STAGE, extract_prompt(), ExtractAnswer, _about(label, topic))
    answers = ask_windows(llm, record, question, window_tokens)
    return drafts_from(usable(note for _, answer in answers for note in answer.memories), messages)


def extract_rules() -> str:
    """What is worth a note, as a part of a prompt."""
    return read_prompt("ultron_core.memories", "extract")


def extract_prompt() -> str:
    """The instructions of an extraction that is asked for alone."""
    return f"{read_prompt('ultron_core.llm', 'record')}\n\n{extract_rules()}"


def extractor_of(llm: Named) -> str:
    """The version of what this model extracts."""
    return made_by(llm, prompt_version())


@cache
def prompt_version() -> str:
    """Changes with the words of the prompts and the schema of their answers."""
    prompts = (
        read_prompt("ultron_core.llm", "record"),
        extract_rules(),
        read_prompt("ultron_core.memories", "ingest"),
        read_prompt("ultron_core.llm", "both"),
        read_prompt("ultron_core.llm", "whole"),
    )
    return prompt_digest("\n\n".join(prompts), ExtractAnswer)


def _about(label: QualityLabel | None, topic: str) -> tuple[str, ...]:
    """What is known of the segment: its topic, and how it ended."""
    outcome = f"Outcome: {label.summary.outcome}" if label is not None else ""
    return tuple(line for line in (f"Topic: {topic}" if topic else "", outcome) if line)


def usable(notes: Iterable[Note]) -> list[Note]:
    """Notes that say something."""
    return [note for note in notes if note.content.strip()]


def drafts_from(notes: Iterable[Note], messages: Sequence[Message]) -> list[MemoryDraft]:
    """Notes as drafts: with the quotes that are in the log, and their cures as far as the log bears them out."""
    return [_draft(note, messages, _is_verified(note, messages)) for note in notes]


def _draft(note: Note, messages: Sequence[Message], verified: bool) -> MemoryDraft:
    found = [one for quote in note.evidence if (one := _found(quote, messages)) is not None]
    content, context, resolution = (t.strip() for t in (note.content, note.context, note.resolution))
    memory_type = note.memory_type or classify_memory(content, context, resolution)
    if memory_type in _OF_PEOPLE:  # without a quote the gate refuses it
        found = [(message, words) for message, words in found if _is_persons(message)]
    is_cure = bool(resolution) and memory_type not in _WITHOUT_CURE
    cure: Cure = "none" if not is_cure else "verified" if verified else "claimed"
    return MemoryDraft(
        content=content,
        context=context,
        resolution=resolution,
        tags=tuple(tag.strip()[:40] for tag in note.tags if tag.strip())[:5],
        confidence=note.confidence,
        summary=note.summary.strip(),
        memory_type=memory_type,
        evidence=tuple(Evidence(message.start_line, message.end_line, words) for message, words in found),
        proof=_proof(found, verified),
        cure=cure,
    )


def _proof(found: Sequence[tuple[Message, str]], verified: bool) -> Proof:
    """What its quotes show: a person whose words it begins with, a result, or a person quoted as well; an agent's words
    alone are a claim."""
    by_people = [_is_persons(message) and is_own(words, message) for message, words in found]
    if by_people[:1] == [True]:
        return "person"
    if verified or any(message.origin == "tool" for message, _ in found):
        return "result"
    return "person" if any(by_people) else "claimed"


def _is_verified(note: Note, messages: Sequence[Message]) -> bool:
    """Whether the log shows that the cure helped, in words of a tool or a person; how the whole run ended says nothing
    about it."""
    if note.resolution_status != "verified" or note.verified_by is None:
        return False
    shown = _found(note.verified_by, messages)
    return shown is not None and (shown[0].origin == "tool" or _is_persons(shown[0]))


def _is_persons(message: Message) -> bool:
    """Whether a person wrote it, and not a tool whose output looks like that."""
    return message.role == "user" and message.origin == "human"


def _found(quote: NoteQuote, messages: Sequence[Message]) -> tuple[Message, str] | None:
    """The message that the quote names, or one beside it, with its own words that are meant; None if none has them."""
    words = quote.quote.strip()
    for number in (quote.message, quote.message - 1, quote.message + 1):
        message = messages[number - 1] if 1 <= number <= len(messages) else None
        if message is None:
            continue
        if own := words if appears_in(words, message) else find_words(words, message):
            return message, own
    return None


def ingest_with_model(text: str, parts: Sequence[str], llm: LLM) -> list[MemoryDraft]:
    """Drafts of a text that somebody hands in, part by part; each part is a run of its lines with their numbers."""
    lines = [
        Message("user", line, start_line=i, end_line=i) for i, line in enumerate(text.splitlines(), start=1)
    ]
    notes = [note for part in parts for note in _ask_halving(part.splitlines(), llm)]
    # what somebody hands in is theirs to vouch for
    return [_draft(note, lines, verified=True) for note in notes]


def _ask_halving(shown: Sequence[str], llm: LLM) -> list[Note]:
    """What the model finds in a part, in its halves when it is too long for the model."""
    text = "\n".join(shown)
    try:
        answer = llm.complete(
            ask("ingest", {"mark": mark_of([text]), "text": text}), ExtractAnswer, stage=STAGE
        )
    except ContextTooLongError:
        if count_tokens(text) < _LEAST_WINDOW:
            raise
        return [note for half in _halves(shown) for note in _ask_halving(half, llm)]
    return usable(answer.memories)


def _halves(shown: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Two runs of lines of about the same length; a lone line is parted in its middle."""
    if len(shown) == 1:
        text = shown[0]
        head = text.partition(" ")[0]
        return [text[: len(text) // 2]], [f"{head} … {text[len(text) // 2 :]}"]
    half, used = sum(map(len, shown)) / 2, 0
    for at, text in enumerate(shown):
        used += len(text)
        if used >= half:
            at = min(max(at, 1), len(shown) - 1)
            break
    return shown[:at], shown[at:]
