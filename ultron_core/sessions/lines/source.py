"""Where the bytes come from: a path or bytes, in any encoding, as physical lines, as often as needed."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

from ultron_core.errors import SessionFileError
from ultron_core.sessions.lines.encoding import of_file
from ultron_core.sessions.lines.packed import GZIP_MAGIC, unpacked

__all__ = ["MAX_LINE_BYTES", "Content", "Source", "check_regular"]

#: a path, the bytes themselves, or what opens them from their beginning each time it is called
Content = str | Path | bytes | Callable[[], BinaryIO]

#: A longer physical line is counted as `too_long` and not read into memory.
MAX_LINE_BYTES = 256 * 2**20
#: bytes by which the packing and the encoding are judged
_HEAD_BYTES = 65_536
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b")) + b"\x7f"


class Source:
    """A session file that can be read more than once. Raises SessionFileError when it cannot be read at all."""

    def __init__(self, content: Content, max_bytes: int = 0) -> None:
        self._packed, self._max_bytes = False, max_bytes
        self._opens: Callable[[], BinaryIO]
        if isinstance(content, (bytes, bytearray, memoryview)):
            self.name, self._opens = "<bytes>", partial(io.BytesIO, bytes(content))
        elif callable(content):
            self.name, self._opens = "<bytes>", content
        else:
            self.name, self._opens = str(content), partial(_open_path, Path(content))
        try:
            with self._open() as file:
                head = file.read(_HEAD_BYTES)
                self.size = file.seek(0, io.SEEK_END)
            if head.startswith(GZIP_MAGIC):
                self._packed = True
                with self._open() as file:
                    head = file.read(_HEAD_BYTES)
        except OSError as error:
            raise SessionFileError(f"{self.name} cannot be read: {error}.") from error
        self.encoding = of_file(head)
        self._head = head

    @property
    def looks_binary(self) -> bool:
        """Whether it begins as no text file does; a log may still follow."""
        return self.encoding in ("utf-8", "utf-8-sig") and _control_share(self._head) > 0.05

    def _open(self) -> BinaryIO:
        file = self._opens()
        return unpacked(file, self.name, self.size, self._max_bytes) if self._packed else file

    def lines(self) -> Iterator[bytes]:
        """Each physical line as UTF-8 bytes with its end; a line over MAX_LINE_BYTES is cut to one byte more."""
        with self._open() as file:
            try:
                if self.encoding.startswith(("utf-16", "utf-32")):
                    yield from _decoded(file, self.encoding)
                    return
                if self.encoding == "utf-8-sig":
                    file.seek(len(codecs.BOM_UTF8))
                if self.size <= MAX_LINE_BYTES and not self._packed:
                    yield from file  # no line can be too long
                    return
                while raw := file.readline(MAX_LINE_BYTES):
                    if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
                        _skip_rest(file)
                        raw += b" "
                    yield raw
            except OSError as error:
                raise SessionFileError(f"{self.name} cannot be read: {error}.") from error


def _open_path(path: Path) -> BinaryIO:
    try:
        check_regular(path.stat(), str(path))
        return path.open("rb", buffering=1 << 18)
    except FileNotFoundError as error:
        raise SessionFileError(f"{path} does not exist.") from error
    except (OSError, ValueError) as error:
        raise SessionFileError(f"{path} cannot be read: {error}.") from error


def check_regular(stat: os.stat_result, name: str) -> None:
    """Raises SessionFileError for a folder, a pipe or a device: reading one may never end."""
    if not S_ISREG(stat.st_mode):
        raise SessionFileError(f"{name} is not a regular file: use a session file.")


def _decoded(file: BinaryIO, encoding: str) -> Iterator[bytes]:
    with io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="\n") as text:
        while line := text.readline(MAX_LINE_BYTES):
            yield line.encode("utf-8", "replace")


def _skip_rest(file: BinaryIO) -> None:
    while (more := file.readline(1 << 20)) and not more.endswith(b"\n"):
        pass


def _control_share(head: bytes) -> float:
    body = head.rstrip(b"\x00")
    if not body:
        return 0.0
    return 1 - len(body.translate(None, _CONTROLS)) / len(body)
