"""Files that cannot be read, or not any more: named, counted, and nothing else suffers."""

import json
from datetime import timedelta

import pytest

from tests.support.worlds import rows_written, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError, SessionFileError
from ultron_core.settings import SessionSettings
from ultron_core.steps.files import ingest
from ultron_core.steps.files.drop_folder import mark_reported, unreported

SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


@pytest.fixture
def logs(tmp_path):
    write_log(tmp_path / "logs" / "good.jsonl", task("alpha"))
    return tmp_path / "logs"


def by_name(result):
    return {r["session_file"].rsplit("/", 1)[1]: r for r in result["results"]}


def query(ultron, text):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(text).fetchall()


def test_every_line_has_its_fate_also_in_a_file_half_of_junk(ultron, logs):
    good = [json.dumps(line) for line in task("beta")]
    (logs / "mixed.jsonl").write_text("\n".join([good[0], "not json", "", "[1, 2]", *good[1:]]) + "\n")
    result = by_name(ultron.ingest([logs], "me"))["mixed.jsonl"]
    lines = result["lines"]
    assert result["success"] and lines["total"] == len(good) + 3
    assert lines["skipped"] == {"bad_json": 1, "blank": 1, "not_an_object": 1}
    assert lines["message"] + lines["part"] + lines["metadata"] + 3 == lines["total"]
    dropped = query(ultron, "SELECT start_line FROM drops WHERE stage = 'sessions' ORDER BY start_line")
    assert [row["start_line"] for row in dropped] == [2, 3, 4]


def test_a_binary_file_fails_alone_and_is_tried_again_later(ultron, logs):
    (logs / "binary.jsonl").write_bytes(bytes(range(256)) * 40)
    result = ultron.ingest([logs], "me", process=True)
    assert (result["successful"], result["failed"]) == (1, 1)
    assert "binary" in by_name(result)["binary.jsonl"]["error"]
    (row,) = query(ultron, "SELECT * FROM source_files WHERE state = 'failed'")
    assert row["attempts"] == 1 and row["next_try"] is not None and "binary.jsonl" in row["error"]
    write_log(logs / "binary.jsonl", task("gamma"))
    assert ultron.ingest([logs], "me")["failed"] == 0


def test_a_log_that_turns_to_junk_keeps_what_was_read_before(ultron, logs):
    ultron.ingest([logs], "me", process=True)
    before = query(ultron, "SELECT seq, content FROM messages ORDER BY seq")
    (logs / "good.jsonl").write_bytes(b"\x00\x01\x02\xff" * 4000)
    assert by_name(ultron.ingest([logs], "me"))["good.jsonl"]["status"] == "failed"
    assert query(ultron, "SELECT seq, content FROM messages ORDER BY seq") == before


def test_an_empty_file_is_a_session_without_messages(ultron, logs):
    (logs / "empty.jsonl").write_bytes(b"")
    result = by_name(ultron.ingest([logs], "me"))["empty.jsonl"]
    assert (result["success"], result["messages"], result["lines"]["total"]) == (True, 0, 0)


def test_a_file_over_the_archive_s_limit_is_read_and_recorded_but_its_bytes_are_not_kept(settings, logs):
    small = settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=0, archive_max_bytes=100)})
    with Ultron(small) as ultron:
        result = ultron.ingest([logs], "me")
        (upload,) = query(ultron, "SELECT * FROM raw_uploads")
        assert result["successful"] == 1 and upload["bytes"] > 100
        assert query(ultron, "SELECT * FROM messages") and not query(ultron, "SELECT * FROM raw_blobs")


def test_nothing_new_writes_nothing(ultron, logs):
    ultron.ingest([logs], "me", process=True)
    before = rows_written(ultron.runtime.database)
    result = ultron.ingest([logs], "me", process=True)
    assert [r["status"] for r in result["results"]] == ["unchanged"]
    assert rows_written(ultron.runtime.database) == before


def test_the_same_content_at_another_path_is_another_session(ultron, logs):
    write_log(logs / "copy.jsonl", task("alpha"))
    ultron.ingest([logs], "me")
    assert len(query(ultron, "SELECT id FROM sessions")) == 2
    assert len(query(ultron, "SELECT 1 FROM raw_blobs")) == 1, "one copy of the bytes"


