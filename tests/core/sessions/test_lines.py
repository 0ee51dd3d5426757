"""Every physical line has one fate, whatever the file looks like."""

import json
import tracemalloc

import pytest

from ultron_core.errors import InputError, SessionFileError
from ultron_core.sessions import parse_session, read_session

HI = {"role": "user", "content": "How do I read a CSV?"}
ANSWER = {"role": "assistant", "content": "With polars.read_csv."}


def lines(*rows):
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()


def fates(session):
    ledger = session.ledger
    assert ledger.balanced
    return ledger.total, ledger.message, ledger.part, ledger.metadata, dict(ledger.skipped)


def texts(session):
    return [message.content for message in session.messages]


BOTH = [HI["content"], ANSWER["content"]]


def test_clean_lines_are_messages_with_their_line_numbers():
    session = parse_session(lines({"_type": "metadata", "model": "m1"}, HI, ANSWER))
    assert fates(session) == (3, 2, 0, 1, {})
    assert [(m.start_line, m.end_line, m.role, m.origin) for m in session.messages] == [
        (2, 2, "user", "human"),
        (3, 3, "assistant", "model"),
    ]
    assert session.info.model == "m1"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"role": "user", "content": "cut of', "bad_json"),
        ('{"role": "user", "content":', "bad_json"),
        ('{"role": "assistant", "tool_calls": [{"id": "x",', "bad_json"),
        ("not json", "bad_json"),
        ("   ", "blank"),
        ("", "blank"),
        ("\0\0\0\0", "nul_padding"),
        ("42", "not_an_object"),
        ("null", "not_an_object"),
        ('"text"', "not_an_object"),
        ("[1, 2]", "not_an_object"),
        ('{"content": "nobody said it"}', "no_role"),
        ('{"role": 5, "content": "x"}', "unknown_role"),
        ('{"type": "telemetry", "value": 1}', "unknown_type"),
        ('{"role": "user", "content": "  "}', "empty"),
        ('{"role": "user", "content": ' + "[" * 3000 + "]" * 3000 + "}", "too_deep"),
    ],
)
def test_a_bad_line_is_counted_and_the_rest_goes_on(bad, reason):
    session = parse_session(lines(HI, bad, ANSWER))
    assert texts(session) == BOTH
    assert session.ledger.skipped == {reason: 1}
    assert [(s.start_line, s.reason) for s in session.ledger.skips] == [(2, reason)]
    assert session.ledger.balanced


def test_objects_over_several_lines_keep_their_lines():
    body = json.dumps(HI, indent=2) + "\n" + json.dumps(ANSWER, indent=2) + "\n"
    session = parse_session(body.encode())
    assert texts(session) == BOTH
    assert [(m.start_line, m.end_line) for m in session.messages] == [(1, 4), (5, 8)]
    assert fates(session) == (8, 2, 6, 0, {})


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_a_json_array_is_read(indent):
    session = parse_session(json.dumps([HI, ANSWER], indent=indent).encode())
    assert texts(session) == BOTH
    assert session.ledger.balanced


def test_an_array_with_an_object_a_line():
    body = "[" + json.dumps(HI) + ",\n" + json.dumps(ANSWER) + "\n]"
    session = parse_session(body.encode())
    assert [(m.start_line, m.content) for m in session.messages] == [(1, BOTH[0]), (2, BOTH[1])]
    assert fates(session) == (3, 2, 0, 1, {})


def test_several_objects_on_one_line_are_one_message_line():
    session = parse_session((json.dumps(HI) + json.dumps(ANSWER)).encode())
    assert texts(session) == BOTH
    assert fates(session) == (1, 1, 0, 0, {})


def test_an_object_that_begins_on_the_line_of_another_has_its_further_lines_as_parts():
    session = parse_session((json.dumps(HI) + json.dumps(ANSWER, indent=1)).encode())
    assert [(m.start_line, m.end_line) for m in session.messages] == [(1, 1), (1, 4)]
    assert fates(session) == (4, 1, 3, 0, {})


def test_a_wrapped_message_list_gives_each_message_its_own_lines():
    session = parse_session(json.dumps({"id": 7, "messages": [HI, ANSWER]}, indent=1).encode())
    assert [(m.start_line, m.end_line, m.content) for m in session.messages] == [
        (4, 7, BOTH[0]),
        (8, 11, BOTH[1]),
    ]
    assert session.ledger.balanced


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_are_found(encoding):
    body = (json.dumps(HI) + "\r\n" + json.dumps({**ANSWER, "content": "好的"}, ensure_ascii=False)).encode(
        encoding
    )
    assert texts(parse_session(body)) == [BOTH[0], "好的"]


