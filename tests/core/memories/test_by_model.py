"""Extraction by a model: bounded answers, checked quotes, windows."""

from typing import ClassVar

import pytest

from tests.core.lessons.builders import bash, talk
from tests.core.memories.merging.test_bodies import Model
from tests.support.records import messages_in
from ultron_core.errors import ContextTooLongError, ModelUnavailableError
from ultron_core.memories import extract_from_text, extract_memories
from ultron_core.memories.by_model import extract_with_model
from ultron_core.memories.notes import ExtractAnswer
from ultron_core.models import Message, QualityLabel, QualitySummary

MESSAGES = talk(("user", "Run it."), (bash("make"), "make: *** No rule to make target 'all'"))


def memory(**more):
    return {"content": "make fails without a target named all.", "confidence": 0.9, "tags": ["make"], **more}


def test_a_quote_that_is_not_in_the_log_is_left_out():
    good = {"message": 3, "quote": "No rule to make target"}
    bad = {"message": 3, "quote": "No such rule"}
    elsewhere = {"message": 1, "quote": "No rule to make target"}
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
    quote = {"message": 2, "quote": "port 5432"}
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
        evidence=[{"message": 1, "quote": words}],
    )
    (draft,) = extract_with_model([message], Model(memories=[wish]))
    assert len(draft.evidence) == kept


def test_windows_are_halved_until_the_model_can_read_them():
    class Small:
        model_id = "small"
        numbers: ClassVar[set[int]] = set()

        def complete(self, messages, schema, *, stage=""):
            text = messages[-1]["content"]
            if len(text) > 3_000:
                raise ContextTooLongError("1024 tokens")
            self.numbers |= {shown.number for shown in messages_in(text)}
            return ExtractAnswer(memories=[])

    log = [
        Message("user", f"{n} " + "word " * count, start_line=n, end_line=n)
        for n, count in enumerate((50, 2_000, 300, 300), 1)
    ]
    assert extract_with_model(log, Small()) == []
    assert Small.numbers == {1, 2, 3, 4}


CURED = [
    Message("user", "The tests do not start.", start_line=1, end_line=1),
    Message("tool", "ModuleNotFoundError: No module named 'pandas'", origin="tool", start_line=2, end_line=2),
    Message("assistant", "I installed pandas, it works now.", origin="model", start_line=3, end_line=3),
    Message("tool", "5 passed in 0.12s", origin="tool", start_line=4, end_line=4),
    Message("user", "Thanks, the tests run again.", start_line=5, end_line=5),
]
SUCCESS, FAILURE = (
    QualityLabel(QualitySummary(0.5, 0.9, 0.5, outcome), {}, "t") for outcome in ("success", "failure")
)


def cure(status, by=None, **more):
    return memory(
        content="The tests need pandas.",
        resolution="Install pandas.",
        resolution_status=status,
        verified_by=by,
        memory_type="error",
        evidence=[{"message": 2, "quote": "No module named 'pandas'"}],
        **more,
    )


@pytest.mark.parametrize(
    ("note", "label", "sure"),
    [
        (cure("verified", {"message": 4, "quote": "5 passed"}), SUCCESS, "verified"),
        (cure("verified", {"message": 5, "quote": "the tests run again"}), SUCCESS, "verified"),
        (cure("verified", {"message": 4, "quote": "5 passed"}), FAILURE, "verified"),
        (cure("verified", {"message": 4, "quote": "6 passed"}), SUCCESS, "claimed"),
        (cure("verified", {"message": 3, "quote": "it works now"}), SUCCESS, "claimed"),
        (cure("verified"), SUCCESS, "claimed"),
        (cure("claimed"), SUCCESS, "claimed"),
        (cure("none"), SUCCESS, "claimed"),
    ],
    ids=["result", "person", "failed run", "invented", "agent's word", "no quote", "claimed", "untested"],
)
def test_a_cure_is_only_as_sure_as_the_log_bears_it_out(note, label, sure):
    """Whatever the outcome of the run; advice that nobody tested is kept, and its words say nothing of that."""
    (draft,) = extract_with_model(CURED, Model(memories=[note]), label=label)
    assert (draft.resolution, draft.cure, draft.tags) == ("Install pandas.", sure, ("make",))
    assert [item.quote for item in draft.evidence] == ["No module named 'pandas'"]


def test_a_note_without_a_cure_has_none():
    (draft,) = extract_with_model(CURED, Model(memories=[cure("verified") | {"resolution": " "}]))
    assert (draft.resolution, draft.cure) == ("", "none")


def test_a_wish_is_no_cure_and_needs_no_proof():
    note = memory(
        content="The user wants French.",
        resolution="Answer in French.",
        memory_type="preference",
        evidence=[{"message": 1, "quote": "The tests do not start"}],
    )
    (draft,) = extract_with_model(CURED, Model(memories=[note]), label=FAILURE)
    assert (draft.resolution, draft.tags) == ("Answer in French.", ("make",))


def test_an_extraction_by_itself_is_told_the_outcome_and_not_the_whole_system_prompt():
    asked = []

    class Reader(Model):
        def complete(self, messages, schema, *, stage=""):
            asked.append(messages[-1]["content"])
            return super().complete(messages, schema, stage=stage)

    prompt = Message("system", "You run tests. " * 3_000, origin="harness", start_line=1, end_line=1)
    extract_with_model([prompt, *CURED], Reader(memories=[]), label=FAILURE, topic="Run the tests")
    (text,) = asked
    assert "Topic: Run the tests\nOutcome: failure\n" in text
    assert 50 < text.count("You run tests.") < 150


ASKED = {"message": 1, "quote": "The tests do not start"}
PRINTED = {"message": 2, "quote": "No module named 'pandas'"}
CLAIMED = {"message": 3, "quote": "it works now"}


@pytest.mark.parametrize(
    ("quotes", "proof"),
    [
        ([CLAIMED], "claimed"),
        ([CLAIMED, PRINTED], "result"),
        ([PRINTED], "result"),
        ([ASKED, PRINTED], "person"),
        ([CLAIMED, ASKED], "person"),
        ([], "claimed"),
    ],
    ids=["agent", "agent and tool", "tool", "person and tool", "agent and person", "nobody"],
)
def test_a_note_is_as_good_as_what_it_quotes(quotes, proof):
    note = memory(content="The tests did not start.", memory_type="pattern", evidence=quotes)
    (draft,) = extract_with_model(CURED, Model(memories=[note]), label=SUCCESS)
    assert draft.proof == proof


def test_a_verified_cure_is_a_result():
    note = cure("verified", {"message": 4, "quote": "5 passed"}) | {"evidence": [CLAIMED]}
    (draft,) = extract_with_model(CURED, Model(memories=[note]), label=SUCCESS)
    assert draft.proof == "result"
