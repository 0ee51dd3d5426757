"""What models answer instead of what they are asked for, as data: one line a variant with what must come of it.

`expect` is the contents of the memories, or "refused": then the model is asked again, and never counts as having
found nothing. Further keys are fields of the first memory.
"""

import json
import random
from pathlib import Path

import pytest

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.answering.answers import parse_answer
from ultron_core.memories.notes import ExtractAnswer

VARIANTS = [json.loads(line) for line in Path(__file__).with_name("answers.jsonl").open(encoding="utf-8")]


def test_there_are_many_variants_each_with_its_name():
    assert len({variant["name"] for variant in VARIANTS}) == len(VARIANTS) >= 60


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant["name"] for variant in VARIANTS])
def test_what_comes_of_a_sloppy_answer(variant):
    if variant["expect"] == "refused":
        with pytest.raises(ModelAnswerError):
            parse_answer(variant["text"], ExtractAnswer)
        return
    memories = parse_answer(variant["text"], ExtractAnswer).memories
    assert [memory.content for memory in memories] == variant["expect"]
    for name in variant.keys() - {"name", "text", "expect"}:
        value = getattr(memories[0], name)
        assert (len(value) if isinstance(value, list) else value) == variant[name]


def test_a_thousand_damaged_answers_give_memories_or_are_refused():
    """Cuts, swaps and insertions at random places of the variants: nothing else is ever raised."""
    chance = random.Random(20261122)
    pieces = ["{", "}", "[", "]", '"', ",", "\\", "</think>", "<think>", "null", "\n", "\ud800", "1e999", "`"]
    refused = 0
    for _ in range(1_000):
        text = chance.choice(VARIANTS)["text"][:2_000]
        for _ in range(chance.randint(1, 4)):
            at, end = sorted(chance.randint(0, len(text)) for _ in range(2))
            text = text[:at] + chance.choice([*pieces, text[at:end]]) + text[chance.choice([at, end]) :]
        try:
            parse_answer(text, ExtractAnswer)
        except ModelAnswerError:
            refused += 1
    assert 100 < refused < 1_000
