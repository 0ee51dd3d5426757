"""Which of a person's sentences are one candidate: those that stand together, and nothing that they quote."""

from ultron_core.lessons.candidates.spoken import find_spoken
from ultron_core.models import Message


def turns(text):
    messages = [
        Message("assistant", "The build fails.", origin="model", start_line=1, end_line=1),
        Message("user", text, origin="human", start_line=2, end_line=2),
    ]
    return [one.text for one in find_spoken(messages, []) if one.source == "turn"]


def test_sentences_that_stand_together_are_one_candidate_of_at_most_three_and_each_is_one_too():
    assert turns("The tests are slow. Ok. Run them with four workers. Never skip one.") == [
        "The tests are slow. Ok. Run them with four workers. Never skip one.",
        "The tests are slow.",
        "Run them with four workers.",
        "Never skip one.",
    ]
    four = "The tests are slow. Run them in parallel. Never skip one. Tell me what you see."
    assert turns(four)[:2] == [
        "The tests are slow. Run them in parallel. Never skip one.",
        "Tell me what you see.",
    ]


def test_what_a_person_quotes_between_their_sentences_is_in_no_candidate():
    said = (
        'Our contractor\'s "principles", annotated:\n\n- always log nothing in production. (sure)\n'
        "- catch every exception and pass. (no)\n\nThe pump schedule skips the 31st, please find out why."
    )
    assert not [text for text in turns(f"I read this.\n\n{said}") if "log nothing" in text]
    pasted = "The build fails with this.\n```\nalways log nothing\n```\nPlease find out why."
    assert turns(pasted) == ["The build fails with this.", "Please find out why."]
