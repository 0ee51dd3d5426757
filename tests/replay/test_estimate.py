"""What is told before anything is asked, against what the sixteen sessions then take."""

import json

import pytest

from tests.support.gold import schema_of
from tests.support.model.recorded import Recorded, key_of, recorded
from tests.support.model.server import model_server
from tests.support.model.small import SmallServer
from tests.support.records import mark_in, messages_in
from tests.support.walk import walk, with_server
from ultron_core.llm.tokens import count_tokens
from ultron_core.settings import SessionSettings

#: how far the estimate may be off
WITHIN = 0.1


def test_calls_and_tokens_are_told_before_they_are_paid_for(walked):
    done, answers = walked
    assert_close(done.estimate, answers.calls)


def test_as_well_where_a_small_context_takes_several_windows(walked, settings, plain):
    first, _ = walked
    in_parts = Windowed(first.requests)
    settings = settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=0)})
    with model_server() as server:
        server.always = SmallServer(8_192, in_parts)
        values = {"api_key": None, "max_input_tokens": 8_192}
        done = walk(with_server(settings, server, **values), server, **plain)
    assert len(in_parts.calls) > len(first.requests)
    assert_close(done.estimate, in_parts.calls)


def assert_close(estimate, calls):
    assert estimate["calls"] == pytest.approx(len(calls), rel=WITHIN)
    for name in ("input_tokens", "output_tokens"):
        assert estimate[name] == pytest.approx(sum(call[name] for call in calls), rel=WITHIN), name


class Windowed:
    """Says of a window what the recorded answer about the whole record says of the messages that it shows.

    The mark of a record is the same in each of its windows.
    """

    def __init__(self, requests):
        self._known = {}
        for request in requests:
            if (row := recorded().get(key_of(request))) is not None:
                self._known[mark_of(request)] = row["answer"]
        self._whole = Recorded()
        self.calls = []

    def __call__(self, request):
        value = self._whole.value(request)
        if value is None:
            shown = {one.number for one in messages_in(request["messages"][1]["content"])}
            assert schema_of(request)["title"] == "SessionReview"
            value = {"tasks": tasks_shown(self._known[mark_of(request)]["tasks"], shown)}
        text = json.dumps(value, ensure_ascii=False)
        asked = sum(count_tokens(message["content"]) for message in request["messages"])
        self.calls.append({"input_tokens": asked, "output_tokens": count_tokens(text)})
        return text


def mark_of(request):
    return mark_in(request["messages"][1]["content"])


def tasks_shown(tasks, shown):
    """The tasks that go on in a window, with the notes that rest on what it shows."""
    ends = [*(task["start"] for task in tasks[1:]), max(shown) + 1]
    found = []
    for task, end in zip(tasks, ends, strict=True):
        if task["start"] <= max(shown) and end > min(shown):
            notes = [note for note in task["memories"] if note["evidence"][0]["message"] in shown]
            found.append({**task, "memories": notes})
    return found
