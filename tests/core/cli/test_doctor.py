"""`ultron doctor`: what takes the room, who may read what is ours, and what leaves the machine."""

import json
import tempfile
from pathlib import Path

import pytest

from tests.support.memories import rows
from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.steps.overview import table_sizes
from ultron_core.store.registry import ERASURE


def states(run, *options, **env):
    """What each line says."""
    code, out, _ = run("doctor", "--json", *options, **env)
    assert code == 0, out
    return {one["what"]: one["state"] for one in json.loads(out)["findings"]}


def test_the_room_is_told_by_kind_and_by_table(run, tmp_path, settings):
    run("ingest", write_log(tmp_path / "logs" / "one.jsonl", task("alpha")), "--agent", "me")
    told = states(run)
    assert "sessions " in told["room: what was said"] and "kB (" in told["room: memories"]
    sizes = json.loads(run("doctor", "--json")[1])["sizes"]
    with Ultron(settings) as ultron:
        tables = rows(ultron, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'ultron'")
        assert {one["table"] for one in sizes} == {row["name"] for row in tables}
        (whole,) = rows(ultron, "SELECT pg_total_relation_size('ultron.messages') AS bytes")
    assert next(one["bytes"] for one in sizes if one["table"] == "messages") == whole["bytes"] > 0
    _, out, _ = run("doctor", "--sizes")
    assert "search over logs" in out and "message_windows" in out


def test_every_table_with_words_of_logs_or_memories_has_a_kind(settings):
    with Ultron(settings) as ultron:
        kinds = {one.table: one.kind for one in table_sizes(ultron.runtime)}
    assert set(ERASURE) <= set(kinds)
    of_words = {table for table, rule in ERASURE.items() if rule not in ("account", "lease", "mark")}
    unnamed = {table for table in of_words if kinds[table] == "the store itself"}
    assert unnamed == set()


@pytest.fixture
def open_home():
    """A home that other accounts may look into; pytest's own folders are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "home"
        home.mkdir()
        home.chmod(0o755)
        yield home


def test_what_others_may_read_is_named_and_closed_on_request(run, open_home):
    log = open_home / "sessions" / "me" / "one.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("{}")
    for path in (log.parent.parent, log.parent):
        path.chmod(0o755)
    log.chmod(0o644)
    told = states(run, ULTRON_HOME=open_home)["other accounts"]
    assert told.startswith("they may read or write 4 folders and files: ") and str(log) in told
    assert "`ultron doctor --narrow` closes them" in told
    closed = states(run, "--narrow", ULTRON_HOME=open_home)["other accounts"]
    assert closed == "4 closed to them; they may read nothing of it"
    assert [f"{path.stat().st_mode & 0o777:o}" for path in (open_home, log)] == ["711", "600"]
    assert states(run, ULTRON_HOME=open_home)["other accounts"] == "they may read nothing of it"


def test_what_leaves_the_machine_is_said(run):
    assert states(run)["leaves the machine"] == "nothing"
    remote = {
        "ULTRON_LLM_API_KEY": "k",
        "ULTRON_LLM_BASE_URL": "https://models.example/v1",
        "ULTRON_OFFLINE": "0",
    }
    told = states(run, **remote, ULTRON_LLM_REDACT_INPUT="0")["leaves the machine"]
    assert told == (
        "text of sessions and queries, NOT redacted (ULTRON_LLM_REDACT_INPUT=0), to the model at https://models.example/v1"
    )
    near = {**remote, "ULTRON_LLM_BASE_URL": "http://127.0.0.1:8080/v1", "ULTRON_MODEL": "m"}
    assert states(run, **near)["leaves the machine"] == "nothing"
