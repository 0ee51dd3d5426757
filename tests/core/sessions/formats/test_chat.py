"""OpenAI chat lines and Anthropic blocks give the same normalised messages."""

import json

from ultron_core.models import ToolCall
from ultron_core.sessions import parse_session


def parse(*rows):
    return parse_session("\n".join(json.dumps(row) for row in rows).encode())


def said(session):
    return [
        (
            m.role,
            m.content,
            [(c.name, c.arguments) for c in m.tool_calls],
            m.name,
            m.is_error,
            m.reasoning,
            m.origin,
        )
        for m in session.messages
    ]


OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Which flights go to Newark?"},
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Look it up.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "find", "arguments": '{"to": "EWR", "n": 2}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "find", "content": "UA1, UA2"},
    {"role": "assistant", "content": "UA1 and UA2."},
]
ANTHROPIC = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Which flights go to Newark?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look it up.", "signature": "x"},
            {"type": "tool_use", "id": "t9", "name": "find", "input": {"to": "EWR", "n": 2}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9", "content": "UA1, UA2"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "UA1 and UA2."}]},
]


def test_twins_are_equal():
    assert said(parse(*OPENAI)) == said(parse(*ANTHROPIC))
    assert parse(*OPENAI).messages[2].tool_calls == (ToolCall("c1", "find", {"to": "EWR", "n": 2}),)


def test_formats_are_named_and_may_be_mixed_in_one_file():
    native = {
        "type": "user",
        "uuid": "u1",
        "message": {"role": "user", "content": "And back?"},
        "sessionId": "s",
    }
    session = parse(*OPENAI, *ANTHROPIC, *OPENAI, native)
    assert len(session.messages) == 16
    assert session.info.format == "openai"
    assert session.messages[-1].content == "And back?"


def test_results_and_text_of_one_user_row_keep_their_order():
    content = [
        {
            "type": "tool_result",
            "tool_use_id": "a",
            "content": [{"type": "text", "text": "one"}],
            "is_error": True,
        },
        {"type": "text", "text": "Go on."},
        {"type": "text", "text": "Quickly."},
        {"type": "tool_result", "tool_use_id": "b", "content": None},
    ]
    session = parse({"role": "user", "content": content})
    assert [(m.role, m.content, m.tool_call_id, m.is_error, m.start_line) for m in session.messages] == [
        ("tool", "one", "a", True, 1),
        ("user", "Go on.\nQuickly.", None, None, 1),
        ("tool", "", "b", None, 1),
    ]


def test_arguments_that_are_no_json_stay_words():
    call = {"id": "c", "function": {"name": "run", "arguments": "ls -l {"}}
    session = parse({"role": "assistant", "content": "", "tool_calls": [call]})
    assert session.messages[0].tool_calls[0].arguments == "ls -l {"


def test_the_free_text_of_a_custom_tool_is_its_input():
    call = {"id": "c", "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin Patch"}}
    row = {"role": "assistant", "content": None, "tool_calls": [call]}
    (message,) = parse_session(json.dumps(row).encode()).messages
    assert message.tool_calls == (ToolCall("c", "apply_patch", {"input": "*** Begin Patch"}),)


def test_images_keep_their_size_and_lose_their_data():
    source = {"type": "base64", "media_type": "image/png", "data": "QUJDRA=="}
    url = {"type": "image_url", "image_url": {"url": "data:image/gif;base64,QUJD"}}
    session = parse(
        {
            "role": "user",
            "content": [{"type": "text", "text": "See."}, {"type": "image", "source": source}, url],
        }
    )
    (message,) = session.messages
    assert message.content == "See."
    assert message.parts == (
        {"type": "image", "media_type": "image/png", "bytes": 4},
        {"type": "image", "media_type": "image/gif", "bytes": 3},
    )


def test_blocks_without_words_are_kept_as_parts():
    blocks = [
        {"type": "redacted_thinking", "data": "abc"},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "hologram", "depth": 3},
    ]
    (message,) = parse(
        {"role": "assistant", "content": [*blocks, {"type": "text", "text": "Found."}]}
    ).messages
    assert message.content == "Found."
    assert list(message.parts) == blocks


def test_rows_that_say_nothing_are_dropped_but_tool_rows_stay():
    session = parse(
        {"role": "user", "content": []},
        {"role": "assistant", "content": ""},
        {"role": "system", "content": " "},
        {"role": "tool", "content": ""},
    )
    assert [m.role for m in session.messages] == ["tool"]
    assert session.ledger.skipped == {"empty": 3}


