"""Where a thread may be cut: never between a call and its result."""

import time

from hypothesis import given
from hypothesis import strategies as st

from ultron_core.models import Message, ToolCall
from ultron_core.transcript.pairs import closed_positions


def calling(call_id):
    return Message("assistant", tool_calls=(ToolCall(call_id, "bash"),))


def result(call_id):
    return Message("tool", "done", tool_call_id=call_id, origin="tool")


def between(messages):
    """Each place between a result and the latest call of its id, looked at one by one."""
    closed = set()
    for place, message in enumerate(messages):
        if message.role != "tool":
            continue
        calls = [
            p
            for p, m in enumerate(messages[:place])
            if m.tool_calls and m.tool_calls[0].id == message.tool_call_id
        ]
        closed |= set(range(calls[-1] + 1, place + 1)) if calls else {place} - {0}
    return closed


@given(st.lists(st.tuples(st.sampled_from((calling, result)), st.sampled_from("abc")), max_size=30))
def test_places_between_a_call_and_its_result_are_closed(made):
    messages = [make(call_id) for make, call_id in made]
    assert closed_positions(messages) == between(messages)


def test_a_call_that_is_answered_again_and_again_costs_no_more_than_its_answers():
    def seconds(count):
        messages = [calling("a"), *(result("a") for _ in range(count))]
        begun = time.process_time()
        assert len(closed_positions(messages)) == count
        return time.process_time() - begun

    assert min(seconds(16_000) for _ in range(3)) < 10 * max(min(seconds(4_000) for _ in range(3)), 0.002)
