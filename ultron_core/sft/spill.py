"""Rows on disk while a dataset is built: memory holds what decisions need, a temporary file holds the texts."""

from __future__ import annotations

import os
import pickle
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from typing import Any, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

__all__ = ["Place", "Positions", "Records", "Spill", "columns"]

Item = TypeVar("Item")
#: of records, e.g. in another order
Positions = npt.NDArray[np.int64]
#: (offset, length) in the file
Place = tuple[int, int]


class Spill:
    """An anonymous file that only grows; what was put can be read back in any order."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="ultron-sft-", buffering=1 << 20)  # noqa: SIM115 - closed by `close`
        self._end = 0

    def put(self, value: Any) -> Place:
        """Any plain record."""
        return self.put_bytes(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))

    def get(self, place: Place) -> Any:
        """The record that was put, or whose pickle was."""
        return pickle.loads(self.get_bytes(place))

    def put_bytes(self, data: bytes) -> Place:
        place = (self._end, len(data))
        self._file.write(data)
        self._end += len(data)
        return place

    def get_bytes(self, place: Place) -> bytes:
        self._file.flush()
        return os.pread(self._file.fileno(), place[1], place[0])

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Records(Sequence[Item]):
    """Records of one dataclass on disk. Memory holds where each lies, 12 bytes."""

    def __init__(self, spill: Spill, kind: type[Item]) -> None:
        self._spill, self._kind = spill, kind
        self._values = attrgetter(*(f.name for f in fields(kind)))  # type: ignore[arg-type]
        self._starts, self._lengths = array("q"), array("i")

    def append(self, record: Item) -> None:
        # the values alone are read three times as fast as the record's own pickle
        start, length = self._spill.put(self._values(record))
        self._starts.append(start)
        self._lengths.append(length)

    def only(self, wanted: Iterable[int]) -> Records[Item]:
        """Those at these positions, in this order."""
        chosen = Records(self._spill, self._kind)
        for position in wanted:
            chosen._starts.append(self._starts[position])
            chosen._lengths.append(self._lengths[position])
        return chosen

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[Item]:
        return (self[position] for position in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Records[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Records[Item]:
        if isinstance(index, slice):
            return self.only(range(*index.indices(len(self))))
        return self._kind(*self._spill.get((self._starts[index], self._lengths[index])))


def columns(records: Iterable[Any], *names: str) -> list[npt.NDArray[Any]]:
    """An array for each of two or more fields, texts as bytes in the same order: a fifth of the memory of objects."""
    read, stream = attrgetter(*names), iter(records)
    parts: list[list[npt.NDArray[Any]]] = []
    while batch := list(islice(stream, 1_000)):
        parts.append([np.array(_plain(values)) for values in zip(*map(read, batch), strict=True)])
    if not parts:
        return [np.empty(0) for _ in names]
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def _plain(values: Sequence[Any]) -> Sequence[Any]:
    if not isinstance(values[0], str):
        return values
    return [text.encode(errors="surrogatepass") for text in values]
