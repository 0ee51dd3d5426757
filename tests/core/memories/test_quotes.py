"""Which words of a log a model's quote means."""

import pytest

from ultron_core.memories.quotes import find_words
from ultron_core.models import Message

MESSAGE = Message("tool", "Error:\n  **Port 5432** is \u201calready\u201d in use by `postgres`.")


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("port 5432 is already in use", "Port 5432** is \u201calready\u201d in use"),
        ('Error: Port 5432 is "already" in', "Error:\n  **Port 5432** is \u201calready\u201d in"),
        ("in use by postgres.", "in use by `postgres`."),
        ("port 5433 is already in use", None),
        ("port 5432 was already in use", None),
        ("port", None),
        ("", None),
    ],
)
def test_the_words_of_the_log_are_found_and_invented_ones_are_not(quote, words):
    assert find_words(quote, MESSAGE) == words
