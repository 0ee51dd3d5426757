"""What two rows are compared by: hashes of their word 5-grams, character 5-grams where the text is Chinese.

Of user and assistant text and of calls, without tool output: a copied file says nothing about the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import rensa

from ultron_core.sft.records import canonical_json
from ultron_core.transcript.language import CJK, CJK_CLASS

__all__ = ["Shingles", "compared_text", "jaccard", "shingles"]

Shingles = npt.NDArray[np.uint64]
#: words, or Chinese characters
_LENGTH = 5
#: a word, or one Chinese character, e.g. `user_id`, `端`
_WORD = re.compile(rf"[{CJK_CLASS}]|[^\W{CJK_CLASS}]+")
#: the same for text without Chinese, three times as fast, e.g. `user_id`
_LATIN_WORD = re.compile(r"\w+")
#: odd multipliers: a shingle's hash depends on the order of its words
_ORDER = np.array(
    [0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 1], np.uint64
)


def compared_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """Everything of a row that a person or the model wrote, in one string."""
    return " ".join(_texts(messages)).lower()


def _texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        if message["role"] in {"user", "assistant"}:
            yield message["content"]
        for call in message.get("tool_calls", ()):
            yield call["function"]["name"]
            yield canonical_json(call["function"]["arguments"])


def shingles(text: str) -> Shingles:
    """Hashes of the 5-grams, sorted, each once; a shorter text is one shingle."""
    found = (_WORD if CJK.search(text) else _LATIN_WORD).findall(text)
    words = np.array(rensa.RMinHash.hash_token_sets([found])[0], np.uint64)
    if len(words) < _LENGTH:
        words = np.concatenate([words, np.zeros(_LENGTH - len(words), np.uint64)])
    windows = np.lib.stride_tricks.sliding_window_view(words, _LENGTH)
    mixed = (windows * _ORDER).sum(axis=1, dtype=np.uint64)
    # a product alone leaves the low bits too regular for bands of MinHash
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(29)
    return np.unique(mixed)


def jaccard(one: Shingles, other: Shingles) -> float:
    """The true similarity of two sorted sets."""
    if not len(one) or not len(other):
        return 0.0
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)
