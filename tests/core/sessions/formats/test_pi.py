"""Small logs in the shape of pi, and of the harnesses that write rows like its."""

from tests.core.sessions.formats.native import brief, parse, pi


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


def test_rows_shared_by_three_harnesses_are_named_by_the_one_that_wrote_them():
    header = {"type": "session", "id": "s", "version": 3, "cwd": "/repo", "timestamp": "2026-01-01T00:00:00Z"}
    ask = pi("1", None, role="user", content="Hi.")
    answer = pi("2", "1", role="assistant", content="Hello.")
    sent = pi("3", "2", role="assistant", content="Sent.", provider="openclaw", model="delivery-mirror")
    snapshot = {"type": "custom", "customType": "openclaw.cache-ttl", "timestamp": "2026-01-01T00:00:00Z"}
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]

    def named(*rows):
        info = parse(*rows).info
        return info.format, info.harness

    assert named(header, ask, answer) == ("pi", "pi")
    assert named(header, ask, answer, sent) == ("openclaw", "openclaw")
    assert named(header, ask, answer, snapshot) == ("openclaw", "openclaw")
    assert named({**header, "cwd": "/home/a/.openclaw/workspace"}, ask) == ("openclaw", "openclaw")
    assert named({**header, "cwd": "/srv/openclaw"}, ask, answer) == ("pi", "pi")
    assert named({"type": "session_start", "id": "d", "cwd": "/r"}, ask, answer) == ("droid", "droid")
    assert named(ask, answer, pi("3", "2", role="user", content=result)) == ("droid", "droid")
    # the gateway's own notice is not the model's word
    assert parse(header, ask, sent).messages[-1].origin == "harness"


def test_pi_keeps_the_error_of_an_answer_that_never_came():
    session = parse(
        pi("1", None, role="user", content="Go."),
        pi("2", "1", role="assistant", content=[], stopReason="error", errorMessage="Overloaded."),
        pi("3", "2", role="bashExecution", command="sleep 9", output="", cancelled=True),
    )
    assert brief(session)[1:3] == [("assistant", "harness", "Overloaded."), ("user", "human", "! sleep 9")]
    assert session.messages[-1].is_error is True
