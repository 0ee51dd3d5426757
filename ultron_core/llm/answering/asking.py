"""One question to any model, with the stage's own check of the answer: refused once, asked once more, then given up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Template

from ultron_core.errors import ContextTooLongError, ModelAnswerError
from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import LLM, Answer, Check, CheckingLLM

__all__ = ["ask_again", "ask_model", "ask_or_last", "unusable"]

Chat = Sequence[Mapping[str, str]]


def ask_model(llm: LLM, messages: Chat, schema: type[Answer], check: Check[Answer], *, stage: str) -> Answer:
    """An answer that the check accepts. Raises ModelAnswerError when the second one is refused, too.

    A model that checks by itself does so before it caches; any other is asked again from here. An answer that
    does not fit the schema is the model's own affair: its ModelAnswerError passes through.
    """
    if isinstance(llm, CheckingLLM):
        return llm.complete_checked(messages, schema, check, stage=stage)
    answer = llm.complete(messages, schema, stage=stage)
    problem = check(answer)
    if not problem:
        return answer
    again = ask_again(messages, answer.model_dump_json(), problem)
    answer = llm.complete(again, schema, stage=stage)
    if problem := check(answer):
        raise unusable(llm.model_id, stage, problem)
    return answer


def ask_or_last(
    llm: LLM,
    messages: Chat,
    schema: type[Answer],
    check: Check[Answer],
    *,
    stage: str,
    can_be_repaired: Callable[[Answer], bool] = lambda answer: True,
) -> Answer:
    """An answer that the check accepts, else the last one refused that can be repaired, for the caller to do so.

    Raises ModelAnswerError when there is neither, and ContextTooLongError whatever was said before.
    """
    refused: list[Answer] = []

    def noting(answer: Answer) -> str:
        problem = check(answer)
        if problem and can_be_repaired(answer):
            refused.append(answer)
        return problem

    try:
        return ask_model(llm, messages, schema, noting, stage=stage)
    except ContextTooLongError:
        raise
    except ModelAnswerError:
        if not refused:
            raise
        return refused[-1]


def ask_again(messages: Chat, said: str, problem: str) -> list[Mapping[str, str]]:
    """The chat with the refused answer, if there is one to show, and why it was refused."""
    again = Template(read_prompt("ultron_core.llm", "again")).substitute(problem=problem)
    shown = [{"role": "assistant", "content": said}] if said else []
    return [*messages, *shown, {"role": "user", "content": again}]


def unusable(model: str, stage: str, problem: str) -> ModelAnswerError:
    """Both answers were refused."""
    return ModelAnswerError(f"{model} gave no usable answer for {stage or 'this'} in two attempts: {problem}")
