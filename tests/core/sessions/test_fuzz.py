"""Nothing but messages and counted skips comes out of any bytes, and every physical line has one fate."""

import codecs
import json
import random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.sessions.rows import ROWS
from ultron_core.errors import SessionFileError
from ultron_core.models import LineLedger
from ultron_core.sessions import FORMATS, parse_session, read_session

ALL = [row for rows in ROWS.values() for row in rows]
ODD = [
    None,
    True,
    0,
    -1,
    1e308,
    "",
    "\x00",
    "\ud800",
    "x",
    [],
    {},
    [[]],
    [None, 1, {}],
    {"type": "text", "text": 5},
]
ODD += ["a\x00b", {"\x00": "\x00"}, [{"type": "tool_use", "id": 7, "input": "{"}], "<memory>\x00</memory>"]


def physical_lines(body):
    body = body.removeprefix(codecs.BOM_UTF8)
    return len(body.split(b"\n")) - (body.endswith(b"\n") or not body)


def check(body, session_format="auto"):
    """Read the bytes; nothing escapes, and messages and the ledger agree line by line."""
    try:
        reader = read_session(body, session_format)
    except SessionFileError:
        assert body.startswith(b"\x1f\x8b\x08"), "only a gz is opened before it is read"
        return [], LineLedger()
    try:
        messages = list(reader)
    except SessionFileError:
        return [], reader.ledger
    ledger = reader.ledger
    if reader.info.encoding.startswith("utf-8"):
        assert ledger.total == physical_lines(body)
    assert ledger.balanced
    assert min(ledger.message, ledger.part, ledger.metadata, *ledger.skipped.values(), 0) == 0
    assert "malformed_row" not in ledger.skipped
    assert all(1 <= m.start_line <= m.end_line <= ledger.total for m in messages)
    # the first lines of the messages are just the lines whose fate is `message`
    first_lines = {m.start_line for m in messages}
    assert len(first_lines) == ledger.message
    skipped = {n for s in ledger.skips for n in range(s.start_line, s.end_line + 1)}
    assert len(skipped) == sum(ledger.skipped.values())
    assert not skipped & first_lines
    # what a database and a JSON writer can hold
    stored = orjson.dumps([messages, reader.info], default=str)
    assert b"\\u0000" not in stored.replace(b"\\\\", b"")
    return messages, ledger


def as_lines(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def mutate(value, rng, odds=0.08):
    """The same value with a few parts replaced by odd ones, dropped, or under another key."""
    if rng.random() < odds:
        return rng.choice(ODD)
    if isinstance(value, dict):
        kept = [(key, mutate(item, rng, odds)) for key, item in value.items() if rng.random() > 0.05]
        if len(kept) > 1 and rng.random() < 0.1:
            (one, first), (two, second) = rng.sample(kept, 2)
            kept += [(one, second), (two, first)]
        return dict(kept)
    if isinstance(value, list):
        return [mutate(item, rng, odds) for item in value]
    return value


def vocabulary(value, keys, words):
    if isinstance(value, dict):
        keys.update(value)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            vocabulary(item, keys, words)
    elif isinstance(value, str):
        words.add(value)


KEYS, WORDS = set(), set()
vocabulary(ALL, KEYS, WORDS)
KEYS |= {"is_demo", "name", "text", "args", "thinking", "isVisibleInTranscriptOnly", "record_type"}
#: JSON of the keys and words that the formats look for, in any arrangement
ALMOST = st.recursive(
    st.sampled_from(sorted(WORDS) + ODD[:9]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(KEYS)), inner, max_size=6)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", FORMATS)
def test_rows_of_each_format_are_read_as_that_format(name):
    assert any(FORMATS[name].claims(row) for row in ROWS[name])
    session = parse_session(as_lines(ROWS[name]))
    assert session.info.format == name
    assert session.messages
    assert session.ledger.skipped == {}
    # told its format, a reader says the same
    told = parse_session(as_lines(ROWS[name]), name)
    if name not in ("anthropic", "openai"):
        assert told.messages == session.messages


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes(body):
    check(body)


PIECES = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b'"',
    b"\n",
    b"\\",
    b'{"role":"user"',
    b":1",
    b" ",
    b"\r\n",
    b"\xff",
    b"\x1b",
]
PIECES += [
    b'{"role":"user","content":"x"}',
    b'{"messages":[',
    b'"history":',
    b"\xef\xbb\xbf",
    b"null",
    b"\\ud800",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_random_structure(tokens):
    check(b"".join(tokens))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(ALL), min_size=1, max_size=8), st.randoms(use_true_random=False), st.booleans()
)
def test_mutated_rows(rows, rng, cut):
    body = as_lines(mutate(row, rng) for row in rows)
    if cut and body:
        at = rng.randrange(len(body))
        body = body[:at] + bytes([rng.randrange(1, 256)]) + body[at + rng.randrange(3) :]
    check(body)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(sorted(KEYS)), ALMOST, max_size=8), min_size=1, max_size=4))
def test_rows_of_any_keys(rows):
    check(as_lines(rows))


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(ALL), st.lists(ALMOST, max_size=3), st.integers(0, 2**20)), max_size=4)
)
def test_rows_of_almost_right_shapes(drawn):
    rows = []
    for row, values, place in drawn:
        for value in values:
            others = list(replaced(row, value)) if isinstance(row, dict) else []
            row = others[place % len(others)] if others else row
        rows.append(row)
    check(as_lines(rows))


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_takes_any_row(name):
    """What a format claims it reads, whatever is wrong with it: told its format or not, alone or in company."""
    rng = random.Random(7)
    own = [mutate(row, rng) for row in ROWS[name] * 40]
    check(as_lines(own), name)
    check(as_lines(own))
    check(as_lines([mutate(row, rng, 0.02) for row in ALL * 3]), name)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_survives_any_value_in_any_place(name):
    """Each value of each row, one at a time, replaced by each odd one."""
    for row in ROWS[name]:
        spoiled = [other for odd in ODD for other in replaced(row, odd)]
        check(as_lines(spoiled), name)
        check(as_lines(spoiled))


def replaced(value, odd):
    """The value with one part after the other replaced or dropped."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield {**value, key: odd}
            for other in replaced(item, odd):
                yield {**value, key: other}
    elif isinstance(value, list):
        for place, item in enumerate(value):
            for other in (odd, *replaced(item, odd)):
                yield [*value[:place], other, *value[place + 1 :]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(ALL), min_size=2, max_size=6),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"]),
    st.sampled_from([None, 1]),
    st.sampled_from(["\n", "\r\n", "", ",\n"]),
)
def test_any_encoding_and_layout_gives_the_same_messages(rows, encoding, indent, between):
    texts = [json.dumps(row, indent=indent) for row in rows]
    plain = parse_session("\n".join(json.dumps(row) for row in rows).encode())
    text = between.join(texts)
    if between == ",\n":
        text = f"[{text}]"
    session = parse_session(text.encode(encoding))
    assert [(m.role, m.content, m.tool_calls) for m in session.messages] == [
        (m.role, m.content, m.tool_calls) for m in plain.messages
    ]
    assert session.ledger.balanced
    assert session.ledger.skipped.keys() <= plain.ledger.skipped.keys()
