"""Every pattern that reads log text is linear: ten times the text takes about ten times as long."""

from __future__ import annotations

import time

import pytest

from ultron_core.redaction import redact_patterns

#: what a pattern begins with, again and again, so that each of them tries from every place
UNITS = (
    "a", "1", "1 ", "1-", "a.", "a-", "a_", ":", "::1", "eyJ", "eyJ-", "eyJ.", "sk-", "sk_", "@a", "A1", '"\\', "'", '"', "`", "\\n", "\\\\",  # noqa: E501
    "%41", "\x1b[", "\u200b", "ａ", "/home/", "://a:b@", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----\n",  # noqa: E501
    "password", "password=", "password: ", "password: |\n  a\n", 'password("', "--password ", "api_key,", "key", "token: {", "secret='", "密码是",  # noqa: E501
    "curl -u ", "curl -u a:", "curl -H 'x: ", "mysql -pa ", "mysql ", "docker login ", "authorization: ", "bearer ", "basic ", "cookie: a=b;", "cookie: a=",  # noqa: E501
    "identified by '", "with password '", "user a password ", "machine a ", "x1:1111:a:b:", "auth=", "$6$aaaaaaaaaaaa", "b3BlbnNzaC1rZXktdj", "MIIEpAIBAAKC",  # noqa: E501
    "name: x, value: ", '"name": "api_key", "value": ', " is the password", "echo a | sudo -S ", "net user a ", "hooks.slack.com/", "AKIA", "?sig=", "Private-Lines: 1\n",  # noqa: E501
    "1.1.1.1", "GB82WEST1234", "4111 ", "otpauth://totp/", "<secret>", "-H a: ", "{", "[", "(", ")]}",
)  # fmt: skip


def seconds(text: str) -> float:
    begun = time.process_time()
    redact_patterns(text)
    return time.process_time() - begun


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_length_only(unit):
    short, long = unit * (10_000 // len(unit)), unit * (100_000 // len(unit))
    base = max(min(seconds(short) for _ in range(2)), 0.02)
    # ten times the text: 10 would be exact, 100 quadratic; below 0.02 s the clock is no measure
    assert seconds(long) < 25 * base
