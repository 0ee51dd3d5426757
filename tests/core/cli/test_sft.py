"""The commands around datasets, as a person types them."""

import json

import pytest
from click.testing import CliRunner

from tests.support.rows import four_questions, written
from ultron_core.cli.main import cli


def run(home, *arguments):
    return CliRunner().invoke(cli, ["--home", str(home), *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def versions(tmp_path):
    return written(tmp_path / "old", four_questions()[:3]), written(tmp_path / "new", four_questions()[1:])


def test_verify_needs_no_database_and_says_what_is_broken(versions, tmp_path):
    old, _ = versions
    done = run(tmp_path / "home", "sft", "verify", old)
    assert (done.exit_code, done.output.strip()) == (0, "All rules hold.")
    (old / "report.md").write_text("edited")
    broken = run(tmp_path / "home", "sft", "verify", old)
    assert broken.exit_code == 1 and "rule 20: report.md does not match its hash" in broken.output
    assert not (tmp_path / "home").exists()


def test_diff_names_each_change_with_its_cause(versions, tmp_path):
    done = run(tmp_path / "home", "sft", "diff", *versions)
    assert "1 added: new segment" in done.output and "1 removed: segment is gone" in done.output
    listed = json.loads(run(tmp_path / "home", "sft", "diff", "--json", *versions).output)
    assert {(c["id"], c["kind"]) for c in listed} == {("seg-003", "added"), ("seg-000", "removed")}
    assert "No row differs." in run(tmp_path / "home", "sft", "diff", versions[0], versions[0]).output


def test_publish_needs_a_review_that_was_confirmed(settings, versions, tmp_path):
    old, _ = versions
    home = settings.store.home

    def ultron(*arguments):
        env = {"ULTRON_DATABASE_URL": settings.store.database_url}
        return CliRunner().invoke(cli, ["--home", str(home), "sft", *map(str, arguments)], env=env)

    shelf = tmp_path / "shelf"
    refused = ultron("publish", old, "--to", shelf)
    assert refused.exit_code == 1 and "ultron sft review DIR" in str(refused.exception) and not shelf.exists()
    seen = ultron("review", old)
    assert "Left out projects: none" in seen.output and "-: 3 rows" in seen.output
    assert ultron("publish", old, "--to", shelf).exit_code == 1, "looking is not confirming"
    assert "Confirmed for content" in ultron("review", old, "--confirm").output
    dry = ultron("publish", old, "--to", shelf, "--dry-run")
    assert "Would be published" in dry.output and not shelf.exists()
    assert "Published" in ultron("publish", old, "--to", shelf).output
    assert (shelf / "test" / "1" / "manifest.json").is_file()
