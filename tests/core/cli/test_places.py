"""Which store a command uses, and that reading makes none."""

import sys
from pathlib import Path

import pytest

from tests.support.worlds import solved, write_log
from ultron_core.cli.commands import dev
from ultron_core.cli.main import main


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Runs one command line with an embedded store in the user's data folder of the test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("ULTRON_OFFLINE", "1")
    monkeypatch.setenv("ULTRON_SESSION_QUIET_MINUTES", "0")
    monkeypatch.setenv("COLUMNS", "140")

    def command(*arguments, cwd=tmp_path):
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["ultron", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return command


@pytest.mark.parametrize(
    "command",
    [["search", "x"], ["show", "ab"], ["sessions"], ["stats"], ["drops"], ["export-sft"]],
    ids=lambda command: command[0],
)
def test_a_command_that_only_reads_makes_no_store(run, tmp_path, command):
    code, _, errors = run(*command)
    assert code == 1 and f"There is no store at {tmp_path / 'share' / 'ultron'}" in errors
    assert not (tmp_path / "share").exists()


def test_the_store_is_the_same_from_every_folder(run, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    log = write_log(tmp_path / "logs" / "one.jsonl", solved("alpha", "pandas"))
    assert run("ingest", log, "--agent", "me", cwd=here)[0] == 0
    first = run("search", "ModuleNotFoundError pandas", "--json", "--no-hits", cwd=here)
    assert first == run("search", "ModuleNotFoundError pandas", "--json", "--no-hits", cwd=there)
    assert "pandas" in first[1] and list(here.iterdir()) == list(there.iterdir()) == []
    code, _, errors = run("--home", tmp_path / "other", "search", "pandas", cwd=here)
    assert code == 1 and str(tmp_path / "other") in errors


def test_the_demo_s_store_goes_and_another_folder_stays(run, tmp_path, monkeypatch):
    clone = tmp_path / "clone"
    (clone / "examples").mkdir(parents=True)
    (clone / ".ultron").mkdir()
    monkeypatch.setattr(dev, "_pipelines", lambda: Path(clone / "ultron_pipelines"))
    code, _, errors = run("demo", "--clean")
    assert code == 1 and "was not made by the demo" in errors and (clone / ".ultron").is_dir()
    (clone / ".ultron" / "ultron.toml").write_text("# Written by `make demo`. Remove it.\n")
    assert run("demo", "--clean")[0] == 0 and not (clone / ".ultron").exists()
    assert "There is no demo store" in run("demo", "--clean")[1]
