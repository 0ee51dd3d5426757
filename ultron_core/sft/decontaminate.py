"""Rows that contain evaluation texts are left out: 13-word overlaps, whole short prompts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["EvalIndex", "build_index"]

#: GPT-3 / lm-evaluation-harness lineage
_N = 13
#: a word, or one Chinese character, e.g. `user_id`, `端`
_WORD = re.compile(r"[一-鿿]|\w+")


@dataclass(frozen=True, slots=True)
class EvalIndex:
    """N-grams of the evaluation texts, each with the name of its set."""

    ngrams: Mapping[tuple[str, ...], str]
    lengths: tuple[int, ...]

    def match(self, messages: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
        """(set, matched words) of the first overlap in user or assistant text. Tool output is not searched: it
        contains copied files, and no loss is computed on it."""
        for message in messages:
            if message["role"] not in {"user", "assistant"}:
                continue
            words = _words(message["content"])
            for n in self.lengths:
                for i in range(len(words) - n + 1):
                    gram = tuple(words[i : i + n])
                    if gram in self.ngrams:
                        return self.ngrams[gram], " ".join(gram)
        return None


def build_index(texts: Iterable[tuple[str, str]]) -> EvalIndex:
    """Index of (set name, text) pairs; texts of 8 to 12 words count as one n-gram, shorter ones not at all."""
    ngrams: dict[tuple[str, ...], str] = {}
    for name, text in texts:
        words = _words(text)
        n = min(_N, len(words))
        if n < 8:
            continue
        for i in range(len(words) - n + 1):
            ngrams.setdefault(tuple(words[i : i + n]), name)
    return EvalIndex(ngrams, tuple(sorted({len(gram) for gram in ngrams})))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
