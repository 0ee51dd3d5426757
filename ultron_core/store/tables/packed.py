"""Fingerprints of many messages in little room: a text of each would take 65 bytes, a row of four columns 300."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

__all__ = ["Digests", "MessageDigest", "MessageDigests"]

#: bytes of a fingerprint, of which 16 hex characters are written
_SIZE = 8
#: digest, thread, first and last physical line
MessageDigest = tuple[str, str, int, int]


class Digests:
    """Fingerprints in order."""

    def __init__(self) -> None:
        self._packed = bytearray()

    def append(self, digest: str) -> None:
        self._packed += bytes.fromhex(digest)

    def __len__(self) -> int:
        return len(self._packed) // _SIZE

    def __iter__(self) -> Iterator[str]:
        for begin in range(0, len(self._packed), _SIZE):
            yield self._packed[begin : begin + _SIZE].hex()


class MessageDigests:
    """Fingerprints in order, each with where its message stands in the log."""

    def __init__(self) -> None:
        self.digests = Digests()
        self._names: dict[str, int] = {}
        self._threads, self._starts, self._ends = array("i"), array("i"), array("i")

    def append(self, digest: str, thread: str, start: int, end: int) -> None:
        self.digests.append(digest)
        self._threads.append(self._names.setdefault(thread, len(self._names)))
        self._starts.append(start)
        self._ends.append(end)

    def __len__(self) -> int:
        return len(self.digests)

    def __iter__(self) -> Iterator[MessageDigest]:
        names = list(self._names)
        places = zip(self._threads, self._starts, self._ends, strict=True)
        for digest, (thread, start, end) in zip(self.digests, places, strict=True):
            yield digest, names[thread], start, end
