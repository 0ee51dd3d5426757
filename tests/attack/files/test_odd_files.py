"""Pipes, devices, bombs and huge files: each is refused by name and at once, and its neighbours are read."""

import gzip
import json
import os
import threading
import time

import pytest
from click.testing import CliRunner

from tests.support.worlds import solved, task, write_log
from ultron_core.cli.main import cli
from ultron_core.client import Ultron
from ultron_core.errors import InputError, SessionFileError
from ultron_core.sessions import discover_sessions, parse_session, read_session
from ultron_core.settings import SessionSettings
from ultron_core.steps.files.drop_folder import scan

A = solved("alpha", "pandas")


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


def limited(settings, size):
    return Ultron(
        settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=0, ingest_max_bytes=size)})
    )


def outcome(ultron, path):
    (result,) = ultron.ingest([path], "agent")["results"]
    return result


def text_of(path):
    return [m.content for m in parse_session(path).messages]


def test_a_pipe_that_nobody_writes_to_does_not_block(ultron, tmp_path):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    done = []
    reader = threading.Thread(target=lambda: done.append(outcome(ultron, pipe)), daemon=True)
    reader.start()
    reader.join(20)
    assert done and not done[0]["success"] and "not a regular file" in done[0]["error"]
    with pytest.raises(SessionFileError, match="not a regular file"):
        read_session(pipe)


def test_a_pipe_in_a_folder_is_passed_over(ultron, tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    write_log(tmp_path / "log.jsonl", A)
    assert [r["session_file"].rsplit("/")[-1] for r in ultron.ingest([tmp_path], "agent")["results"]] == [
        "log.jsonl"
    ]


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_refused(ultron, device):
    result = outcome(ultron, device)
    assert not result["success"] and "not a regular file" in result["error"]


@pytest.mark.parametrize(
    "nothing", ["", None, 3, b"log.jsonl", "a\0b", "~no-such-user-here/x", "\ud800.jsonl"]
)
def test_what_is_not_a_path_is_refused_before_anything_is_read(ultron, tmp_path, monkeypatch, nothing):
    write_log(tmp_path / "log.jsonl", A)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is not a path"):
        ultron.ingest([nothing], "agent")
    with pytest.raises(InputError, match="is not a path"):
        discover_sessions([nothing])


def test_an_empty_argument_of_the_command_does_not_read_the_working_directory(
    tmp_path, monkeypatch, settings
):
    write_log(tmp_path / "log.jsonl", A)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ULTRON_HOME", str(settings.store.home))
    monkeypatch.setenv("ULTRON_DATABASE_URL", settings.store.database_url)
    result = CliRunner().invoke(cli, ["ingest", ""])
    assert isinstance(result.exception, InputError) and "log.jsonl" not in result.output


def test_a_gz_log_is_read_with_the_line_numbers_of_its_content(ultron, tmp_path):
    plain = write_log(tmp_path / "plain.jsonl", A)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\n" + plain.read_bytes()))
    assert text_of(packed) == text_of(plain)
    result = outcome(ultron, packed)
    assert result["success"] and result["lines"]["total"] == len(A) + 1
    with ultron.runtime.database.transaction() as conn:
        (row,) = conn.execute("SELECT min(start_line) AS first, max(end_line) AS last FROM messages")
    assert (row["first"], row["last"]) == (2, len(A) + 1)


def test_the_drop_folder_takes_gz_logs(settings, tmp_path):
    sessions = SessionSettings(sessions_dir=tmp_path / "drop", quiet_minutes=0)
    plain = write_log(tmp_path / "plain.jsonl", A)
    (tmp_path / "drop" / "me").mkdir(parents=True)
    packed = tmp_path / "drop" / "me" / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    os.utime(packed, (1_700_000_000, 1_700_000_000))
    with Ultron(settings.model_copy(update={"sessions": sessions})) as ultron:
        assert [seen.file.session_file for seen in scan(ultron.runtime).changed] == ["log.jsonl.gz"]


def test_a_branching_log_is_unpacked_twice_as_it_is_read_twice(tmp_path):
    rows = [
        {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"role": "user", "content": text}}
        for uuid, parent, text in (("a", None, "one"), ("b", "a", "two"))
    ]
    packed = gzip.compress("\n".join(map(json.dumps, rows)).encode())
    assert [m.content for m in parse_session(packed).messages] == ["one", "two"]


def test_a_gz_bomb_ends_at_the_ratio(ultron, tmp_path):
    bomb = tmp_path / "bomb.jsonl.gz"
    with gzip.open(bomb, "wb") as out:
        for _ in range(300):
            out.write(b'{"role": "user", "content": "' + b"a" * 2**20 + b'"}\n')
    assert bomb.stat().st_size < 2**20
    began = time.monotonic()
    result = outcome(ultron, bomb)
    assert not result["success"] and "200 times" in result["error"]
    assert time.monotonic() - began < 20


def test_a_gz_log_over_the_limit_when_unpacked_is_refused(settings, tmp_path):
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(write_log(tmp_path / "plain.jsonl", *[A] * 10).read_bytes()))
    with limited(settings, packed.stat().st_size + 100) as ultron:
        result = outcome(ultron, packed)
    assert not result["success"] and "ULTRON_INGEST_MAX_BYTES" in result["error"]


@pytest.mark.parametrize("cut", [4, 30, -4, -12])
def test_a_damaged_gz_is_named(tmp_path, cut):
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(write_log(tmp_path / "plain.jsonl", A).read_bytes())[:cut])
    with pytest.raises(SessionFileError, match="damaged gz"):
        parse_session(packed)


def test_a_gz_of_something_else_is_still_binary(tmp_path):
    with pytest.raises(SessionFileError, match="binary"):
        parse_session(gzip.compress(bytes(range(256)) * 40))


def test_a_file_over_the_limit_is_refused_with_the_setting_s_name_and_its_neighbour_is_read(
    settings, tmp_path
):
    write_log(tmp_path / "large.jsonl", *[A] * 10)
    small = write_log(tmp_path / "small.jsonl", task("beta"))
    with limited(settings, small.stat().st_size) as ultron:
        results = {
            r["session_file"].rsplit("/")[-1]: r for r in ultron.ingest([tmp_path], "agent")["results"]
        }
    assert results["small.jsonl"]["success"]
    assert "ULTRON_INGEST_MAX_BYTES" in results["large.jsonl"]["error"]


def test_a_limit_of_zero_is_none(settings, tmp_path):
    with limited(settings, 0) as ultron:
        assert outcome(ultron, write_log(tmp_path / "log.jsonl", A))["success"]
