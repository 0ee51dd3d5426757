"""The fate of every physical line, counted while the file streams by."""

from __future__ import annotations

from collections import Counter

from ultron_core.models import LineLedger, LineSkip

__all__ = ["LedgerBuilder"]

#: skipped lines that are kept by number; the rest are only counted
_KEPT_SKIPS = 1000
_MESSAGE, _METADATA = ("message", ""), ("metadata", "")
_RANK = {"skipped": 0, "metadata": 1, "part": 2, "message": 3}


class LedgerBuilder:
    """Takes fates in the order of lines; where several records share a line, the best fate wins."""

    def __init__(self) -> None:
        self.message = self.part = self.metadata = self.damaged = self.clipped = 0
        self.skipped: Counter[str] = Counter()
        self.skips: list[LineSkip] = []
        self.line = 0
        self._last = ("", "")
        self._damaged_line = 0

    def note_damage(self, line: int) -> None:
        """Bytes of this line are shown as U+FFFD, whatever becomes of it."""
        if line > self._damaged_line:
            self.damaged += 1
            self._damaged_line = line

    def note_clip(self, _line: int) -> None:
        """A string of this line is too long to be kept whole."""
        self.clipped += 1

    def settle(self, start: int, end: int, fate: str, reason: str = "", detail: str = "") -> None:
        """Lines start..end are `message` (its further lines parts), `part`, `metadata` or `skipped`."""
        if start == end == self.line + 1:
            if fate == "message":
                self.message += 1
                self.line = end
                self._last = _MESSAGE
                return
            if fate == "metadata":
                self.metadata += 1
                self.line = end
                self._last = _METADATA
                return
        if start <= self.line:
            self._improve(fate)
            if end <= self.line:
                return
            start, fate = self.line + 1, "part" if fate == "message" else fate
        count = end - start + 1
        if fate == "message":
            self.message += 1
            self.part += count - 1
        elif fate == "part":
            self.part += count
        elif fate == "metadata":
            self.metadata += count
        else:
            self.skipped[reason] += count
            if len(self.skips) < _KEPT_SKIPS:
                self.skips.append(LineSkip(start, end, reason, detail))
        self.line = end
        self._last = ("part" if fate == "message" and count > 1 else fate, reason)

    def _improve(self, fate: str) -> None:
        old, reason = self._last
        if _RANK[fate] <= _RANK[old]:
            return
        if old == "skipped":
            self._take_back(reason)
        else:
            setattr(self, old, getattr(self, old) - 1)
        setattr(self, fate, getattr(self, fate) + 1)
        self._last = (fate, "")

    def _take_back(self, reason: str) -> None:
        self.skipped[reason] -= 1
        if not self.skipped[reason]:
            del self.skipped[reason]
        if self.skips and self.skips[-1].end_line == self.line:
            skip = self.skips.pop()
            if skip.start_line < self.line:
                self.skips.append(LineSkip(skip.start_line, self.line - 1, skip.reason, skip.detail))

    def build(self) -> LineLedger:
        """The counts so far."""
        return LineLedger(
            self.line,
            self.message,
            self.part,
            self.metadata,
            dict(self.skipped),
            tuple(self.skips),
            self.damaged,
            self.clipped,
        )
