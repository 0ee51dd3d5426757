"""Task boundaries by a language model, one window at a time, each answer checked before it is used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from ultron_core.errors import ContextTooLongError, ModelAnswerError
from ultron_core.llm.answering.asking import ask_model
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import CountTokens
from ultron_core.models import Message
from ultron_core.segments.by_model.answer import TaskList, problems, repaired
from ultron_core.segments.by_model.windows import Task, Window, cut_by_windows, shorten
from ultron_core.transcript.pairs import closed_positions

__all__ = ["cut_by_model"]

STAGE = "segment"
#: tokens; a model that reads less cannot divide a log
_LEAST_WINDOW = 256


def cut_by_model(
    messages: Sequence[Message], llm: LLM, window_tokens: int, count_tokens: CountTokens
) -> list[Task]:
    """Tasks that tile the messages of one thread; windows are halved while the model finds them too long.

    Raises ModelUnavailableError and BudgetExceededError as the model gives them, and ModelAnswerError when it
    twice named no usable task; nothing is decided then and the caller tries again later.
    """
    bodies = [_body(message) for message in messages]
    # what is sent is counted: the frame, and each line with the newline that joins it to the next. The number is as
    # wide as it can get, so that each message is counted once whatever window it is in
    frame = count_tokens(_framed([]))
    tokens = [count_tokens(_line(len(bodies), m, b) + "\n") for m, b in zip(messages, bodies, strict=True)]
    window = max(window_tokens - frame, 1)

    def ask(given: Window) -> list[Task]:
        own = bodies[given.start : given.end]
        if given.shortened:
            head = count_tokens(_line(1, messages[given.start], "") + "\n")
            own = [shorten(own[0], max(window - head, 1), count_tokens)]
        lines = [
            _line(number, messages[given.start + number - 1], body)
            for number, body in enumerate(own, start=1)
        ]
        return [replace(t, start=t.start + given.start, end=t.end + given.start) for t in _ask(llm, lines)]

    while True:
        try:
            return cut_by_windows(tokens, window, ask, closed_positions(messages))
        except ContextTooLongError:
            window = min(window, sum(tokens)) // 2
            if window < _LEAST_WINDOW:
                raise


def _ask(llm: LLM, lines: Sequence[str]) -> list[Task]:
    """Tasks that tile the lines; what is wrong with two answers is repaired by rule where it can be."""
    seen: list[TaskList] = []

    def check(answer: TaskList) -> str:
        wrong = problems(answer.tasks, len(lines))
        if not wrong:
            return ""
        seen.append(answer)
        return f"{'; '.join(wrong[:8])}. Give all tasks of [1] to [{len(lines)}]"

    try:
        answer = ask_model(llm, _chat(lines), TaskList, check, stage=STAGE)
    except ContextTooLongError:
        raise
    except ModelAnswerError:
        if not seen:
            raise
        return repaired(seen[-1].tasks, len(lines), problems(seen[-1].tasks, len(lines)))
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
