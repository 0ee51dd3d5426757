"""What a call cost, and earlier answers: two protocols with in-memory versions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["AnswerCache", "CallLedger", "LLMCall", "MemoryCache", "MemoryLedger"]


@dataclass(frozen=True, slots=True)
class LLMCall:
    """One request: who asked, what it cost, and what went wrong if anything did."""

    stage: str
    model: str
    prompt_hash: str
    input_tokens: int
    output_tokens: int
    cost: float
    latency_ms: float
    cached: bool
    error: str | None
    at: datetime


class AnswerCache(Protocol):
    """Answers by key; the same question is paid for once."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, stage: str, model: str, answer: str) -> None: ...


class CallLedger(Protocol):
    """Every call, and the tokens of the current UTC day (cached answers apart)."""

    def record(self, call: LLMCall) -> None: ...

    def tokens_today(self) -> int: ...


class MemoryCache:
    """An AnswerCache that lasts as long as the process."""

    def __init__(self) -> None:
        self._answers: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self._answers.get(key)

    def put(self, key: str, stage: str, model: str, answer: str) -> None:
        self._answers[key] = answer


class MemoryLedger:
    """A CallLedger that lasts as long as the process."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.calls: list[LLMCall] = []
        self._now = now
        self._lock = threading.Lock()

    def record(self, call: LLMCall) -> None:
        with self._lock:
            self.calls.append(call)

    def tokens_today(self) -> int:
        today = self._now().date()
        with self._lock:
            spent = [c for c in self.calls if not c.cached and c.at.date() == today]
        return sum(c.input_tokens + c.output_tokens for c in spent)
