"""Many rows made from few: names, numbers and sentences of real segments varied, a part of them near-duplicates."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sft_parts.segments import Cut

from ultron_core.models import Message, ToolCall
from ultron_core.sft import Candidate

#: share of the rows that repeat an earlier one but for a word
NEAR = 0.08
#: share of the sentences that stay as they were
KEPT = 0.02
#: share of the words of the others that become other words
SHARE = 0.45
#: English words and pairs of Chinese characters, to draw from
Words = tuple[Sequence[str], Sequence[str]]
#: a number or a capitalised word, e.g. `120`, `Austin`; and the words of a sentence, e.g. `flight`
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b|\b\d{2,}\b")
_WORD = re.compile(r"\b[a-z]{4,}\b")
#: two Chinese characters, e.g. `航班`
_HAN = re.compile(r"[\u4e00-\u9fff]{2}")
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s*")
#: given names, so that the redactor has people to find
_PEOPLE = (
    *("Alice", "Bob", "Carla", "David", "Elena", "Frank", "Grace", "Henry", "Irene"),
    *("Jonas", "Katrin", "Liam", "Maria", "Noah", "Olga", "Peter"),
)


def made(cuts: Sequence[tuple[Cut, Candidate]], count: int, seed: int = 7) -> Iterator[Candidate]:
    """`count` candidates; equal arguments give equal ones."""
    rng = random.Random(seed)
    said = [m.content for cut, _ in cuts for m in cut.messages]
    words = tuple(sorted({word for text in said for word in found.findall(text)}) for found in (_WORD, _HAN))
    for number in range(count):
        _, base = cuts[number % len(cuts)]
        near = rng.random() < NEAR and number >= len(cuts)
        # a near-duplicate repeats the row that was made from the same segment one round before
        own = random.Random(seed * 1_000_003 + (number - len(cuts) if near else number))
        messages = tuple(_varied(message, own, words) for message in base.messages)
        if near:
            messages = (*messages[:-1], replace(messages[-1], content=messages[-1].content + " Done so."))
        yield replace(
            base,
            segment_id=f"{number:07d}",
            messages=messages,
            session_key=f"{number // 3:07d}",
            label=replace(
                base.label, summary=replace(base.label.summary, overall_score=0.8 + (number % 97) / 500)
            ),
        )


def _varied(message: Message, rng: random.Random, words: Words) -> Message:
    calls = tuple(
        ToolCall(call.id, call.name, _value(call.arguments, rng, words)) for call in message.tool_calls
    )
    return replace(message, content=_text(message.content, rng, words), tool_calls=calls)


def _value(value: object, rng: random.Random, words: Words) -> object:
    if isinstance(value, str):
        return _text(value, rng, words)
    if isinstance(value, dict):
        return {key: _value(item, rng, words) for key, item in value.items()}
    return value


def seen_before(candidate: Candidate, seen: set[int]) -> tuple[int, int]:
    """(bytes of sentences that an earlier row holds, bytes of all); the row's own are added to `seen`."""
    texts = [message.content for message in candidate.messages]
    hashes = [(hash(part), len(part.encode(errors="replace"))) for text in texts for part in _parts(text)]
    known = sum(size for one, size in hashes if one in seen)
    seen.update(one for one, _ in hashes)
    return known, sum(size for _, size in hashes)


def _text(text: str, rng: random.Random, words: Words) -> str:
    return "".join(part if rng.random() < KEPT else _sentence(part, rng, words) for part in _parts(text))


def _parts(text: str) -> list[str]:
    ends = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(ends) if b > a]


def _sentence(text: str, rng: random.Random, words: Words) -> str:
    latin, han = words

    def name(match: re.Match[str]) -> str:
        if match[0].isdigit():
            return str(rng.randrange(10 ** (len(match[0]) - 1), 10 ** len(match[0])))
        return rng.choice(_PEOPLE) if rng.random() < 0.2 else rng.choice(latin).capitalize()

    changed = _NAME.sub(name, text)
    changed = _WORD.sub(lambda m: rng.choice(latin) if rng.random() < SHARE else m[0], changed)
    return _HAN.sub(lambda m: rng.choice(han) if rng.random() < SHARE else m[0], changed)
