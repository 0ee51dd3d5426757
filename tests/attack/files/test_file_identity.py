"""Copies, links, renames and reused inodes of logs below a user's home: each log keeps the session that is its own."""

import os
import shutil

import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.settings import SessionSettings
from ultron_core.steps.files import snapshot
from ultron_core.steps.files.drop_folder import scan
from ultron_core.steps.files.ingest import ingest_files

A = solved("alpha", "pandas")
B = solved("beta", "requests")


@pytest.fixture
def home(tmp_path):
    """Below a folder as Claude Code names it; the redacted form of each path, `-home-<USER>-app`, does not exist."""
    folder = tmp_path / "-home-wolfgangbeck-app"
    (folder / "logs" / "agent").mkdir(parents=True)
    return folder


@pytest.fixture
def logs(home):
    return home / "logs" / "agent"


@pytest.fixture
def ultron(settings, home):
    sessions = SessionSettings(sessions_dir=home / "logs", quiet_minutes=0)
    with Ultron(settings.model_copy(update={"sessions": sessions})) as opened:
        yield opened


def ingest(ultron, path, agent="agent"):
    (result,) = ultron.ingest([path], agent)["results"]
    assert result["success"], result
    return result["status"]


def query(ultron, sql):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(sql).fetchall()


def owners(ultron):
    """{session_file: id} of all sessions."""
    return {r["session_file"]: r["id"] for r in query(ultron, "SELECT session_file, id FROM sessions")}


def tick(ultron):
    """What the drop sensor does: scan, then read what it reports. Returns (changed names, missing names)."""
    found = scan(ultron.runtime)
    ingest_files(ultron.runtime, [seen.file for seen in found.changed])
    return [seen.file.session_file for seen in found.changed], list(found.missing)


def settled(*paths):
    for path in paths:
        os.utime(path, (1_700_000_000, 1_700_000_000))


def test_a_copy_does_not_take_over_the_session_of_the_first(ultron, logs):
    first = write_log(logs / "first.jsonl", A)
    assert ingest(ultron, first) == "new"
    (before,) = owners(ultron).values()
    assert ingest(ultron, shutil.copy(first, logs / "copy.jsonl")) == "new"
    after = owners(ultron)
    assert set(after) == {"first.jsonl", "copy.jsonl"} and after["first.jsonl"] == before


def test_two_identical_files_are_reported_once_and_then_never(ultron, logs):
    settled(write_log(logs / "a.jsonl", A), write_log(logs / "b.jsonl", A))
    assert tick(ultron) == (["a.jsonl", "b.jsonl"], [])
    assert tick(ultron) == ([], [])
    assert tick(ultron) == ([], [])


def test_a_file_and_its_twin_in_the_folder_of_the_default_agent_are_two_sessions(ultron, logs):
    top = logs.parent
    (top / "default").mkdir()
    settled(write_log(top / "x.jsonl", A), write_log(top / "default" / "x.jsonl", B))
    assert sorted(tick(ultron)[0]) == ["@root/x.jsonl", "x.jsonl"]
    assert tick(ultron) == ([], [])
    assert len(owners(ultron)) == 2


def test_a_hard_link_is_a_second_session(ultron, logs):
    first = write_log(logs / "first.jsonl", A)
    ingest(ultron, first)
    os.link(first, logs / "link.jsonl")
    assert ingest(ultron, logs / "link.jsonl") == "new"
    assert len(owners(ultron)) == 2


def test_a_rename_below_a_home_keeps_the_session(ultron, logs):
    first = write_log(logs / "first.jsonl", A)
    ingest(ultron, first)
    (before,) = owners(ultron).values()
    first.rename(logs / "second.jsonl")
    assert ingest(ultron, logs / "second.jsonl") == "renamed"
    assert owners(ultron) == {"second.jsonl": before}
    assert tick(ultron) == ([], [])


def test_a_file_that_was_renamed_and_then_grew_keeps_its_session_by_its_inode(ultron, logs):
    first = write_log(logs / "first.jsonl", A)
    ingest(ultron, first)
    (before,) = owners(ultron).values()
    second = first.rename(logs / "second.jsonl")
    with second.open("a") as log:
        log.write((write_log(logs.parent.parent / "more.jsonl", B)).read_text())
    assert ingest(ultron, second) == "renamed"
    assert owners(ultron) == {"second.jsonl": before}


