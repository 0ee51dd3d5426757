"""Every pattern that reads log text is linear: ten times the text takes about ten times as long.

LINEAR_SIZE asks for longer texts of redaction, in characters (100000: half a minute more).
"""

from __future__ import annotations

import os
import re
import signal
import time

import pytest

from tests.core.test_pattern_comments import examples, in_module, sources
from ultron_core.redaction import redact_patterns

#: what any pattern may begin with or run through, from every place; and below the pattern's own example
RUNS = (" ", "\n", "a", "1.", "/a", "_", "[", ":")
#: characters, of one pattern and of all of redaction
SHORT, LONG = 2_000, 8_000
TEXT = int(os.environ.get("LINEAR_SIZE", "30000"))
#: seconds of the processor that are not looked into: a few patterns of many alternatives take 1 ms for LONG
FLOOR = 0.006
#: four would be exact and sixteen quadratic
MOST = 8
#: seconds; all of them take about ten, one that is exponential would not end
GIVE_UP = 120
#: quadratic if searched in any text, and why it never is
NEVER_SEARCHED_SO = {
    "ultron_core.redaction.spans.JSON_STRING": "only in text that is valid JSON, where each string is closed",
    "ultron_core.transcript.commands._QUOTED_COMMAND": "only in text that ends with a backtick: the first place fits",
}

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
    short, long = unit * (TEXT // 10 // len(unit)), unit * (TEXT // len(unit))
    base = max(min(seconds(short) for _ in range(2)), 0.02)
    # ten times the text: 10 would be exact, 100 quadratic; below 0.02 s the clock is no measure
    assert seconds(long) < 25 * base


def compiled():
    """(name, pattern, the ways in which its module calls it, its examples) of each pattern at the head of a module."""
    for module, name, source in sources():
        for found in in_module(module=name, source=source, values=vars(module)):
            short = found.place.rpartition(".")[2]
            uses = set(re.findall(rf"\b{short}\b(?:\.(\w+)\()?", source.split(f"{short} = ", 1)[-1]))
            given = [example for comment in found.comments for example in examples(comment)]
            for pattern in found.patterns:
                yield found.place, pattern, uses if short.startswith("_") else {""}, given


def spent(pattern, uses, text):
    """Seconds for the whole text; of a pattern that is never searched for, for one attempt at its beginning."""
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    begun = time.process_time()
    if uses and uses <= {"match", "fullmatch"}:
        for use in uses:
            getattr(pattern, use)(given)
    else:
        for _ in pattern.finditer(given):
            pass
    return time.process_time() - begun


def growth(pattern, uses, unit):
    """How many times as long LONG takes as SHORT, or 1 when neither takes long."""
    short, long = (unit * (size // len(unit) + 1) for size in (SHORT, LONG))
    if (base := spent(pattern, uses, short)) < FLOOR / MOST and spent(pattern, uses, long) < FLOOR:
        return 1.0
    if base > GIVE_UP / 100:
        return float("inf")
    # the short text is cheap: the best of five is not slowed by what else runs on the machine
    base = max(min(base, *(spent(pattern, uses, short) for _ in range(4))), 1e-4)
    longest = min(spent(pattern, uses, long) for _ in range(2))
    return longest / base if longest > FLOOR else 1.0


def surely(pattern, uses, unit):
    """The least of three looks at what seems to grow too fast: another process can slow down one of them."""
    times = growth(pattern, uses, unit)
    return times if times <= MOST else min(times, *(growth(pattern, uses, unit) for _ in range(2)))


@pytest.fixture
def an_end():
    def give_up(*_):
        raise TimeoutError(f"a pattern takes more than {GIVE_UP} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(GIVE_UP)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_no_pattern_of_any_module_looks_at_each_character_from_each_other_one(an_end):
    tried = list(compiled())
    assert len(tried) > 1000
    slow = {
        (place, unit): round(times, 1)
        for place, pattern, uses, given in tried
        if place not in NEVER_SEARCHED_SO
        for unit in {*RUNS, *(piece for one in given[:1] for piece in (one, one[: len(one) // 2]))} - {""}
        if (times := surely(pattern, uses, unit)) > MOST
    }
    assert slow == {}


def test_a_quadratic_pattern_would_be_seen():
    assert growth(re.compile(r"^\s*x", re.MULTILINE), {"search"}, "\n") > MOST
    assert growth(re.compile(r"\w+@"), {""}, "a") > MOST
    assert growth(re.compile(r"\w+@"), {"match"}, "a") == 1