def test_a_secret_in_a_file_s_name_is_not_in_its_partition_key_or_error(ultron, logs):
    (logs / f"{SECRET}.jsonl").write_bytes(b"\x00\x01\x02\xff" * 4000)
    (failed,) = [r for r in ultron.ingest([logs], "me")["results"] if not r["success"]]
    assert SECRET not in failed["partition_key"] and SECRET not in failed["error"]


def test_hidden_files_links_and_other_kinds_are_not_read(ultron, logs):
    write_log(logs / ".hidden.jsonl", task("beta"))
    write_log(logs / ".git" / "x.jsonl", task("beta"))
    (logs / "link.jsonl").symlink_to(logs / "good.jsonl")
    (logs / "notes.txt").write_text("no log")
    (logs / "folder.jsonl").mkdir()
    assert set(by_name(ultron.ingest([logs], "me"))) == {"good.jsonl"}


def test_a_path_that_does_not_exist_or_an_agent_that_is_no_name_writes_nothing(ultron, tmp_path):
    with pytest.raises(SessionFileError, match="nowhere"):
        ultron.ingest([tmp_path / "nowhere"], "me")
    for agent in ("", "a/b", ".."):
        with pytest.raises(InputError, match="agent_id"):
            ultron.ingest([tmp_path], agent)
    assert not query(ultron, "SELECT id FROM sessions")


def test_a_file_that_a_reader_stumbles_over_fails_alone(ultron, logs, monkeypatch):
    write_log(logs / "a-first.jsonl", task("poison"))
    parse = ingest.parse_snapshot

    def stumbles(*given):
        session = parse(*given)
        if "poison" in str(session.messages):
            raise RecursionError("maximum recursion depth exceeded")
        return session

    monkeypatch.setattr(ingest, "parse_snapshot", stumbles)
    results = by_name(ultron.ingest([logs], "me"))
    assert results["good.jsonl"]["success"] and not results["a-first.jsonl"]["success"]
    assert results["a-first.jsonl"]["error"] == "RecursionError: maximum recursion depth exceeded"


def test_content_that_came_after_its_event_is_still_to_be_reported(ultron, logs):
    ultron.ingest([logs], "me")
    (told,) = unreported(ultron.runtime)
    write_log(logs / "good.jsonl", task("gamma"), task("delta"))
    ultron.ingest([logs], "me")  # another process, between the event and the note that there is one
    mark_reported(ultron.runtime, {told.partition_key: told.data_version})
    (still,) = unreported(ultron.runtime)
    assert still.partition_key == told.partition_key and still.data_version != told.data_version
    mark_reported(ultron.runtime, {still.partition_key: still.data_version})
    assert unreported(ultron.runtime) == []


def test_a_reading_that_took_longer_than_the_next_one_does_not_undo_it(ultron, logs, monkeypatch):
    """Two hooks of one harness, one after another: the first is still reading when the second is done."""
    path = logs / "good.jsonl"
    ultron.ingest([path], "me")
    write_log(path, task("beta"), task("gamma"))
    first = ingest.take_snapshot(path)
    write_log(path, task("beta"), task("gamma"), task("delta"))
    assert by_name(ultron.ingest([path], "me"))["good.jsonl"]["success"]
    before = query(ultron, "SELECT seq, content FROM messages ORDER BY seq")
    monkeypatch.setattr(ingest, "take_snapshot", lambda *_: first)
    assert by_name(ultron.ingest([path], "me"))["good.jsonl"]["status"] == "unchanged"
    assert query(ultron, "SELECT seq, content FROM messages ORDER BY seq") == before


def test_a_file_that_failed_is_tried_again_after_a_minute_then_after_two(ultron, logs):
    (logs / "binary.jsonl").write_bytes(bytes(range(256)) * 40)
    for minutes in (1, 2, 4):
        ultron.ingest([logs / "binary.jsonl"], "me")
        (row,) = query(ultron, "SELECT * FROM source_files WHERE state = 'failed'")
        assert row["next_try"] - row["updated_at"] == timedelta(minutes=minutes)
