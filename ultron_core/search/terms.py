"""Text -> lexical terms and BM25 weights; English, Chinese and identifiers.

English words become stems. An identifier (`read_session`, `ModuleNotFoundError`, `/etc/hosts`,
`--no-cache`, `3.11.4`) is a term whole and in its parts. A run of Chinese gives its single characters, its
character pairs and jieba's words of three characters and more, so a word is found however it was cut.
"""

from __future__ import annotations

import logging
import math
import re
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import Stemmer

from ultron_core.transcript.language import CJK, CJK_CLASS

__all__ = [
    "BM25_B",
    "BM25_K1",
    "BM25_MOST",
    "bm25_weights",
    "idf",
    "lexical_terms",
    "query_terms",
    "rarest",
    "stem",
    "term_id",
]

#: term ids are 1 .. 999,999,999, the index range of pgvector's sparsevec(1000000000)
_TERM_SPACE = 999_999_999
#: longer tokens are hashes and encoded data; their beginning tells them apart
_MAX_TERM_CHARS = 120
#: the usual values (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009)
BM25_K1, BM25_B = 1.2, 0.75
#: what the weight of a term in a document comes near to, however often it occurs
BM25_MOST = BM25_K1 + 1
#: a run of Chinese, or what stands between spaces, e.g. `连接超时`, `src/app.py:12`
_CHUNK = re.compile(rf"[{CJK_CLASS}]+|[^\s{CJK_CLASS}，。；：！？、（）《》“”‘’【】]+")
#: e.g. `don't`, `HTTP2`
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?", re.IGNORECASE)
#: the pieces of a compound, e.g. `parse` and `HTTP` and `Response` of "parseHTTPResponse"
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
#: the token is an identifier and also kept whole, e.g. `app.py`, `user_id`, `getUser`, `utf8`, `--force`,
#: `~/notes`
_MARKS = re.compile(r"[A-Za-z0-9][._/\\:@-][A-Za-z0-9]|_|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|^--?[a-z]|^[~.]?/")
#: windows of a log overlap by half, and logs repeat themselves: so many chunks of usual length are taken apart once,
#: some 20 MB
_CHUNKS, _USUAL_CHARS = 50_000, 80
_TRIM = "\"'`()[]{}<>,;:!?|*=+&^%#$"
_STOP = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "me", "my", "of", "on", "or", "our", "she", "so", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "us", "was", "we", "were", "what",
    "when", "where", "which", "who", "whom", "why", "will", "with", "would", "you", "your",
))  # fmt: skip


class _Stemmers(threading.local):
    """A stemmer keeps state and must not be asked by two threads at once: each thread has its own."""

    def __init__(self) -> None:
        self.porter = Stemmer.Stemmer("porter")


_STEMMERS = _Stemmers()


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Porter's stem of a lower-case ASCII word: `running` -> `run`; a word of two letters or with a digit stays."""
    if len(word) <= 2 or not word.isalpha() or not word.isascii():
        return word
    return _STEMMERS.porter.stemWord(word)  # type: ignore[no-any-return]


def lexical_terms(text: str) -> Counter[str]:
    """How often each term occurs; the sum of the counts is the document's length for BM25."""
    return Counter(_terms(text))


def query_terms(text: str) -> list[str]:
    """The distinct terms of a query, in order of appearance; stop words only when there is nothing else."""
    terms = list(dict.fromkeys(_terms(text)))
    if terms:
        return terms
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))


@lru_cache(maxsize=_CHUNKS)
def term_id(term: str) -> int:
    """The number a term is stored under, 1 to 999,999,999: crc32, so no dictionary table is needed."""
    return zlib.crc32(term.encode("utf-8")) % _TERM_SPACE + 1


def bm25_weights(
    counts: Mapping[str, int], length: int, average_length: float, k1: float = BM25_K1, b: float = BM25_B
) -> dict[int, float]:
    """Term id -> saturated term frequency of one document; a query's score is the sum of idf x weight.

    tf (k1 + 1) / (tf + k1 (1 - b + b length / average_length)), Robertson and Zaragoza 2009, section 3.
    `length` and `average_length` count terms as `lexical_terms` does; an average of 0 counts as `length`.
    """
    ratio = length / average_length if average_length > 0 else 1.0
    norm = k1 * (1 - b + b * ratio)
    frequency: Counter[int] = Counter()
    for term, count in counts.items():
        frequency[term_id(term)] += count
    return {key: tf * (k1 + 1) / (tf + norm) for key, tf in frequency.items()}


def idf(df: int, n: int) -> float:
    """Inverse document frequency ln(1 + (n - df + 0.5) / (df + 0.5)), never negative (Lucene's form)."""
    df = min(max(df, 0), max(n, 0))
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def rarest(frequencies: Mapping[int, int], budget: int) -> list[int]:
    """The terms that are worth finding candidates by: rarest first, until `budget` documents are reached.

    At least two; the others only add to scores. Common words would make the whole store a candidate
    (measured: at 5,000 documents a top 10 of 100,000 stays exact).
    """
    kept: list[int] = []
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term)):
        if len(kept) >= 2 and sum(frequencies[other] for other in kept) + frequencies[term] > budget:
            break
        kept.append(term)
    return kept


def _terms(text: str) -> Iterator[str]:
    for chunk in _CHUNK.findall(unicodedata.normalize("NFKC", text)):
        yield from _usual(chunk) if len(chunk) <= _USUAL_CHARS else _of_chunk(chunk)


def _of_chunk(chunk: str) -> tuple[str, ...]:
    return tuple(_chinese(chunk) if CJK.match(chunk) else _latin(chunk))


_usual = lru_cache(maxsize=_CHUNKS)(_of_chunk)


def _latin(chunk: str) -> Iterator[str]:
    token = chunk.strip(_TRIM).rstrip(".")
    if not token:
        return
    if _MARKS.search(token):
        yield token.lower()[:_MAX_TERM_CHARS]
        for word in _WORD.findall(token):
            yield from _parts(word, token)
        return
    for word in _WORD.findall(token):
        yield from _plain(word)


def _parts(word: str, whole: str) -> Iterator[str]:
    pieces = _CAMEL.findall(word)
    if len(pieces) > 1 and word != whole:
        yield word.lower()[:_MAX_TERM_CHARS]
    for piece in pieces:
        yield from _plain(piece)


def _plain(word: str) -> Iterator[str]:
    word = word.lower().removesuffix("'s")[:_MAX_TERM_CHARS]
    if word not in _STOP:
        yield stem(word)


def _chinese(run: str) -> Iterator[str]:
    yield from run
    for i in range(len(run) - 1):
        yield run[i : i + 2]
    if len(run) > 2:
        for word in _cutter().cut_for_search(run):
            if len(word) > 2:
                yield word


@lru_cache(maxsize=1)
def _cutter() -> Any:
    import jieba

    jieba.setLogLevel(logging.WARNING)
    return jieba.Tokenizer()
