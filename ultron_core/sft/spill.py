"""Rows on disk while a dataset is built: memory holds what decisions need, a temporary file holds the texts."""

from __future__ import annotations

import os
import pickle
import tempfile
from typing import Any, Self

__all__ = ["Place", "Spill"]

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
