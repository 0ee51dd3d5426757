"""Small logs in the shape of Codex rollouts."""

import json

from tests.core.sessions.formats.native import brief, calls, item, parse


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
    assert calls(session) == [
        ("c1", "shell", {"command": ["ls"]}),
        ("c2", "apply_patch", {"input": "*** Begin Patch"}),
    ]
    assert session.messages[3].reasoning == "Use ls."
    assert (session.messages[4].name, session.messages[4].is_error) == ("shell", True)
    assert (session.info.format, session.info.model, session.info.cwd) == ("codex", "gpt", "/repo")
    assert session.ledger.skipped == {"unknown_type": 1}


def test_codex_rows_without_envelope():
    session = parse(
        {"id": "s", "timestamp": "2025-05-01T00:00:00Z", "instructions": None, "git": {}},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "fine"},
    )
    assert brief(session) == [("user", "human", "Hi"), ("assistant", "model", ""), ("tool", "tool", "fine")]
    assert session.ledger.metadata == 1
    assert session.ledger.skipped == {}


def test_codex_takes_the_prompt_failures_and_tokens_from_their_own_rows():
    def event(**payload):
        return {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": payload}

    header = {"type": "session_meta", "payload": {"id": "s", "base_instructions": {"text": "You are Codex."}}}
    session = parse(
        header,
        header,
        item(type="message", role="user", content=[{"type": "input_text", "text": "Test."}]),
        item(type="function_call", call_id="c1", name="exec_command", arguments="{}"),
        item(type="function_call", call_id="c2", name="apply_patch", arguments="{}"),
        item(type="function_call", call_id="c3", name="shell", arguments="{}"),
        event(type="token_count", info={"last_token_usage": {"input_tokens": 9, "output_tokens": 2}}),
        item(
            type="function_call_output",
            call_id="c1",
            output="Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nfailed",
        ),
        event(type="patch_apply_end", call_id="c2", success=True),
        item(type="function_call_output", call_id="c2", output="Done."),
        item(type="function_call_output", call_id="c3", output="Exit code: 0\nOutput:\nok"),
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "Exit code: 1\n"}]),
    )
    assert brief(session)[:2] == [("system", "harness", "You are Codex."), ("user", "human", "Test.")]
    assert session.messages[2].usage == {"input": 9, "output": 2}
    assert [(m.name, m.is_error) for m in session.messages if m.role == "tool"] == [
        ("exec_command", True),
        ("apply_patch", False),
        ("shell", False),
    ]
