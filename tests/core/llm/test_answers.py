"""From what a model writes to the record that was asked for."""

import pytest
from pydantic import BaseModel

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.answers import parse_answer


class Notes(BaseModel):
    #: the list may be left out, so a part of a cut-off answer would pass as "nothing found"
    notes: list[str] = []


@pytest.mark.parametrize(
    "text",
    [
        '{"notes": ["a"]}',
        'Here it is:\n```json\n{"notes": ["a"]}\n```\nAnything else?',
        'As [1] and {the manual} say: {"notes": ["a"]}',
        '<think>maybe {"notes": []}?</think>{"notes": ["a"]}',
        '{"notes": ["a"]} {"notes": ["b"]}',
    ],
)
def test_the_first_object_of_the_answer_counts(text):
    assert parse_answer(text, Notes).notes == ["a"]


@pytest.mark.parametrize(
    "text",
    ['{"notes": ["a", {"b": 1}, "c', '```json\n{"notes": ["a", {}', '[{"notes": ["a"]}, {"notes": ["b'],
)
def test_an_answer_that_was_cut_off_is_no_empty_answer(text):
    with pytest.raises(ModelAnswerError, match="cut off"):
        parse_answer(text, Notes)


@pytest.mark.parametrize("text", ["", "I would rather not.", "{maybe}"])
def test_talk_alone_is_no_answer(text):
    with pytest.raises(ModelAnswerError, match="no JSON"):
        parse_answer(text, Notes)


def test_the_error_names_the_place_that_does_not_fit():
    with pytest.raises(ModelAnswerError, match=r"notes\.1"):
        parse_answer('{"notes": ["a", 2]}', Notes)
