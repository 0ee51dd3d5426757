"""The forward pass against a plain one, text by text and head by head, as the paper has it."""

import numpy as np

from ultron_core.transcript.sense.encoder import encode
from ultron_core.transcript.sense.weights import load_weights

HEADS = 12


def normal(row, gain, shift):
    return (row - row.mean()) / np.sqrt(row.var() + 1e-12) * gain + shift


def plain(ids, weights):
    rows = weights.embeddings(np.array(ids)) + weights.places[: len(ids)]
    rows = np.array([normal(row, *weights.norm) for row in rows], dtype=np.float64)
    for layer in weights.layers:
        mixed = rows @ layer.matrices["qkv"] + layer.biases["qkv"]
        parts = []
        for q, k, v in zip(
            *(np.split(one, HEADS, axis=1) for one in np.split(mixed, 3, axis=1)), strict=True
        ):
            share = np.exp(q @ k.T / np.sqrt(q.shape[1]))
            parts.append(share / share.sum(axis=1, keepdims=True) @ v)
        seen = np.hstack(parts) @ layer.matrices["out"] + layer.biases["out"]
        rows = np.array([normal(row, *layer.norms[0]) for row in rows + seen])
        wide = rows @ layer.matrices["wide"] + layer.biases["wide"]
        wide = 0.5 * wide * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
        dense = wide @ layer.matrices["narrow"] + layer.biases["narrow"]
        rows = np.array([normal(row, *layer.norms[1]) for row in rows + dense])
    return rows.mean(axis=0)


def test_texts_of_any_length_are_as_a_plain_pass_gives_them():
    weights = load_weights()
    rng = np.random.default_rng(0)
    rows = [[0, *rng.integers(4, 20_000, size), 2] for size in (1, 7, 60, 3)]
    found = encode(rows, weights)
    for row, own in zip(rows, found, strict=True):
        assert np.allclose(own, plain(row, weights), atol=2e-3)
