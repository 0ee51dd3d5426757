"""Claude Code: answers over several rows, sub-agents, rewound branches, compaction, resumed sessions."""

import json
from datetime import UTC, datetime

import pytest

from ultron_core.sessions import parse_session
from ultron_core.sessions.lines.source import Source


def row(uuid, parent, kind, content, **more):
    message = {"role": kind, "content": content, **more.pop("message", {})}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "message": message, **more}


def use(call_id, name="Bash"):
    return [{"type": "tool_use", "id": call_id, "name": name, "input": {"command": "ls"}}]


def result(call_id, text):
    return [{"type": "tool_result", "tool_use_id": call_id, "content": text}]


def parse(*rows):
    session = parse_session("\n".join(json.dumps(r) for r in rows).encode())
    assert session.ledger.balanced
    assert session.info.format == "claude_code"
    return session


def brief(session):
    return [(m.thread, m.role, m.origin, m.content) for m in session.messages]


def test_rows_of_one_answer_are_one_message():
    usage = {"input_tokens": 3, "output_tokens": 5}
    one = {"message": {"id": "m1", "model": "opus", "usage": usage}}
    session = parse(
        row("u1", None, "user", "List files.", timestamp="2026-01-02T03:04:05Z", cwd="/repo", version="2.1"),
        row("a1", "u1", "assistant", [{"type": "thinking", "thinking": "ls"}], **one),
        {"type": "progress", "uuid": "p1", "parentUuid": "a1", "data": {"type": "hook_progress"}},
        row("a2", "p1", "assistant", [{"type": "text", "text": "Listing."}], **one),
        row("a3", "a2", "assistant", use("t1"), **one),
        row("r1", "a3", "user", result("t1", "a.txt")),
        row("a4", "r1", "assistant", [{"type": "text", "text": "One file."}], message={"id": "m2"}),
    )
    answer = session.messages[1]
    assert (answer.reasoning, answer.content, answer.tool_calls[0].name) == ("ls", "Listing.", "Bash")
    assert (answer.start_line, answer.end_line, answer.model) == (2, 5, "opus")
    assert answer.usage == {"input": 3, "output": 5}
    assert (session.messages[2].role, session.messages[2].name) == ("tool", "Bash")
    ledger = session.ledger
    assert (ledger.message, ledger.part, ledger.metadata) == (4, 2, 1)
    assert session.info.started_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (session.info.cwd, session.info.harness_version, session.info.session_id) == ("/repo", "2.1", "s1")


