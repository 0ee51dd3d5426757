"""`ultron erase`: what it refuses, asks, and prints."""

import json

import pytest
from click.testing import CliRunner

from tests.support.memories import rows
from tests.support.worlds import solved, write_log
from ultron_core.cli.main import cli
from ultron_core.client import Ultron


@pytest.fixture
def erase(settings, monkeypatch):
    monkeypatch.setenv("ULTRON_HOME", str(settings.store.home))
    monkeypatch.setenv("ULTRON_DATABASE_URL", str(settings.store.database_url))
    monkeypatch.setenv("ULTRON_OFFLINE", "1")
    log = write_log(settings.sessions_dir / "agent" / "a.jsonl", solved("one", "numpy"))
    with Ultron(settings) as ultron:
        ultron.ingest([log], "agent")

    def run(*arguments, **given):
        return CliRunner().invoke(cli, ["erase", *arguments], **given)

    return run


def sessions(settings):
    with Ultron(settings) as ultron:
        return rows(ultron, "SELECT count(*) AS n FROM sessions")[0]["n"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--yes"],
        ["--account", "--yes"],
        ["--account", "another", "--yes"],
        ["--agent", "agent", "--session", "x", "--yes"],
        ["--before", "the day before", "--yes"],
        ["--memory", "zz", "--yes"],
        ["--message", "agent/a.jsonl", "--yes"],
        ["--scrub"],
    ],
)
def test_what_names_no_scope_is_refused(erase, settings, arguments):
    refused = erase(*arguments)
    assert refused.exit_code != 0 and refused.output + str(refused.exception)
    assert sessions(settings) == 1


def test_the_account_is_erased_when_its_name_is_typed(erase, settings):
    assert erase("--account", "default", input="n\n").exit_code != 0 and sessions(settings) == 1
    done = erase("--account", "default", "--yes", "--json")
    assert done.exit_code == 0 and json.loads(done.output)["counts"]["sessions"] == 1
    assert sessions(settings) == 0


def test_a_day_in_the_past_takes_nothing_and_says_so(erase, settings):
    done = erase("--before", "2001-01-31", "--yes")
    assert done.exit_code == 0 and sessions(settings) == 1


def test_a_dry_run_prints_rows_by_table(erase, settings):
    told = erase("--agent", "agent", "--dry-run")
    assert told.exit_code == 0 and "messages" in told.output and "Nothing was changed." in told.output
    assert sessions(settings) == 1
