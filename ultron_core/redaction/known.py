"""Secrets that are known in a whole text, to take them out of pieces of it that do not tell what they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ultron_core.models import Message
from ultron_core.redaction.patterns import find_secrets, hide_secrets, settle_secrets
from ultron_core.redaction.values import redact_value

__all__ = ["KnownSecrets", "without_secrets"]

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
        """The text with each of them as its placeholder, and without the half of one where the text was cut."""
        if self._any is None:
            return text
        return self._without_half(self._any.sub(lambda match: f"<{self._entities[match[0]]}>", text))

    def _without_half(self, text: str) -> str:
        """A quote ends after so many characters: `deploy with ghp_3kX9`, of a longer key."""
        whole = text.rstrip("… ")
        for piece, entity in self._entities.items():
            longest = min(len(piece) - 1, len(whole))
            half = next((n for n in range(longest, _LEAST - 1, -1) if whole.endswith(piece[:n])), 0)
            if half:
                return f"{whole[: len(whole) - half]}<{entity}>{text[len(whole) :]}"
        return text


def _pieces(secret: str) -> Iterable[str]:
    """The lines of a secret, as they stand and without the escapes of JSON; an ordinary word is none of them."""
    plain = secret.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    for line in {*secret.splitlines(), *plain.splitlines()}:
        piece = line.strip()
        if len(piece) >= _LEAST and not piece.isalpha():
            yield piece


def without_secrets(message: Message) -> Message:
    """The message before it is cut: a cut can take the name from a secret, by which it is known, or half of it."""
    calls = tuple(
        replace(call, arguments=redact_value(call.arguments, settle_secrets)[0])
        for call in message.tool_calls
    )
    reasoning = hide_secrets(message.reasoning) if message.reasoning else message.reasoning
    return replace(message, content=hide_secrets(message.content), reasoning=reasoning, tool_calls=calls)
