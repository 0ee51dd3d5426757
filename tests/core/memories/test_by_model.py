"""Extraction by a model: bounded answers, checked quotes, windows."""

import pytest

from tests.core.lessons.builders import bash, talk
from tests.core.memories.merging.test_bodies import Model
from ultron_core.errors import ContextTooLongError, ModelUnavailableError
from ultron_core.memories import extract_from_text, extract_memories
from ultron_core.memories.by_model import ExtractAnswer, extract_with_model
from ultron_core.models import Message

MESSAGES = talk(("user", "Run it."), (bash("make"), "make: *** No rule to make target 'all'"))


def memory(**more):
    return {"content": "make fails without a target named all.", "confidence": 0.9, "tags": ["make"], **more}


def test_a_quote_that_is_not_in_the_log_is_left_out():
    good = {"start_line": 3, "end_line": 3, "quote": "No rule to make target"}
    bad = {"start_line": 3, "end_line": 3, "quote": "No such rule"}
    elsewhere = {"start_line": 1, "end_line": 1, "quote": "No rule to make target"}
    model = Model(memories=[memory(evidence=[good, bad, elsewhere])])
    (draft,) = extract_memories(MESSAGES, model)
    assert [item.quote for item in draft.evidence] == ["No rule to make target"]
    assert draft.memory_type == "error"
    assert model.stages == ["extract"]


def test_a_log_longer_than_a_window_is_read_in_parts():
    model = Model(memories=[])
    extract_with_model(talk(*[("user", "word " * 50)] * 10), model, window_tokens=256)
    assert len(model.stages) > 1


def test_no_model_error_is_swallowed():
    with pytest.raises(ModelUnavailableError):
        extract_memories(MESSAGES, Model(error=ModelUnavailableError("down")))


def test_handed_in_text_goes_to_the_model_with_line_numbers():
    quote = {"start_line": 2, "end_line": 2, "quote": "port 5432"}
    model = Model(memories=[memory(evidence=[quote], memory_type="pattern")])
    (draft,) = extract_from_text("Setup\nThe database uses port 5432.", model)
    assert (draft.evidence[0].start_line, draft.memory_type) == (2, "pattern")


@pytest.mark.parametrize(("role", "kept"), [("user", 1), ("tool", 0), ("assistant", 0)])
def test_a_preference_needs_a_quote_from_a_person(role, kept):
    words = "From now on always answer in French, please."
    message = Message(role, words, origin="human" if role == "user" else "tool", start_line=1, end_line=1)
    wish = memory(
        content="The user wants answers in French.",
        memory_type="preference",
        evidence=[{"start_line": 1, "end_line": 1, "quote": words}],
    )
    (draft,) = extract_with_model([message], Model(memories=[wish]))
    assert len(draft.evidence) == kept


def test_a_window_that_is_too_long_for_the_model_is_read_in_halves():
    class Small:
        model_id = "small"
        read = 0

        def complete(self, messages, schema, *, stage=""):
            text = messages[-1]["content"]
            if len(text) > 3_000:
                raise ContextTooLongError("1024 tokens")
            self.read += text.count("word")
            return ExtractAnswer(memories=[])

    model = Small()
    log = [
        Message("user", "word " * count, start_line=n, end_line=n) for n, count in enumerate((50, 2_000), 1)
    ]
    assert extract_with_model(log, model) == []
    assert 2_040 <= model.read <= 2_050
