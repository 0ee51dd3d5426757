"""The head and the tail of a text that is too long, with a mark for what was left out between them."""

from __future__ import annotations

from ultron_core.llm.tokens import CountTokens

__all__ = ["fit_tokens", "keep_ends"]

#: share of the head; the tail of a tool's output mostly says how it ended
_HEAD = 0.6


def keep_ends(text: str, limit: int) -> str:
    """The text, or `limit` characters of it around a mark that counts what was left out."""
    if len(text) <= limit:
        return text
    head = int(limit * _HEAD)
    tail = limit - head
    left_out = len(text) - limit
    return f"{text[:head]}[…{left_out} cut…]{text[len(text) - tail :]}"


def fit_tokens(text: str, limit: int, count: CountTokens) -> str:
    """The text, or as much of its head and tail as `limit` tokens hold, the mark included."""
    if count(text) <= limit:
        return text
    low, high = 0, len(text) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if count(keep_ends(text, middle)) <= limit:
            low = middle
        else:
            high = middle - 1
    return keep_ends(text, low)
