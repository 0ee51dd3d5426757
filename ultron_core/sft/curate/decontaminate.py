"""Rows that contain evaluation texts are left out: 13-word overlaps, whole short prompts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ultron_core.sft.records import canonical_json
from ultron_core.transcript.language import CJK_CLASS

__all__ = ["EvalIndex", "build_index", "read_folder"]

#: GPT-3 / lm-evaluation-harness lineage
_N = 13
#: shorter texts say nothing of where they come from
_FEWEST = 8
#: a word, or one Chinese character, e.g. `user_id`, `端`
_WORD = re.compile(rf"[{CJK_CLASS}]|[^\W{CJK_CLASS}]+")


@dataclass(frozen=True, slots=True)
class EvalIndex:
    """N-grams of the evaluation texts, each with the name of its set; `files` are the hashes of what was read."""

    ngrams: Mapping[tuple[str, ...], str]
    lengths: tuple[int, ...]
    files: Mapping[str, str] = field(default_factory=dict)

    def match(self, messages: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
        """(set, matched words) of the first overlap in user or assistant text or in a call's arguments.

        Tool output is not searched: it contains copied files, and no loss is computed on it.
        """
        for text in _searched(messages):
            words = _words(text)
            for n in self.lengths:
                for i in range(len(words) - n + 1):
                    gram = tuple(words[i : i + n])
                    if gram in self.ngrams:
                        return self.ngrams[gram], " ".join(gram)
        return None


def _searched(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        if message["role"] in {"user", "assistant"}:
            yield message["content"]
        for call in message.get("tool_calls", ()):
            yield from _strings(call["function"]["arguments"])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _strings(item)


def build_index(texts: Iterable[tuple[str, str]], files: Mapping[str, str] | None = None) -> EvalIndex:
    """Index of (set name, text) pairs; texts of 8 to 12 words count as one n-gram, shorter ones not at all."""
    ngrams: dict[tuple[str, ...], str] = {}
    for name, text in texts:
        words = _words(text)
        n = min(_N, len(words))
        if n < _FEWEST:
            continue
        for i in range(len(words) - n + 1):
            ngrams.setdefault(tuple(words[i : i + n]), name)
    return EvalIndex(ngrams, tuple(sorted({len(gram) for gram in ngrams})), files or {})


def read_folder(folder: Path, fields: Sequence[str]) -> EvalIndex:
    """Index of a folder: the named fields of each object in a .jsonl file, each line of a .txt file.

    A field may hold a text, a list of texts, or chat messages. Raises ValueError when no object of a .jsonl
    file has any of them: an evaluation set that is not read protects nothing.
    """
    texts: list[tuple[str, str]] = []
    files: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".txt", ".jsonl"} or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        raw = path.read_bytes()
        files[name] = hashlib.sha256(raw).hexdigest()
        lines = [line for line in raw.decode("utf-8", errors="replace").splitlines() if line.strip()]
        found = [text for line in lines for text in _line_texts(path.suffix, line, fields)]
        if lines and not found:
            raise ValueError(f"{name} has none of the fields {', '.join(fields)}")
        texts += [(path.stem, text) for text in found]
    return build_index(texts, files)


def _line_texts(suffix: str, line: str, fields: Sequence[str]) -> Iterator[str]:
    if suffix == ".txt":
        yield line
        return
    value = json.loads(line)
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name in fields:
            yield from _strings(_contents(value.get(name)))


def _contents(value: Any) -> Any:
    """Of chat messages the content alone: roles are no text."""
    if isinstance(value, list):
        return [
            item.get("content", canonical_json(item)) if isinstance(item, Mapping) else item for item in value
        ]
    return value


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
