"""The pure half of widening a query by a model: what it is asked, and what its answer may be."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.tokens import truncate_tokens

__all__ = ["Expansion", "expansion_messages", "phrases_of"]

#: phrases by which a model expands a query, and characters of each
_MOST_PHRASES, _PHRASE_CHARS = 4, 40
#: a query may be a whole log that somebody pasted
_QUERY_TOKENS = 1_000


class Expansion(BaseModel):
    """Other ways to say the query."""

    phrases: list[str] = Field(max_length=_MOST_PHRASES)


def expansion_messages(query: str) -> list[dict[str, str]]:
    """The chat that asks for other ways to say the query, which is cut to bounded tokens."""
    return [
        {"role": "system", "content": read_prompt("ultron_core.search", "expand")},
        {"role": "user", "content": f"Query: {truncate_tokens(query, _QUERY_TOKENS, mark=' […]')}"},
    ]


def phrases_of(answer: Expansion) -> list[str]:
    """The phrases that say something, each cut to its limit."""
    return [phrase.strip()[:_PHRASE_CHARS] for phrase in answer.phrases if phrase.strip()]
