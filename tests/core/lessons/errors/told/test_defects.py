"""Faults that the agent came upon: named with their code, none that does no harm."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.errors.told.defects import find_defects

FAULT = (
    "- (25) ❓ **Bug: missing `|| onlyStats`**: in `syncSingle` the login check passes `noSync` alone, "
    "unlike `syncAll`."
)


def test_a_fault_with_the_cure_that_is_told_later():
    cure = "Fixed. The `syncSingle` login check now passes `noSync || onlyStats`, like `syncAll`."
    (draft,) = find_defects(talk(("assistant", FAULT), ("user", "address #25"), ("assistant", cure)), "shop")
    assert draft.content.startswith("A fault in shop, as the agent found: Bug: missing `|| onlyStats`")
    assert draft.resolution.startswith("The agent's account: ")
    assert [item.start_line for item in draft.evidence] == [1, 3]


def test_without_a_cure_nothing_is_claimed():
    (draft,) = find_defects(talk(("assistant", FAULT)), "shop")
    assert draft.resolution == ""


@pytest.mark.parametrize(
    "line",
    [
        "Errors of `WalkDir` are silently skipped, which is the right behavior here.",
        "`Flush()` silently drops the write error; consider logging it at warn level.",
        "I updated `TestQuery`, whose old case encoded the bug of `ftsQuery`.",
        "Is the `reset()` that is never called a bug of `Session`?",
        "There is no bug in `config.Load`, the flag is never used before it.",
    ],
)
def test_what_does_no_harm_or_is_only_proposed_is_no_fault(line):
    assert find_defects(talk(("assistant", line)), "shop") == []
