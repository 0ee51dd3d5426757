"""The network in torch while it is fitted; ultron_core/transcript/sense/encoder.py is the same in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ultron_core.transcript.sense import weights as shipped

from .base import Base

HEADS, WIDE, EPSILON = 12, 1536, 1e-12
DROPPED = 0.1
#: few are true: what a head that nothing is known of begins with
_SELDOM = -1.5
#: matrices of a layer here, and where the shipped network has them
_ATTENTION, _DENSE = ("q", "k", "v"), {"ao": "out", "fi": "wide", "fo": "narrow"}


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.q, self.k, self.v, self.ao = (nn.Linear(width, width) for _ in range(4))
        self.fi, self.fo = nn.Linear(width, WIDE), nn.Linear(WIDE, width)
        self.aln, self.oln = nn.LayerNorm(width, EPSILON), nn.LayerNorm(width, EPSILON)

    def forward(self, values: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        texts, longest, width = values.shape

        def split(mixed: torch.Tensor) -> torch.Tensor:
            return mixed.view(texts, longest, HEADS, -1).transpose(1, 2)

        seen = functional.scaled_dot_product_attention(
            split(self.q(values)), split(self.k(values)), split(self.v(values)), attn_mask=real[:, None, None]
        )
        own = self.ao(seen.transpose(1, 2).reshape(texts, longest, width))
        values = self.aln(values + functional.dropout(own, DROPPED, self.training))
        wide = self.fo(functional.gelu(self.fi(values)))
        return self.oln(values + functional.dropout(wide, DROPPED, self.training))


class Network(nn.Module):
    """A table of pieces that stays as it is, layers, and a head for each question."""

    def __init__(
        self, words: np.ndarray, places: np.ndarray, layers: int, questions: Mapping[str, int]
    ) -> None:
        super().__init__()
        width = words.shape[1]
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(words), freeze=True)
        self.register_buffer("places", torch.from_numpy(places))
        self.norm = nn.LayerNorm(width, EPSILON)
        self.layers = nn.ModuleList(Layer(width) for _ in range(layers))
        self.heads = nn.ModuleDict({name: nn.Linear(width, size) for name, size in questions.items()})
        for head in self.heads.values():
            nn.init.normal_(head.weight, std=0.02)
            nn.init.constant_(head.bias, _SELDOM)

    def forward(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        values = self.norm(self.words(ids) + self.places[: ids.shape[1]])
        for layer in self.layers:
            values = layer(values, real)
        held = real[:, :, None].float()
        return (values * held).sum(1) / held.sum(1)


def from_base(base: Base, kept: list[int], layers: int, questions: Mapping[str, int]) -> Network:
    """The first layers of the base over some of its pieces."""
    words = base.matrix("emb.word").reshape(-1, base.width)[kept]
    places = base.reals("emb.pos").reshape(-1, base.width) + base.reals("emb.type")[: base.width]
    network = Network(words, places, layers, questions)
    _fill(network.norm, base.reals("emb.ln.w"), base.reals("emb.ln.b"))
    for number, layer in enumerate(network.layers):
        for name in (*_ATTENTION, *_DENSE):
            _fill(getattr(layer, name), base.matrix(f"l{number}.{name}.w"), base.reals(f"l{number}.{name}.b"))
        for name in ("aln", "oln"):
            _fill(getattr(layer, name), base.reals(f"l{number}.{name}.w"), base.reals(f"l{number}.{name}.b"))
    return network


def from_shipped(own: shipped.Weights, questions: Mapping[str, int]) -> Network:
    """The network that ships, with a new head for a question that it does not know yet."""
    whole = own.embeddings(np.arange(len(own.steps)))
    network = Network(whole, own.places, len(own.layers), questions)
    _fill(network.norm, *own.norm)
    for layer, known in zip(network.layers, own.layers, strict=True):
        matrices = zip(
            np.split(known.matrices["qkv"], 3, axis=1), np.split(known.biases["qkv"], 3), strict=True
        )
        for name, (matrix, shift) in zip(_ATTENTION, matrices, strict=True):
            _fill(getattr(layer, name), matrix.T.copy(), shift)
        for name, theirs in _DENSE.items():
            _fill(getattr(layer, name), known.matrices[theirs].T.copy(), known.biases[theirs])
        for name, norm in zip(("aln", "oln"), known.norms, strict=True):
            _fill(getattr(layer, name), *norm)
    for name, head in network.heads.items():
        if name in own.heads:
            matrix, shift = own.heads[name]
            _fill(head, matrix.T.copy(), shift)
    return network


def _fill(part: nn.Linear | nn.LayerNorm, weight: np.ndarray, shift: np.ndarray) -> None:
    with torch.no_grad():
        part.weight.copy_(torch.from_numpy(weight).view(part.weight.shape))
        part.bias.copy_(torch.from_numpy(shift))
