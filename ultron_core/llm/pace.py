"""How fast a model answers: calls, tokens a second, and what the calls that are left will take."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["Pace"]


class Pace:
    """Counts the answers of one client; `told` is called after each. Safe to share between threads."""

    def __init__(self) -> None:
        self.calls = 0
        self._tokens, self._seconds = 0, 0.0
        self._lock = threading.Lock()
        self.told: Callable[[], None] = lambda: None

    def add(self, tokens: int, seconds: float) -> None:
        """One answer of so many tokens, prompt and wait included in the seconds."""
        with self._lock:
            self.calls += 1
            self._tokens += tokens
            self._seconds += seconds
        self.told()

    @property
    def tokens_per_second(self) -> float:
        """Of answers, the reading of what was asked included; 0 before the first."""
        return self._tokens / self._seconds if self._seconds else 0.0

    def left(self, calls: int, at_once: int = 1) -> float:
        """Seconds that so many calls in all still take, at the pace so far."""
        mean = self._seconds / self.calls if self.calls else 0.0
        return max(calls - self.calls, 0) * mean / max(at_once, 1)
