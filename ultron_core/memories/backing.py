"""What stands behind a memory's words: who said them, what bears them out, which rule found them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from ultron_core.models import Cure, Proof, Status, Trust

__all__ = ["UNBACKED", "Backing"]

#: the most trusted first
_TRUSTED: tuple[Trust, ...] = ("human", "agent", "tool", "upload")
#: the best first
_PROVEN: tuple[Proof, ...] = get_args(Proof)
_CURED: tuple[Cure, ...] = get_args(Cure)


@dataclass(frozen=True, slots=True)
class Backing:
    """Fields that the extractor and an editor write, and no caller: tags and words choose nothing."""

    trust: Trust = "upload"
    proof: Proof = "claimed"
    lesson: str = ""
    probability: float | None = None
    cure: Cure = "none"

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is better."""
        return _TRUSTED.index(self.trust), _PROVEN.index(self.proof)

    @property
    def shelf(self) -> Status:
        """Where a memory with nothing else behind it stands: an agent's bare words on the second shelf."""
        return "claimed" if (self.trust, self.proof) == ("agent", "claimed") else "active"

    def better(self, other: Backing) -> Backing:
        """Of two that stand behind the very same words the more trusted, with what proves them best."""
        first, second = sorted((self, other), key=lambda one: one.rank)
        proven = min(first, second, key=lambda one: _PROVEN.index(one.proof))
        likely = [one.probability for one in (first, second) if one.probability is not None]
        cure = min(first.cure, second.cure, key=_CURED.index)
        return Backing(first.trust, proven.proof, proven.lesson, max(likely, default=None), cure)

    def weaker(self, other: Backing) -> Backing:
        """Of two whose words were put together the one that all of it can claim."""
        return other if other.rank > self.rank else self

    def takes(self, other: Backing) -> bool:
        """Whether near words of `other` may become part of a memory with this one: not where either would be trusted
        as the other is, and not where words that are proven better would be hidden behind these, but for a bare claim:
        there they take its place."""
        return self.trust == other.trust and (self.rank <= other.rank or self.shelf == "claimed")


#: of what a caller hands in
UNBACKED = Backing()
