"""The fitted network as ultron_core/transcript/sense/weights.py reads it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from ultron_core.transcript.sense.pieces import Pieces

from .base import BLOCK, Base
from .network import Layer, Network

__all__ = ["Table", "table_of_base", "table_of_file", "write"]

#: steps of a matrix's row to either side of nothing
_STEPS = 127
#: places of the longest row of pieces, and more
_PLACES = 128


@dataclass(frozen=True)
class Table:
    """The pieces with their scores and vectors, as the file holds them: no fit changes them."""

    parts: dict[str, np.ndarray]

    @property
    def pieces(self) -> Pieces:
        written = bytes(self.parts["pieces"]).decode().split("\n")
        return Pieces(written, self.parts["scores"].astype(np.float64).tolist())


def table_of_base(base: Base, kept: list[int]) -> Table:
    packed = base.packed("emb.word")
    blocks = packed.reshape(-1, base.width // BLOCK, packed.shape[1])[kept]
    written = "\n".join(base.pieces[at].replace("\n", " ") for at in kept).encode()
    return Table(
        {
            "pieces": np.frombuffer(written, np.uint8),
            "scores": base.scores[kept].astype(np.float16),
            "steps": blocks[:, :, 2:].reshape(len(kept), -1).copy(),
            "scales": blocks[:, :, :2].copy().view("<f2")[:, :, 0],
        }
    )


def table_of_file(path: Path) -> Table:
    with np.load(path, allow_pickle=False) as raw:
        return Table({name: raw[name] for name in ("pieces", "scores", "steps", "scales")})


def write(path: Path, network: Network, table: Table) -> None:
    found = {
        **table.parts,
        "places": _half(network.places[:_PLACES]),
        **_norm("embeddings", network.norm),
    }
    for number, layer in enumerate(network.layers):
        found |= _layer(str(number), layer)
    for name, head in network.heads.items():
        found[f"head.{name}"] = head.weight.detach().numpy().T
        found[f"head.{name}.shift"] = head.bias.detach().numpy()
    np.savez_compressed(path, **found)


def _layer(name: str, layer: Layer) -> dict[str, np.ndarray]:
    mixed = (layer.q, layer.k, layer.v)
    return {
        **_matrix(
            f"{name}.qkv", torch.cat([one.weight for one in mixed]), torch.cat([one.bias for one in mixed])
        ),
        **_matrix(f"{name}.out", layer.ao.weight, layer.ao.bias),
        **_matrix(f"{name}.wide", layer.fi.weight, layer.fi.bias),
        **_matrix(f"{name}.narrow", layer.fo.weight, layer.fo.bias),
        **_norm(f"{name}.attention", layer.aln),
        **_norm(f"{name}.dense", layer.oln),
    }


def _matrix(name: str, weight: torch.Tensor, bias: torch.Tensor) -> dict[str, np.ndarray]:
    own = weight.detach().numpy()
    scale = (np.abs(own).max(axis=1) / _STEPS).astype(np.float16)
    steps = np.clip(np.round(own / scale.astype(np.float32)[:, None]), -_STEPS, _STEPS).astype(np.int8)
    return {name: steps, f"{name}.scale": scale, f"{name}.bias": _half(bias)}


def _norm(name: str, norm: nn.LayerNorm) -> dict[str, np.ndarray]:
    return {f"{name}.gain": _half(norm.weight), f"{name}.shift": _half(norm.bias)}


def _half(values: torch.Tensor) -> np.ndarray:
    return values.detach().numpy().astype(np.float16)
