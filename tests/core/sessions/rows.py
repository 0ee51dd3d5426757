"""One small log of every registered format, row by row: what the formats' own rows look like."""

STAMP = "2026-01-02T03:04:05.000Z"


def _codex(**payload):
    return {"timestamp": STAMP, "type": "response_item", "payload": payload}


def _event(**payload):
    return {"timestamp": STAMP, "type": "event_msg", "payload": payload}


def _pi(own, parent, **message):
    return {"type": "message", "id": own, "parentId": parent, "timestamp": STAMP, "message": message}


def _copilot(kind, **data):
    return {"type": kind, "data": data, "id": "e", "timestamp": STAMP, "parentId": None}


def _kimi(kind, **body):
    return {"type": kind, **body, "time": 1784950605094, "agentId": "main"}


def _claude(uuid, parent, kind, content, **more):
    message = {"role": kind, "content": content, "id": "m1", "model": "opus", "usage": {"input_tokens": 1}}
    row = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": STAMP}
    return {**row, "message": message, **more}


_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJDRA=="}}


def _qwen(uuid, parent, kind, role, *parts, **more):
    row = {
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s",
        "timestamp": STAMP,
        "type": kind,
        "cwd": "/r",
    }
    return {**row, "version": "0.21", "message": {"role": role, "parts": list(parts)}, **more}


def _gemini(own, kind, content, **more):
    return {"id": own, "timestamp": STAMP, "type": kind, "content": content, **more}


_RAN = {"id": "c", "name": "ls", "response": {"output": "a.py"}}