def test_of_two_copies_of_a_deleted_log_the_moved_file_itself_keeps_the_session(ultron, logs):
    first = write_log(logs / "first.jsonl", A)
    ingest(ultron, first)
    (before,) = owners(ultron).values()
    shutil.copy(first, logs / "copy.jsonl")
    first.rename(logs / "second.jsonl")
    ingest(ultron, logs / "second.jsonl")
    assert ingest(ultron, logs / "copy.jsonl") == "new"
    assert owners(ultron)["second.jsonl"] == before


def test_a_log_moved_to_another_agent_is_a_session_of_that_agent(ultron, logs):
    settled(write_log(logs / "first.jsonl", A))
    tick(ultron)
    (before,) = owners(ultron).values()
    other = logs.parent / "other"
    other.mkdir()
    (logs / "first.jsonl").rename(other / "first.jsonl")
    assert tick(ultron) == (["first.jsonl"], ["agent/first.jsonl"])
    rows = query(ultron, "SELECT agent_id, id, status FROM sessions ORDER BY agent_id")
    assert [(r["agent_id"], r["status"]) for r in rows] == [("agent", "source_missing"), ("other", "ok")]
    assert rows[0]["id"] == before


def messages(ultron, name):
    found = query(
        ultron,
        f"SELECT m.content FROM messages m JOIN sessions s ON s.id = m.session_id"
        f" WHERE s.session_file = '{name}' ORDER BY m.seq",
    )
    return [row["content"] for row in found]


def test_the_inode_of_another_device_is_another_file(ultron, logs, monkeypatch):
    """Two file systems number their files alike; here both logs share most of their text."""
    first = write_log(logs / "first.jsonl", A)
    ingest(ultron, first)
    inode = first.stat().st_ino
    first.unlink()
    real = snapshot.FileFacts.of

    def elsewhere(stat):
        facts = real(stat)
        return facts._replace(inode=inode, device=facts.device + 1)

    monkeypatch.setattr(snapshot.FileFacts, "of", elsewhere)
    assert ingest(ultron, write_log(logs / "mounted.jsonl", A, B)) == "new"
    assert len(messages(ultron, "first.jsonl")) == len(A)


def test_the_reused_inode_of_a_deleted_log_is_a_new_session(ultron, logs, monkeypatch):
    """A file system gives the number of a deleted file to the next one; every log says "thanks" somewhere."""
    first = write_log(logs / "first.jsonl", A)
    ingest(ultron, first)
    inode = first.stat().st_ino
    first.unlink()
    real = snapshot.FileFacts.of
    monkeypatch.setattr(snapshot.FileFacts, "of", lambda stat: real(stat)._replace(inode=inode))
    other = task("other") + task("further", error="E" * 400, fix="F" * 400)
    assert ingest(ultron, write_log(logs / "other.jsonl", other)) == "new"
    assert len(messages(ultron, "first.jsonl")) == len(A)


def test_a_name_that_is_not_utf8_is_found_again(ultron, logs):
    odd = logs / os.fsdecode(b"caf\xe9.jsonl")
    try:
        write_log(odd, A)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    ingest(ultron, odd)
    assert ingest(ultron, shutil.copy(odd, logs / "copy.jsonl")) == "new"
    odd.rename(logs / "plain.jsonl")
    assert ingest(ultron, logs / "plain.jsonl") == "renamed"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_that_may_not_be_read_proves_nothing(ultron, logs):
    closed = logs / "closed"
    closed.mkdir()
    first = write_log(closed / "first.jsonl", A)
    ingest(ultron, first)
    copy = shutil.copy(first, logs / "copy.jsonl")
    closed.chmod(0)
    try:
        assert ingest(ultron, copy) == "new"
    finally:
        closed.chmod(0o700)


def test_a_relative_path_is_remembered_from_the_root(ultron, logs, monkeypatch, tmp_path):
    write_log(logs / "first.jsonl", A)
    monkeypatch.chdir(logs)
    ingest(ultron, "first.jsonl")
    monkeypatch.chdir(tmp_path)
    assert ingest(ultron, shutil.copy(logs / "first.jsonl", logs / "copy.jsonl")) == "new"


def test_the_path_that_is_shown_stays_redacted(ultron, logs):
    ingest(ultron, write_log(logs / "first.jsonl", A))
    (row,) = query(ultron, "SELECT path, private_path FROM source_files")
    assert "-home-<USER>-app" in row["path"] and b"wolfgangbeck" in bytes(row["private_path"])
