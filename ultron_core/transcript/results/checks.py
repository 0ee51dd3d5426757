"""What a test run, type check or build says about itself: passed, failed, or some of both."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["Checks", "read_checks"]

Checks = Literal["none", "passed", "failed", "mixed"]

_PASSED = re.compile(
    # mocha "12 passing", pytest "5 passed in 0.2s"
    r"\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b"
    # exunit, rspec: "14 tests, 0 failures"
    r"|\b[1-9]\d* (?:tests?|examples?), 0 failures\b"
    # unittest: "Ran 3 tests in 0.001s ... OK"
    r"|\bran \d+ tests?[\s\S]{0,80}^OK\b"
    # cargo: "test result: ok. 8 passed" / go: "ok  \tgithub.com/a/b\t0.186s"
    r"|^test result: ok\b|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))"
    r"|测试(?:全部|都)?通过",
    re.IGNORECASE | re.MULTILINE,
)
_FAILED = re.compile(
    # "3 failed, 10 passed", "2 failing", "1 failure"
    r"\b[1-9]\d* (?:tests? )?fail(?:ed|ing|ures?)\b"
    # pytest "FAILED tests/test_a.py::test_b - assert", unittest "FAILED (errors=1)"
    r"|^FAILED\b|\btests? failed\b"
    # pytest "2 errors in 0.31s"
    r"|\b[1-9]\d* errors? in\b"
    # go "--- FAIL: TestTypes (0.00s)", "FAIL\tgithub.com/a/b\t0.1s"
    r"|^[^\S\n]*--- FAIL\b|^FAIL(?:$|[\t:])"
    r"|测试(?:失败|未通过)",
    re.IGNORECASE | re.MULTILINE,
)


#: one of these stands in every such line: most output holds none, and is told apart without the patterns
_SIGNS = ("pass", "fail", "error", "ok", "测试")


def read_checks(text: str) -> Checks:
    """What the summary lines in `text` say; counts of zero say nothing ("0 failed")."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _SIGNS):
        return "none"
    passed, failed = bool(_PASSED.search(text)), bool(_FAILED.search(text))
    if failed:
        return "mixed" if passed else "failed"
    return "passed" if passed else "none"
