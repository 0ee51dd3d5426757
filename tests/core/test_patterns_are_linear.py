"""Every pattern at the head of a module is linear: ten times the text takes about ten times as long.

The text is what the pattern's own examples begin with, again and again, so that a match is begun at every place and
never completed; and what all patterns stumble over: spaces, digits, brackets, quotes.
"""

from __future__ import annotations

import re
import time

import pytest

from tests.core.test_pattern_comments import examples, in_module, sources

#: characters
SHORT, LONG = 10_000, 100_000
#: what takes less for 10,000 characters does not look at each of them from each other one (over 0.1 s)
LEAST = 0.003
#: ten would be exact and a hundred quadratic; the machine may be busy
MOST = 30
COMMON = frozenset(("a", " ", "1", "\n", "a.", "/a", '"', "\\", "(", "A ", "=", "端"))


def modules():
    for module, name, source in sources():
        compiled = [
            (f"{found.place}-{number}", pattern, [e for comment in found.comments for e in examples(comment)])
            for found in in_module(module=name, source=source, values=vars(module))
            for number, pattern in enumerate(found.patterns)
            if isinstance(pattern.pattern, str)
        ]
        if compiled:
            yield pytest.param(compiled, id=name)


def units(given):
    """Each example, and what it begins with."""
    return {piece for example in given for piece in (example, example[: len(example) // 2]) if piece} | COMMON


def seconds(pattern, text):
    begun = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - begun


def slow(pattern, unit):
    """How often the time of the short text fits into that of the long one, when that is too often."""
    short, long = (unit * (size // len(unit) + 1) for size in (SHORT, LONG))
    spent = base = 0.0
    for _ in range(3):
        base = min(seconds(pattern, short) for _ in range(2))
        if base < LEAST:
            return None
        if base > 0.5:
            return f"{base:.1f} s for {SHORT} characters"
        spent = seconds(pattern, long)
        if spent < MOST * base:
            return None
    return f"{spent / base:.0f} times"


@pytest.mark.slow
@pytest.mark.parametrize("compiled", list(modules()))
def test_time_grows_with_the_length_only(compiled):
    found = {
        (place, unit): times
        for place, pattern, given in compiled
        for unit in units(given)
        if (times := slow(pattern, unit))
    }
    assert found == {}


def test_a_quadratic_pattern_would_be_seen():
    assert slow(re.compile(r"(?:a|b)+c"), "a") and slow(re.compile(r"a{1,100}b"), "a") is None
