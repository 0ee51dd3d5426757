"""Task boundaries by a language model, one window at a time, each answer checked before it is used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import CountTokens
from ultron_core.models import Message
from ultron_core.segments.by_model.answer import TaskList, problems, repaired
from ultron_core.segments.by_model.windows import Task, Window, cut_by_windows, shorten
from ultron_core.transcript.pairs import closed_positions

__all__ = ["cut_by_model"]

STAGE = "segment"


def cut_by_model(
    messages: Sequence[Message], llm: LLM, window_tokens: int, count_tokens: CountTokens
) -> list[Task]:
    """Tasks that tile the messages of one thread.

    Raises ModelUnavailableError and BudgetExceededError as the model gives them, and ModelAnswerError when it
    twice named no usable task; nothing is decided then and the caller tries again later.
    """
    bodies = [_body(message) for message in messages]
    # what is sent is counted: the frame, and each line with the newline that joins it to the next. The number is as
    # wide as it can get, so that each message is counted once whatever window it is in
    budget = max(window_tokens - count_tokens(_framed([])), 1)
    tokens = [count_tokens(_line(len(bodies), m, b) + "\n") for m, b in zip(messages, bodies, strict=True)]

    def ask(window: Window) -> list[Task]:
        own = bodies[window.start : window.end]
        if window.shortened:
            head = count_tokens(_line(1, messages[window.start], "") + "\n")
            own = [shorten(own[0], max(budget - head, 1), count_tokens)]
        lines = [
            _line(number, messages[window.start + number - 1], body)
            for number, body in enumerate(own, start=1)
        ]
        return [
            replace(t, start=t.start + window.start, end=t.end + window.start) for t in _ask_twice(llm, lines)
        ]

    return cut_by_windows(tokens, budget, ask, closed_positions(messages))


def _ask_twice(llm: LLM, lines: Sequence[str]) -> list[Task]:
    """Tasks that tile the lines; a bad answer is shown to the model once with what is wrong about it."""
    chat = _chat(lines)
    try:
        answer: TaskList | None = llm.complete(chat, TaskList, stage=STAGE)
        wrong = problems(answer.tasks, len(lines)) if answer else []
    except ModelAnswerError as error:
        answer, wrong = None, [str(error)]
    if wrong:
        answered = answer.model_dump_json() if answer else ""
        again = f"That cannot be used: {'; '.join(wrong[:8])}. Give all tasks of [1] to [{len(lines)}] again."
        more = [{"role": "assistant", "content": answered}] if answered else []
        answer = llm.complete([*chat, *more, {"role": "user", "content": again}], TaskList, stage=STAGE)
        wrong = problems(answer.tasks, len(lines))
    assert answer is not None
    if wrong:
        return repaired(answer.tasks, len(lines), wrong)
    return [Task(t.start - 1, t.end, t.topic) for t in answer.tasks]


def _chat(lines: Sequence[str]) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": _prompt().replace("{last}", str(len(lines)))},
        {"role": "user", "content": _framed(lines)},
    ]


def _framed(lines: Sequence[str]) -> str:
    return "\n".join(["<messages>", *lines, "</messages>"])


@lru_cache(maxsize=1)
def _prompt() -> str:
    return files("ultron_core.segments.by_model").joinpath("prompts", "segment.md").read_text("utf-8")


def _line(number: int, message: Message, body: str) -> str:
    return f"[{number}] [{message.role}]: {body}"


def _body(message: Message) -> str:
    """What the model reads of a message: its text, else what it calls, else its reasoning; may be empty."""
    calls = [
        f"(calls {c.name} {json.dumps(c.arguments, ensure_ascii=False, default=str)})"
        for c in message.tool_calls
    ]
    text = "\n".join(part for part in (message.content, *calls) if part)
    return text or message.reasoning or ""
