"""Nothing but a counted skip comes out of any bytes."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ultron_core.errors import SessionFileError
from ultron_core.sessions import FORMATS, read_session

ROWS = [
    {"role": "user", "content": "Relevant memories:\n- a\n\n<system-reminder>x</system-reminder> hi"},
    {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "t"}, {"type": "image", "source": {}}],
    },
    {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": None},
    {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "isSidechain": True,
        "message": {"role": "user", "content": []},
    },
    {
        "type": "assistant",
        "uuid": "a",
        "parentUuid": "u",
        "message": {"id": "m", "content": [{"type": "text"}]},
    },
    {"type": "attachment", "uuid": "q", "attachment": {"type": "queued_command", "commandMode": "prompt"}},
    {
        "type": "response_item",
        "payload": {"type": "function_call_output", "call_id": "c", "output": '{"output": "x"}'},
    },
    {
        "type": "response_item",
        "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}]},
    },
    {"type": "message", "id": "1", "parentId": None, "message": {"role": "toolResult", "content": "x"}},
    {"type": "assistant.message", "data": {"content": "x", "toolRequests": [{"name": "f"}]}},
    {"type": "context.append_loop_event", "time": 1, "event": {"type": "tool.call", "args": "{"}},
    {
        "step_index": 1,
        "source": "MODEL",
        "type": "PLANNER_RESPONSE",
        "tool_calls": [{"name": "x", "args": {"a": "1"}}],
    },
    {"type": "tool_result", "session_id": "s", "toolCallId": "c", "value": {"stdout": 1, "exitCode": 0}},
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>x</user_query>"}]}},
    {"messages": [{"role": "user", "content": "x", "timestamp": 1e300}]},
]
ODD = [
    None,
    True,
    0,
    -1,
    1e308,
    "",
    "\x00",
    "\ud800",
    "x",
    [],
    {},
    [[]],
    [None, 1, {}],
    {"type": "text", "text": 5},
]


def check(body, session_format="auto"):
    reader = read_session(body, session_format)
    try:
        messages = list(reader)
    except SessionFileError:
        messages = []
    ledger = reader.ledger
    assert ledger.balanced
    assert "malformed_row" not in ledger.skipped
    assert all(1 <= m.start_line <= m.end_line <= ledger.total for m in messages)
    json.dumps([m.content + (m.reasoning or "") for m in messages], ensure_ascii=False).encode("utf-8")
    return messages, ledger


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes(body):
    check(body)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from([b"{", b"}", b"[", b"]", b",", b'"', b"\n", b"\\", b'{"role":"user"', b":1", b" "])
    )
)
def test_random_structure(tokens):
    body = b"".join(tokens)
    _, ledger = check(body)
    assert ledger.total == len(body.split(b"\n")) - (body.endswith(b"\n") or not body)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(ROWS), min_size=1, max_size=6), st.randoms(use_true_random=False), st.booleans()
)
def test_mutated_rows(rows, rng, cut):
    text = "\n".join(json.dumps(mutate(row, rng)) for row in rows).encode()
    if cut:
        at = rng.randrange(len(text))
        text = text[:at] + bytes([rng.randrange(256)]) + text[at + rng.randrange(3) :]
    check(text)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_takes_any_row(name):
    rng = random.Random(7)
    rows = [mutate(row, rng) for row in ROWS * 20]
    check("\n".join(map(json.dumps, rows)).encode(), name)


def mutate(value, rng):
    """The same value with a few parts replaced by odd ones."""
    if rng.random() < 0.08:
        return rng.choice(ODD)
    if isinstance(value, dict):
        return {k: mutate(v, rng) for k, v in value.items() if rng.random() > 0.05}
    if isinstance(value, list):
        return [mutate(v, rng) for v in value]
    return value
