"""Sixteen real sessions through the whole path, answered in good faith: nothing of the good list is lost."""

from tests.support.good_faith import sessions
from tests.support.walk import missing, unseen


def test_nothing_is_left_undone(walked):
    done, _ = walked
    assert (done.report["pending"], done.report["failed"], done.report["errors"]) == (0, 0, ())


def test_tasks_begin_where_the_gold_cuts_are(walked):
    done, _ = walked
    gold = {(task.first["thread"], task.first["line"]) for session in sessions() for task in session.tasks}
    found = {(thread, line) for _, thread, line in done.starts}
    assert len(done.starts) == sum(len(session.tasks) for session in sessions())
    assert gold - found == set()


def test_every_memory_of_the_good_list_is_stored(walked):
    done, _ = walked
    assert missing(done.memories) == [], done.drops


def test_every_quote_of_the_good_list_is_still_shown_to_the_model(walked):
    done, _ = walked
    assert unseen(done.requests) == []


def test_the_estimate_before_was_right_within_a_quarter(walked):
    done, good = walked
    tokens = sum(call["input_tokens"] for call in good.calls)
    assert abs(done.estimate["calls"] - len(good.calls)) <= 0.25 * len(good.calls)
    assert abs(done.estimate["input_tokens"] - tokens) <= 0.25 * tokens
