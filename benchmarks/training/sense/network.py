"""The network in torch while it is fitted; ultron_core/transcript/sense/encoder.py is the same in numpy."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from .base import Base

HEADS, WIDE, EPSILON = 12, 1536, 1e-12
DROPPED = 0.1


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
    """The first layers of the base over some of its pieces, and a head for each question."""

    def __init__(self, base: Base, kept: list[int], layers: int, questions: dict[str, int]) -> None:
        super().__init__()
        words = base.matrix("emb.word").reshape(-1, base.width)[kept]
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(words), freeze=True)
        places = base.reals("emb.pos").reshape(-1, base.width) + base.reals("emb.type")[: base.width]
        self.register_buffer("places", torch.from_numpy(places))
        self.norm = nn.LayerNorm(base.width, EPSILON)
        _fill(self.norm, base.reals("emb.ln.w"), base.reals("emb.ln.b"))
        self.layers = nn.ModuleList(_layer(base, number) for number in range(layers))
        self.heads = nn.ModuleDict({name: nn.Linear(base.width, size) for name, size in questions.items()})
        for head in self.heads.values():
            nn.init.normal_(head.weight, std=0.02)
            nn.init.constant_(head.bias, -1.5)  # few are true

    def forward(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        values = self.norm(self.words(ids) + self.places[: ids.shape[1]])
        for layer in self.layers:
            values = layer(values, real)
        held = real[:, :, None].float()
        return (values * held).sum(1) / held.sum(1)


def _layer(base: Base, number: int) -> Layer:
    layer = Layer(base.width)
    for name in ("q", "k", "v", "ao", "fi", "fo"):
        _fill(getattr(layer, name), base.matrix(f"l{number}.{name}.w"), base.reals(f"l{number}.{name}.b"))
    for name in ("aln", "oln"):
        _fill(getattr(layer, name), base.reals(f"l{number}.{name}.w"), base.reals(f"l{number}.{name}.b"))
    return layer


def _fill(part: nn.Linear | nn.LayerNorm, weight: np.ndarray, shift: np.ndarray) -> None:
    with torch.no_grad():
        part.weight.copy_(torch.from_numpy(weight).view(part.weight.shape))
        part.bias.copy_(torch.from_numpy(shift))
