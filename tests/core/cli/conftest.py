"""A command line run as a person runs it, on the test's database."""

import sys

import pytest

from ultron_core.cli.main import main


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, database_url, database):
    """Runs one command line on the test's database; returns (exit code, output, errors)."""
    monkeypatch.setenv("ULTRON_DATABASE_URL", database_url)
    monkeypatch.setenv("ULTRON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ULTRON_OFFLINE", "1")
    monkeypatch.setenv("ULTRON_SESSION_QUIET_MINUTES", "0")
    monkeypatch.setenv("COLUMNS", "140")

    def command(*arguments, **env):
        for name, value in env.items():
            monkeypatch.setenv(name, str(value))
        monkeypatch.setattr(sys, "argv", ["ultron", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        for name in env:
            if name not in ("ULTRON_DATABASE_URL",):
                monkeypatch.delenv(name)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return left.value.code or 0, captured.out, captured.err

    return command
