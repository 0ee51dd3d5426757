"""What stands behind a memory's words: who said them, what bears them out, which rule found them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from ultron_core.models import Proof, Trust

__all__ = ["UNBACKED", "Backing"]

#: the most trusted first
_TRUSTED: tuple[Trust, ...] = ("human", "agent", "tool", "upload")
#: the best first
_PROVEN: tuple[Proof, ...] = get_args(Proof)


@dataclass(frozen=True, slots=True)
class Backing:
    """Fields that the extractor and an editor write, and no caller: tags and words choose nothing."""

    trust: Trust = "upload"
    proof: Proof = "claimed"
    lesson: str = ""

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is better."""
        return _TRUSTED.index(self.trust), _PROVEN.index(self.proof)

    def better(self, other: Backing) -> Backing:
        """Of two that stand behind the very same words the better one."""
        return other if other.rank < self.rank else self

    def weaker(self, other: Backing) -> Backing:
        """Of two whose words were put together the one that all of it can claim."""
        return other if other.rank > self.rank else self

    def takes(self, other: Backing) -> bool:
        """Whether near words of `other` may become part of a memory with this one: not where either would be trusted
        as the other is, and not where words that are proven better would be hidden behind these."""
        return self.trust == other.trust and self.rank <= other.rank


#: of what a caller hands in
UNBACKED = Backing()
