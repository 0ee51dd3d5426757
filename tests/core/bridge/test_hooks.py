"""A session's lesson is in the next one's block, by the hooks alone; and whatever happens, the agent goes on."""

import json
import resource
import socket
import threading
import time

import pytest

from tests.core.serve.running import PROGRAM, SCRIPTS
from ultron_core.bridge.server import ask
from ultron_core.llm.tokens import count_tokens

HOOK = str(SCRIPTS / "ultron-hook")


def claude_log(path, cwd, session="11111111-1111-4111-8111-111111111111"):
    """A log as Claude Code writes it: a test fails, a package is installed, the same test passes."""
    shared = {
        "sessionId": session,
        "version": "2.0.1",
        "cwd": str(cwd),
        "gitBranch": "main",
        "userType": "external",
    }

    def row(number, kind, content):
        message = {"role": kind, "content": content}
        extra = {"model": "claude-sonnet-4"} if kind == "assistant" else {}
        return {
            **shared,
            "type": kind,
            "uuid": f"u{number}",
            "timestamp": f"2026-09-01T10:00:{number:02}.000Z",
            "message": {**message, **extra},
        }

    def call(number, command):
        return row(
            number,
            "assistant",
            [{"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}],
        )

    def result(number, text, error=False):
        block = {"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": text, "is_error": error}
        return row(number, "user", [block])

    failed = (
        'Traceback (most recent call last):\n  File "parser.py", line 3, in <module>\n    import yaml\n'
        "ModuleNotFoundError: No module named 'yaml'"
    )
    rows = [
        row(0, "user", "please build the parser module and run its tests"),
        call(1, "pytest parser"),
        result(2, failed, error=True),
        call(3, "pip install yaml"),
        result(4, "Successfully installed yaml"),
        call(5, "pytest parser"),
        result(6, "5 passed in 0.12s"),
        row(7, "assistant", [{"type": "text", "text": "The parser module is built and all its tests pass."}]),
        row(
            8,
            "user",
            "Always run `make yaml` before the parser tests, or they fail with a ModuleNotFoundError.",
        ),
        row(9, "assistant", [{"type": "text", "text": "Understood."}]),
        row(10, "user", "thanks, that works"),
        row(11, "assistant", [{"type": "text", "text": "You are welcome."}]),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def fire(home, event, **told):
    """The hook as Claude Code starts it; returns (what it printed, seconds)."""
    started = time.monotonic()
    done = home.run(HOOK, event, "--home", str(home.home), input=json.dumps(told).encode())
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    return done.stdout.decode(), time.monotonic() - started


@pytest.fixture(scope="module")
def project(home):
    folder = home.home.parent / "shop"
    folder.mkdir()
    return folder


def test_a_lesson_of_one_session_is_in_the_next_ones_block(home, project):
    transcript = claude_log(home.home.parent / ".claude" / "projects" / "-shop" / "one.jsonl", project)
    common = {"session_id": "s1", "transcript_path": str(transcript), "cwd": str(project)}
    # the server is down: the end of the session is noted, and the agent is not held up
    printed, seconds = fire(home, "session-end", hook_event_name="SessionEnd", reason="exit", **common)
    assert printed == "" and seconds < 2
    (note,) = (home.home / "spool").glob("*.json")
    assert json.loads(note.read_text())["path"] == str(transcript)
    home.start()
    home.settle()
    assert not list((home.home / "spool").iterdir())
    common = {"session_id": "s2", "transcript_path": "/none.jsonl", "cwd": str(project)}
    printed, _ = fire(home, "session-start", hook_event_name="SessionStart", source="startup", **common)
    told = json.loads(printed)["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart" and "yaml" in told["additionalContext"]
    assert count_tokens(told["additionalContext"]) <= 1_000
    common["session_id"] = "s3"
    prompt = "import yaml says ModuleNotFoundError: No module named 'yaml', what now?"
    printed, _ = fire(home, "prompt", hook_event_name="UserPromptSubmit", prompt=prompt, **common)
    told = json.loads(printed)["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit" and count_tokens(told["additionalContext"]) <= 600
    assert (
        told["additionalContext"].startswith("<memory_context>") and "make yaml" in told["additionalContext"]
    )
    assert fire(home, "prompt", prompt="write a poem about the sea", **common)[0] == ""


def test_a_session_that_ends_while_the_server_runs_is_handed_over(home, project):
    if home.process is None:
        home.start()
    before = home.ask("GET", "/sessions", params={"agent_id": "claude-code"}).json()["count"]
    log = claude_log(home.home.parent / ".claude" / "projects" / "-shop" / "two.jsonl", project, "2" * 8)
    fire(home, "session-end", session_id="s4", transcript_path=str(log), cwd=str(project))
    after = home.ask("GET", "/sessions", params={"agent_id": "claude-code"}).json()
    assert after["count"] == before + 1 and all(one["is_over"] for one in after["data"])
    assert not list((home.home / "spool").glob("*.json"))


def test_a_log_that_the_clients_key_may_not_have_read_is_noted_for_the_homes_owner(home, project):
    if home.process is None:
        home.start()
    made = home.run(*PROGRAM, "keys", "add", "eve", "--agent", "claude-code")
    log = claude_log(home.home.parent / ".claude" / "projects" / "-shop" / "eve.jsonl", project, "5" * 8)
    told = json.dumps({"session_id": "s5", "transcript_path": str(log), "cwd": str(project)}).encode()
    home.env["ULTRON_ACCESS_KEY"] = made.stdout.decode().strip()
    try:
        home.run(HOOK, "session-end", "--home", str(home.home), input=told)
    finally:
        del home.env["ULTRON_ACCESS_KEY"]
    assert "session-end: Away: the server answered 422" in (home.home / "bridge.log").read_text()
    notes = [json.loads(note.read_text())["path"] for note in (home.home / "spool").glob("*.json")]
    assert notes == [str(log)]


def test_an_agent_of_any_script_is_named_in_the_header(home):
    if home.process is None:
        home.start()
    asked = json.dumps({"content": "the stage needs redis 7"}).encode()
    status, body, _ = ask(home.home, "POST", "/memories/upload", asked, agent="构建", timeout=60)
    assert (status, json.loads(body)["data"]["agent_id"]) == (200, "构建")


def test_events_of_codex_and_cursor(home, project):
    """Codex hands its log in after every turn, if it keeps one; Cursor names folders of its window and wants another
    form of answer."""
    if home.process is None:
        home.start()
    codex = {
        "session_id": "c1",
        "cwd": str(project),
        "model": "m",
        "permission_mode": "default",
        "turn_id": "t",
    }
    log = claude_log(home.home.parent / ".codex" / "sessions" / "three.jsonl", project, "3" * 8)
    for path in (None, str(log)):
        told = {**codex, "hook_event_name": "Stop", "transcript_path": path, "stop_hook_active": False}
        assert fire(home, "turn-end", **told)[0] == ""
    found = home.ask("GET", "/sessions", params={"agent_id": "claude-code"}).json()["data"]
    assert [one["is_over"] for one in found if one["session_file"].endswith("three.jsonl")] == [False]
    cursor = {"conversation_id": "k1", "cursor_version": "2.4", "workspace_roots": [str(project)]}
    printed, _ = fire(home, "session-start", hook_event_name="sessionStart", **cursor)
    assert list(json.loads(printed)) == ["additional_context"] and "yaml" in printed


@pytest.mark.parametrize(
    "given",
    [b"", b"{", b"[]", b"\xff", b'{"prompt": 5}', b'{"prompt": "' + b"x" * 500_000 + b'"}'],
)
@pytest.mark.parametrize("event", ["prompt", "session-end", "no-such-event"])
def test_whatever_comes_in_the_exit_code_is_0(home, tmp_path, event, given):
    elsewhere = tmp_path / "elsewhere"
    done = type(home)(elsewhere, home.env).run(HOOK, event, "--home", str(elsewhere), input=given)
    assert done.returncode == 0 and done.stdout == b"" and done.stderr == b""


def test_a_server_that_hangs_is_left_alone_in_time(home, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        (tmp_path / "serve.json").write_text(
            json.dumps({"address": f"http://127.0.0.1:{mute.getsockname()[1]}"})
        )
        (tmp_path / "access.key").write_text("ult_x")
        other = type(home)(tmp_path, home.env)
        printed, seconds = fire(other, "prompt", prompt="anything")
        assert printed == "" and seconds < 2 + 0.5  # the process starts under the load of other tests
        printed, seconds = fire(other, "session-end", transcript_path="/x.jsonl")
        assert printed == "" and len(list((tmp_path / "spool").glob("*.json"))) == 1
    assert "does not answer" in (tmp_path / "bridge.log").read_text()


def test_a_server_that_answers_byte_by_byte_is_left_alone_too(home, tmp_path):
    """Each byte is in time for the socket; only the hook's own clock ends it."""
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def drip():
            taken, _ = slow.accept()
            with taken:
                for byte in b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100:
                    try:
                        taken.sendall(bytes([byte]))
                    except OSError:
                        return
                    time.sleep(0.2)

        thread = threading.Thread(target=drip)
        thread.start()
        (tmp_path / "serve.json").write_text(
            json.dumps({"address": f"http://127.0.0.1:{slow.getsockname()[1]}"})
        )
        (tmp_path / "access.key").write_text("ult_x")
        printed, seconds = fire(type(home)(tmp_path, home.env), "prompt", prompt="anything")
        assert printed == "" and seconds < 2.5
        thread.join()
    assert "more than" in (tmp_path / "bridge.log").read_text()


def test_a_prompt_costs_little(home):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    rounds = 5
    for _ in range(rounds):
        fire(home, "prompt", prompt="how do I install yaml?", session_id="cost")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) / rounds
    assert used <= 0.15, used
