"""One question about a record, asked window by window; windows are halved while the model finds them too long."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from pydantic import BaseModel

from ultron_core.errors import ContextTooLongError
from ultron_core.llm.answering.asking import ask_model
from ultron_core.llm.clip import fit_tokens
from ultron_core.llm.protocol import LLM, Answer, Named
from ultron_core.llm.tokens import count_tokens
from ultron_core.records.record import Record, RecordWindow
from ultron_core.setting_models import needed_context

__all__ = ["LEAST_WINDOW", "Question", "ask_shortened", "ask_windows", "made_by", "prompt_digest", "requests"]

Chat = list[dict[str, str]]
#: tokens; a model that reads less of a record at once cannot judge it
LEAST_WINDOW = 256
#: tokens; less of a note says too little of it
_LEAST_TEXT = 32


def _nothing_wrong(answer: BaseModel, earlier: Sequence[BaseModel], last: bool) -> str:
    return ""


def _no_notes(answer: BaseModel) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Question(Generic[Answer]):
    """What is asked about a record, the same for each of its windows."""

    stage: str
    prompt: str
    schema: type[Answer]
    #: lines about the segment as a whole, at the head of every window
    about: tuple[str, ...] = ()
    #: what is wrong with an answer, given the earlier ones and whether its window is the last; empty if nothing
    check: Callable[[Answer, Sequence[Answer], bool], str] = field(default=_nothing_wrong)
    #: what the next window is told
    notes: Callable[[Answer], str] = field(default=_no_notes)


def ask_windows(
    llm: LLM, record: Record, question: Question[Answer], limit: int
) -> list[tuple[RecordWindow, Answer]]:
    """An answer a window of at most `limit` tokens. Raises the model's errors."""
    while True:
        try:
            return _ask_all(llm, record, question, limit)
        except ContextTooLongError as error:
            limit = min(limit, record.tokens + LEAST_WINDOW) // 2
            if limit < LEAST_WINDOW:
                needed = needed_context(count_tokens(question.prompt) + LEAST_WINDOW)
                raise ContextTooLongError(
                    f"{error} A context of at least {needed:,} tokens is needed."
                ) from error


def _ask_all(
    llm: LLM, record: Record, question: Question[Answer], limit: int
) -> list[tuple[RecordWindow, Answer]]:
    answers: list[Answer] = []
    windows = record.windows(limit)
    for window in windows:
        notes = question.notes(answers[-1]) if answers else ""

        def check(answer: Answer, window: RecordWindow = window) -> str:
            return question.check(answer, answers, window.is_last)

        chat = _chat(record, question, window, limit, notes)
        answers.append(ask_model(llm, chat, question.schema, check, stage=question.stage))
    return list(zip(windows, answers, strict=True))


def requests(record: Record, question: Question[Answer], limit: int) -> Iterator[Chat]:
    """What would be sent for each window; the notes of earlier answers, which nobody has yet, are left out."""
    for window in record.windows(limit):
        yield _chat(record, question, window, limit, "")


def _chat(record: Record, question: Question[Answer], window: RecordWindow, limit: int, notes: str) -> Chat:
    told = f"Notes on the earlier windows: {notes}" if notes else ""
    text = record.text(window, limit, [*question.about, told])
    return [{"role": "system", "content": question.prompt}, {"role": "user", "content": text}]


def prompt_digest(prompt: str, schema: type[BaseModel]) -> str:
    """Changes with the words of a prompt and with the schema of its answer."""
    asked = json.dumps([prompt, schema.model_json_schema()], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()[:8]


def made_by(llm: Named, digest: str) -> str:
    """The version of what a model makes, as rows name it: `model:<name>#<digest of prompt and schema>`."""
    return f"model:{llm.model_id}#{digest}"


def ask_shortened(
    llm: LLM,
    chat: Callable[[str], Sequence[Mapping[str, str]]],
    text: str,
    schema: type[Answer],
    *,
    stage: str,
) -> Answer:
    """The answer to `chat(text)`; while the model finds it too long, the text keeps half of its head and tail."""
    limit = count_tokens(text)
    while True:
        try:
            return llm.complete(chat(fit_tokens(text, limit, count_tokens)), schema, stage=stage)
        except ContextTooLongError:
            limit //= 2
            if limit < _LEAST_TEXT:
                raise
