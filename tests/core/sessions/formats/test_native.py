"""Small logs in the shape of each other native format."""

import json

from tests.core.sessions.formats.native import brief, calls, parse, pi
from ultron_core.sessions import FORMATS, parse_session


def test_sharegpt_conversations_one_on_a_line():
    session = parse(
        {
            "conversations": [
                {"from": "human", "value": "The weather in Rome?"},
                {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "Rome"}}'},
                {"from": "observation", "value": "20 C"},
                {"from": "gpt", "value": "It has 20 C."},
            ],
            "system": "You help.",
            "tools": '[{"name": "weather", "parameters": {"type": "object"}}]',
        },
        {"conversations": [{"from": "human", "value": "你好"}, {"from": "gpt", "value": "你好！"}]},
    )
    assert brief(session) == [
        ("system", "harness", "You help."),
        ("user", "human", "The weather in Rome?"),
        ("assistant", "model", ""),
        ("tool", "tool", "20 C"),
        ("assistant", "model", "It has 20 C."),
        ("user", "human", "你好"),
        ("assistant", "model", "你好！"),
    ]
    assert calls(session) == [("turn-0", "weather", {"city": "Rome"})]
    assert (session.messages[3].tool_call_id, session.messages[3].name) == ("turn-0", "weather")
    assert session.info.format == "sharegpt"
    assert [tool["function"]["name"] for tool in session.info.tools] == ["weather"]


def test_copilot():
    def event(kind, **data):
        return {"type": kind, "data": data, "id": "e", "timestamp": "2026-01-01T00:00:00Z", "parentId": None}

    request = {"toolCallId": "c1", "name": "shell", "arguments": '{"command": "ls"}'}
    session = parse(
        event("session.start", sessionId="s", copilotVersion="1.0", context={"cwd": "/repo"}),
        event("user.message", content="List.", transformedContent="<x>List.</x>"),
        event("assistant.reasoning", content="ls"),
        event("assistant.message", content="Listing.", toolRequests=[request], reasoningText="ls"),
        event("tool.execution_start", toolCallId="c1", toolName="shell"),
        event("tool.execution_complete", toolCallId="c1", success=False, error={"message": "denied"}),
        event("system.notification", content="Agent done."),
    )
    assert brief(session) == [
        ("user", "human", "List."),
        ("assistant", "model", "Listing."),
        ("tool", "tool", "denied"),
        ("user", "harness", "Agent done."),
    ]
    assert (session.messages[1].reasoning, session.messages[2].is_error) == ("ls", True)
    assert calls(session) == [("c1", "shell", {"command": "ls"})]
    assert session.info.format == "copilot"


def test_kimi():
    def message(role, text, **more):
        body = {"role": role, "content": [{"type": "text", "text": text}], **more}
        return {"type": "context.append_message", "message": body, "time": 1784950605094, "agentId": "main"}

    def event(**body):
        return {"type": "context.append_loop_event", "event": body, "time": 1784950605095, "agentId": "main"}

    session = parse(
        {"type": "metadata", "protocol_version": "1.4", "created_at": 1784950509920},
        {"type": "config.update", "systemPrompt": "You are Kimi.", "time": 1784950509920},
        {"type": "profile.bind", "systemPrompt": "You are Kimi.", "modelAlias": "k2", "time": 1784950509921},
        {"type": "turn.prompt", "input": [{"type": "text", "text": "hi"}], "time": 1784950605093},
        message("user", "hi", origin={"kind": "user"}),
        event(type="step.begin", step=1),
        event(type="content.part", stepUuid="s1", part={"type": "think", "think": "Greet."}),
        event(type="content.part", stepUuid="s1", part={"type": "text", "text": "Hello."}),
        event(type="tool.call", stepUuid="s1", toolCallId="t", name="Bash", args={"command": "ls"}),
        event(type="tool.result", toolCallId="t", result={"output": "a.txt", "isError": False}),
        message("user", "injected", origin={"kind": "hook"}),
    )
    assert brief(session) == [
        ("system", "harness", "You are Kimi."),
        ("user", "human", "hi"),
        ("assistant", "model", "Hello."),
        ("tool", "tool", "a.txt"),
        ("user", "harness", "injected"),
    ]
    assert session.messages[2].reasoning == "Greet."
    assert session.messages[3].name == "Bash"
    assert session.messages[1].timestamp.year == 2026
    assert session.info.format == "kimi"


