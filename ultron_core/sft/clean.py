"""Rows without secrets and personal data, with the second look for secrets and the token counts of what is left.

The work on one row depends on its texts and on the rules alone. So what was found for a segment can be remembered from
one export to the next, and batches can be worked on in any process.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ultron_core.redaction.spans import SECRETS
from ultron_core.sft.counting.counts import CountTokens, token_counts
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.records import canonical_json
from ultron_core.sft.workers import Workers

__all__ = ["Cleaned", "Cleaner", "Memory", "Texts", "Tools", "clean_batch"]

#: of what is remembered; raised when `clean_batch` gives something else for the same texts and rules
_VERSION = 2
#: tool schemas of which it is known whether they hold anything to redact; logs repeat them
_MOST_SCHEMAS = 20_000
#: what redaction leaves of a secret, unlike that of a name or an address, e.g.
#: `<GITHUB_TOKEN>`, `<REDACTED_CREDENTIAL_2>`
_SECRET = re.compile(rf"<(?:{'|'.join(SECRETS)})(?:_\d{{1,9}})?>")


@dataclass(frozen=True, slots=True)
class Tools:
    """What the build is handed. `redact` replaces secrets and personal data in JSON values, each its own document;
    `has_secret` is the independent second look: a row in which it still finds something is rejected."""

    redact: Callable[[Sequence[Any]], Sequence[Any]]
    has_secret: Callable[[str], bool]
    count_tokens: CountTokens
    eval_index: EvalIndex | None = None
    #: of the redaction rules and the tokenizer: what is remembered under other rules is done again
    version: str = ""
    _schemas: dict[str, bool] = field(default_factory=dict)

    def schemas_are_clean(self, tools: Sequence[Any]) -> bool:
        """Does redaction leave these tool schemas as they are? They need not be looked at row by row then."""
        text = canonical_json(list(tools))
        if len(self._schemas) > _MOST_SCHEMAS:
            self._schemas.clear()
        if text not in self._schemas:
            # placeholders in it take part in the numbering of the row
            self._schemas[text] = "<" not in text and self.redact([list(tools)])[0] == list(tools)
        return self._schemas[text]


@dataclass(frozen=True, slots=True)
class Texts:
    """What is to be cleaned for one segment: a row's texts, or a detail that quotes the log as `topic` alone."""

    segment_id: str
    #: hash of everything else
    content: str
    topic: str
    messages: Sequence[Mapping[str, Any]] = ()
    tools: Sequence[Mapping[str, Any]] = ()

    @property
    def bare(self) -> bool:
        """Of a remembered draft: its messages were not read."""
        return bool(self.content) and not self.messages

    def digest(self, version: str) -> bytes:
        told = f"{_VERSION}\n{version}\n{self.content}\n{self.topic}"
        return hashlib.sha256(told.encode(errors="surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The same texts, cleaned; `secret`: the second look found something all the same; `unsafe`: they held a key, token
    or password, of which a placeholder is left."""

    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    topic: str
    secret: bool
    tokens: int
    trained: int
    unsafe: bool = False

    def packed(self) -> bytes:
        """In the order of keys that it has: a row that is remembered gives the same bytes as a new one."""
        values = [self.messages, self.tools, self.topic, self.secret, self.tokens, self.trained, self.unsafe]
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def unpacked(cls, data: bytes) -> Cleaned:
        messages, tools, topic, *counts = json.loads(data)
        return cls(tuple(messages), tuple(tools), topic, *counts)


class Memory(Protocol):
    """What earlier exports cleaned, one entry a segment."""

    def recall(self, digests: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """By segment, where the entry has this digest."""

    def remember(self, entries: Sequence[tuple[str, bytes, bytes]]) -> None:
        """(segment, digest, packed): replaces what was remembered of the segment."""


def clean_batch(tools: Tools, batch: Sequence[Texts]) -> list[Cleaned]:
    """Redact the texts of many rows, each its own document; names are found in one go."""
    clean_schemas = [not texts.tools or tools.schemas_are_clean(texts.tools) for texts in batch]
    values = [_document(texts, known) for texts, known in zip(batch, clean_schemas, strict=True)]
    return [_cleaned(texts, value, tools) for texts, value in zip(batch, tools.redact(values), strict=True)]


def _document(texts: Texts, clean_schemas: bool) -> dict[str, Any]:
    """The texts in order, without what every row has: roles and field names hold nothing, and each string costs time.

    A lone text stands in a list of its own, so that one that begins with "-" is no option before the next. A result
    keeps the name of its tool beside it: the name tells that a password is what the tool was asked for.
    """
    document = {
        "content": [_said(message) for message in texts.messages],
        "topic": texts.topic,
        "tools": [] if clean_schemas else list(texts.tools),
    }
    return {key: value for key, value in document.items() if value}


def _said(message: Mapping[str, Any]) -> Any:
    if message["role"] == "tool":
        return {"name": message["name"], "content": message["content"]}
    calls = [
        {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}
        for call in message.get("tool_calls", ())
    ]
    if not calls and "reasoning_content" not in message:
        return [message["content"]]
    told = {
        "content": message["content"],
        "reasoning_content": message.get("reasoning_content"),
        "calls": calls,
    }
    return {key: value for key, value in told.items() if value}


def _cleaned(texts: Texts, value: Mapping[str, Any], tools: Tools) -> Cleaned:
    said = value.get("content", ())
    messages = tuple(_put_back(*pair) for pair in zip(texts.messages, said, strict=True))
    declared = tuple(value.get("tools", texts.tools))
    topic = value.get("topic", "")
    total, trained = token_counts(messages, declared, tools.count_tokens)
    secret = tools.has_secret(canonical_json([messages, declared, topic]))
    before, after = (canonical_json(list(said)) for said in (texts.messages, messages))
    unsafe = len(_SECRET.findall(after)) > len(_SECRET.findall(before))
    return Cleaned(messages, declared, topic, secret, total, trained, unsafe)


def _put_back(message: Mapping[str, Any], said: Any) -> dict[str, Any]:
    if isinstance(said, list):
        return {**message, "content": said[0]}
    told = {key: said[key] for key in ("name", "content", "reasoning_content") if key in said}
    if "calls" in said:
        pairs = zip(message["tool_calls"], said["calls"], strict=True)
        told["tool_calls"] = [{**call, "function": {**call["function"], **new}} for call, new in pairs]
    return {**message, **told}


@dataclass(frozen=True, slots=True)
class _Known:
    """One batch, and what is remembered of it."""

    batch: Sequence[Texts]
    digests: Mapping[str, bytes]
    packed: Mapping[str, bytes]


class Cleaner:
    """Cleans a stream of batches, in order: what is remembered is not done again.

    `read` gives the texts of remembered drafts whose messages were not read.
    """

    def __init__(
        self,
        workers: Workers[Tools],
        memory: Memory | None = None,
        read: Callable[[Sequence[Texts]], Sequence[Texts]] = list,
    ) -> None:
        self._workers, self._memory, self._read = workers, memory, read

    def run(self, batches: Iterable[Sequence[Texts]]) -> Iterator[list[Cleaned]]:
        """What `clean_batch` gives for each batch."""
        for known, fresh in self._workers.map(clean_batch, map(self._recalled, batches)):
            waiting = iter(fresh)
            done = [
                Cleaned.unpacked(known.packed[texts.segment_id])
                if texts.segment_id in known.packed
                else next(waiting)
                for texts in known.batch
            ]
            self._remember(known, done)
            yield done

    def _recalled(self, batch: Sequence[Texts]) -> tuple[_Known, list[Texts]]:
        digests: Mapping[str, bytes] = {}
        packed: Mapping[str, bytes] = {}
        if self._memory is not None:
            version = self._workers.tools.version
            digests = {texts.segment_id: texts.digest(version) for texts in batch}
            packed = self._memory.recall(digests)
        fresh = [texts for texts in batch if texts.segment_id not in packed]
        bare = iter(self._read(wanted) if (wanted := [texts for texts in fresh if texts.bare]) else ())
        return _Known(batch, digests, packed), [next(bare) if texts.bare else texts for texts in fresh]

    def _remember(self, known: _Known, done: Sequence[Cleaned]) -> None:
        if self._memory is None:
            return
        new = [
            (texts.segment_id, known.digests[texts.segment_id], cleaned.packed())
            for texts, cleaned in zip(known.batch, done, strict=True)
            if texts.segment_id not in known.packed
        ]
        if new:
            self._memory.remember(new)
