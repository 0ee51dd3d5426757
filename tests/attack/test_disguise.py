"""Redaction of odd text: twice is once, offsets are right, JSON stays JSON, whatever is glued together."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ultron_core.redaction import redact_patterns

KEY = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7"
PIECES = st.sampled_from(
    [
        KEY, "sk-proj-aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5", "hunter2", "s3cr3t-Pw!", "12345678", "password", "api_key", "token", "密码",  # noqa: E501
        "=", ": ", ":", '"', "'", "`", "\\", "\\n", '\\"', "\\u0022", "%3D", "%40", "&quot;", "“", "\n", " ", ", ", "{", "}", "[", "]", "(", ")", "<", ">",  # noqa: E501
        "\x1b[31m", "\x1b[0m", "\u200b", "\u00ad", "\ufeff", "ｐａｓｓ", "＝", "curl -u bob:", "mysql -p", "--password ", "Authorization: Bearer ",  # noqa: E501
        "Cookie: sid=", "identified by '", "machine h login bob password ", "h:5432:db:bob:", "name: DB_PASSWORD", "value: ", "|\n  ", "a@b.com", "10.20.30.40",  # noqa: E501
        "密码是", "13857124680", "/home/", "alice", "4111111111111111", "x9Y8", "Bearer ", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmVk", "<UUID>",  # noqa: E501
        "<REDACTED_CREDENTIAL>", "<PERSON_2>", "https://u:", "@h/", "is", "-----BEGIN PRIVATE KEY-----", "MIIEpAIBAAKCAQEA", "://",  # noqa: E501
    ]
)  # fmt: skip


@settings(max_examples=900, deadline=None)
@given(st.lists(PIECES, max_size=16).map("".join))
def test_twice_is_once_and_offsets_are_right(text):
    once = redact_patterns(text)
    assert redact_patterns(once.text).text == once.text
    rebuilt, at = "", 0
    for finding in once.findings:
        rebuilt += text[at : finding.start] + finding.placeholder
        at = finding.end
    assert rebuilt + text[at:] == once.text


@settings(max_examples=400, deadline=None)
@given(
    st.dictionaries(
        st.lists(PIECES, max_size=4).map("".join),
        st.one_of(st.integers(), st.lists(PIECES, max_size=8).map("".join)),
        max_size=4,
    )
)
def test_json_stays_json(value):
    for text in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        json.dumps({"inner": json.dumps(value)}),
    ):
        redacted = redact_patterns(text).text
        json.loads(redacted)
        assert redact_patterns(redacted).text == redacted
