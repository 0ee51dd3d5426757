"""The forward pass of the network in numpy: a text's pieces to one vector, the mean over what the last layer makes.

The architecture is that of BERT (Devlin et al., 2019), as multilingual-e5-small has it: twelve heads of 32 numbers,
normalised behind each part. Texts of about one length are computed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ultron_core.transcript.sense.pieces import PAD
from ultron_core.transcript.sense.weights import Layer, Weights

__all__ = ["encode"]

Reals = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

#: parts of the attention, as the network was made
_HEADS: Final = 12
#: texts computed at once
_TOGETHER: Final = 16
#: added to a variance before its root is taken
_EPSILON: Final = 1e-12
#: less than any product of two pieces
_NOTHING: Final = np.float32(-1e9)
#: of the tangent that stands for the error function (Hendrycks and Gimpel, 2016)
_GELU: Final = (np.float32(0.7978845608), np.float32(0.044715))


def encode(rows: Sequence[Sequence[int]], weights: Weights) -> Reals:
    """A vector per row of piece numbers, in their order."""
    found = np.empty((len(rows), len(weights.norm[0])), dtype=np.float32)
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    for start in range(0, len(order), _TOGETHER):
        own = order[start : start + _TOGETHER]
        found[own] = _together([rows[row] for row in own], weights)
    return found


def _together(rows: Sequence[Sequence[int]], weights: Weights) -> Reals:
    longest = max(map(len, rows))
    ids = np.full((len(rows), longest), PAD, dtype=np.int64)
    for row, own in enumerate(rows):
        ids[row, : len(own)] = own
    real = np.arange(longest) < np.array([len(own) for own in rows])[:, None]
    begun = weights.embeddings(ids.ravel()).reshape(len(rows), longest, -1) + weights.places[:longest]
    values = _normal(begun, *weights.norm)
    for layer in weights.layers:
        values = _layer(values, real, layer)
    held = real[:, :, None].astype(np.float32)
    mean: Reals = (values * held).sum(axis=1) / held.sum(axis=1)
    return mean


def _layer(values: Reals, real: Bools, layer: Layer) -> Reals:
    values = _normal(values + _attention(values, real, layer), *layer.norms[0])
    wide = _gelu(values @ layer.matrices["wide"] + layer.biases["wide"])
    return _normal(values + wide @ layer.matrices["narrow"] + layer.biases["narrow"], *layer.norms[1])


def _attention(values: Reals, real: Bools, layer: Layer) -> Reals:
    texts, longest, width = values.shape
    mixed = values @ layer.matrices["qkv"] + layer.biases["qkv"]
    asked, offered, told = mixed.reshape(texts, longest, 3, _HEADS, -1).transpose(2, 0, 3, 1, 4)
    odds = asked @ offered.swapaxes(2, 3) / np.float32(np.sqrt(width / _HEADS))
    odds = np.where(real[:, None, None, :], odds, _NOTHING)
    share = np.exp(odds - odds.max(axis=3, keepdims=True))
    share /= share.sum(axis=3, keepdims=True)
    seen = (share @ told).transpose(0, 2, 1, 3).reshape(texts, longest, width)
    found: Reals = seen @ layer.matrices["out"] + layer.biases["out"]
    return found


def _gelu(values: Reals) -> Reals:
    slope, cubic = _GELU
    found: Reals = 0.5 * values * (1 + np.tanh(slope * values * (1 + cubic * values * values)))
    return found


def _normal(values: Reals, gain: Reals, shift: Reals) -> Reals:
    centred = values - values.mean(axis=2, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=2, keepdims=True) + _EPSILON)
    found: Reals = centred / spread * gain + shift
    return found
