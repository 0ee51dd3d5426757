"""Logs in other encodings are read as what they say, or their lines are counted: never garbage with clean counts."""

import json

import pytest

from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.sessions import parse_session
from ultron_core.store.tables import sessions

CHINESE = ["我们在这个项目里面没有找到配置文件，请先检查一下目录。", "好的", "一下"]
LATIN = ["café ok", "Größe ändern", "¿Qué tal? Mañana", "30 °C"]


def log(texts, encoding):
    rows = [json.dumps({"role": "user", "content": text}, ensure_ascii=False) for text in texts]
    return ("\n".join(rows) + "\n").encode(encoding)


@pytest.mark.parametrize(
    ("texts", "encoding"),
    [
        *((CHINESE, name) for name in ("gbk", "gb18030", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")),
        *((LATIN, name) for name in ("latin-1", "cp1252", "utf-16-le")),
        (["it’s “fine” – 5 €", "plain"], "cp1252"),
        (["plain", "also plain", *CHINESE], "gbk"),
        (["一" * 200], "utf-16-le"),
    ],
)
def test_the_texts_come_back(texts, encoding):
    session = parse_session(log(texts, encoding))
    assert [m.content for m in session.messages] == texts
    assert not session.ledger.skipped and session.ledger.total == len(texts)


def test_an_object_printed_over_several_lines_is_read_in_gbk_too():
    body = json.dumps({"role": "user", "content": CHINESE[0]}, ensure_ascii=False, indent=1).encode("gbk")
    assert [m.content for m in parse_session(body).messages] == CHINESE[:1]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("これはテストです。ファイルがありません", "shift-jis"),
        ("이것은 시험입니다. 파일을 찾을 수 없습니다. 그래서 다시 실행했습니다", "euc-kr"),
        ("我們在這個項目裡面沒有找到設定檔，請先檢查一下目錄。", "big5"),
        ("Это тест, файл не найден", "koi8-r"),
    ],
)
def test_what_no_known_encoding_makes_sense_of_is_counted(text, encoding):
    session = parse_session(log([text], encoding))
    assert not session.messages and session.ledger.skipped == {"undecodable": 1}


def test_the_encoding_is_reported():
    assert parse_session(log(CHINESE, "gbk")).info.encoding == "gb18030"
    assert parse_session(log(CHINESE, "utf-8")).info.encoding == "utf-8"


def test_a_character_cut_in_two_costs_only_itself():
    good = "好的好的".encode()
    body = b'{"role": "user", "content": "' + good[:-1] + b'"}'
    assert [m.content for m in parse_session(body).messages] == ["好的好\ufffd"]


def test_one_bad_byte_in_a_long_answer_costs_only_itself():
    body = b'{"role": "user", "content": "' + b"word " * 1000 + b'\x81\x8d"}'
    (message,) = parse_session(body).messages
    assert message.content.startswith("word word") and message.content.count("\ufffd") == 2


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


def status(ultron):
    with ultron.runtime.database.transaction() as conn:
        (row,) = conn.execute("SELECT status, error FROM sessions")
    return row["status"], row["error"]


def test_a_log_of_which_no_line_could_be_read_is_failed_with_the_reasons(ultron, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(
        b'{"type": "turn_of_a_harness_from_tomorrow"}\n' * 2 + log(["これはテストです"], "shift-jis")
    )
    (result,) = ultron.ingest([path], "agent")["results"]
    assert not result["success"]
    found, error = status(ultron)
    assert found == "failed" and "1 line undecodable, 2 lines unknown_type" in error


def test_a_log_of_metadata_alone_is_empty_and_becomes_ok_with_its_first_message(ultron, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"type": "summary", "summary": "x", "leafUuid": "a"}\n\n')
    assert ultron.ingest([path], "agent")["results"][0]["success"]
    assert status(ultron) == ("empty", None)
    assert ultron.ingest([path], "agent")["results"][0]["status"] == "unchanged"
    assert status(ultron) == ("empty", None)
    ultron.ingest([write_log(path, task("alpha"))], "agent")
    assert status(ultron) == ("ok", None)


def test_a_log_of_metadata_alone_is_never_ok_not_even_while_it_is_renamed(ultron, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"type": "summary", "summary": "x", "leafUuid": "a"}\n')
    ultron.ingest([path], "agent")
    with ultron.runtime.database.transaction() as conn:
        (known,) = conn.execute("UPDATE sessions SET status = 'source_missing' RETURNING session_file")
        row = sessions.latest(conn, "default", "agent", known["session_file"])
        sessions.rename(conn, row, "renamed.jsonl", ultron.runtime.clock())
    assert status(ultron) == ("empty", None)


def test_a_log_that_turns_unreadable_keeps_what_was_read(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", task("alpha"))
    ultron.ingest([path], "agent")
    path.write_text('{"type": "unheard of"}\n')
    assert not ultron.ingest([path], "agent")["results"][0]["success"]
    with ultron.runtime.database.transaction() as conn:
        assert conn.execute("SELECT count(*) AS n FROM messages").fetchone()["n"] == len(task("alpha"))