ROWS = {
    "qwen": [
        _qwen("u1", None, "user", "user", {"text": "List the files."}),
        _qwen("a1", "u1", "assistant", "model", {"text": "I look.", "thought": True}),
        _qwen(
            "a1",
            "u1",
            "assistant",
            "model",
            {"functionCall": {"id": "c", "name": "ls", "args": {"path": "."}}},
            model="qwen-coder",
            usageMetadata={"promptTokenCount": 12, "candidatesTokenCount": 4},
        ),
        _qwen("r1", "a1", "tool_result", "user", {"functionResponse": _RAN}, toolCallResult={}),
        {"uuid": "t1", "parentUuid": "r1", "type": "system", "subtype": "ui_telemetry", "systemPayload": {}},
        _qwen("a2", "t1", "assistant", "model", {"text": "One file."}),
        _qwen("u2", None, "user", "user", {"inlineData": {"mimeType": "image/png", "data": "QUJDRA=="}}),
    ],
    "gemini": [
        {"sessionId": "g", "projectHash": "0b", "startTime": STAMP, "lastUpdated": STAMP, "kind": "main"},
        _gemini("u", "user", [{"text": "List the files."}]),
        {"$set": {"lastUpdated": STAMP}},
        _gemini(
            "m",
            "gemini",
            "",
            thoughts=[{"subject": "Plan", "description": "Run ls."}],
            tokens={"input": 100, "output": 10, "cached": 1, "thoughts": 2},
            model="gemini-3",
            toolCalls=[
                {
                    "id": "c",
                    "name": "ls",
                    "args": {},
                    "result": [{"functionResponse": _RAN}],
                    "status": "success",
                },
                {"id": "d", "name": "rm", "args": {}, "resultDisplay": "no", "status": "cancelled"},
            ],
        ),
        _gemini("i", "info", "Request cancelled."),
        {"id": "m4", "timestamp": STAMP, "type": "model", "parts": [{"text": "One file."}]},
    ],
    "grok": [
        {"type": "system", "content": "You are a command-line tool."},
        {
            "type": "user",
            "content": [{"type": "text", "text": "<user_info>\nmacos\n</user_info>"}],
            "synthetic_reason": "environment_context",
        },
        {"type": "user", "content": [{"type": "text", "text": "Read a.py."}], "prompt_index": 0},
        {
            "type": "reasoning",
            "id": "r",
            "summary": [{"type": "summary_text", "text": "I read it."}],
            "encrypted_content": "x",
            "status": "completed",
        },
        {
            "type": "assistant",
            "content": "I read it.",
            "model_id": "grok-4",
            "tool_calls": [{"id": "c", "name": "read_file", "arguments": '{"path": "a.py"}'}],
        },
        {"type": "tool_result", "tool_call_id": "c", "content": "print(1)\n"},
        {"type": "backend_tool_call", "kind": {"tool_type": "web_search", "action": {"query": "print"}}},
        {"type": "assistant", "content": "It prints 1.", "model_id": "grok-4"},
    ],
    "claude_code": [
        _claude("u1", None, "user", "Fix it.\n<system-reminder>x</system-reminder>", cwd="/r", version="2"),
        {"type": "progress", "uuid": "p1", "parentUuid": "u1", "data": {"type": "hook_progress"}},
        _claude("a1", "p1", "assistant", [{"type": "thinking", "thinking": "Look."}]),
        _claude(
            "a2", "a1", "assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"c": "ls"}}]
        ),
        _claude(
            "r1",
            "a2",
            "user",
            [{"type": "tool_result", "tool_use_id": "t", "content": [_IMAGE], "is_error": True}],
        ),
        _claude("r2", "a2", "user", [{"type": "tool_result", "content": "b"}], sourceToolUseID="t"),
        _claude("s1", None, "user", "Search.", isSidechain=True, agentId="a88"),
        _claude("s2", "s1", "assistant", "Found.", isSidechain=True),
        _claude("u2", "u1", "user", "Another way.", isMeta=True, origin={"kind": "hook"}),
        {
            "type": "attachment",
            "uuid": "q",
            "parentUuid": "u2",
            "attachment": {"type": "queued_command", "prompt": "Also.", "commandMode": "prompt"},
        },
        {"type": "system", "uuid": "c", "parentUuid": None, "logicalParentUuid": "u2", "content": None},
        {"type": "summary", "summary": "A title", "leafUuid": "u1"},
    ],
    "codex": [
        {
            "timestamp": STAMP,
            "type": "session_meta",
            "payload": {
                "id": "s",
                "cwd": "/r",
                "cli_version": "1",
                "base_instructions": {"text": "Be good."},
            },
        },
        {"timestamp": STAMP, "type": "turn_context", "payload": {"model": "gpt", "cwd": "/r"}},
        _codex(type="message", role="user", content=[{"type": "input_text", "text": "List."}]),
        _codex(type="reasoning", summary=[{"type": "summary_text", "text": "ls"}], content=None),
        _codex(type="function_call", call_id="c1", name="shell", arguments='{"command": ["ls"]}'),
        _event(type="exec_command_end", call_id="c1", exit_code=1),
        _event(type="token_count", info={"last_token_usage": {"input_tokens": 5, "output_tokens": 2}}),
        _codex(type="function_call_output", call_id="c1", output="Exit code: 2\nOutput:\nx"),
        _codex(type="custom_tool_call", call_id="c2", name="apply_patch", input="*** Begin Patch"),
        _codex(
            type="custom_tool_call_output",
            call_id="c2",
            output='{"output": "ok", "metadata": {"exit_code": 0}}',
        ),
        _codex(type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}]),
        {"timestamp": STAMP, "type": "compacted", "payload": {"message": "Sum.", "replacement_history": []}},
        {"type": "function_call_output", "call_id": "c3", "output": {"content": "x", "success": False}},
    ],
    "copilot": [
        _copilot("session.start", sessionId="s", copilotVersion="1", context={"cwd": "/r"}),
        _copilot("user.message", content="List.", attachments=[{"type": "file", "path": "a.py"}]),
        _copilot(
            "assistant.message",
            content="Yes.",
            toolRequests=[{"toolCallId": "c", "name": "shell", "arguments": "{}"}],
            reasoningText="ls",
            outputTokens=3,
        ),
        _copilot("tool.execution_start", toolCallId="c", toolName="shell"),
        _copilot("tool.execution_complete", toolCallId="c", success=True, result={"content": "a"}),
        _copilot("session.compaction_complete", success=True, summaryContent="Sum."),
    ],
    "antigravity": [
        {
            "step_index": 0,
            "source": "USER_EXPLICIT",
            "type": "USER_INPUT",
            "status": "DONE",
            "created_at": STAMP,
            "content": "<USER_REQUEST>List.</USER_REQUEST>",
        },
        {
            "step_index": 1,
            "source": "MODEL",
            "type": "PLANNER_RESPONSE",
            "created_at": STAMP,
            "thinking": "ls",
            "tool_calls": [{"name": "list_dir", "args": {"Path": '"/r"'}}],
        },
        {
            "step_index": 2,
            "source": "MODEL",
            "type": "LIST_DIRECTORY",
            "status": "ERROR",
            "created_at": STAMP,
            "content": "a.txt",
        },
    ],
    "kimi": [
        {"type": "metadata", "protocol_version": "1.4", "created_at": 1784950509920},
        _kimi(
            "profile.bind", systemPrompt="You are Kimi.", modelAlias="k2", environmentDisclosure={"cwd": "/r"}
        ),
        _kimi(
            "context.append_message",
            message={"role": "user", "content": [{"type": "text", "text": "hi"}], "origin": {"kind": "user"}},
        ),
        _kimi(
            "context.append_loop_event",
            event={"type": "content.part", "stepUuid": "s", "part": {"type": "think", "think": "Hm."}},
        ),
        _kimi(
            "context.append_loop_event",
            event={"type": "tool.call", "stepUuid": "s", "toolCallId": "t", "name": "Bash", "args": {"c": 1}},
        ),
        _kimi(
            "context.append_loop_event",
            event={"type": "tool.result", "toolCallId": "t", "result": {"output": "a", "isError": False}},
        ),
        _kimi("context.apply_compaction", summary="Sum."),
        _kimi("llm.tools_snapshot", tools=[{"name": "Bash", "description": "d", "parameters": {}}]),
    ],
    "pi": [
        {"type": "session", "id": "s", "version": 3, "cwd": "/r", "timestamp": STAMP},
        {"type": "model_change", "id": "0", "parentId": None, "modelId": "m", "timestamp": STAMP},
        _pi("1", "0", role="user", content=[{"type": "text", "text": "Read a."}]),
        _pi(
            "2",
            "1",
            role="assistant",
            content=[{"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "a"}}],
            usage={"input": 3, "output": 4},
            model="opus",
        ),
        _pi("3", "2", role="toolResult", toolCallId="t", toolName="read", content="AAA", isError=False),
        _pi("4", "3", role="bashExecution", command="ls", output="a", exitCode=0),
        _pi("5", "3", role="assistant", content=[], stopReason="error", errorMessage="Overloaded."),
        {"type": "compaction", "id": "6", "parentId": "5", "timestamp": STAMP, "summary": "Sum."},
    ],
    "openclaw": [
        {
            "type": "session",
            "id": "s",
            "version": 3,
            "cwd": "/home/a/.openclaw/workspace",
            "timestamp": STAMP,
        },
        _pi("1", None, role="user", content=[{"type": "text", "text": "Hi."}]),
        _pi("2", "1", role="assistant", content="Sent.", provider="openclaw", model="delivery-mirror"),
    ],
    "droid": [
        {"type": "session_start", "id": "d", "title": "t", "cwd": "/r", "version": "0.81"},
        _pi("1", "d", role="user", content=[{"type": "text", "text": "Run."}]),
        _pi("2", "1", role="user", content=[{"type": "tool_result", "tool_use_id": "t", "content": "E"}]),
        {"type": "message", "session_id": "s", "role": "user", "text": "Do."},
        {"type": "tool_call", "session_id": "s", "toolCallId": "c", "toolName": "Shell", "parameters": {}},
        {
            "type": "tool_result",
            "session_id": "s",
            "toolCallId": "c",
            "value": {"stdout": "hi\n", "stderr": "", "exitCode": 2},
        },
        {"type": "completion", "session_id": "s", "finalText": "Done"},
    ],
    "cursor": [
        {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>x</user_query>"}]}},
        {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {}}]}},
        {"type": "turn_ended", "status": "success"},
    ],
    "sharegpt": [
        {"from": "human", "value": "The weather in Rome?"},
        {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "Rome"}}'},
        {"from": "observation", "value": "20 C"},
        {"from": "gpt", "value": "20 C."},
    ],
    "swe_agent": [
        {"role": "user", "content": "Demo.", "agent": "main", "is_demo": True},
        {"role": "user", "content": "Fix it.", "agent": "main"},
        {"role": "assistant", "content": "```\nls\n```", "thought": "t", "action": "ls", "agent": "main"},
        {"role": "user", "content": "a.py", "agent": "main"},
    ],
    "anthropic": [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Relevant memories:\n- a\n"}, _IMAGE, {"type": "hologram"}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "redacted_thinking", "data": "x"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"a": [1, {"b": None}]}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": None}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "Done."}],
            "stop_reason": "end_turn",
            "usage": {},
        },
    ],
    "openai": [
        {"_type": "metadata", "session_id": "s", "tools": [{"type": "function", "function": {"name": "f"}}]},
        {"role": "system", "content": "Be brief.\n<memory>\nPort 1.\n</memory>"},
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/gif;base64,QQ=="}}],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Hm.",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "name": "f", "content": "x", "timestamp": STAMP},
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{"}},
        {"messages": [{"role": "user", "content": "x"}], "model": "m", "system": "Be good."},
    ],
}
