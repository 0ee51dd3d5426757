"""A session read piece by piece: each thread in order, no more at once than asked for, and told of as it goes."""

from dataclasses import replace

import pytest

from tests.support.memories import one
from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import LogChangedError
from ultron_core.steps import long_logs
from ultron_core.steps.long_logs import LongLog
from ultron_core.steps.search import windows
from ultron_core.steps.stages import segment
from ultron_core.steps.stages.process import process_pending
from ultron_core.store.tables import sessions

NAMES = ("alpha", "beta", "gamma")


@pytest.fixture
def ultron(settings, tmp_path):
    with Ultron(settings) as opened:
        opened.ingest([write_log(tmp_path / "log.jsonl", *map(task, NAMES))], "me")
        yield opened


@pytest.fixture
def session_id(ultron):
    return one(ultron, "SELECT id FROM sessions")["id"]


def whole(ultron, session_id):
    with ultron.runtime.database.transaction() as conn:
        return sessions.load_messages(conn, ultron.runtime.account_id, session_id)


def to_threads(ultron, session_id, places):
    with ultron.runtime.database.transaction() as conn:
        for thread, seqs in places.items():
            where = {"id": session_id, "thread": thread, "seqs": list(seqs)}
            conn.execute(
                "UPDATE messages SET thread = %(thread)s WHERE session_id = %(id)s AND seq = ANY(%(seqs)s)",
                where,
            )


def test_threads_are_read_one_by_one_in_the_order_in_which_they_begin(ultron, session_id, monkeypatch):
    monkeypatch.setattr(long_logs, "_PIECE", 2)
    to_threads(ultron, session_id, {"side": (2, 5, 6), "late": (17,)})
    messages, log = whole(ultron, session_id), LongLog(ultron.runtime, session_id, "windows")
    assert list(log.places) == ["main", "side", "late"] and list(log.places["side"]) == [2, 5, 6]
    assert list(log.walk("side")) == [(seq, messages[seq]) for seq in (2, 5, 6)]
    assert log.read("main", 1, 3) == [messages[1], messages[3]]


def test_threads_are_taken_together_as_far_as_they_fit(ultron, session_id):
    to_threads(ultron, session_id, {"a": (0, 1, 2), "b": (3, 4), "c": (5,)})
    assert list(LongLog(ultron.runtime, session_id, "segments").groups(5)) == [["a", "b"], ["c"], ["main"]]


def test_a_log_that_was_cut_short_meanwhile_is_noticed(ultron, session_id):
    log = LongLog(ultron.runtime, session_id, "segments")
    with ultron.runtime.database.transaction() as conn:
        conn.execute("DELETE FROM messages WHERE seq > 10")
    with pytest.raises(LogChangedError, match="process what waits once more"):
        log.read("main", 0, 18)


def test_work_on_a_long_log_tells_how_far_it_is(ultron, monkeypatch):
    monkeypatch.setattr(segment, "WINDOW", 10)
    monkeypatch.setattr(windows, "_MOST_HELD", 10)
    monkeypatch.setattr(long_logs, "_PIECE", 5)
    told = []
    process_pending(replace(ultron.runtime, tell=lambda *progress: told.append(progress)))
    assert told == [
        ("segments, messages of a long log", 18, 18),
        *(("windows, messages of a long log", done, 18) for done in (5, 10, 15, 18)),
    ]


def test_segments_of_a_log_that_changed_meanwhile_are_cut_at_the_next_time(ultron, session_id, monkeypatch):
    monkeypatch.setattr(segment, "WINDOW", 10)
    places = sessions.places_of

    def and_shorter(conn, *given):
        found = places(conn, *given)
        conn.execute("DELETE FROM messages WHERE seq > 10")
        return found

    monkeypatch.setattr(sessions, "places_of", and_shorter)
    (result,) = ultron.trajectory_service.segment_pending_sessions()
    assert (result.status, result.error) == ("changed", "the file changed while it was being segmented")
    monkeypatch.setattr(sessions, "places_of", places)
    (result,) = ultron.trajectory_service.segment_pending_sessions()
    assert result.status == "done"
