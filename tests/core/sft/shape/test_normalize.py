"""Messages of a segment become what trainers take, or are refused with a reason."""

import json

import pytest

from tests.support.rows import assistant, result, user
from ultron_core.models import Message, ToolCall
from ultron_core.sft import normalize_messages
from ultron_core.sft.shape.pairing import NO_RESULT

CALL = ToolCall("a", "f", {"x": 1})


def roles(normal):
    return [m["role"] for m in normal.messages]


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
    normal = normalize_messages([user("go"), assistant("done and tested")], [schema])
    assert not normal.tools_inferred
    assert normal.tools == ({"type": "function", "function": schema},)


def test_neighbours_of_one_role_are_merged():
    normal = normalize_messages([user("one"), user("two"), assistant("a word"), assistant("b word")], [])
    assert [m["content"] for m in normal.messages] == ["one\n\ntwo", "a word\n\nb word"]


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
            assistant("hello to you"),
        ],
        [],
    )
    assert [m["content"] for m in normal.messages] == ["You are helpful.", "hello", "hello to you"]


def test_reasoning_is_kept_dropped_or_inlined():
    messages = [user("q"), assistant("a", reasoning="because")]
    messages[1] = assistant("a whole answer", reasoning="because")
    kept = normalize_messages(messages, [], reasoning="keep").messages[1]
    dropped = normalize_messages(messages, [], reasoning="drop").messages[1]
    inline = normalize_messages(messages, [], reasoning="inline").messages[1]
    assert kept["reasoning_content"] == "because"
    assert dropped == {"role": "assistant", "content": "a whole answer"}
    assert inline["content"] == "<think>\nbecause\n</think>\n\na whole answer"


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


def refused(*messages, **more):
    return normalize_messages(messages, [], **more).reason


def test_what_cannot_be_trained_on_is_refused_with_a_reason():
    assert refused(assistant("hi")) == "no_user_message"
    assert refused(user("hi")) == "no_assistant_message"
    broken = ToolCall("a", "f", '{"path": "a.py", "text')
    assert (
        refused(user("hi"), assistant("", broken), result("a", ""), assistant("d")) == "arguments_no_object"
    )
    huge = ToolCall("a", "f", {"n": 2**70})
    assert refused(user("hi"), assistant("", huge), result("a", ""), assistant("d")) == "number_not_portable"
    nameless = ToolCall("a", "", {})
    assert refused(user("hi"), assistant("", nameless), result("a", "")) == "call_without_name"


@pytest.mark.parametrize("ending", [[], [result("a", "submitted")]], ids=["open", "answered"])
def test_a_run_may_end_with_a_call_answered_or_not(ending):
    """ReAct runs end with `finish[...]`, SWE-agent's with `submit`."""
    normal = normalize_messages([user("find it"), assistant("It is 7.", CALL), *ending], [])
    assert roles(normal) == ["user", "assistant"] and normal.messages[-1]["tool_calls"]
    assert normal.repairs == ({"trailing_result": 1} if ending else {})


def test_an_orphan_result_becomes_user_text_that_says_what_it_is():
    """aider prints what its own commands gave, with no call before: "Applied edit to hello.py"."""
    normal = normalize_messages(
        [
            user("edit it"),
            assistant("done so"),
            result(None, "Applied edit", "aider_cli"),
            assistant("Good now."),
        ],
        [],
    )
    assert roles(normal) == ["user", "assistant", "user", "assistant"]
    assert normal.messages[2]["content"] == "[output of aider_cli]\nApplied edit"
    assert normal.repairs == {"orphan_result": 1}


def test_an_orphan_beside_an_answered_call_waits_for_its_result():
    rows = [
        user("go on then"),
        assistant("", CALL),
        result("zzz", "stray"),
        result("a", "own"),
        assistant("all done"),
    ]
    normal = normalize_messages(rows, [])
    assert [(m["role"], m["content"]) for m in normal.messages[2:4]] == [
        ("tool", "own"),
        ("user", "[output of a tool]\nstray"),
    ]


def test_an_interrupted_call_is_masked_from_loss_and_gets_a_stand_in():
    rows = [
        user("go"),
        assistant("I run it.", CALL),
        user("no, the other"),
        assistant("All right, the other one."),
    ]
    normal = normalize_messages(rows, [])
    assert roles(normal) == ["user", "assistant", "tool", "user", "assistant"]
    assert normal.messages[1]["loss"] is False and normal.messages[2]["content"] == NO_RESULT
    assert "loss" not in normal.messages[-1] and normal.repairs == {"interrupted_call": 1}


