"""Near-duplicate rows by MinHash: words of user and assistant text and of calls, without tool output.

5-word shingles, 112 permutations in 14 bands of 8 rows: pairs above a Jaccard similarity of about 0.72 meet in
a band (Broder 1997; band numbers as in datatrove). Shingles in one language without spaces are characters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ultron_core.sft.records import canonical_json

__all__ = ["duplicate_clusters", "minhash"]

#: as in datatrove; see above
_BANDS, _ROWS = 14, 8
#: words
_SHINGLE = 5
_PRIME = np.uint64((1 << 61) - 1)
#: a word, or one Chinese character, e.g. `user_id`, `端`
_WORD = re.compile(r"[一-鿿]|\w+")


def _coefficients() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    rng = np.random.default_rng(20_240_229)  # fixed: the same rows must always give the same clusters
    count = _BANDS * _ROWS
    a = rng.integers(1, 1 << 31, size=count, dtype=np.uint64)
    b = rng.integers(0, 1 << 31, size=count, dtype=np.uint64)
    return a, b


_A, _B = _coefficients()


def minhash(messages: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.uint64]:
    """Signature of one row: 112 minima."""
    words = _WORD.findall(" ".join(_texts(messages)).lower())
    shingles = {" ".join(words[i : i + _SHINGLE]) for i in range(max(1, len(words) - _SHINGLE + 1))}
    hashes = np.array(
        [
            int.from_bytes(hashlib.blake2b(s.encode(), digest_size=4).digest(), "big")
            for s in sorted(shingles)
        ],
        dtype=np.uint64,
    )
    signature = np.full(_BANDS * _ROWS, _PRIME, dtype=np.uint64)
    for begin in range(0, len(hashes), 4096):  # bounded memory for very long rows
        block = hashes[begin : begin + 4096]
        values = (block[:, None] * _A[None, :] + _B[None, :]) % _PRIME
        signature = np.minimum(signature, values.min(axis=0))
    return signature


def _texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        if message["role"] in {"user", "assistant"}:
            yield message["content"]
        for call in message.get("tool_calls", ()):
            yield call["function"]["name"]
            yield canonical_json(call["function"]["arguments"])


def duplicate_clusters(signatures: Sequence[npt.NDArray[np.uint64]]) -> list[int]:
    """For each row the position of the first row of its cluster (its own where it has none).

    Rows that share a band are joined, transitively: the clusters do not depend on the order of rows.
    """
    parent = list(range(len(signatures)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    seen: dict[tuple[int, bytes], int] = {}
    for position, signature in enumerate(signatures):
        for band in range(_BANDS):
            key = (band, signature[band * _ROWS : (band + 1) * _ROWS].tobytes())
            other = seen.setdefault(key, position)
            a, b = root(other), root(position)
            parent[max(a, b)] = min(a, b)
    return [root(i) for i in range(len(signatures))]
