"""Fingerprints: the published bytes for plain messages, an extension for calls, results and reasoning."""

import hashlib

from ultron_core.models import Message, ToolCall
from ultron_core.segments import fingerprint_messages


def spec(pairs):
    """The Trajectory Hub spec's own algorithm, written out again."""
    hasher = hashlib.sha256()
    for role, content in pairs:
        hasher.update(role.encode() + b"\x00" + content.encode() + b"\x01")
    return hasher.hexdigest()[:16]


def test_plain_messages_have_the_bytes_of_the_spec():
    messages = [{"role": "user", "content": "读取 CSV"}, {"role": "assistant", "content": "pandas"}]
    assert fingerprint_messages(messages) == spec([("user", "读取 CSV"), ("assistant", "pandas")])


def test_golden_values_never_change():
    plain = [
        Message("user", "How do I read a CSV in Python?"),
        Message("assistant", "Use pandas.read_csv()."),
    ]
    call = ToolCall("call_7", "search", {"q": "北京", "limit": 3})
    rich = [
        Message("assistant", "", tool_calls=(call,), reasoning="look it up"),
        Message("tool", "ok", tool_call_id="call_7", name="search"),
    ]
    assert fingerprint_messages([]) == "e3b0c44298fc1c14"
    assert fingerprint_messages(plain) == spec([(m.role, m.content) for m in plain])
    assert fingerprint_messages(plain) == "b501aabe9ab37e13"
    assert fingerprint_messages(rich) == "b00412cbae98f0a6"


def test_the_extension_is_a_separator_and_canonical_json():
    message = Message("assistant", "x", tool_calls=(ToolCall("id", "f", {"b": 1, "a": "é"}),), reasoning="r")
    extra = '{"reasoning":"r","tool_calls":[{"arguments":{"a":"é","b":1},"name":"f"}]}'
    expected = hashlib.sha256(b"assistant\x00x\x1e" + extra.encode() + b"\x01").hexdigest()[:16]
    assert fingerprint_messages([message]) == expected


def test_ids_and_argument_spelling_do_not_count_but_arguments_do():
    def call(id_, arguments):
        function = {"name": "f", "arguments": arguments}
        return [{"role": "assistant", "content": "", "tool_calls": [{"id": id_, "function": function}]}]

    assert fingerprint_messages(call("a", '{"x": 1,  "y": 2}')) == fingerprint_messages(
        call("b", '{"y":2,"x":1}')
    )
    assert fingerprint_messages(call("a", '{"x": 1}')) != fingerprint_messages(call("a", '{"x": 2}'))


def test_nul_and_lone_surrogates_are_cleaned_before():
    dirty = [Message("user", "a\x00b\ud800", reasoning="c\x00\udfff")]
    assert fingerprint_messages(dirty) == fingerprint_messages(
        [Message("user", "ab\ufffd", reasoning="c\ufffd")]
    )


def test_lines_and_thread_do_not_count():
    one = [Message("user", "a", start_line=3, end_line=4, thread="main")]
    assert fingerprint_messages(one) == fingerprint_messages([Message("user", "a", thread="side")])


def test_a_message_without_a_role_hashes_an_empty_string():
    assert fingerprint_messages([{"content": "hi"}]) == hashlib.sha256(b"\x00hi\x01").hexdigest()[:16]
    assert (
        fingerprint_messages([{"role": None, "content": None}])
        == hashlib.sha256(b"\x00\x01").hexdigest()[:16]
    )
