"""A gz log unpacked while it is read, up to a size and a ratio: a few kB of gz can hold gigabytes."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import BinaryIO, cast

from ultron_core.errors import SessionFileError

__all__ = ["GZIP_MAGIC", "MAX_RATIO", "unpacked"]

GZIP_MAGIC = b"\x1f\x8b\x08"
#: agent logs shrink 3 to 19 times (the example sessions, gzip -9), zeros 1,028 times
MAX_RATIO = 200
#: a small log of the same line over and over may shrink more
_ALWAYS_BYTES = 16 * 2**20


def unpacked(file: BinaryIO, name: str, packed_size: int, max_bytes: int = 0) -> BinaryIO:
    """The content of a gz file; closing it closes `file`. `max_bytes` 0: only the ratio limits it.

    Reading raises SessionFileError past the limit, and for a damaged or cut-off file.
    """
    most = max(_ALWAYS_BYTES, MAX_RATIO * packed_size)
    why = f"more than {MAX_RATIO} times its size: unpack it yourself if that is right"
    if max_bytes and max_bytes < most:
        most, why = (
            max_bytes,
            f"over the limit of {max_bytes:,} bytes: split it, or raise ULTRON_INGEST_MAX_BYTES",
        )
    raw = _Limited(file, most, f"{name} unpacks to {why}.", name)
    return cast("BinaryIO", io.BufferedReader(raw, 1 << 18))


class _Limited(io.RawIOBase):
    def __init__(self, file: BinaryIO, most: int, refusal: str, name: str) -> None:
        self._file, self._gzip = file, gzip.GzipFile(fileobj=file, mode="rb")
        self._left, self._refusal, self._name = most, refusal, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            count = self._gzip.readinto(buffer)
        except (EOFError, OSError, zlib.error) as error:
            raise SessionFileError(f"{self._name} is a damaged gz file: {error}.") from error
        self._left -= count
        if self._left < 0:
            raise SessionFileError(self._refusal)
        return count

    def close(self) -> None:
        self._gzip.close()
        self._file.close()
        super().close()
