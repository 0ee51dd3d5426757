"""How many requests a key may make: one bucket of tokens a key, filled at a steady rate."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from ultron_core.errors import RateLimitError

__all__ = ["RateLimits"]

#: buckets kept: a full bucket is as good as none
_MOST_BUCKETS = 10_000


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class RateLimits:
    """Buckets of all keys of one process; safe to share between threads."""

    def __init__(self, per_minute: float, clock: Callable[[], float]) -> None:
        """`per_minute` 0 is no limit. A key that was quiet may ask for a whole minute at once. `clock` in seconds."""
        self._most = per_minute
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()

    def take(self, key_id: str) -> None:
        """Count one request. Raises RateLimitError with the seconds to wait."""
        if not self._most:
            return
        rate, now = self._most / 60, self._clock()
        with self._lock:
            bucket = self._buckets.pop(key_id, None) or _Bucket(self._most, now)
            bucket.tokens = min(self._most, bucket.tokens + (now - bucket.at) * rate)
            bucket.at = now
            self._buckets[key_id] = bucket  # the last one used is the last to be forgotten
            if len(self._buckets) > _MOST_BUCKETS:
                self._buckets.pop(next(iter(self._buckets)))
            if bucket.tokens < 1:
                wait = (1 - bucket.tokens) / rate
                raise RateLimitError(
                    f"This key may make {self._most:g} requests a minute: try again in {wait:.1f} s.", wait
                )
            bucket.tokens -= 1
