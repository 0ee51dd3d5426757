"""Says where a training is, at each of its steps and at least every ten seconds, to its log and to whoever listens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["Progress", "Tell"]

Tell = Callable[[str], None]
#: seconds without a word, at most
QUIET_SECONDS = 10.0


class Progress:
    """A context manager; `tell` may be called from any thread."""

    def __init__(self, log: Path, listener: Tell, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._log, self._listener, self._quiet = log.open("a", encoding="utf-8"), listener, quiet_seconds
        self._began = time.monotonic()
        self._said = threading.Lock()
        self._last, self._at = "starting", 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._log.close()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def tell(self, text: str) -> None:
        with self._said:
            self._last, self._at = text, self.seconds
            line = f"{self._at:7.1f} s  {text}"
            self._log.write(line + "\n")
            self._log.flush()
            self._listener(line)

    def _repeat(self) -> None:
        pause = min(1.0, self._quiet / 4)
        while not self._over.wait(pause):
            if self.seconds - self._at >= self._quiet - 2 * pause:
                self.tell(self._last)
