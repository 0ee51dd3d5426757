"""Qwen Code, Gemini CLI and Grok: what their logs say, row by row."""

import json

from tests.core.sessions.rows import ROWS
from ultron_core.sessions import parse_session


def read(rows):
    return parse_session("\n".join(map(json.dumps, rows)).encode())


def said(session):
    return [(m.role, m.origin, m.content) for m in session.messages]


def test_a_qwen_log():
    session = read(ROWS["qwen"])
    assert said(session) == [
        ("user", "human", "List the files."),
        ("assistant", "model", ""),
        ("tool", "tool", "a.py"),
        ("assistant", "model", "One file."),
        ("user", "human", ""),
    ]
    asked, result = session.messages[1], session.messages[2]
    assert (asked.reasoning, asked.model, asked.start_line, asked.end_line) == ("I look.", "qwen-coder", 2, 3)
    assert asked.usage == {"input": 12, "output": 4}
    assert asked.tool_calls[0].arguments == {"path": "."} and result.tool_call_id == asked.tool_calls[0].id
    assert session.messages[4].parts[0]["media_type"] == "image/png"
    info = session.info
    assert (info.format, info.harness, info.harness_version, info.cwd) == ("qwen", "qwen_code", "0.21", "/r")
    assert not session.ledger.skipped and session.ledger.metadata == 1


def test_the_prompt_that_a_rewind_left_behind_is_a_branch():
    def row(own, parent, kind, text):
        role = "model" if kind == "assistant" else "user"
        message = {"role": role, "parts": [{"text": text}]}
        return {"uuid": own, "parentUuid": parent, "sessionId": "s", "type": kind, "message": message}

    rewind = {"uuid": "w", "parentUuid": "a1", "type": "system", "subtype": "rewind", "systemPayload": {}}
    session = read(
        [
            row("u1", None, "user", "first"),
            row("a1", "u1", "assistant", "answer"),
            row("u2", "a1", "user", "dropped"),
            row("a2", "u2", "assistant", "dropped too"),
            rewind,
            row("u3", "w", "user", "kept"),
            row("a3", "u3", "assistant", "kept too"),
        ]
    )
    assert [(m.content, m.thread) for m in session.messages] == [
        ("first", "main"),
        ("answer", "main"),
        ("dropped", "branch:1"),
        ("dropped too", "branch:1"),
        ("kept", "main"),
        ("kept too", "main"),
    ]


def test_a_qwen_row_of_an_unknown_type_is_counted():
    row = {**ROWS["qwen"][0], "uuid": "x", "type": "session_checkpoint"}
    assert read([*ROWS["qwen"], row]).ledger.skipped == {"unknown_type": 1}


def test_a_gemini_log_in_lines():
    session = read(ROWS["gemini"])
    assert said(session) == [
        ("user", "human", "List the files."),
        ("assistant", "model", ""),
        ("tool", "tool", "a.py"),
        ("tool", "tool", "no"),
        ("assistant", "model", "One file."),
    ]
    asked, ran, cancelled = session.messages[1:4]
    assert (asked.reasoning, asked.model) == ("Plan: Run ls.", "gemini-3")
    assert asked.usage == {"input": 100, "output": 10, "cache_read": 1, "reasoning": 2}
    assert [c.name for c in asked.tool_calls] == ["ls", "rm"]
    assert (ran.is_error, cancelled.is_error) == (None, True)
    assert session.info.format == "gemini" and session.info.harness == "gemini_cli"
    assert not session.ledger.skipped


def test_a_gemini_log_in_one_object_says_the_same():
    head, *rows = [row for row in ROWS["gemini"] if "$set" not in row]
    whole = parse_session(json.dumps({**head, "messages": rows}, indent=2).encode())
    assert said(whole) == said(read(ROWS["gemini"]))
    assert whole.info.format == "gemini" and whole.ledger.balanced and not whole.ledger.skipped


def test_a_response_with_an_error_is_a_failed_result():
    response = {"functionResponse": {"id": "c", "name": "ls", "response": {"error": "no such folder"}}}
    row = {**ROWS["qwen"][3], "message": {"role": "user", "parts": [response]}}
    (message,) = read([row]).messages
    assert (message.content, message.is_error) == ("no such folder", True)


def test_a_grok_log():
    session = read(ROWS["grok"])
    assert [(role, origin) for role, origin, _ in said(session)] == [
        ("system", "harness"),
        ("user", "harness"),
        ("user", "human"),
        ("assistant", "model"),
        ("tool", "tool"),
        ("assistant", "model"),
    ]
    asked, result = session.messages[3:5]
    assert (asked.content, asked.reasoning, asked.model) == ("I read it.", "I read it.", "grok-4")
    assert asked.tool_calls[0].arguments == {"path": "a.py"} and result.name == "read_file"
    assert (session.info.format, session.info.harness, session.info.model) == ("grok", "grok", "grok-4")
    assert not session.ledger.skipped and session.ledger.metadata == 1


def test_none_of_them_takes_rows_of_another_log():
    for name, rows in ROWS.items():
        assert read(rows).info.format == name
