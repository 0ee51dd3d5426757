"""Commands that the server of the home answers: which, for whom, until when; and what a search imports without it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.support.worlds import solved, write_log
from ultron_core.bridge.server import wait_until_ready
from ultron_core.cli import asking
from ultron_core.cli.asking import ask, is_answering, socket_path
from ultron_core.cli.resident import answering
from ultron_core.client import Ultron
from ultron_core.errors import SettingsError
from ultron_core.serve.run import Listen, serve
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


PROGRAM = str(Path(sys.executable).parent / "ultron")


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
    """Starts the server as a thread of this process; waits until it answers."""
    threads = []

    def start(idle_seconds=0.5, *, background=True):
        listen = Listen(port=0, idle_exit_minutes=idle_seconds / 60, background=background)
        thread = threading.Thread(target=serve, args=(Settings.load(), listen, lambda _: None, answering))
        thread.start()
        threads.append(thread)
        while thread.is_alive() and not is_answering(home):
            time.sleep(0.01)
        return thread

    yield start
    for thread in threads:
        thread.join(30)


def test_it_answers_as_the_command_itself_does(home, running, capsys):
    running()
    assert ask(["search", "ModuleNotFoundError pandas", "--json"]) == 0
    (hit,) = json.loads(capsys.readouterr().out)
    assert ask(["show", hit["record"]["id"][:8]]) == 0
    assert "make pandas" in capsys.readouterr().out
    assert ask(["search", "x", "--project", "nosuch"]) == 2
    assert "No project 'nosuch'" in capsys.readouterr().err
    assert ask(["sessions"]) == 0 and ask(["stats"]) == 0
    assert ask(["ingest", "x"]) is None


def test_only_its_owner_may_ask_and_it_ends_when_idle(home, running):
    thread = running()
    assert socket_path(home).stat().st_mode & 0o777 == 0o600
    with pytest.raises(SettingsError, match="runs already"):
        serve(Settings.load(), Listen(port=0), lambda _: None, answering)
    thread.join(30)
    assert not thread.is_alive() and not socket_path(home).exists()
    assert ask(["stats"]) is None and not is_answering(home)


@pytest.mark.parametrize("background", [True, False])
def test_a_client_with_other_settings_goes_round_it(home, running, monkeypatch, background):
    """Another version ends a server that hooks and commands started, and goes round one that a person started."""
    thread = running(60.0 if background else 3.0, background=background)
    monkeypatch.setenv("ULTRON_MEMORY_SEARCH_LIMIT", "3")
    assert ask(["stats"]) is None and is_answering(home)
    monkeypatch.delenv("ULTRON_MEMORY_SEARCH_LIMIT")
    with monkeypatch.context() as other:
        other.setattr(asking, "__version__", "0.0.0")
        assert ask(["stats"]) is None
    if background:
        thread.join(30)
        assert not thread.is_alive()
    else:
        assert ask(["stats"]) == 0


def test_the_first_command_starts_the_server_and_all_ask_that_one_process(home, monkeypatch):
    """Command line, HTTP and hooks find one process; whoever is refused starts no second one."""
    monkeypatch.setenv("ULTRON_AUTOSERVE", "1")
    env = {**os.environ, "ULTRON_HOME": str(home)}

    def run(*command):
        done = subprocess.run([PROGRAM, *command], env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    alone = run("search", "ModuleNotFoundError pandas")
    assert wait_until_ready(home, 60)
    served = json.loads((home / "serve.json").read_text())["pid"]
    try:
        until = time.monotonic() + 30
        while not is_answering(home) and time.monotonic() < until:
            time.sleep(0.05)
        assert run("search", "ModuleNotFoundError pandas") == alone
        monkeypatch.setenv("ULTRON_MEMORY_SEARCH_LIMIT", "3")
        env = {**os.environ}
        run("stats")
        assert json.loads((home / "serve.json").read_text())["pid"] == served
        assert (home / "serve.log").read_text().count("listens at") == 1
    finally:
        os.kill(served, signal.SIGTERM)
        while is_answering(home) or (home / "serve.json").exists():
            time.sleep(0.05)


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
