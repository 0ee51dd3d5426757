"""Records of training: how it is done, which rows it takes, what was measured before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["SEEDS", "Answer", "Calls", "Encoded", "Evaluation", "Losses", "Recipe", "RowRef", "TypeLoss"]

#: trainings of one run, with neighbouring seeds: how far their losses lie apart is what chance does
SEEDS = 3


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of one run; they stand in its manifest."""

    #: 0 is one pass over the rows
    steps: int = 0
    learning_rate: float = 2e-4
    rank: int = 16
    #: rows above it are left out, never cut
    max_length: int = 4096
    #: rows of one step
    batch: int = 8
    seed: int = 0

    def steps_for(self, rows: int) -> int:
        return self.steps or max(1, -(-rows // self.batch))

    @property
    def seeds(self) -> range:
        """The first is the one whose adapter is kept."""
        return range(self.seed, self.seed + SEEDS)


@dataclass(frozen=True, slots=True)
class RowRef:
    """What is decided on, for one row of the dataset; its texts are read again when it is taken."""

    id: str
    content: str
    group: str
    split: str


@dataclass(frozen=True, slots=True)
class Encoded:
    """A row as the model reads it, and which of its tokens are trained."""

    ref: RowRef
    task_type: str
    tokens: Sequence[int]
    trained: Sequence[bool]


@dataclass(frozen=True, slots=True)
class TypeLoss:
    """Mean loss of the trained tokens of one task type's rows."""

    rows: int
    loss: float


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean loss of the trained tokens, over the rows of the validation split."""

    rows: int
    loss: float
    by_type: Mapping[str, TypeLoss] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Calls:
    """Prompts whose next turn has to be a call, and how many of the answers are nothing but valid calls."""

    prompts: int = 0
    valid: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said to a prompt; `calls` where its family's own reader found some."""

    text: str
    calls: Sequence[Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that is compared."""

    losses: Losses
    calls: Calls
    #: (prompt, answer) of the prompts that are the same in every run
    answers: Sequence[tuple[str, str]] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