def test_parallel_calls_do_not_make_branches():
    session = parse(
        row("u1", None, "user", "Two things."),
        row("a1", "u1", "assistant", use("t1"), message={"id": "m1"}),
        row("a2", "a1", "assistant", use("t2"), message={"id": "m1"}),
        row("r1", "a1", "user", result("t1", "one")),
        row("r2", "a2", "user", result("t2", "two")),
        row("a3", "r2", "assistant", [{"type": "text", "text": "Done."}], message={"id": "m2"}),
    )
    assert {m.thread for m in session.messages} == {"main"}
    assert [m.role for m in session.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert len(session.messages[1].tool_calls) == 2


def test_a_rewound_branch_is_a_thread_of_its_own():
    session = parse(
        row("u1", None, "user", "Start."),
        row("a1", "u1", "assistant", "Started."),
        row("u2", "a1", "user", "Wrong way."),
        row("a2", "u2", "assistant", "Going wrong."),
        row("u3", "a1", "user", "Right way."),
        row("a3", "u3", "assistant", "Going right."),
    )
    assert [(m.thread, m.content) for m in session.messages] == [
        ("main", "Start."),
        ("main", "Started."),
        ("branch:1", "Wrong way."),
        ("branch:1", "Going wrong."),
        ("main", "Right way."),
        ("main", "Going right."),
    ]


def test_sub_agents_are_threads_and_their_task_is_the_models_word():
    session = parse(
        row("u1", None, "user", "Search."),
        row("s1", None, "user", "Find all tests.", isSidechain=True, agentId="a88"),
        row("a1", "u1", "assistant", "Waiting."),
        row("s2", "s1", "assistant", "Found 3.", isSidechain=True, agentId="a88"),
        row("x1", None, "user", "Old style.", isSidechain=True),
        row("x2", "x1", "assistant", "Answer.", isSidechain=True),
    )
    assert brief(session) == [
        ("main", "user", "human", "Search."),
        ("agent:a88", "user", "model", "Find all tests."),
        ("main", "assistant", "model", "Waiting."),
        ("agent:a88", "assistant", "model", "Found 3."),
        ("agent:x1", "user", "model", "Old style."),
        ("agent:x1", "assistant", "model", "Answer."),
    ]


def test_a_compaction_goes_on_in_the_main_thread():
    summary = "This session is being continued from a previous conversation. Summary: ..."
    session = parse(
        row("u1", None, "user", "Start."),
        row("a1", "u1", "assistant", "Started."),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "c",
            "parentUuid": None,
            "logicalParentUuid": "a1",
        },
        row("u2", "c", "user", summary, isCompactSummary=True),
        row("u3", "u2", "user", "Skill text.", isMeta=True),
        row("u4", "u3", "user", "Go on."),
    )
    assert brief(session)[2:] == [
        ("main", "user", "harness", summary),
        ("main", "user", "harness", "Skill text."),
        ("main", "user", "human", "Go on."),
    ]


def test_history_repeated_by_a_resumed_session_counts_once():
    first = row("u1", None, "user", "Start."), row("a1", "u1", "assistant", "Started.")
    again = [{**r, "sessionId": "s2"} for r in first]
    session = parse(*first, *again, row("u2", "a1", "user", "Go on."))
    assert [m.content for m in session.messages] == ["Start.", "Started.", "Go on."]
    assert session.ledger.skipped == {"duplicate_uuid": 2}


def test_a_queued_prompt_is_a_message_and_other_attachments_are_not():
    queued = {"type": "queued_command", "prompt": "Also the docs.", "commandMode": "prompt"}
    session = parse(
        row("u1", None, "user", "Start."),
        {"type": "attachment", "uuid": "q", "parentUuid": "u1", "attachment": queued},
        {
            "type": "attachment",
            "uuid": "h",
            "parentUuid": "q",
            "attachment": {"type": "hook_success", "stdout": "x"},
        },
        {"type": "summary", "summary": "A title", "leafUuid": "u1"},
        {"type": "shiny-new-thing", "sessionId": "s1"},
    )
    assert [m.content for m in session.messages] == ["Start.", "Also the docs."]
    assert (session.ledger.metadata, session.ledger.skipped) == (2, {"unknown_type": 1})


def test_an_error_shown_as_an_answer_is_the_harness():
    session = parse(
        row("u1", None, "user", "Start."),
        row(
            "a1",
            "u1",
            "assistant",
            "API Error: 529",
            message={"model": "<synthetic>"},
            isApiErrorMessage=True,
        ),
    )
    assert [m.origin for m in session.messages] == ["human", "harness"]
    assert session.info.model is None


def test_a_tree_that_begins_late_in_a_file_is_found():
    chat = [{"role": "user", "content": f"Turn {n}."} for n in range(1200)]
    rows = [
        row("u1", None, "user", "Start."),
        row("a1", "u1", "assistant", "Started."),
        row("u2", "a1", "user", "Wrong way."),
        row("u3", "a1", "user", "Right way."),
    ]
    session = parse_session("\n".join(map(json.dumps, chat + rows)).encode())
    assert session.ledger.message == 1204
    assert [m.thread for m in session.messages[1200:]] == ["main", "main", "branch:1", "main"]


