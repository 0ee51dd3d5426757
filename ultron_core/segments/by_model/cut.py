"""Task boundaries by a language model, one window at a time, each answer checked before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ultron_core.errors import ContextTooLongError, ModelAnswerError
from ultron_core.llm.answering.asking import ask_model
from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import LLM
from ultron_core.llm.records.asking import made_by, prompt_digest
from ultron_core.llm.records.clip import fit_tokens, keep_ends
from ultron_core.llm.records.frame import framed, mark_of, speaker
from ultron_core.llm.records.record import message_body
from ultron_core.llm.tokens import CountTokens
from ultron_core.models import Message
from ultron_core.segments.by_model.answer import TaskList, problems, repaired
from ultron_core.segments.by_model.windows import Task, Window, cut_by_windows
from ultron_core.transcript.pairs import closed_positions

__all__ = ["cut_by_model", "prompt_version", "segmenter_of"]

STAGE = "segment"
#: tokens; a model that reads less cannot divide a log
_LEAST_WINDOW = 256
#: characters of one message: boundaries are told by what people write. The same cuts came out as with whole messages,
#: in a trial on eight sessions, at a sixth of the tokens
_USER_CHARS, _ASSISTANT_CHARS, _OTHER_CHARS = 1_500, 300, 120


def segmenter_of(llm: LLM) -> str:
    """The version of what this model cuts."""
    return made_by(llm, prompt_version())


def cut_by_model(
    messages: Sequence[Message], llm: LLM, window_tokens: int, count_tokens: CountTokens
) -> list[Task]:
    """Tasks that tile the messages of one thread; windows are halved while the model finds them too long.

    Raises ModelUnavailableError and BudgetExceededError as the model gives them, and ModelAnswerError when it
    twice named no usable task; nothing is decided then and the caller tries again later.
    """
    bodies = [_body(message) for message in messages]
    mark = mark_of(bodies)
    # what is sent is counted: the frame, and each line. The number is as wide as it can get, so that each message is
    # counted once whatever window it is in
    frame = count_tokens(_framed(mark, [], len(bodies)))
    tokens = [
        count_tokens(framed(mark, len(bodies), speaker(m), b)) for m, b in zip(messages, bodies, strict=True)
    ]
    window = max(window_tokens - frame, 1)

    def ask(given: Window) -> list[Task]:
        own = bodies[given.start : given.end]
        if given.shortened:
            head = count_tokens(framed(mark, 1, speaker(messages[given.start]), ""))
            own = [fit_tokens(own[0], max(window - head, 1), count_tokens)]
        lines = [
            framed(mark, number, speaker(messages[given.start + number - 1]), body)
            for number, body in enumerate(own, start=1)
        ]
        tasks = _ask(llm, mark, lines)
        return [replace(t, start=t.start + given.start, end=t.end + given.start) for t in tasks]

    while True:
        try:
            return cut_by_windows(tokens, window, ask, closed_positions(messages))
        except ContextTooLongError:
            window = min(window, sum(tokens)) // 2
            if window < _LEAST_WINDOW:
                raise


def _ask(llm: LLM, mark: str, lines: Sequence[str]) -> list[Task]:
    """Tasks that tile the lines; what is wrong with two answers is repaired by rule where it can be."""
    seen: list[TaskList] = []

    def check(answer: TaskList) -> str:
        wrong = problems(answer.tasks, len(lines))
        if not wrong:
            return ""
        seen.append(answer)
        return f"{'; '.join(wrong[:8])}. Give all tasks of messages 1 to {len(lines)}"

    chat = [
        {"role": "system", "content": _prompt()},
        {"role": "user", "content": _framed(mark, lines, len(lines))},
    ]
    try:
        answer = ask_model(llm, chat, TaskList, check, stage=STAGE)
    except ContextTooLongError:
        raise
    except ModelAnswerError:
        if not seen:
            raise
        return repaired(seen[-1].tasks, len(lines), problems(seen[-1].tasks, len(lines)))
    return [Task(t.start - 1, t.end, t.topic) for t in answer.tasks]


def _framed(mark: str, lines: Sequence[str], last: int) -> str:
    return "".join([f"Record {mark}, messages 1 to {last}.\n\n", *lines, f"[{mark} end]"])


def _prompt() -> str:
    return read_prompt("ultron_core.segments.by_model", "segment")


@cache
def prompt_version() -> str:
    """Changes with the words of the prompts and the schema of their answers."""
    return prompt_digest(_prompt(), TaskList)


def _body(message: Message) -> str:
    """The head and tail of what it says and calls, else of its reasoning; may be empty."""
    text = message_body(message, _ASSISTANT_CHARS) or message.reasoning or ""
    most = {"user": _USER_CHARS, "assistant": _ASSISTANT_CHARS}.get(speaker(message), _OTHER_CHARS)
    return keep_ends(text, most)
