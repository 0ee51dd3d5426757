"""Secrets that were found in a text, to take them out of pieces of it that do not tell what they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ultron_core.redaction.patterns import find_secrets

__all__ = ["KnownSecrets"]

#: a shorter one is found in other words
_LEAST = 6


class KnownSecrets:
    """What the patterns find in texts. In `discord_token: |⏎  99fe11..` the name gives the value away, which by itself
    could be a hash; a lesson or a summary may quote the second line alone."""

    def __init__(self, texts: Iterable[str]) -> None:
        found = {
            piece: finding.entity
            for text in texts
            for finding in find_secrets(text)
            for piece in _pieces(text[finding.start : finding.end])
        }
        longest_first = sorted(found, key=lambda value: (-len(value), value))
        self._entities = found
        self._any = re.compile("|".join(map(re.escape, longest_first))) if found else None

    def removed(self, text: str) -> str:
        """The text with each of them as its placeholder."""
        return self._any.sub(lambda match: f"<{self._entities[match[0]]}>", text) if self._any else text


def _pieces(secret: str) -> Iterable[str]:
    """The lines of a secret, as they stand and without the escapes of JSON; an ordinary word is none of them."""
    plain = secret.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    for line in {*secret.splitlines(), *plain.splitlines()}:
        piece = line.strip()
        if len(piece) >= _LEAST and not piece.isalpha():
            yield piece