def test_a_run_that_the_person_stopped_ends_with_the_last_whole_turn():
    stop = Message("user", "[Request interrupted by user for tool use]", origin="harness")
    rows = [user("go"), assistant("First I look at it."), user("yes, do"), assistant("", CALL), stop]
    normal = normalize_messages(rows, [])
    assert roles(normal) == ["user", "assistant"] and normal.repairs["interrupted_end"] == 1


def test_calls_of_neighbouring_messages_that_are_answered_together_are_one_turn():
    """Claude Code writes each parallel call as a message of its own."""
    calls = [assistant("", CALL), assistant("", ToolCall("b", "g", {}))]
    rows = [user("both"), *calls, result("a", "1"), result("b", "2")]
    normal = normalize_messages([*rows, assistant("both are done")], [])
    assert len(normal.messages[1]["tool_calls"]) == 2 and roles(normal)[2:] == ["tool", "tool", "assistant"]


def test_a_later_segment_carries_the_system_prompt_of_its_session():
    rows = [user("now fix the broken parser"), assistant("I fixed it.")]
    normal = normalize_messages(rows, [], system="You are terse.", continues=True)
    assert normal.messages[0] == {"role": "system", "content": "You are terse."}
    assert normal.repairs == {"system_prompt_of_session": 1}


def test_harness_text_is_removed_and_counted_not_merged_into_a_turn():
    compaction = Message(
        "user", "Your task is to create a detailed summary of the conversation", origin="harness"
    )
    hook = Message("user", "PostToolUse hook: formatted 3 files", origin="harness")
    late = Message("system", "You have 5 steps left.", origin="harness")
    normal = normalize_messages(
        [user("go"), hook, late, compaction, assistant("I went on and it works.")], []
    )
    assert [m["content"] for m in normal.messages] == ["go", "I went on and it works."]
    assert normal.repairs == {"harness_text": 3}


@pytest.mark.parametrize("request_text", ["continue", "yes, do that", "address: 8, 12, 13", "好的，继续吧"])
def test_a_fragment_that_cannot_be_understood_alone(request_text):
    talk = [user(request_text), assistant("I did all of what you said there.")]
    assert refused(*talk, continues=True) == "fragment"
    assert refused(*talk, continues=False) == "", "at the start of a session nothing came before"


def test_a_later_task_that_says_what_is_asked_is_no_fragment():
    talk = [user("Add a test for the date parser"), assistant("I added one for leap years.")]
    assert refused(*talk, continues=True) == ""


@pytest.mark.parametrize("answer", ["Ok", "Step 1", "Done."])
def test_a_row_with_nothing_to_learn(answer):
    assert refused(user("Do the first step of the plan"), assistant(answer)) == "nothing_to_learn"


@pytest.mark.parametrize("answer", ["42", "x = 3", "It is Lima."])
def test_a_short_answer_is_an_answer(answer):
    assert refused(user("What is it?"), assistant(answer)) == ""


def test_text_that_a_tokenizer_takes_for_the_end_of_a_turn_is_set_apart():
    said = "print('<|im_end|>') \ud800 and \x00"
    normal = normalize_messages([user(said), assistant("It prints a marker.")], [])
    assert normal.messages[0]["content"] == "print('<|.im_end.|>') \ufffd and \ufffd"
    assert normal.repairs == {"control_marker": 1, "unclean_text": 1}


def test_null_keys_are_absent_keys_and_a_free_text_argument_is_wrapped():
    padded = ToolCall("a", "f", {"x": 1, "y": None, "z": {"w": None, "v": [1, None]}})
    patch = ToolCall("b", "apply_patch", "*** Begin Patch")
    rows = [
        user("go"),
        assistant("", padded, patch),
        result("a", ""),
        result("b", ""),
        assistant("both are done"),
    ]
    normal = normalize_messages(rows, [])
    assert [c["function"]["arguments"] for c in normal.messages[1]["tool_calls"]] == [
        {"x": 1, "z": {"v": [1, None]}},
        {"input": "*** Begin Patch"},
    ]
    assert normal.repairs == {"null_key": 2, "wrapped_arguments": 1}


def test_a_schema_that_is_none_is_refused():
    bad = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "strnig"}}}}
    normal = normalize_messages([user("go"), assistant("", CALL)], [bad])
    assert (normal.reason, normal.detail) == ("invalid_tool_schema", "f: unknown type 'strnig'")
    assert json.dumps(normal.messages) == "[]"
