"""Merging a near-duplicate into an existing memory without losing a fact.

Offline the older body stays and a sentence of the newer one is added as a line when it states something the
body lacks. A model may write the merged body instead. Either way every number, identifier, path and quoted
string of both bodies is in the result, or the body stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from pydantic import BaseModel, Field

from ultron_core.errors import ContextTooLongError
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories.merging.facts import exact_strings
from ultron_core.memories.merging.lists import joined
from ultron_core.memories.merging.numerals import find_numbers
from ultron_core.memories.prompting import ask
from ultron_core.transcript.language import language, sentences

__all__ = ["PROVENANCE_PREFIXES", "Body", "MergeResult", "MergedBody", "merge_bodies", "merge_tags"]

#: tags that say where a memory comes from; no cap drops them
PROVENANCE_PREFIXES = ("segment:", "agent:", "source:")
#: a word of a sentence, or two neighbouring Chinese characters, e.g. `timeout`, `超时`
_CONTENT_WORD = re.compile(r"[a-z][a-z0-9']{2,}|[\u3400-\u9fff]{2}")
#: a sentence of which this share of words is new says something the body does not (not fitted: docs/memories.md)
_NOVEL_SHARE = 0.5
#: and at least so many words are new (set by hand: docs/memories.md)
_MIN_NOVEL_WORDS = 3


@dataclass(frozen=True, slots=True)
class Body:
    """The three text fields of a memory."""

    content: str
    context: str = ""
    resolution: str = ""

    @property
    def text(self) -> str:
        """All fields, one after another."""
        return "\n".join(part for part in (self.content, self.context, self.resolution) if part)


@dataclass(frozen=True, slots=True)
class MergeResult:
    """`reason`: nothing_new, added_facts, model; would_lose_facts or field_too_long when left as it was."""

    body: Body
    changed: bool
    reason: str


class MergedBody(BaseModel):
    content: str = Field(max_length=20_000)
    context: str = Field("", max_length=20_000)
    resolution: str = Field("", max_length=20_000)


def merge_bodies(
    old: Body, new: Body, llm: LLM | None = None, *, max_field_tokens: int = 8192
) -> MergeResult:
    """One body that holds the facts of both, or `old` unchanged with the reason.

    `max_field_tokens` 0 sets no limit. With a model, ModelError passes through: the caller keeps the
    contribution and tries again later.
    """
    if _covers(old, new) and not _additions(old, new):
        return MergeResult(old, False, "nothing_new")
    if llm is None:
        merged, reason = _extend(old, new), "added_facts"
    else:
        try:
            merged, reason = _ask_for_merge(old, new, llm), "model"
        except ContextTooLongError:  # no cut of them could keep every fact; the rules do
            merged, reason = _extend(old, new), "added_facts"
    if merged == old:
        return MergeResult(old, False, "nothing_new" if _covers(old, new) else "would_lose_facts")
    if lost_facts(merged, (old, new)) or not merged.content.strip():
        return MergeResult(old, False, "would_lose_facts")
    if max_field_tokens and any(count_tokens(part) > max_field_tokens for part in _parts(merged)):
        return MergeResult(old, False, "field_too_long")
    return MergeResult(merged, True, reason)


def lost_facts(merged: Body, contributions: Iterable[Body]) -> list[str]:
    """Numbers, identifiers, paths and quoted strings of the contributions that `merged` lacks."""
    stated = _Stated(merged.text)
    return list(dict.fromkeys(item for body in contributions for item in stated.lacks(body.text)))


class _Stated:
    """What a text states, found once: each sentence of a long text is compared with it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._exact = frozenset(exact_strings(text))
        numbers = find_numbers(text)
        self._numbers = numbers.certain | numbers.loose
        self._language = language(text)
        self._words = _words(text)

    def lacks(self, other: str) -> list[str]:
        """Numbers, identifiers, paths and quoted strings of the other text that this one lacks."""
        exact = [x for x in exact_strings(other) if x not in self._exact and x not in self._text]
        return exact + sorted(find_numbers(other).certain - self._numbers)

    def is_extended_by(self, sentence: str) -> bool:
        """Whether the sentence says something that this text does not."""
        if self.lacks(sentence):
            return True
        if language(sentence) != self._language:
            return False
        words = _words(sentence)
        novel = words - self._words
        return len(novel) >= _MIN_NOVEL_WORDS and len(novel) >= _NOVEL_SHARE * len(words)


def merge_tags(old: Iterable[str], new: Iterable[str], cap: int = 20) -> tuple[str, ...]:
    """Union in order of appearance, the first spelling kept; beyond `cap` only tags of provenance stay."""
    seen: dict[str, str] = {}
    for tag in (*old, *new):
        tag = tag.strip()
        if tag:
            seen.setdefault(tag.casefold(), tag)
    tags = list(seen.values())
    room = cap - sum(tag.startswith(PROVENANCE_PREFIXES) for tag in tags)
    kept = []
    for tag in tags:
        if not tag.startswith(PROVENANCE_PREFIXES):
            if room <= 0:
                continue
            room -= 1
        kept.append(tag)
    return tuple(kept)


def _parts(body: Body) -> list[str]:
    return [getattr(body, item.name) for item in fields(body)]


def _covers(old: Body, new: Body) -> bool:
    return not lost_facts(old, (new,))


def _additions(old: Body, new: Body) -> dict[str, list[str]]:
    """Sentences of `new` that `old` lacks, by field."""
    found: dict[str, list[str]] = {}
    stated = _Stated(old.text)
    for item in fields(new):
        mine, theirs = getattr(old, item.name), getattr(new, item.name)
        if not mine.strip() and theirs.strip() and theirs.strip() not in old.text:
            found[item.name] = [theirs.strip()]
            continue
        lines = [line for line in sentences(theirs) if stated.is_extended_by(line)]
        if lines:
            found[item.name] = lines
    return found


def _words(text: str) -> set[str]:
    """English words cut to five letters, so that forms of a word are equal; pairs of Chinese characters."""
    lowered = text.lower()
    found = {word[:5] for word in _CONTENT_WORD.findall(lowered) if word.isascii()}
    for run in re.findall(r"[\u3400-\u9fff]+", lowered):
        found |= {run[i : i + 2] for i in range(len(run) - 1)}
    return found


def _extend(old: Body, new: Body) -> Body:
    merged = old
    for name, lines in _additions(old, new).items():
        mine = [line for line in getattr(old, name).split("\n") if line]
        for line in lines:
            place, both = next(
                ((i, both) for i, one in enumerate(mine) if (both := joined(one, line))), (None, "")
            )
            if place is None:
                mine.append(line)
            else:
                mine[place] = both
        merged = replace(merged, **{name: "\n".join(mine)})
    return merged


def _ask_for_merge(old: Body, new: Body, llm: LLM) -> Body:
    values = {"older": _show(old), "newer": _show(new)}
    answer = llm.complete(ask("merge", values), MergedBody, stage="merge")
    return Body(answer.content.strip(), answer.context.strip(), answer.resolution.strip())


def _show(body: Body) -> str:
    return f"content: {body.content}\ncontext: {body.context}\nresolution: {body.resolution}"
