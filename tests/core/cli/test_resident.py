"""The resident process: what it answers, for whom, and when it ends; and what a search imports without it."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.support.worlds import solved, write_log
from ultron_core.cli import asking, resident
from ultron_core.cli.asking import ask, socket_path
from ultron_core.client import Ultron
from ultron_core.settings import Settings

#: what takes long to import and no search needs
HEAVY = (
    *(
        "openai",
        "dagster",
        "matplotlib",
        "spacy",
        "presidio_analyzer",
        "sklearn",
        "pyarrow",
        "tiktoken",
        "rensa",
    ),
    *("fastapi", "mcp", "scipy", "jieba", "polars", "uvicorn"),
)


@pytest.fixture
def home(tmp_path, monkeypatch, database_url, database):
    """A home whose settings come from the environment, with one memory in the test's database."""
    monkeypatch.setenv("ULTRON_DATABASE_URL", database_url)
    monkeypatch.setenv("ULTRON_OFFLINE", "1")
    monkeypatch.setenv("ULTRON_SESSION_QUIET_MINUTES", "0")
    monkeypatch.setenv("ULTRON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "140")
    log = write_log(tmp_path / "logs" / "one.jsonl", solved("alpha", "pandas"))
    with Ultron(Settings.load()) as ultron:
        ultron.ingest([log], "me", process=True)
    return (tmp_path / "home").resolve()


@pytest.fixture
def running(home):
    """Starts the process as a thread of this one; waits until it listens."""
    threads = []

    def start(idle_seconds=20.0):
        thread = threading.Thread(
            target=resident.run, args=(Settings.load(),), kwargs={"idle_seconds": idle_seconds}
        )
        thread.start()
        threads.append(thread)
        while thread.is_alive() and not socket_path(home).exists():
            time.sleep(0.01)
        return thread

    here = Path.cwd()
    yield start
    os.chdir(here)
    for thread in threads:
        thread.join(30)


def test_it_answers_as_the_command_itself_does(home, running, capsys):
    running(idle_seconds=2.0)
    assert ask(["search", "ModuleNotFoundError pandas", "--json"]) == 0
    (hit,) = json.loads(capsys.readouterr().out)
    assert ask(["show", hit["record"]["id"][:8]]) == 0
    assert "No module named 'pandas'" in capsys.readouterr().out
    assert ask(["search", "x", "--project", "nosuch"]) == 2
    assert "No project 'nosuch'" in capsys.readouterr().err
    assert ask(["sessions"]) == 0 and ask(["stats"]) == 0
    assert ask(["ingest", "x"]) is None


def test_only_its_owner_may_ask_and_it_ends_when_idle(home, running):
    thread = running(idle_seconds=0.5)
    assert socket_path(home).stat().st_mode & 0o777 == 0o600
    assert resident.run(Settings.load()) is False
    thread.join(30)
    assert not thread.is_alive() and not socket_path(home).exists()
    assert ask(["stats"]) is None


def test_a_client_with_other_settings_goes_round_it_and_another_version_ends_it(home, running, monkeypatch):
    thread = running()
    monkeypatch.setenv("ULTRON_MEMORY_SEARCH_LIMIT", "3")
    assert ask(["stats"]) is None and thread.is_alive()
    monkeypatch.delenv("ULTRON_MEMORY_SEARCH_LIMIT")
    monkeypatch.setattr(asking, "__version__", "0.0.0")
    assert ask(["stats"]) is None
    thread.join(30)
    assert not thread.is_alive()


def test_a_search_imports_nothing_that_it_does_not_need(home):
    code = (
        "import sys; from ultron_core.cli.main import run_command; run_command(['search', 'pandas']);"
        f"print('heavy', sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "heavy []" in done.stdout, done.stdout + done.stderr


def test_who_asks_the_resident_process_imports_the_standard_library_alone():
    code = (
        "import sys; import ultron_core.cli.entry;"
        "print(sorted({m.split('.')[0] for m in sys.modules} - sys.stdlib_module_names - {'__main__'}))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "['ultron_core']", done.stdout + done.stderr