def test_bad_bytes_nul_and_lone_surrogates_are_cleaned():
    body = b'{"role": "user", "content": "caf\xe9 ok"}\n'
    body += b'{"role": "user", "content": "a\\ud83d b\\u0000c \\ud83d\\ude00"}\n\0\0{"role": "user", "content": "x"}\0'
    got = texts(parse_session(body))
    assert got == ["café ok", "a bc \U0001f600", "x"]


def test_repeated_lines_without_an_id_are_kept():
    assert len(parse_session(lines(HI, HI, ANSWER, ANSWER)).messages) == 4


def test_a_cut_pretty_printed_object_does_not_take_the_next_one_with_it():
    cut = json.dumps(HI, indent=2).splitlines()[:2]
    session = parse_session("\n".join([*cut, json.dumps(ANSWER, indent=2)]).encode())
    assert texts(session) == [BOTH[1]]
    assert session.ledger.skipped == {"bad_json": 2}


def test_null_content_keeps_the_turn():
    session = parse_session(lines({"role": "user", "content": None}, ANSWER))
    assert [(m.role, m.content) for m in session.messages] == [("user", ""), ("assistant", BOTH[1])]


@pytest.mark.parametrize("body", [b"", b'{"_type": "metadata"}\n', b"\n\n", b"\0\0\0"])
def test_nothing_to_read_is_a_session_without_messages(body):
    session = parse_session(body)
    assert session.messages == ()
    assert session.ledger.balanced


def test_a_line_of_twenty_megabytes_is_read():
    big = {"role": "user", "content": [{"type": "text", "text": "x" * 5_000_000}] * 4}
    session = parse_session(lines(HI, big, ANSWER))
    assert [len(m.content) for m in session.messages] == [20, 20_000_003, 21]
    assert not session.ledger.clipped


def test_a_binary_file_is_refused_by_name(tmp_path):
    path = tmp_path / "photo.jsonl"
    path.write_bytes(bytes(range(256)) * 400)
    with pytest.raises(SessionFileError, match=r"photo\.jsonl is a binary file"):
        parse_session(path)


def test_missing_files_folders_and_unknown_formats_say_so(tmp_path):
    with pytest.raises(SessionFileError, match="does not exist"):
        read_session(tmp_path / "no.jsonl")
    with pytest.raises(SessionFileError, match="not a regular file"):
        read_session(tmp_path)
    with pytest.raises(InputError, match=r"one of auto, .*claude_code"):
        read_session(b"", "yaml")


def test_a_given_format_reads_only_its_own_rows():
    row = {"type": "user", "message": {"role": "user", "content": "native"}, "uuid": "u1"}
    session = parse_session(lines(HI, row), "openai")
    assert texts(session) == [BOTH[0]]
    assert session.ledger.skipped == {"other_format": 1}


def test_reading_streams(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_bytes((json.dumps(HI) + "\n").encode() * 3000)
    reader = read_session(path)
    first = next(reader)
    assert first.start_line == 1
    assert reader.ledger.total < 10
    assert sum(1 for _ in reader) == 2999
    assert reader.ledger.total == 3000
    assert reader.info.bytes == path.stat().st_size


@pytest.mark.parametrize("layout", ["lines", "array", "tree", "utf-16"])
def test_memory_does_not_grow_with_the_file(tmp_path, layout):
    """Six megabytes of messages are read with less than one and a half in memory at any time."""
    path, text = tmp_path / "long.jsonl", "word " * 400
    rows = [{"role": "user", "content": f"{n} {text}"} for n in range(3000)]
    if layout == "tree":
        rows = [
            {"type": "user", "uuid": f"u{n}", "parentUuid": f"u{n - 1}", "sessionId": "s", "message": row}
            for n, row in enumerate(rows)
        ]
    body = ",\n".join(map(json.dumps, rows)) if layout == "array" else "\n".join(map(json.dumps, rows))
    path.write_bytes(
        f"[{body}]".encode() if layout == "array" else body.encode(layout if "-" in layout else "utf-8")
    )
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_session(path)) == 3000
        assert tracemalloc.get_traced_memory()[1] < 1_500_000
    finally:
        tracemalloc.stop()
