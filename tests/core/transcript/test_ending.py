"""How a harness ended the work, and what is no end of it."""

from ultron_core.models import Message
from ultron_core.transcript.ending import Ending, ending_of

ASK = Message("user", "Build the page", start_line=1, origin="human")
WORK = Message("assistant", "I write it.", start_line=2, origin="model")


def harness(text, role="assistant", line=3):
    return Message(role, text, start_line=line, origin="harness")


def test_a_limit_behind_the_work_ends_it_whatever_the_harness_prints_after_it():
    limit = harness("You've hit your limit · resets 6pm (America/Los_Angeles)")
    assert ending_of([ASK, WORK, limit, harness("Goodbye!", "user", 4)]) == Ending("limit", 3)


def test_a_model_that_breaks_off_ends_it():
    assert ending_of([ASK, harness("API Error: 400 {}")]) == Ending("crash", 3)


def test_a_stop_ends_the_work_and_not_the_words_of_a_person():
    stop = harness("[Request interrupted by user]", "user")
    assert ending_of([ASK, WORK, stop]) == Ending("interrupted", 3)
    assert ending_of([ASK, stop]) is None


def test_what_the_agent_goes_on_from_is_no_end():
    assert ending_of([ASK, harness("API Error: 500", line=2), WORK]) is None
