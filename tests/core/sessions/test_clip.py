"""Strings of many megabytes are cut before they are parsed, and everything around them stays."""

import json

import pytest

from ultron_core.sessions import parse_session
from ultron_core.sessions.lines import clip as module
from ultron_core.sessions.lines.clip import clip


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(module, "MAX_STRING_BYTES", 100)


def line(text, **more):
    return json.dumps({"role": "user", "content": text, **more}, ensure_ascii=False).encode()


def test_a_line_without_a_long_string_is_the_same_object():
    raw = line("x" * 60, other="y" * 60)
    assert clip(raw) is raw


def test_what_is_left_out_is_counted_and_the_rest_of_the_line_stays():
    row = json.loads(clip(line("x" * 1000, other="kept", more=["z" * 300, 1])))
    assert row["content"] == "x" * 100 + "\n[900 more bytes, not stored]"
    assert row["other"] == "kept" and row["more"] == ["z" * 100 + "\n[200 more bytes, not stored]", 1]


@pytest.mark.parametrize("before", range(12))
@pytest.mark.parametrize("text", ["é", "好", "🚀", '"', "\\", "\n", "\x01", "\\\\n", '\\"'])
def test_a_cut_falls_between_characters_and_escapes(before, text):
    whole = "x" * before + text * 200
    for ascii_only in (False, True):
        raw = json.dumps({"role": "user", "content": whole}, ensure_ascii=ascii_only).encode()
        kept = json.loads(clip(raw))["content"].split("\n[")
        assert kept[-1].endswith(" more bytes, not stored]")
        said = "\n[".join(kept[:-1])
        assert len(said) > before and whole.startswith(said.rstrip("\ud83d"))


def test_the_line_is_a_message_and_counts_as_clipped():
    session = parse_session(line("short") + b"\n" + line("好" * 500) + b"\n")
    assert [len(m.content) > 40 for m in session.messages] == [False, True]
    assert session.ledger.balanced and session.ledger.message == 2 and session.ledger.clipped == 1
    assert session.ledger.to_json()["clipped"] == 1


def test_an_object_over_several_lines_is_cut_too():
    body = b'{"role": "user",\n"content":\n' + json.dumps("x" * 1000).encode() + b"\n}\n"
    (message,) = parse_session(body).messages
    assert message.content == "x" * 100 + "\n[900 more bytes, not stored]"


def test_a_line_that_is_no_json_is_not_hung_on():
    """An open string over the whole line, and escapes without an end."""
    for raw in (b'{"content": "' + b"x" * 10_000, b"\\" * 10_000, b'"' + b"\\" * 10_001):
        assert clip(raw) == raw