def test_antigravity_results_answer_calls_in_order():
    def step(index, kind, source="MODEL", **more):
        stamp = "2026-06-26T21:16:16Z"
        return {
            "step_index": index,
            "source": source,
            "type": kind,
            "status": "DONE",
            "created_at": stamp,
            **more,
        }

    wrapped = "<USER_REQUEST>\nList.\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\nx\n</USER_SETTINGS_CHANGE>"
    session = parse(
        step(0, "USER_INPUT", "USER_EXPLICIT", content=wrapped),
        step(1, "CONVERSATION_HISTORY", "SYSTEM"),
        step(
            2, "PLANNER_RESPONSE", thinking="ls", tool_calls=[{"name": "list_dir", "args": {"Path": '"/r"'}}]
        ),
        step(3, "LIST_DIRECTORY", content="a.txt"),
        step(4, "VIEW_FILE", content="AAA"),
        step(5, "CHECKPOINT", "SYSTEM", content="# Resuming from a compaction"),
    )
    assert brief(session) == [
        ("user", "human", "List."),
        ("user", "harness", "<USER_SETTINGS_CHANGE>\nx\n</USER_SETTINGS_CHANGE>"),
        ("assistant", "model", ""),
        ("tool", "tool", "a.txt"),
        ("tool", "tool", "AAA"),
        ("user", "harness", "# Resuming from a compaction"),
    ]
    assert calls(session) == [("step-2-0", "list_dir", {"Path": "/r"})]
    assert [m.name for m in session.messages[3:5]] == ["list_dir", "view_file"]


def test_cursor():
    text = {"type": "text", "text": "<user_query>\nList.\n</user_query>"}
    use = {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}
    session = parse(
        {"role": "user", "message": {"content": [text]}},
        {"role": "assistant", "message": {"content": [use]}},
        {"type": "turn_ended", "status": "success"},
    )
    assert brief(session) == [("user", "human", "List."), ("assistant", "model", "")]
    assert session.info.format == "cursor"


def test_droid_store_and_stream():
    store = parse(
        {"type": "session_start", "id": "d", "title": "t", "cwd": "/repo", "version": "0.81"},
        pi("1", "d", role="user", content=[{"type": "text", "text": "Run."}]),
        pi("2", "1", role="user", content=[{"type": "tool_result", "tool_use_id": "t", "content": "Error"}]),
    )
    assert brief(store) == [("user", "human", "Run."), ("tool", "tool", "Error")]
    assert store.info.harness == "droid"
    stream = parse(
        {"type": "message", "session_id": "s", "role": "user", "text": "Do."},
        {
            "type": "tool_call",
            "session_id": "s",
            "toolCallId": "c",
            "toolName": "Shell",
            "parameters": {"a": 1},
        },
        {
            "type": "tool_result",
            "session_id": "s",
            "toolCallId": "c",
            "value": {"stdout": "hi\n", "exitCode": 2},
        },
        {"type": "completion", "session_id": "s", "finalText": "Done"},
    )
    assert brief(stream)[2:] == [("tool", "tool", "hi"), ("assistant", "model", "Done")]
    assert calls(stream) == [("c", "Shell", {"a": 1})]
    assert stream.messages[2].is_error is True


def test_swe_agent_lines_and_trajectory_are_the_same():
    history = [
        {"role": "system", "content": "SETTING", "agent": "main"},
        {"role": "user", "content": "A demonstration.", "agent": "main", "is_demo": True},
        {"role": "user", "content": "Fix the bug.", "agent": "main"},
        {
            "role": "assistant",
            "content": "Look.\n```\nls\n```",
            "thought": "Look.",
            "action": "ls",
            "agent": "main",
        },
        {"role": "user", "content": "a.py", "agent": "main"},
    ]
    whole = json.dumps({"environment": "x", "trajectory": [{"action": "ls"}], "history": history}, indent=2)
    as_lines, as_file = parse(*history), parse_session(whole.encode())
    assert brief(as_lines) == brief(as_file)
    assert [m.origin for m in as_lines.messages] == ["harness", "harness", "human", "model", "tool"]
    assert as_file.messages[0].start_line == 9
    assert as_file.ledger.balanced


def test_every_registered_format_is_a_module_that_claims_and_reads():
    assert {"openai", "anthropic", "claude_code", "codex", "pi", "swe_agent"} <= set(FORMATS)
    for module in FORMATS.values():
        assert module.claims({}) is False


def test_copilot_keeps_attachments_and_the_summary_of_a_compaction():
    session = parse(
        {"type": "session.start", "data": {"sessionId": "s"}},
        {"type": "session.model_change", "data": {"newModel": "gpt"}},
        {
            "type": "user.message",
            "data": {"content": "See.", "attachments": [{"type": "file", "path": "a.py"}]},
        },
        {"type": "session.compaction_complete", "data": {"summaryContent": "We looked."}},
    )
    assert brief(session) == [("user", "human", "See."), ("user", "harness", "We looked.")]
    assert session.messages[0].parts == ({"type": "attachment", "path": "a.py"},)
    assert session.info.model == "gpt"


def test_swe_agent_tool_rows_without_an_id_answer_the_open_calls():
    call = {"id": "c1", "function": {"name": "open", "arguments": '{"path": "a"}'}}
    session = parse(
        {"role": "user", "content": "Here is a demonstration of how to correctly do it.\nls", "agent": "m"},
        {"role": "user", "content": "Fix it.", "agent": "m"},
        {"role": "assistant", "content": "Look.", "action": "open a", "tool_calls": [call], "agent": "m"},
        {"role": "tool", "content": "[File: a]", "agent": "m"},
    )
    assert [m.origin for m in session.messages] == ["harness", "human", "model", "tool"]
    assert (session.messages[3].tool_call_id, session.messages[3].name) == ("c1", "open")
