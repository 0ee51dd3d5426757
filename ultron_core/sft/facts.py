"""What is decided on, for each row that lies on disk, and the finished rows read back from there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from ultron_core.sft.config import BuildConfig
from ultron_core.sft.curate.same_task import join_groups
from ultron_core.sft.kinds.records import Outcome, Pair
from ultron_core.sft.records import Reject, Row
from ultron_core.sft.spill import Place, Spill

__all__ = ["Fact", "StoredRows"]

_SPLIT_SEED = "ultron-sft-split-1"


@dataclass(frozen=True, slots=True)
class Fact:
    """What is decided on, for one row that lies on disk."""

    id: str
    score: float
    length: int
    content: str
    session: str
    task: str
    task_type: str
    succeeded: bool | None
    twin: str
    row: Place
    shingles: Place

    @property
    def rank(self) -> tuple[bool, float, int, str, str]:
        """Best score, then longest, then smallest content hash: the order in which duplicates lose. Failed runs, in
        kinds that have them, come last."""
        return self.succeeded is False, -self.score, -self.length, self.content, self.id

    def reject(self, reason: str, detail: str = "") -> Reject:
        return Reject(self.id, reason, detail[:200], self.score, self.task_type)


class StoredRows(Sequence[Any]):
    """The rows of the dataset in file order, made of runs that are read from disk one by one."""

    def __init__(
        self,
        spill: Spill,
        places: Sequence[tuple[Fact, ...]],
        config: BuildConfig,
        made: Callable[..., Row | Pair | Outcome],
    ) -> None:
        self._spill, self._config, self._made = spill, config, made
        self._places = sorted(places, key=lambda facts: [fact.id for fact in facts])
        # all runs of a row are of one task
        self._groups = join_groups(
            [(fact.session, facts[0].task) for facts in self._places for fact in facts]
        )

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Row | Pair | Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row | Pair | Outcome]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        facts = self._places[index]
        group = self._groups[index * len(facts)]
        side = _side(group, self._config)
        rows: list[Row] = [self._spill.get(fact.row) for fact in facts]
        return self._made(*(replace(row, group_key=group, split=side) for row in rows))


def _side(group_key: str, config: BuildConfig) -> str:
    """By hash of the group alone; rows of one session and rows of one task are in one group."""
    digest = hashlib.sha256(f"{_SPLIT_SEED}/{group_key}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return "validation" if share < config.validation_share else "train"
