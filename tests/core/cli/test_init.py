"""`ultron init`: what is on this machine is shown, read after a yes, and told with its place."""

import json
import re

import pytest

from tests.core.cli.test_model import at_terminal, env  # noqa: F401
from tests.support.model.checked import good
from tests.support.model.listings import MODEL, Ollama, chats, serving
from tests.support.model.small import SmallServer
from tests.support.worlds import solved, task, wish_of, write_log

CLAUDE = ".claude/projects/-srv-alpha"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A person's home with logs of two agents."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    write_log(tmp_path / CLAUDE / "one.jsonl", solved("alpha", "pandas"))
    write_log(tmp_path / ".codex/sessions/2026/01/02/rollout-two.jsonl", task("beta"))
    return tmp_path


def test_nothing_is_read_where_nobody_agrees(run, home):
    code, out, _ = run("init")
    assert code == 0 and "claude-code" in out and "codex" in out
    assert "Nothing was read. `ultron init --yes`" in out
    assert "Nothing found" in run("sessions")[2]


def test_what_is_found_is_read_and_what_was_learned_is_told_with_its_place(run, home):
    code, out, _ = run("init", "--yes")
    assert code == 0, out
    assert "2 logs read, 0 unchanged, 0 failed" in out
    assert wish_of("alpha", "pandas")[:60] in out
    assert f"said by human: {home / CLAUDE / 'one.jsonl'} lines 9-9" in out
    assert "`ultron connect claude-code`" in out and "Next: `ultron search WORDS`" in out
    assert "0 logs read, 2 unchanged, 0 failed; 0 tasks" in run("init", "--yes")[1]


def test_json_lists_first_and_reads_with_a_yes(run, home):
    listed = json.loads(run("init", "--json")[1])
    assert [(one["agent"], one["logs"]) for one in listed["found"]["agents"]] == [
        ("claude-code", 1),
        ("codex", 1),
    ]
    assert listed["done"] is None
    given = json.loads(run("init", "--json", "--yes", "--only", "claude-code")[1])
    assert given["done"]["read"] == 1 and len(given["learned"]) == 1


def test_a_log_of_no_known_format_fails_alone(run, home):
    write_log(home / CLAUDE / "alpaca.jsonl", [{"instruction": "Say hi", "output": "hi"}])
    code, out, _ = run("init", "--yes", "--only", "claude-code")
    assert (
        code == 3 and "1 logs read, 0 unchanged, 1 failed" in out and "alpaca.jsonl holds no message" in out
    )


def test_without_logs_the_next_step_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    code, _, errors = run("init", "--yes")
    assert code != 0 and "`ultron ingest PATH --agent NAME`" in errors


def test_at_a_terminal_it_asks_before_it_reads_and_before_it_connects(env, home):  # noqa: F811
    env |= {"HOME": str(home), "ULTRON_OFFLINE": "1", "ULTRON_SESSION_QUIET_MINUTES": "0"}
    code, shown = at_terminal(env, ["init", "--only", "claude-code"], ["y", "n"])
    assert code == 0, shown
    assert "Read them?" in shown and "Connect claude-code" in shown and "1 logs read" in shown
    assert not (home / ".claude" / "settings.json").exists()
    code, shown = at_terminal(env, ["init", "--only", "claude-code"], ["n"])
    assert code == 0 and "Nothing was read" in shown


def test_with_a_model_the_price_is_told_before_it_is_asked(env, home):  # noqa: F811
    with serving(Ollama(), SmallServer(16_384, good)) as (place, asked):
        env |= {
            "HOME": str(home),
            "ULTRON_LLM_BASE_URL": f"{place}/v1",
            "ULTRON_MODEL": MODEL,
            "ULTRON_SESSION_QUIET_MINUTES": "0",
        }
        code, shown = at_terminal(env, ["init", "--only", "claude-code"], ["y", "n", "n"])
        assert code == 0, shown
        assert re.search(r"about \d+ calls, [\d,]+ tokens in", shown) and "`ultron process` goes on" in shown
        assert chats(asked) == []
