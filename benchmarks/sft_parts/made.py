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
KEPT = 0.25
#: a number or a capitalised word, e.g. `120`, `Austin`; and the words of a sentence, e.g. `flight`
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b|\b\d{2,}\b")
_WORD = re.compile(r"\b[a-z]{4,}\b")
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s*")
#: given names, so that the redactor has people to find
_PEOPLE = (
    *("Alice", "Bob", "Carla", "David", "Elena", "Frank", "Grace", "Henry", "Irene"),
    *("Jonas", "Katrin", "Liam", "Maria", "Noah", "Olga", "Peter"),
)


def made(cuts: Sequence[tuple[Cut, Candidate]], count: int, seed: int = 7) -> Iterator[Candidate]:
    """`count` candidates; equal arguments give equal ones."""
    rng = random.Random(seed)
    vocabulary = sorted({word for cut, _ in cuts for m in cut.messages for word in _WORD.findall(m.content)})
    for number in range(count):
        _, base = cuts[number % len(cuts)]
        near = rng.random() < NEAR and number >= len(cuts)
        # a near-duplicate repeats the row that was made from the same segment one round before
        own = random.Random(seed * 1_000_003 + (number - len(cuts) if near else number))
        messages = tuple(_varied(message, own, vocabulary) for message in base.messages)
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


def _varied(message: Message, rng: random.Random, vocabulary: Sequence[str]) -> Message:
    calls = tuple(
        ToolCall(call.id, call.name, _value(call.arguments, rng, vocabulary)) for call in message.tool_calls
    )
    return replace(message, content=_text(message.content, rng, vocabulary), tool_calls=calls)


def _value(value: object, rng: random.Random, vocabulary: Sequence[str]) -> object:
    if isinstance(value, str):
        return _text(value, rng, vocabulary)
    if isinstance(value, dict):
        return {key: _value(item, rng, vocabulary) for key, item in value.items()}
    return value


def _text(text: str, rng: random.Random, vocabulary: Sequence[str]) -> str:
    return "".join(part if rng.random() < KEPT else _sentence(part, rng, vocabulary) for part in _parts(text))


def _parts(text: str) -> list[str]:
    ends = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(ends) if b > a]


def _sentence(text: str, rng: random.Random, vocabulary: Sequence[str]) -> str:
    def name(match: re.Match[str]) -> str:
        if match[0].isdigit():
            return str(rng.randrange(10 ** (len(match[0]) - 1), 10 ** len(match[0])))
        return rng.choice(_PEOPLE) if rng.random() < 0.2 else rng.choice(vocabulary).capitalize()

    changed = _NAME.sub(name, text)
    return _WORD.sub(lambda m: rng.choice(vocabulary) if rng.random() < 0.35 else m[0], changed)