def test_odd_values_never_raise():
    session = parse(
        {"role": "user", "content": {"a": 1}},
        {"role": "user", "content": 7},
        {"role": "assistant", "content": {"type": "text", "text": 4}, "tool_calls": "none"},
        {"role": "assistant", "content": [3, None, {"type": 5}], "tool_calls": [1, {"function": 2}]},
        {"role": "tool", "content": {"rows": [1, 2]}, "tool_call_id": 9},
    )
    assert [m.content for m in session.messages] == ['{"a":1}', "7", "", "3", '{"rows":[1,2]}']
    assert session.messages[-1].tool_call_id == "9"


def test_a_log_is_named_by_the_rows_that_only_one_format_has():
    """Rows of text alone are alike in both; the first rows do not decide."""
    text = [{"role": "user", "content": f"Question {n}?"} for n in range(9)]
    blocks = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
    spoken = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
    answer = {"role": "tool", "tool_call_id": "1", "content": "x"}
    assert parse(*text).info.format == "openai"
    assert parse(*text, blocks).info.format == "anthropic"
    assert parse(*text, spoken).info.format == "anthropic"
    assert parse(*text, call, answer).info.format == "openai"
    assert parse(*text, blocks, call, answer).info.format == "openai"
    native = {"type": "user", "message": {"role": "user", "content": "And back?"}, "sessionId": "s"}
    assert parse(*text, blocks, *[native] * 5).info.format == "anthropic"


def test_what_the_object_around_the_messages_says_is_read():
    function = {"name": "find", "description": "Finds.", "input_schema": {"type": "object"}}
    request = {
        "model": "m1",
        "system": [{"type": "text", "text": "Be brief."}],
        "tools": [function],
        "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}],
    }
    session = parse(request)
    assert [(m.role, m.origin, m.content) for m in session.messages] == [
        ("system", "harness", "Be brief."),
        ("user", "human", "Hi."),
        ("assistant", "model", "Hello."),
    ]
    assert session.info.model == "m1"
    assert [tool["function"]["name"] for tool in session.info.tools] == ["find"]
    assert (session.ledger.total, session.ledger.message) == (1, 1)


def test_nul_is_taken_out_of_every_text_of_a_message():
    session = parse(
        {
            "_type": "metadata",
            "model": "m\x00",
            "tools": [{"name": "f\x00", "parameters": {"a\x00": "b\x00"}}],
        },
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "a\x00b"}, {"type": "hologram", "x\x00": ["y\x00"]}],
            "reasoning": "r\x00",
            "tool_calls": [
                {"id": "1\x00", "function": {"name": "f\x00", "arguments": '{"k\\u0000": ["v\\u0000"]}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1\x00", "content": {"rows": ["c\x00"]}},
        {"role": "user", "content": "\x00"},
    )
    call, result = session.messages
    assert (call.content, call.reasoning) == ("ab", "r")
    assert call.tool_calls == (ToolCall("1", "f", {"k": ["v"]}),)
    assert call.parts == ({"type": "hologram", "x": ["y"]},)
    assert (result.tool_call_id, result.name, result.content) == ("1", "f", '{"rows":["c"]}')
    assert session.info.model == "m"
    assert session.info.tools[0]["function"]["parameters"] == {"a": "b"}
    assert session.ledger.skipped == {"empty": 1}


def test_arguments_too_deep_to_be_stored_cost_their_row_alone():
    def call(depth):
        arguments = "[" * depth + "]" * depth
        return {
            "role": "assistant",
            "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": arguments}}],
        }

    session = parse(call(150), call(300))
    assert [len(m.tool_calls) for m in session.messages] == [1]
    assert session.ledger.skipped == {"too_deep": 1}


def test_lines_of_string_content_are_anthropic_when_the_caller_says_so():
    rows = [
        {"role": "user", "content": "Which flights go to Newark?", "id": "msg_1"},
        {"role": "assistant", "content": [{"type": "text", "text": "Three."}]},
        {"role": "assistant", "content": "The first leaves at six."},
    ]
    text = "\n".join(json.dumps(row) for row in rows).encode()
    session = parse_session(text, session_format="anthropic")
    assert [m.content for m in session.messages] == [
        "Which flights go to Newark?",
        "Three.",
        "The first leaves at six.",
    ]
    assert session.info.format == "anthropic" and not session.ledger.skipped
