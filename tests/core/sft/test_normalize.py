"""Messages of a segment become what trainers take, or are refused with a reason."""

from ultron_core.models import Message, ToolCall
from ultron_core.sft import normalize_messages


def user(text, **more):
    return Message("user", text, **more)


def assistant(text="", *calls, **more):
    return Message("assistant", text, tool_calls=tuple(calls), origin="model", **more)


def result(call_id, text, name=None):
    return Message("tool", text, tool_call_id=call_id, name=name, origin="tool")


def test_a_call_and_its_result_keep_structure_and_get_new_ids():
    normal = normalize_messages(
        [
            user("weather in Paris?"),
            assistant("I look it up.", ToolCall("toolu_x", "weather", {"city": "Paris"})),
            result("toolu_x", "18 C"),
            assistant("18 degrees."),
        ],
        [],
    )
    assert normal.reason == ""
    assert normal.messages == (
        {"role": "user", "content": "weather in Paris?"},
        {
            "role": "assistant",
            "content": "I look it up.",
            "tool_calls": [
                {
                    "id": "call_00001",
                    "type": "function",
                    "function": {"name": "weather", "arguments": {"city": "Paris"}},
                }
            ],
        },
        {"role": "tool", "content": "18 C", "tool_call_id": "call_00001", "name": "weather"},
        {"role": "assistant", "content": "18 degrees."},
    )


def test_a_tool_without_schema_gets_a_minimal_one_from_its_calls():
    normal = normalize_messages(
        [
            user("go"),
            assistant("", ToolCall("a", "run", {"cmd": "ls", "n": 1})),
            result("a", "ok"),
            assistant("done"),
        ],
        [],
    )
    assert normal.tools_inferred
    assert normal.tools[0]["function"]["parameters"]["properties"] == {
        "cmd": {"type": "string"},
        "n": {"type": "integer"},
    }


def test_a_declared_schema_is_used_as_it_is():
    schema = {"name": "run", "description": "runs", "parameters": {"type": "object", "properties": {}}}
    normal = normalize_messages([user("go"), assistant("done")], [schema])
    assert not normal.tools_inferred
    assert normal.tools == ({"type": "function", "function": schema},)


def test_neighbours_of_one_role_are_merged():
    normal = normalize_messages([user("one"), user("two"), assistant("a"), assistant("b")], [])
    assert [m["content"] for m in normal.messages] == ["one\n\ntwo", "a\n\nb"]


def test_results_of_parallel_calls_follow_in_call_order():
    normal = normalize_messages(
        [
            user("both"),
            assistant("", ToolCall("a", "f", {}), ToolCall("b", "g", {})),
            result("b", "of g"),
            result("a", "of f"),
            assistant("done"),
        ],
        [],
    )
    assert [m["content"] for m in normal.messages if m["role"] == "tool"] == ["of f", "of g"]


def test_what_a_harness_put_into_the_talk_is_left_out_but_the_system_prompt_stays():
    normal = normalize_messages(
        [
            Message("system", "You are helpful.", origin="harness"),
            user("hello"),
            user("<system-reminder>be brief</system-reminder>", origin="harness"),
            assistant("hi"),
        ],
        [],
    )
    assert [m["content"] for m in normal.messages] == ["You are helpful.", "hello", "hi"]


def test_reasoning_is_kept_dropped_or_inlined():
    messages = [user("q"), assistant("a", reasoning="because")]
    kept = normalize_messages(messages, [], reasoning="keep").messages[1]
    dropped = normalize_messages(messages, [], reasoning="drop").messages[1]
    inline = normalize_messages(messages, [], reasoning="inline").messages[1]
    assert kept["reasoning_content"] == "because"
    assert dropped == {"role": "assistant", "content": "a"}
    assert inline["content"] == "<think>\nbecause\n</think>\n\na"


def test_long_tool_output_keeps_head_and_tail():
    normal = normalize_messages(
        [
            user("q"),
            assistant("", ToolCall("a", "cat", {})),
            result("a", "A" * 500 + "B" * 500),
            assistant("a"),
        ],
        [],
        tool_output_max_tokens=100,
    )
    text = normal.messages[2]["content"]
    assert normal.truncated == 1
    assert text.startswith("A" * 50) and text.endswith("B" * 50) and "900 tokens" in text


def refused(*messages):
    return normalize_messages(messages, []).reason


def test_what_cannot_be_trained_on_is_refused_with_a_reason():
    call = ToolCall("a", "f", {})
    assert refused(assistant("hi")) == "no_user_message"
    assert refused(user("hi")) == "no_assistant_message"
    assert refused(user("hi"), assistant("", call)) == "ends_with_open_call"
    assert refused(user("hi"), assistant("", call), assistant("done")) == "call_without_result"
    assert refused(user("hi"), result("zzz", "x"), assistant("done")) == "result_without_call"
    assert refused(
        user("hi"), assistant("", ToolCall("a", "f", "not json")), result("a", ""), assistant("d")
    ) == ("arguments_no_object")
    assert refused(
        user("hi"), assistant("", ToolCall("a", "f", {"n": 2**70})), result("a", ""), assistant("d")
    ) == ("number_not_portable")
