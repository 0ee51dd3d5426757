"""The forward pass of the network in numpy: a text's pieces to one vector, the mean over what the last layer makes.

The architecture is that of BERT (Devlin et al., 2019), as multilingual-e5-small has it: twelve heads of 32 numbers,
normalised behind each part. Each text is computed by itself: in batches its numbers would depend on those beside it in
the last digits, and what is likely enough on the order in which texts come; 64 sentences take .65 s instead of .61.
Nine tenths of the time are products of matrices; the rest works in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ultron_core.transcript.sense.weights import Layer, Weights

__all__ = ["encode"]

Reals = npt.NDArray[np.float32]

#: parts of the attention, as the network was made
_HEADS: Final = 12
#: added to a variance before its root is taken
_EPSILON: Final = 1e-12
#: of the tangent that stands for the error function (Hendrycks and Gimpel, 2016)
_GELU: Final = (np.float32(0.7978845608), np.float32(0.044715))


def encode(rows: Sequence[Sequence[int]], weights: Weights) -> Reals:
    """A vector per row of piece numbers, in their order."""
    found = np.empty((len(rows), len(weights.norm[0])), dtype=np.float32)
    for place, row in enumerate(rows):
        found[place] = _encode(np.array(row, dtype=np.int64), weights)
    return found


def _encode(ids: npt.NDArray[np.int64], weights: Weights) -> Reals:
    values = _normal(weights.embeddings(ids) + weights.places[: len(ids)], *weights.norm)
    for layer in weights.layers:
        values = _normal(values + _attention(values, layer), *layer.norms[0])
        values = _normal(_with_dense(values, layer), *layer.norms[1])
    mean: Reals = values.mean(axis=0)
    return mean


def _attention(values: Reals, layer: Layer) -> Reals:
    longest, width = values.shape
    mixed = values @ layer.matrices["qkv"]
    mixed += layer.biases["qkv"]
    asked, offered, told = mixed.reshape(longest, 3, _HEADS, -1).transpose(1, 2, 0, 3)
    share = asked @ offered.swapaxes(1, 2)
    share /= np.float32(np.sqrt(width / _HEADS))
    share -= share.max(axis=2, keepdims=True)
    np.exp(share, out=share)
    share /= share.sum(axis=2, keepdims=True)
    seen = (share @ told).transpose(1, 0, 2).reshape(longest, width)
    found: Reals = seen @ layer.matrices["out"]
    found += layer.biases["out"]
    return found


def _with_dense(values: Reals, layer: Layer) -> Reals:
    wide = values @ layer.matrices["wide"]
    wide += layer.biases["wide"]
    found: Reals = _gelu(wide) @ layer.matrices["narrow"]
    found += values
    found += layer.biases["narrow"]
    return found


def _gelu(values: Reals) -> Reals:
    """Half of a value times (1 + tanh(slope x value x (1 + cubic x value squared))), without a new matrix a step."""
    slope, cubic = _GELU
    found: Reals = cubic * values
    found *= values
    found += 1
    factor = slope * values
    found *= factor
    np.tanh(found, out=found)
    found += 1
    found *= np.multiply(values, np.float32(0.5), out=factor)
    return found


def _normal(values: Reals, gain: Reals, shift: Reals) -> Reals:
    found: Reals = values - values.mean(axis=1, keepdims=True)
    found /= np.sqrt(np.square(found).mean(axis=1, keepdims=True) + _EPSILON)
    found *= gain
    found += shift
    return found
