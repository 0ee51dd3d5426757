"""Titles: the first request of a person, short, in its own language."""

import pytest

from ultron_core.models import Message
from ultron_core.segments.topic import MAX_TOPIC, clean_topic, one_line, title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Hi there! Could you please write a Docker compose file? I need two services.",
            "Write a Docker compose file?",
        ),
        ("你好，请帮我写一份成都三日游计划。预算两千。", "写一份成都三日游计划"),
        ("## Fix the **login** page\n\n```js\nfoo()\n```", "Fix the login page"),
        ("<div>\nWhy does `tests/test_io.py` fail?", "Why does `tests/test_io.py` fail?"),
        ("Hello!\nI want to change my flight.", "Change my flight"),
    ],
)
def test_clean_topic(text, title):
    assert clean_topic(text) == title


def test_it_is_at_most_80_characters_and_ends_at_a_word():
    title = clean_topic("Explain how " + "photosynthesis and respiration work together " * 5)
    assert len(title) <= MAX_TOPIC and title.endswith("…") and " photosynth…" not in title
    assert len(clean_topic("解释光合作用" * 40)) <= MAX_TOPIC
    assert len(one_line("a  b\n" * 100)) <= MAX_TOPIC


def test_the_first_real_request_of_a_person_counts():
    messages = [
        Message("system", "You are a helpful assistant", origin="harness"),
        Message("user", "<system-reminder>todo list is empty</system-reminder>", origin="harness"),
        Message("user", "Hello!"),
        Message("assistant", "Hello, what can I do?", origin="model"),
        Message("user", "Rename the config module"),
    ]
    assert title_of(messages) == "Rename the config module"


def test_without_a_person_the_next_best_text_is_taken():
    assert (
        title_of([Message("assistant", "Indexing the repository", origin="model")])
        == "Indexing the repository"
    )
    assert title_of([Message("assistant", "", origin="model")]) == "untitled"
