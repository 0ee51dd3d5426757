"""From what a model writes to the record that was asked for."""

import time

import pytest
from pydantic import BaseModel

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.answering.answers import parse_answer


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
        'Draft: {"notes": ["b"]} Final: {"notes": ["a"]}',
    ],
)
def test_the_last_object_after_the_reasoning_counts(text):
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
    with pytest.raises(ModelAnswerError, match=r"notes\.0"):
        parse_answer('{"notes": [null]}', Notes)


def test_one_bad_item_costs_that_item():
    assert parse_answer('{"notes": ["a", null]}', Notes).notes == ["a"]


@pytest.mark.parametrize("text", ["{}", '{"error": "overloaded"}', "{'notes': ['a']}", "none [] found"])
def test_a_wrong_shape_is_not_an_empty_answer(text):
    with pytest.raises(ModelAnswerError):
        parse_answer(text, Notes)


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 20_000,
        '{"a"</think>' * 20_000,
        '{"' * 50_000,
        "[{" * 50_000,
        '{"a": 1} ' * 20_000,
        "{  " * 40_000,
        '\\"' * 50_000 + '{"a": "',
    ],
)
def test_any_text_is_read_in_linear_time(text):
    """120,000 characters or more; a quadratic pattern takes minutes (56 kB of <think> took 3 s)."""
    started = time.process_time()
    with pytest.raises(ModelAnswerError):
        parse_answer(text, Notes)
    assert time.process_time() - started < 2
