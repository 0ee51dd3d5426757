"""The numbers of the network, as network.npz holds them: embeddings in steps of four bits, layers in steps of eight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files

import numpy as np
import numpy.typing as npt

from ultron_core.transcript.sense.pieces import Pieces

__all__ = ["Layer", "Weights", "load_weights"]

Reals = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

#: numbers that share a scale in the embeddings
_BLOCK = 32
#: a step of four bits stands for -8 to 7 times the scale of its block
_MIDDLE = 8
#: the matrices of a layer; q, k and v stand beside each other
_MATRICES = ("qkv", "out", "wide", "narrow")


@dataclass(frozen=True, eq=False)
class Layer:
    """Attention and two dense layers, each followed by a normalisation; matrices are (inputs, outputs)."""

    matrices: Mapping[str, Reals]
    biases: Mapping[str, Reals]
    #: gain and shift behind the attention, and behind the dense layers
    norms: tuple[tuple[Reals, Reals], tuple[Reals, Reals]]


@dataclass(frozen=True, eq=False)
class Weights:
    pieces: Pieces
    #: a row of packed steps per piece, and the scales of its blocks
    steps: Bytes
    scales: npt.NDArray[np.float16]
    places: Reals
    norm: tuple[Reals, Reals]
    layers: tuple[Layer, ...]
    #: matrix and shift of each question
    heads: Mapping[str, tuple[Reals, Reals]]

    def embeddings(self, ids: npt.NDArray[np.int64]) -> Reals:
        """A row per number of a piece."""
        packed = self.steps[ids].reshape(len(ids), -1, _BLOCK // 2)
        whole = np.concatenate([packed & 15, packed >> 4], axis=2).astype(np.float32) - _MIDDLE
        found: Reals = (whole * self.scales[ids][:, :, None]).reshape(len(ids), -1).astype(np.float32)
        return found


def load_weights() -> Weights:
    """The network that ships with this version."""
    with (
        as_file(files("ultron_core.transcript.sense").joinpath("network.npz")) as path,
        np.load(path, allow_pickle=False) as raw,
    ):
        return _weights({name: raw[name] for name in raw.files})


def _weights(raw: Mapping[str, npt.NDArray[np.generic]]) -> Weights:
    def real(name: str) -> Reals:
        return raw[name].astype(np.float32)

    def norm(name: str) -> tuple[Reals, Reals]:
        return real(f"{name}.gain"), real(f"{name}.shift")

    def matrix(name: str) -> Reals:
        """Row by row in memory: products take a seventh less time than with one that is only seen turned."""
        return np.ascontiguousarray((real(name) * real(f"{name}.scale")[:, None]).T)

    def layer(number: int) -> Layer:
        return Layer(
            {name: matrix(f"{number}.{name}") for name in _MATRICES},
            {name: real(f"{number}.{name}.bias") for name in _MATRICES},
            (norm(f"{number}.attention"), norm(f"{number}.dense")),
        )

    written = bytes(raw["pieces"].astype(np.uint8)).decode().split("\n")
    count = sum(name.endswith(".qkv") for name in raw)
    heads = {name.split(".")[1]: (real(name), real(f"{name}.shift")) for name in raw if _is_head(name)}
    return Weights(
        Pieces(written, raw["scores"].astype(np.float64).tolist()),
        raw["steps"].astype(np.uint8),
        raw["scales"].astype(np.float16),
        real("places"),
        norm("embeddings"),
        tuple(layer(number) for number in range(count)),
        heads,
    )


def _is_head(name: str) -> bool:
    return name.startswith("head.") and name.count(".") == 1
