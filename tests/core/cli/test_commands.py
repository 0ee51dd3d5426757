"""The command line as a person meets it: what it prints, and what it says when something is wrong."""

import json
import os
from importlib import import_module
from pkgutil import walk_packages

import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.cli import commands
from ultron_core.cli.main import cli

MARKER = "zanzibar"


@pytest.fixture
def logs(tmp_path):
    write_log(tmp_path / "logs" / "one.jsonl", solved("alpha", "pandas"))
    write_log(tmp_path / "logs" / "two.jsonl", task("beta"))
    return tmp_path / "logs"


def test_from_a_folder_of_logs_to_a_memory_with_its_lines(run, logs):
    code, out, _ = run("ingest", logs, "--agent", "me")
    assert code == 0 and "2 files: 2 new or changed, 0 unchanged, 0 failed." in out
    assert "1 new memories" in out
    _, out, _ = run("search", "ModuleNotFoundError pandas", "--json", "--no-hits")
    (hit,) = json.loads(out)
    _, out, _ = run("show", hit["record"]["id"][:8])
    assert "one.jsonl lines 9-9" in out and "make pandas" in out
    assert f"sed -n '9,9p' {logs / 'one.jsonl'}" in out and "confidence   0.9" in out
    code, out, _ = run("ingest", logs, "--agent", "me")
    assert code == 0 and "0 new or changed, 2 unchanged" in out


def test_a_file_of_no_known_format_is_named(run, tmp_path):
    write_log(tmp_path / "logs" / "alpaca.jsonl", [{"instruction": "Say hi", "output": "hi"}])
    _, out, _ = run("ingest", tmp_path / "logs", "--agent", "me")
    assert "alpaca.jsonl: " in out and "1 failed" in out
    _, out, _ = run("sessions")
    assert "alpaca.jsonl holds no message that Ultron can read: 1 line no_role" in out
    assert "read it again with `ultron ingest`" in out


def test_a_question_about_what_is_not_there_is_answered_so(run, logs):
    run("ingest", logs, "--agent", "me")
    code, out, _ = run("drops", "--reason", "nosuch")
    assert (code, out.strip()) == (0, "Nothing was refused there.")
    code, _, errors = run("search", "pandas", "--type", "mistake")
    assert code == 2 and "'mistake' is not one of 'error', 'security'" in errors


def test_a_row_is_one_line_where_no_terminal_gives_a_width(run, logs):
    long = logs / ("deep-" * 12 + "folder") / "log.jsonl"
    write_log(long, task("gamma"))
    _, out, _ = run("ingest", logs, "--agent", "me", COLUMNS="")
    assert any("log.jsonl │ new" in line for line in out.splitlines())


def test_a_look_at_everything(run, logs):
    run("ingest", logs, "--agent", "me")
    assert "one.jsonl" in run("sessions")[1]
    figures = json.loads(run("stats", "--json")[1])
    assert figures["sessions"]["total"] == 2 and figures["memories"]["total"] == 1
    refused = json.loads(run("drops", "--json")[1])
    assert {row["reason"] for row in refused["counts"]} == {"below_threshold"}
    assert "hot" in run("rebalance")[1]
    assert "lines" in run("search", "alpha module tests", "--sessions")[1]
    code, out, _ = run("doctor", "--settings")
    assert code == 0 and "PostgreSQL 1" in out and "ULTRON_SESSIONS_DIR" in out


def test_the_dataset(run, logs, tmp_path):
    run("ingest", logs, "--agent", "me")
    code, out, _ = run("export-sft", "--min-score", "0.5", "--out", tmp_path / "sets", "--json")
    export = json.loads(out)
    assert code == 0 and export["rows"] >= 1
    assert "Nothing changed" in run("export-sft", "--min-score", "0.5", "--out", tmp_path / "sets")[1]


def test_a_note_becomes_a_memory(run):
    code, out, _ = run(
        "ingest-text", "Error: pip fails in docker. Cause: no network. Fix: use --network host."
    )
    assert code == 0 and "error" in out and "insert" in out


