"""What a model is sent keeps the names of classes, files, products and places, and loses those of people."""

from __future__ import annotations

import pytest

from ultron_core.redaction import redact_texts

#: with what they stand in; each of these once left a log as <PERSON>, or is of the same kind
THINGS = [
    *("AgentSession", "Pixel", "Droid", "Astro", "Pygame", "Chromium", "TranscriptRenderer", "GenServer"),
    *("Postgres", "Kafka", "Hadoop", "Ansible", "Prometheus", "Grafana", "Jenkins", "Terraform", "Cobra"),
    *("Tailwind", "Playwright", "Vertex", "README.md", "Makefile", "src/models/user.py", "Dockerfile"),
    *("pyproject.toml", "UserService.java", "main.go", "conftest.py", "Gemfile", "index.tsx", "Berlin"),
    *("Tokyo", "Singapore", "Oregon", "Frankfurt", "Dublin", "Toronto", "Mumbai", "Stockholm", "Madrid"),
]
PEOPLE = [
    *("Maria Lopez", "John Smith", "Samantha Davies", "Nikolaj Petrussen", "Anna Borkowski", "Peter Johnson"),
    *("Ella Snider", "Greg Thompson", "Priya Raman", "Kenji Watanabe", "Fatima Khan", "Lars Eriksson"),
    *("Sofia Rossi", "Pavel Novak", "Ingrid Olsen", "Diego Alvarez", "Chloe Martin", "Hans Weber"),
    *("Katarzyna Nowak", "Mehmet Yilmaz", "Olga Ivanova", "Brian O'Neill", "Rachel Green", "David Cohen"),
    *("Yuki Tanaka", "Elena Popescu", "Thomas Andersen", "Laura Bianchi", "Ahmed Hassan", "Emily Clarke"),
    *("Victor Hugo", "Nina Petrova", "Oscar Lindgren", "Paula Ferreira", "Julia Becker", "Simon Dubois"),
    *("Marta Kowalska", "Andrew Miller", "Hannah Schmidt", "Carlos Mendes"),
]
SENTENCES = [
    "The error comes from {}, so look there first.",
    "Please ask {} about the failing build.",
    "We looked at {} again today, without success.",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_at_most_one_thing_in_twenty_is_taken_for_a_person(sentence):
    texts = [sentence.format(thing) for thing in THINGS]
    touched = [thing for thing, r in zip(THINGS, redact_texts(texts), strict=True) if r.findings]
    assert len(touched) <= len(THINGS) / 20, touched


@pytest.mark.parametrize("sentence", SENTENCES)
def test_nineteen_names_in_twenty_go(sentence):
    texts = [sentence.format(name) for name in PEOPLE]
    kept = [name for name, r in zip(PEOPLE, redact_texts(texts), strict=True) if name in r.text]
    assert len(kept) <= len(PEOPLE) / 20, kept


def test_there_are_as_many_of_both():
    assert len(THINGS) == len(PEOPLE) == 40
