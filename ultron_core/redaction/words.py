"""The user's own words: company, client, domain and user names that are to go from everything stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from ultron_core.redaction.spans import Span

__all__ = ["OwnWords"]


class OwnWords:
    """Finds the words as whole words, in any case; `digest` names the list in the version of redaction."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        known = sorted(
            {word.strip().casefold() for word in words if word.strip()}, key=lambda w: (-len(w), w)
        )
        self.digest = hashlib.sha256("\n".join(sorted(known)).encode()).hexdigest()[:8] if known else ""
        self._pattern = re.compile("|".join(map(_bounded, known)), re.IGNORECASE) if known else None

    def find(self, text: str) -> Iterator[Span]:
        """Spans of the words in the text."""
        if self._pattern is None:
            return
        for match in self._pattern.finditer(text):
            yield Span(*match.span(), "REDACTED_WORD")


def _bounded(word: str) -> str:
    """Not inside a longer Latin word: `acme` goes from `acme-corp` and `ACME_KEY`, stays in `pacemen`."""
    before = r"(?<![A-Za-z0-9])" if word[0].isascii() and word[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if word[-1].isascii() and word[-1].isalnum() else ""
    spaces = r"\s+".join(re.escape(part) for part in word.split())
    return f"{before}{spaces}{after}"