def test_what_waits_costs_nothing_offline(run, logs):
    run("ingest", logs, "--no-process")
    figures = json.loads(run("process", "--estimate", "--json")[1])
    assert (figures["model"], figures["calls"]) == ("none (offline)", 0)
    assert "2 new segments" in run("process")[1]


def test_a_bad_file_is_named_and_its_neighbours_are_read(run, logs):
    (logs / "binary.jsonl").write_bytes(bytes(range(256)) * 40)
    (logs / "empty.jsonl").write_bytes(b"")
    (logs / "huge.jsonl").write_text(json.dumps({"role": "user", "content": "x " * 10_000_000}) + "\n")
    code, out, _ = run("ingest", logs, "--json")
    result = json.loads(out)
    assert code == 3
    assert (result["successful"], result["failed"]) == (4, 1)
    (failed,) = [r for r in result["results"] if r["status"] == "failed"]
    assert "binary" in failed["error"] and failed["session_file"].endswith("binary.jsonl")
    assert run("ingest", logs)[0] == 3, "it still needs a person"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(run, logs):
    (logs / "one.jsonl").chmod(0)
    code, out, _ = run("ingest", logs)
    assert code == 3 and "cannot be read" in out


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["ingest", "/no/such/folder"], {}, "/no/such/folder"),
        (["stats"], {"ULTRON_HOT_PERCENTILE": "abc"}, "ULTRON_HOT_PERCENTILE"),
        (["stats"], {"ULTRON_DATABASE_URL": "postgresql://me:hidden@127.0.0.1:1/x"}, "ULTRON_DATABASE_URL"),
        (["stats"], {"ULTRON_DATABASE_URL": "nonsense"}, "malformed"),
        (["show", "not-an-id!"], {}, "is not the id of a memory"),
        (["search", "  "], {}, "empty"),
        (["ingest-text", "   "], {}, "empty"),
        (["ingest", "--codex"], {"HOME": "/nonexistent"}, "codex"),
        (["ingest", ".", "--agent", "a/b"], {}, "agent_id"),
        (["unmerge", "ffffffff"], {}, "not an id"),
        (["ingest", "."], {"ULTRON_EMBEDDING_BACKEND": "cloud"}, "ULTRON_EMBEDDING_BACKEND"),
    ],
)
def test_one_clear_message_and_an_exit_code(run, arguments, env, said):
    code, out, err = run(*arguments, **env)
    assert code == 1 and out == ""
    assert said in " ".join(err.split()) and "hidden" not in err


def test_wrong_usage_is_told_apart(run):
    assert run("ingest")[0] == 2
    assert run("no-such-command")[0] == 2


def test_the_logs_of_claude_code_are_found_under_home(run, tmp_path):
    project = tmp_path / "user" / ".claude" / "projects" / "demo"
    # a log that names its folder has a private one in its row, which is no JSON value and nobody's business
    write_log(project / "session.jsonl", [{"_type": "metadata", "cwd": "/home/ann/blog"}, *task("alpha")])
    code, out, _ = run("ingest", "--claude-code", HOME=tmp_path / "user")
    assert code == 0 and "1 files: 1 new" in out
    listed = json.loads(run("sessions", "--json")[1])[0]
    assert (listed["agent_id"], listed["project"]) == ("claude-code", "blog")
    assert "private_root" not in listed


def test_no_message_text_in_the_log_at_info(run, tmp_path):
    lines = task("alpha")
    lines[0]["content"] += f" {MARKER}"
    write_log(tmp_path / "logs" / "one.jsonl", lines)
    log = tmp_path / "ultron.log"
    run("ingest", tmp_path / "logs", ULTRON_LOG_FILE=log, ULTRON_LOG_LEVEL="info")
    assert "1 file" in log.read_text() and MARKER not in log.read_text()


