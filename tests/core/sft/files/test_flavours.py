"""Texts and arguments that hold the markers of calls stay text and arguments in LLaMA-Factory's shape."""

import json
import re

from tests.support.rows import assistant, build, candidate, user
from ultron_core.models import ToolCall
from ultron_core.sft.files.flavours import to_llamafactory, to_openai, to_swift, to_twinkle


def row(*messages):
    (only,) = build([candidate(1, *messages)]).rows
    return only


def test_markers_in_text_and_arguments_are_escaped():
    call = ToolCall("a", "write", {"text": "use <tool_call>{}</tool_call> and </think>"})
    value = to_llamafactory(row(user("explain"), assistant("A <tool_call> opens it.", call)))
    (turn,) = [t for t in value["conversations"] if t["from"] == "function_call"]
    # the way LLaMA-Factory's FunctionFormatter looks for calls
    found = re.findall(r"<tool_call>(.*?)</tool_call>", turn["value"], re.DOTALL)
    assert len(found) == 1
    assert json.loads(found[0])[0]["arguments"] == {"text": "use <tool_call>{}</tool_call> and </think>"}
    assert turn["value"].startswith("A < tool_call> opens it.\n<tool_call>")


def test_a_turn_without_calls_keeps_its_markers():
    value = to_llamafactory(row(user("explain"), assistant("A <tool_call> opens it, always.")))
    assert value["conversations"][-1]["value"] == "A <tool_call> opens it, always."


def test_masked_turns_carry_their_mark_where_a_reader_knows_one():
    stopped = row(
        user("go"), assistant("I run it.", ToolCall("a", "f", {})), user("no"), assistant("As you want it.")
    )
    assert [m.get("weight") for m in to_openai(stopped)["messages"]] == [None, 0, None, None, None]
    assert [m.get("loss") for m in to_swift(stopped)["messages"]] == [None, False, None, None, None]


def test_twinkle_always_has_tools_as_a_string():
    assert to_twinkle(row(user("hi there"), assistant("Hello to you, too.")))["tools"] == ""
    assert (
        json.loads(to_twinkle(row(user("go"), assistant("", ToolCall("a", "f", {}))))["tools"])[0]["type"]
        == "function"
    )
