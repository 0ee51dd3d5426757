"""What is decided on, for each row that lies on disk, and the finished rows read back from there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from ultron_core.sft.config import BuildConfig
from ultron_core.sft.curate.same_task import join_groups
from ultron_core.sft.kinds.records import Outcome, Pair
from ultron_core.sft.records import Reject, Row, Scanned
from ultron_core.sft.spill import Place, Positions, Records, Spill, columns

__all__ = ["Fact", "Ranked", "ScannedRows", "StoredRows"]

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
    def failed(self) -> bool:
        """Nothing is known of most others."""
        return self.succeeded is False

    def reject(self, reason: str, detail: str = "") -> Reject:
        return Reject(self.id, reason, detail[:200], self.score, self.task_type)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The facts of a build in the order in which duplicates lose."""

    #: the position of each fact as it came
    order: Positions
    #: in that order: the place of the first one with the same content
    first: Positions
    shingles: Positions

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> Ranked:
        """Best score, then longest, then smallest content hash. Failed runs, in kinds that have them, come last."""
        names = ("failed", "score", "length", "content", "id", "shingles")
        failed, score, length, content, name, shingles = columns(facts, *names)
        order = np.lexsort((name, content, -length, -score, failed))
        _, first, where = np.unique(content[order], return_index=True, return_inverse=True)
        return cls(order, first[where.reshape(-1)], shingles[order])


class ScannedRows(Mapping[str, Scanned]):
    """What is known of finished rows, by content hash; memory holds the hashes."""

    def __init__(self, spill: Spill) -> None:
        self._known: Records[Scanned] = Records(spill, Scanned)
        self._positions: dict[bytes, int] = {}

    def add(self, content: str, known: Scanned) -> None:
        """Of a content that is new."""
        self._positions[bytes.fromhex(content)] = len(self._known)
        self._known.append(known)

    def __getitem__(self, content: str) -> Scanned:
        return self._known[self._positions[bytes.fromhex(content)]]

    def __iter__(self) -> Iterator[str]:
        return map(bytes.hex, self._positions)

    def __len__(self) -> int:
        return len(self._known)


class StoredRows(Sequence[Any]):
    """The rows of the dataset in file order, made of runs that are read from disk one by one.

    `sides` are the positions of the runs that each row is made of.
    """

    def __init__(
        self,
        spill: Spill,
        runs: Sequence[Fact],
        sides: Positions,
        config: BuildConfig,
        made: Callable[..., Row | Pair | Outcome],
    ) -> None:
        self._spill, self._config, self._made = spill, config, made
        names, sessions, tasks, self._places = columns(runs, "id", "session", "task", "row")
        order = np.lexsort([names[side] for side in sides.T[::-1]])
        self._sides: Positions = sides[order]
        # all runs of a row are of one task
        members = sessions[self._sides], tasks[self._sides[:, :1]].repeat(sides.shape[1], axis=1)
        self._groups = join_groups(*(keys.reshape(-1) for keys in members))[:: sides.shape[1]]

    def __len__(self) -> int:
        return len(self._sides)

    @overload
    def __getitem__(self, index: int) -> Row | Pair | Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row | Pair | Outcome]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        group = self._groups[index].decode()
        side = _side(group, self._config)
        places = self._places[self._sides[index]].tolist()
        rows: list[Row] = [self._spill.get((start, length)) for start, length in places]
        return self._made(*(replace(row, group_key=group, split=side) for row in rows))


def _side(group_key: str, config: BuildConfig) -> str:
    """By hash of the group alone; rows of one session and rows of one task are in one group."""
    digest = hashlib.sha256(f"{_SPLIT_SEED}/{group_key}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return "validation" if share < config.validation_share else "train"