def test_a_log_that_may_go_on_is_said_to_be_open(run, logs):
    code, out, _ = run("ingest", logs, ULTRON_SESSION_QUIET_MINUTES=30)
    assert code == 0 and "2 task(s) still open" in out and "ULTRON_SESSION_QUIET_MINUTES" in out


def test_models_and_clusters_are_shown(run, logs):
    run("ingest", logs, "--agent", "me")
    _, out, _ = run("reembed", "--status", "--json")
    (model,) = json.loads(out)
    assert (model["model_id"], model["state"], model["embedded"]) == ("use-multilingual-v3", "in use", 1)
    code, out, _ = run("reembed")
    assert code == 0 and "use-multilingual-v3" in out
    code, _, err = run("reembed", "--model", "nonsense")
    assert code == 1 and "name@dimension" in err
    _, out, _ = run("clusters")
    assert "pandas" in out and "person told" not in out
    code, out, _ = run("clusters", "--changes")
    assert code == 0 and "why" in out


def test_a_hit_that_has_little_to_do_with_the_query_is_marked_weak(run, logs):
    run("ingest", logs, "--agent", "me")
    _, out, _ = run("search", "ModuleNotFoundError pandas", "--no-hits")
    assert "pandas" in out and "weak" not in out
    unlike = "pandas quarterly zebra migration corridor rainfall observation treaty"
    _, out, _ = run("search", unlike, "--no-hits")
    assert " weak " in out and "not about the query" in out
    _, out, _ = run("search", unlike, "--no-hits", "--json")
    assert [hit["weak"] for hit in json.loads(out)] == [True]


def test_a_rerank_without_a_model_says_so(run, logs):
    run("ingest", logs, "--agent", "me")
    _, out, _ = run("search", "ModuleNotFoundError pandas", "--no-hits", "--rerank")
    assert "pandas" in out and "no model to rerank by" in out


def test_rows_that_used_up_their_tries_are_told_and_freed(run, logs, database):
    run("ingest", logs, "--no-process")
    with database.transaction() as conn:
        conn.execute("UPDATE sessions SET attempts = 20")
    code, out, _ = run("process")
    assert code == 0 and "2 used up their attempts" in out and "ultron retry" in out
    assert "2 rows will be tried again" in run("retry")[1]
    assert "2 new segments" in run("process")[1]


def test_the_agent_of_an_ingest_is_printed(run, logs):
    assert "agent: default" in run("ingest", logs, "--no-process")[1]
    assert "agent: me" in run("ingest", logs, "--agent", "me", "--no-process")[1]


def test_a_mistyped_name_exits_2_with_the_near_ones(run, logs, tmp_path):
    run("ingest", logs, "--agent", "me")
    code, _, errors = run("export-sft", "--task-type", "codng", "--out", tmp_path / "sets")
    assert code == 2 and "No task_type 'codng'. Did you mean code?" in errors
    code, _, errors = run("search", "pandas", "--project", "shop")
    assert code == 2 and "No project 'shop'." in errors


def test_an_export_of_nothing_exits_2_and_makes_no_folder(run, logs, tmp_path):
    run("ingest", logs, "--agent", "me")
    code, _, errors = run("export-sft", "--min-score", "1", "--out", tmp_path / "sets")
    assert code == 2 and "No row to export" in errors and not (tmp_path / "sets").exists()


def test_an_empty_answer_names_the_store_and_what_it_holds(run, logs):
    run("ingest", logs, "--agent", "me")
    code, out, errors = run("search", "migratory birds of Iceland", "--json")
    assert (code, json.loads(out)) == (0, [])
    assert "Nothing found. Store ultron_test_" in errors and "2 sessions, 1 memories, 0 claimed." in errors


def test_every_command_is_found_by_its_name():
    """The table in `main` says where each stands; one that it leaves out could not be run."""
    found = walk_packages(commands.__path__, f"{commands.__name__}.")
    modules = [import_module(one.name) for one in found]
    named = sorted(c.name for module in modules for c in getattr(module, "COMMANDS", ()))
    assert [cli.get_command(None, name).name for name in cli.list_commands(None)] == named
