"""Ask a model whether two near texts state the same fact."""

from __future__ import annotations

from pydantic import BaseModel

from ultron_core.llm.protocol import LLM
from ultron_core.memories.prompting import ask

__all__ = ["SameFact", "same_fact"]


class SameFact(BaseModel):
    same: bool


def same_fact(first: str, second: str, llm: LLM) -> bool:
    """Raises ModelError."""
    answer = llm.complete(ask("same", {"first": first, "second": second}), SameFact, stage="merge")
    return answer.same
