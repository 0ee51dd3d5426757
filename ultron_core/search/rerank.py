"""The pure half of the rerank by a model: what it is asked, and what its answer does to an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, Field

from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.tokens import truncate_tokens

__all__ = ["MOST_CANDIDATES", "RerankAnswer", "apply_order", "rerank_messages"]

#: more than these are never sent at once
MOST_CANDIDATES = 50
#: with 20 candidates at most about 2,700 tokens are sent
_QUERY_TOKENS, _CANDIDATE_TOKENS = 200, 120
Item = TypeVar("Item")


class RerankAnswer(BaseModel):
    """Numbers of notes, best first, as `rerank_messages` gave them (from 1)."""

    order: list[int] = Field(max_length=MOST_CANDIDATES)


def rerank_messages(query: str, texts: Sequence[str]) -> list[dict[str, str]]:
    """The chat that asks for an order of `texts`, numbered from 1; query and texts are cut to bounded tokens."""
    notes = [
        f"[{number}] {truncate_tokens(' '.join(text.split()), _CANDIDATE_TOKENS)}"
        for number, text in enumerate(texts, start=1)
    ]
    asked = f"Query: {truncate_tokens(' '.join(query.split()), _QUERY_TOKENS)}\n\nNotes:\n" + "\n".join(notes)
    return [
        {"role": "system", "content": read_prompt("ultron_core.search", "rerank")},
        {"role": "user", "content": asked},
    ]


def apply_order(items: Sequence[Item], order: Sequence[int]) -> list[Item]:
    """`items` with those that `order` names (by number, from 1) in front; the others follow as they were.

    Numbers that no item has, and second mentions, are ignored.
    """
    named = [number for number in dict.fromkeys(order) if 1 <= number <= len(items)]
    rest = [number for number in range(1, len(items) + 1) if number not in set(named)]
    return [items[number - 1] for number in (*named, *rest)]
