"""Small logs in the shape of each native format."""

import json

from ultron_core.sessions import FORMATS, parse_session


def parse(*rows):
    session = parse_session("\n".join(json.dumps(r) for r in rows).encode())
    assert session.ledger.balanced
    return session


def brief(session):
    return [(m.role, m.origin, m.content) for m in session.messages]


def calls(session):
    return [(c.id, c.name, c.arguments) for m in session.messages for c in m.tool_calls]


def item(**payload):
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}


def test_codex_puts_the_pieces_of_an_answer_together_and_ignores_screen_events():
    shell = {"output": "a.txt", "metadata": {"exit_code": 1}}
    session = parse(
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/repo", "cli_version": "0.9"}},
        {"type": "turn_context", "payload": {"model": "gpt"}},
        item(type="message", role="developer", content=[{"type": "input_text", "text": "Rules."}]),
        item(
            type="message",
            role="user",
            content=[
                {
                    "type": "input_text",
                    "text": "<environment_context>\n<cwd>/repo</cwd>\n</environment_context>",
                }
            ],
        ),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "List files."}},
        item(type="message", role="user", content=[{"type": "input_text", "text": "List files."}]),
        item(type="reasoning", summary=[{"type": "summary_text", "text": "Use ls."}], encrypted_content="x"),
        item(type="function_call", call_id="c1", name="shell", arguments='{"command": ["ls"]}'),
        item(type="custom_tool_call", call_id="c2", name="apply_patch", input="*** Begin Patch"),
        item(type="function_call_output", call_id="c1", output=json.dumps(shell)),
        item(type="custom_tool_call_output", call_id="c2", output=[{"type": "input_text", "text": "ok"}]),
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "One file."}]),
        {"type": "compacted", "payload": {"message": "Summary.", "replacement_history": [{"role": "user"}]}},
        item(type="brand_new_item"),
    )
    assert brief(session) == [
        ("system", "harness", "Rules."),
        ("user", "harness", "<environment_context>\n<cwd>/repo</cwd>\n</environment_context>"),
        ("user", "human", "List files."),
        ("assistant", "model", ""),
        ("tool", "tool", "a.txt"),
        ("tool", "tool", "ok"),
        ("assistant", "model", "One file."),
        ("user", "harness", "Summary."),
    ]
    assert calls(session) == [("c1", "shell", {"command": ["ls"]}), ("c2", "apply_patch", "*** Begin Patch")]
    assert session.messages[3].reasoning == "Use ls."
    assert (session.messages[4].name, session.messages[4].is_error) == ("shell", True)
    assert (session.info.format, session.info.model, session.info.cwd) == ("codex", "gpt", "/repo")
    assert session.ledger.skipped == {"unknown_type": 1}


def test_codex_rows_without_envelope():
    session = parse(
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "fine"},
    )
    assert brief(session) == [("user", "human", "Hi"), ("assistant", "model", ""), ("tool", "tool", "fine")]


def pi(own, parent, **message):
    stamp = "2026-01-01T00:00:00Z"
    return {"type": "message", "id": own, "parentId": parent, "timestamp": stamp, "message": message}


def test_pi_reads_results_bash_compaction_and_branches():
    call = {"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "a"}}
    session = parse(
        {"type": "session", "id": "s", "version": 3, "cwd": "/repo", "timestamp": "2026-01-01T00:00:00Z"},
        pi("1", None, role="user", content=[{"type": "text", "text": "Read a."}]),
        pi("2", "1", role="assistant", content=[call], model="opus"),
        pi("3", "2", role="toolResult", toolCallId="t", toolName="read", content="AAA", isError=False),
        pi("4", "3", role="user", content="Left."),
        pi("5", "3", role="bashExecution", command="ls", output="a", exitCode=0),
        {
            "type": "compaction",
            "id": "6",
            "parentId": "5",
            "timestamp": "2026-01-01T00:00:00Z",
            "summary": "Sum.",
        },
        pi("7", "6", role="user", content="Right."),
    )
    assert brief(session) == [
        ("user", "human", "Read a."),
        ("assistant", "model", ""),
        ("tool", "tool", "AAA"),
        ("user", "human", "Left."),
        ("user", "human", "! ls"),
        ("tool", "tool", "a"),
        ("user", "harness", "Sum."),
        ("user", "human", "Right."),
    ]
    assert [m.content for m in session.messages if m.thread == "branch:1"] == ["Left."]
    assert session.messages[2].is_error is False
    assert (session.info.format, session.info.cwd) == ("pi", "/repo")


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
