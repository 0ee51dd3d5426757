"""A model that answers what a test says, by stage."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from ultron_core.errors import ModelAnswerError, ModelUnavailableError
from ultron_core.llm.protocol import Answer

__all__ = ["FakeCall", "FakeLLM", "Rule"]

#: from the messages of a request to its answer (a record, or what its schema accepts)
Rule = Callable[[Sequence[Mapping[str, str]]], Any]


@dataclass(frozen=True, slots=True)
class FakeCall:
    """One request that was made of the fake."""

    stage: str
    messages: tuple[Mapping[str, str], ...]
    schema: type[BaseModel]


class FakeLLM:
    """An LLM (see llm.protocol) whose answers a test gives.

        llm = FakeLLM({"merge": [{"content": "one", ...}], "classify": lambda messages: {"type": "error"}})

    A list is used up one answer a request; a function answers each request. Set `fail` to "unavailable" or
    "malformed" to make every request fail as an endpoint would. `calls` holds all requests, failed ones too.
    """

    def __init__(
        self, answers: Mapping[str, Sequence[Any] | Rule] | None = None, *, model_id: str = "fake"
    ) -> None:
        self.model_id = model_id
        self.fail: Literal["unavailable", "malformed"] | None = None
        self.calls: list[FakeCall] = []
        self._answers = {
            stage: given if callable(given) else list(given) for stage, given in (answers or {}).items()
        }
        self._lock = threading.Lock()

    def complete(
        self, messages: Sequence[Mapping[str, str]], schema: type[Answer], *, stage: str = ""
    ) -> Answer:
        """The answer the test gave for `stage`; AssertionError when it gave none."""
        with self._lock:
            self.calls.append(FakeCall(stage, tuple(messages), schema))
            given = self._next(messages, stage)
        try:
            return schema.model_validate(given.model_dump() if isinstance(given, BaseModel) else given)
        except ValidationError as error:
            raise ModelAnswerError(f"the fake's answer does not fit {schema.__name__}: {error}") from error

    def _next(self, messages: Sequence[Mapping[str, str]], stage: str) -> Any:
        if self.fail == "unavailable":
            raise ModelUnavailableError("the fake model is down")
        if self.fail == "malformed":
            raise ModelAnswerError("the fake model gave no JSON in two tries")
        given = self._answers.get(stage)
        if not given:
            raise AssertionError(f"FakeLLM was given no (further) answer for stage {stage!r}")
        return given(messages) if callable(given) else given.pop(0)

    def count(self, stage: str | None = None) -> int:
        """Requests made, of one stage or of all."""
        return sum(stage is None or call.stage == stage for call in self.calls)