def test_a_file_without_a_tree_is_read_once(tmp_path, monkeypatch):
    opened = []
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role": "user", "content": "Hi."}\n' * 50)
    lines = Source.lines
    monkeypatch.setattr(Source, "lines", lambda self: opened.append(self.name) or lines(self))
    assert len(parse_session(path).messages) == 50
    assert len(opened) == 1
    path.write_text("\n".join(json.dumps(row(f"u{n}", None, "user", "Hi.")) for n in range(50)))
    assert len(parse_session(path).messages) == 50
    assert len(opened) == 3


def test_a_message_on_the_line_of_a_progress_row_is_kept():
    progress = {"type": "progress", "uuid": "p1", "parentUuid": "u1", "data": {}}
    first, second = row("u1", None, "user", "Start."), row("u2", "p1", "user", "Go on.")
    body = json.dumps(first) + "\n" + json.dumps(progress) + json.dumps(second)
    session = parse_session(body.encode())
    assert [m.content for m in session.messages] == ["Start.", "Go on."]
    assert (session.ledger.message, session.ledger.metadata) == (2, 0)


def test_a_file_that_only_resumes_another_keeps_its_branches():
    """A resumed session repeats its history under its own session id: forks in it are forks once."""
    history = [
        row("u1", None, "user", "Start."),
        row("u2", "u1", "user", "Wrong way."),
        row("u3", "u1", "user", "Right way."),
    ]
    session = parse(*history, *({**r, "sessionId": "s2"} for r in history), row("u4", "u3", "user", "Go on."))
    assert [(m.thread, m.content) for m in session.messages] == [
        ("main", "Start."),
        ("branch:1", "Wrong way."),
        ("main", "Right way."),
        ("main", "Go on."),
    ]
    assert session.ledger.skipped == {"duplicate_uuid": 3}


SAID = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
    "the new_string was NOT written to the file). "
)
ASKED = f"{SAID}To tell you how to proceed, the user said:\n"
NOTE = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."


def refused(text, name="Bash", **more):
    failed = [{**result("t1", text)[0], "is_error": True}]
    session = parse(
        row("u1", None, "user", "Install it."),
        row("a1", "u1", "assistant", use("t1", name)),
        row("r1", "a1", "user", failed, **more),
    )
    return [(m.role, m.origin, m.content, m.start_line) for m in session.messages[2:]]


@pytest.mark.parametrize(
    "text",
    [
        f"{ASKED}Use uv, not pip.",
        f"{ASKED}Use uv, not pip.{NOTE}",
        f"{SAID}The user provided the following reason for the rejection:  Use uv, not pip.",
        [{"type": "text", "text": f"{ASKED}Use uv, not pip."}],
    ],
    ids=["said", "with a note", "older", "in blocks"],
)
def test_the_reason_for_which_a_call_was_refused_is_what_the_person_said(text):
    assert refused(text) == [("tool", "tool", SAID.strip(), 3), ("user", "human", "Use uv, not pip.", 3)]


@pytest.mark.parametrize(
    ("text", "name", "more"),
    [
        (f"{SAID}STOP what you are doing and wait for the user to tell you how to proceed.", "Bash", {}),
        (f"{ASKED}The user wants to clarify these questions.\n    This means ...", "AskUserQuestion", {}),
        (f"{ASKED}Always use curl.", "mcp__web__fetch", {}),
        (f"{ASKED}Always use curl.", "Bash", {"toolDenialKind": "interrupted"}),
        (f"Exit code 1\n{ASKED}Always use curl.", "Bash", {}),
    ],
    ids=["no reason", "a button", "a server's words", "not a refusal", "printed"],
)
def test_nothing_that_a_person_did_not_type_becomes_their_words(text, name, more):
    assert [origin for _, origin, _, _ in refused(text, name, **more)] == ["tool"]


def test_a_row_that_says_who_refused_is_believed_whatever_the_tool():
    said = refused(f"{ASKED}Not that page.", "mcp__web__fetch", toolDenialKind="user-rejected")
    assert said[1][:3] == ("user", "human", "Not that page.")
