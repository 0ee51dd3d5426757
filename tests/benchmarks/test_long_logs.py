"""The made logs: as many lines as asked for, always the same, and read as what they are."""

import json

from benchmarks.pipeline_parts.long_logs import long_lines, write_long_log
from ultron_core.sessions import parse_session


def test_every_line_is_a_message_of_its_thread(tmp_path):
    path = tmp_path / "long.jsonl"
    assert write_long_log(path, 2_000) == path.stat().st_size
    session = parse_session(path)
    assert session.info.format == "claude_code" and session.ledger.total == len(session.messages) == 2_000
    threads = {message.thread for message in session.messages}
    assert "main" in threads and len(threads) > 2
    asked = [message for message in session.messages if message.origin == "human"]
    assert 20 < len(asked) < 400


def test_a_log_of_one_thread_has_one_and_the_same_seed_gives_the_same_log(tmp_path):
    path = tmp_path / "thread.jsonl"
    write_long_log(path, 500, one_thread=True)
    assert {message.thread for message in parse_session(path).messages} == {"main"}
    rows = list(map(json.loads, path.read_text("utf-8").splitlines()))
    assert rows == list(long_lines(500, one_thread=True)) and len(rows) == 500
