"""How many tokens a row has, and how many of them are trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ultron_core.sft.records import canonical_json

__all__ = ["CountTokens", "over_limit", "token_counts"]

CountTokens = Callable[[str], int]
#: tokens a chat template adds to each message, a good approximation for the common families
_TOKENS_A_MESSAGE = 4
#: characters a token: text with fewer is rare (English 4, code 3, Chinese 1)
_SURELY = 3


def token_counts(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], count_tokens: CountTokens
) -> tuple[int, int]:
    """(all tokens with tools and a template's marks, tokens of the model's text, reasoning and calls)."""
    total = count_tokens(canonical_json(list(tools))) if tools else 0
    trained = 0
    for message in messages:
        tokens = sum(count_tokens(part) for part in _parts(message) if part)
        total += tokens + _TOKENS_A_MESSAGE
        trained += tokens if message["role"] == "assistant" and message.get("loss", True) else 0
    return total, trained


def over_limit(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    limit: int,
    count_tokens: CountTokens,
) -> int:
    """How many tokens the row has at least, if they are more than `limit`; 0 when it is short, or not much too long.

    Counting takes longer than all other work on a draft: rows that may fit are counted once they are redacted.
    """
    texts = [canonical_json(list(tools)), *(part for message in messages for part in _parts(message))]
    if sum(map(len, texts)) <= _SURELY * limit:
        return 0
    total = 0
    for text in texts:
        total += count_tokens(text) if text else 0
        if total > limit:
            return total
    return 0


def _parts(message: Mapping[str, Any]) -> Sequence[str]:
    parts = [message["content"], message.get("reasoning_content", "")]
    if "tool_calls" in message:
        parts.append(canonical_json([call["function"] for call in message["tool_calls"]]))
    return parts
