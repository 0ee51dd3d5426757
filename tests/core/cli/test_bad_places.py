"""A database without pgvector, a log file that cannot be written, a folder without logs, a reader that leaves."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tests.support.worlds import task, write_log


@pytest.fixture
def ultron(tmp_path, database_url, database):
    """Runs `ultron` as a process of its own; its output is text."""
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | {
        "ULTRON_HOME": str(tmp_path / "home"),
        "ULTRON_DATABASE_URL": database_url,
        "ULTRON_OFFLINE": "1",
        "ULTRON_SESSION_QUIET_MINUTES": "0",
        "COLUMNS": "100",
    }

    def run(*arguments, **more):
        return subprocess.run(
            [sys.executable, "-m", "ultron_core.cli.main", *map(str, arguments)],
            env={**env, **{k: str(v) for k, v in more.items()}},
            capture_output=True,
            text=True,
            timeout=120,
        )

    run.env = env
    return run


@pytest.fixture
def without_pgvector(new_database, server_url):
    """The URL of a database where the extension is not there, for a role that may not make it."""
    url = new_database()
    name = conninfo_to_dict(url)["dbname"]
    role = f"{name}_reader"
    with psycopg.connect(server_url, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("DROP EXTENSION IF EXISTS vector CASCADE")
        # the schema may be made, the extension may not: it goes to `public`
        conn.execute(
            sql.SQL("GRANT CREATE ON DATABASE {} TO {}").format(sql.Identifier(name), sql.Identifier(role))
        )
    yield psycopg.conninfo.make_conninfo(url, options=f"-c role={role}")
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(sql.Identifier(role)))
        conn.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_a_database_without_pgvector(ultron, without_pgvector):
    done = ultron("stats", ULTRON_DATABASE_URL=without_pgvector)
    said = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (1, "") and "Traceback" not in said
    assert said.startswith("ultron: ") and "CREATE EXTENSION vector" in said and "hidden" not in said
    looked = ultron("doctor", ULTRON_DATABASE_URL=without_pgvector)
    assert looked.returncode == 1 and "pgvector" in looked.stdout and "Traceback" not in looked.stderr


def test_a_log_file_that_cannot_be_written(ultron, tmp_path):
    done = ultron("stats", ULTRON_LOG_FILE=tmp_path)
    assert (done.returncode, done.stdout) == (1, "") and "Traceback" not in done.stderr
    assert "ULTRON_LOG_FILE" in done.stderr


def test_a_folder_without_logs_is_said(ultron, tmp_path):
    (tmp_path / "no-logs" / "folder.jsonl").mkdir(parents=True)
    done = ultron("ingest", tmp_path / "no-logs", "--no-process")
    assert done.returncode == 0 and "No .jsonl files in" in done.stderr


def test_nothing_but_the_result_is_printed_into_a_pipe(ultron, tmp_path):
    write_log(tmp_path / "logs" / "one.jsonl", task("alpha"))
    done = ultron("ingest", tmp_path / "logs")
    # on a busy machine it tells every 8 s that it is at work
    told = [line for line in done.stderr.splitlines() if not line.startswith("working")]
    assert (done.returncode, told) == (0, [])
    assert "10 lines:" not in done.stdout and "6 lines: 6 message, 0 part of one" in done.stdout


@pytest.mark.parametrize("arguments", [["doctor", "--settings"], ["doctor", "--settings", "--json"]])
def test_a_reader_that_leaves_early_is_no_error(ultron, arguments):
    command = [sys.executable, "-u", "-m", "ultron_core.cli.main", *arguments]
    process = subprocess.Popen(
        command, env=ultron.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    process.stdout.close()
    errors = process.stderr.read().decode()
    assert (process.wait(120), errors) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_output_that_cannot_be_written_is_one_message(ultron):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "ultron_core.cli.main", "--version"]
        done = subprocess.run(command, env=ultron.env, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("ultron: the output cannot be written: No space left")
    assert "Traceback" not in done.stderr


def test_help_loads_no_driver_and_no_model(ultron):
    code = "import sys; import ultron_core.cli.main; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], env=ultron.env, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "ultron_core.cli.main" in loaded
    assert not loaded & {"psycopg", "spacy", "presidio_analyzer", "jieba", "openai", "dagster", "pyarrow"}
