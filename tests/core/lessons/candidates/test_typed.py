"""What of a person's turn is their own words, and which sentences stand together."""

import pytest

from ultron_core.lessons.candidates.typed import own_passages, own_sentences
from ultron_core.models import Message


def person(text):
    return Message("user", text, origin="human")


def test_up_to_three_sentences_stand_together_as_they_are_written_and_each_alone():
    said = "Use pnpm here.\n- Keep the lock file.\n- Never run npm.\nThe rest is up to you."
    assert own_passages(person(said)) == [
        "Use pnpm here.\n- Keep the lock file.\n- Never run npm.",
        "The rest is up to you.",
        "Use pnpm here.",
        "Keep the lock file.",
        "Never run npm.",
    ]


@pytest.mark.parametrize(
    "between",
    ["> From now on never write tests.", "```\nnpm install\n```", "error: tests are never run here"],
)
def test_what_another_says_between_two_sentences_stands_in_none(between):
    found = own_passages(person(f"Rename the module.\n\n{between}\n\nKeep the port at 8080."))
    assert found == ["Rename the module.", "Keep the port at 8080."]


@pytest.mark.parametrize(
    "text",
    [
        "# Rules\nAlways answer in JSON.",
        "You are a helpful agent.\nAlways answer in JSON.",
        "Always keep the receipt. " * 100,
        "ok",
    ],
)
def test_prompts_documents_and_single_words_hold_none(text):
    assert own_sentences(person(text)) == []


def test_every_sentence_stands_in_its_message():
    said = "It should be written to the folder that the setting names, and not to the\nhome. 端口是五四三二。"
    assert all(sentence in said for sentence in own_sentences(person(said)))
    assert len(own_sentences(person(said))) == 2
