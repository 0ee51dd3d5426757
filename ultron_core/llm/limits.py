"""How fast and how much: concurrency, requests per minute and hard token budgets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ultron_core.errors import BudgetExceededError
from ultron_core.llm.ledger import CallLedger
from ultron_core.settings import LLMSettings

__all__ = ["Limits"]


class Limits:
    """Throttles requests. The budget of a run counts from the creation of this object."""

    def __init__(
        self,
        settings: LLMSettings,
        ledger: CallLedger,
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._settings, self._ledger = settings, ledger
        self._monotonic, self._sleep = monotonic, sleep
        self._slots = threading.BoundedSemaphore(settings.at_once)
        self._lock = threading.Lock()
        self._next_start = 0.0
        self._run_tokens = 0
        self._in_flight = 0

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a free slot and for the rate limit."""
        with self._slots:
            self._wait_for_rate()
            yield

    def _wait_for_rate(self) -> None:
        if not self._settings.requests_per_minute:
            return
        gap = 60.0 / self._settings.requests_per_minute
        with self._lock:
            now = self._monotonic()
            start = max(now, self._next_start)
            self._next_start = start + gap
        if start > now:
            self._sleep(start - now)

    def spent(self, tokens: int) -> None:
        """Add what a call used."""
        with self._lock:
            self._run_tokens += tokens

    @contextmanager
    def reserve(self, tokens: int) -> Iterator[None]:
        """Reserve tokens for a request of this size while it runs; concurrent requests share what is left.

        Raises BudgetExceededError, before anything is sent, when it would exceed a limit. The length of an answer
        is not known in advance: answers under way near the limit may exceed it.
        """
        with self._lock:
            self._in_flight += tokens
            in_flight, used = self._in_flight, self._run_tokens
        try:
            self._check(used + in_flight - tokens, in_flight - tokens, tokens)
            yield
        finally:
            with self._lock:
                self._in_flight -= tokens

    def _check(self, used: int, in_flight: int, tokens: int) -> None:
        run, day = self._settings.budget_run_tokens, self._settings.budget_day_tokens
        if run and used + tokens > run:
            raise BudgetExceededError(
                f"This run has used {used:,} of {run:,} tokens; the next request needs about {tokens:,}. "
                "Raise ULTRON_LLM_BUDGET_RUN_TOKENS or start another run."
            )
        if day and (today := self._ledger.tokens_today() + in_flight) + tokens > day:
            raise BudgetExceededError(
                f"{today:,} of today's {day:,} tokens are used; the next request needs about {tokens:,}. "
                "Raise ULTRON_LLM_BUDGET_DAY_TOKENS or wait until midnight UTC."
            )
