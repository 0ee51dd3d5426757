"""The published protocol of a language model; anything with these members can be plugged in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from pydantic import BaseModel

__all__ = ["LLM", "Answer", "Check", "CheckingLLM", "Named"]

Answer = TypeVar("Answer", bound=BaseModel)
#: what a stage has against an answer that fits the schema; empty when it can be used
Check: TypeAlias = Callable[[Answer], str]


class Named(Protocol):
    """A model as far as rows name it."""

    @property
    def model_id(self) -> str:
        """Name stored on rows that this model made."""
        ...


@runtime_checkable
class LLM(Named, Protocol):
    """Structured answers to chat messages.

    `complete` returns an instance of `schema` (bounded arrays and strings). It raises ModelUnavailableError
    when the endpoint is unavailable, ModelAnswerError when the answer does not fit the schema, and
    BudgetExceededError when the limit is reached. `stage` names the caller in the cost ledger.
    """

    def complete(
        self, messages: Sequence[Mapping[str, str]], schema: type[Answer], *, stage: str = ""
    ) -> Answer: ...


@runtime_checkable
class CheckingLLM(LLM, Protocol):
    """An LLM that checks an answer itself, before it remembers it; `llm.asking.ask_model` does it for others."""

    def complete_checked(
        self,
        messages: Sequence[Mapping[str, str]],
        schema: type[Answer],
        check: Check[Answer],
        *,
        stage: str = "",
    ) -> Answer: ...
