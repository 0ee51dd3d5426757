"""Task boundaries by a language model, one window at a time, each answer checked before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ultron_core.errors import ContextTooLongError
from ultron_core.llm.answering.asking import ask_or_last
from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import LLM, Named
from ultron_core.llm.tokens import CountTokens
from ultron_core.models import Message
from ultron_core.records.asking import made_by, prompt_digest
from ultron_core.segments.by_model.answer import TaskList, problems, repaired
from ultron_core.segments.by_model.shown import ShownThread
from ultron_core.segments.by_model.windows import Task, Window, cut_by_windows
from ultron_core.transcript.pairs import closed_positions

__all__ = ["STAGE", "cut_by_model", "prompt_version", "segment_prompt", "segment_rules", "segmenter_of"]

STAGE = "segment"
#: tokens; a model that reads less cannot divide a log
_LEAST_WINDOW = 256


def segmenter_of(llm: Named) -> str:
    """The version of what this model cuts."""
    return made_by(llm, prompt_version())


def cut_by_model(
    messages: Sequence[Message], llm: LLM, window_tokens: int, count_tokens: CountTokens
) -> list[Task]:
    """Tasks that tile the messages of one thread; windows are halved while the model finds them too long.

    Raises ModelUnavailableError and BudgetExceededError as the model gives them, and ModelAnswerError when it
    twice named no usable task; nothing is decided then and the caller tries again later.
    """
    shown = ShownThread(messages, count_tokens)
    tokens = shown.costs()
    window = max(window_tokens - shown.frame, 1)

    def ask(given: Window) -> list[Task]:
        tasks = _ask(llm, shown.text(given, window), given.end - given.start)
        return [replace(t, start=t.start + given.start, end=t.end + given.start) for t in tasks]

    while True:
        try:
            return cut_by_windows(tokens, window, ask, closed_positions(messages))
        except ContextTooLongError:
            window = min(window, sum(tokens)) // 2
            if window < _LEAST_WINDOW:
                raise


def _ask(llm: LLM, text: str, length: int) -> list[Task]:
    """Tasks that tile a text of so many messages; what is wrong with two answers is repaired by rule if it can be."""

    def check(answer: TaskList) -> str:
        wrong = problems(answer.tasks, length)
        return f"{'; '.join(wrong[:8])}. Give all tasks of messages 1 to {length}" if wrong else ""

    chat = [
        {"role": "system", "content": segment_prompt()},
        {"role": "user", "content": text},
    ]
    answer = ask_or_last(llm, chat, TaskList, check, stage=STAGE)
    if wrong := problems(answer.tasks, length):
        return repaired(answer.tasks, length, wrong)
    return [Task(t.start - 1, t.end, t.topic) for t in answer.tasks]


def segment_rules() -> str:
    """Where a task begins, as a part of a prompt."""
    return read_prompt("ultron_core.segments.by_model", "segment")


def segment_prompt() -> str:
    """The instructions of the question about boundaries where it is asked alone."""
    return f"{read_prompt('ultron_core.llm', 'record')}\n\n{segment_rules()}"


@cache
def prompt_version() -> str:
    """Changes with the words of the prompts and the schema of their answers."""
    whole = read_prompt("ultron_core.llm", "whole")  # the same question, asked with the others
    return prompt_digest(f"{segment_prompt()}\n\n{whole}", TaskList)
