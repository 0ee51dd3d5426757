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


#: one line each, as a tool that writes in the encoding of its machine gives it
LINES = [
    ("请修复登录页面的错误", "gbk"),
    ("删除临时目录", "gbk"),  # eight of its twelve bytes are UTF-8, too
    ("数据库连接超时，重试三次以后仍然失败", "gbk"),
    ("このテストは失敗します。ファイルがありません", "shift-jis"),
    ("これはテストです", "shift-jis"),
    ("ログイン画面のエラーを修正してください", "euc-jp"),
    ("이것은 시험입니다. 파일을 찾을 수 없습니다", "euc-kr"),
    ("안녕하세요", "euc-kr"),
    ("데이터베이스 연결 시간이 초과되었습니다", "euc-kr"),
    ("我們在這個項目裡面沒有找到設定檔，請先檢查一下目錄。", "big5"),
    ("伺服器回傳了空的回應", "big5"),
    ("Größe ändern, bitte prüfen", "latin-1"),
    ("déjà vu à la carte", "cp1252"),
    ("Это тест, файл не найден", "koi8-r"),
    ("ошибка на странице входа", "cp1251"),
]


@pytest.mark.parametrize("around", ["", "Error: cannot open file: ", "word " * 1000])
@pytest.mark.parametrize(("text", "encoding"), LINES)
def test_one_line_in_another_encoding_among_ascii_comes_back(text, encoding, around):
    body = log(["plain"] * 3, "ascii") + log([around + text], encoding) + log(["plain", "naïve"], "utf-8")
    session = parse_session(body)
    assert [m.content for m in session.messages] == ["plain"] * 3 + [around + text, "plain", "naïve"]
    assert not session.ledger.skipped and not session.ledger.damaged


@pytest.mark.parametrize("around", ["", "word " * 1000])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("张伟", "gbk"),
        ("丹丹", "gbk"),
        ("雖然", "big5"),
        ("中文", "big5"),
        ("김정희", "euc-kr"),
        ("네", "euc-kr"),
        ("敵", "shift-jis"),
        ("佐藤", "shift-jis"),
        ("渡辺", "euc-jp"),
        ("да", "koi8-r"),
    ],
)
def test_what_may_be_text_in_several_encodings_is_counted(text, encoding, around):
    """Two characters of two bytes are a word in each of them: the line is skipped, or its bytes are shown as lost."""
    session = parse_session(log(["plain", around + text], encoding))
    assert session.ledger.balanced and session.ledger.total == 2
    if around:
        assert session.ledger.damaged == 1 and "\ufffd" in session.messages[1].content
    else:
        assert session.ledger.skipped == {"undecodable": 1}


def test_a_short_line_is_read_as_the_lines_before_it_were():
    texts = ["请修复登录页面的错误，谢谢", "好的", "更新依赖版本"]
    assert [m.content for m in parse_session(log(texts, "gbk")).messages] == texts


def test_every_line_of_a_log_in_seven_encodings_has_one_fate():
    body = log(["plain", "naïve"], "utf-8") + b"".join(log([text], encoding) for text, encoding in LINES)
    session = parse_session(body)
    assert session.ledger.balanced and session.ledger.total == 2 + len(LINES)
    known = {text for text, _ in LINES} | {"plain", "naïve"}
    assert {m.content for m in session.messages} <= known, "right, or not at all"


def test_the_encoding_is_reported():
    assert parse_session(log(CHINESE, "gbk")).info.encoding == "gb18030"
    assert parse_session(log(CHINESE, "utf-8")).info.encoding == "utf-8"


def test_a_character_cut_in_two_costs_only_itself():
    good = "好的好的".encode()
    body = b'{"role": "user", "content": "' + good[:-1] + b'"}'
    session = parse_session(body)
    assert [m.content for m in session.messages] == ["好的好\ufffd"] and session.ledger.damaged == 1


def test_one_bad_byte_in_a_long_answer_costs_only_itself():
    body = b'{"role": "user", "content": "' + b"word " * 1000 + b'\x81\x8d"}'
    session = parse_session(body)
    (message,) = session.messages
    assert message.content.startswith("word word") and message.content.count("\ufffd") == 2
    assert session.ledger.damaged == 1


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
    path.write_bytes(b'{"type": "turn_of_a_harness_from_tomorrow"}\n' * 2 + log(["네"], "euc-kr"))
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
