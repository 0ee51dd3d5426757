"""Ids by their first characters: one, several, none, and what is no id."""

import pytest

from tests.support.memories import rows
from ultron_core.client import Ultron
from ultron_core.errors import AmbiguousNameError, InputError, NotFoundError
from ultron_core.steps.names import find_memories, find_memory

#: two that begin alike, and one that does not
IDS = (
    "3f2b6c1e-0000-4000-8000-000000000001",
    "3f2b6c1e-0000-4000-8000-000000000002",
    "a0000000-0000-4000-8000-000000000003",
)


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        opened.upload_memories([{"content": f"the {w} port is closed"} for w in ("first", "second", "third")])
        for new, row in zip(IDS, rows(opened, "SELECT id FROM memories ORDER BY id"), strict=True):
            _rename(opened, row["id"], new)
        yield opened


def _rename(ultron, old, new):
    """A copy of the row under the wanted id, without anything made of it."""
    rows(
        ultron,
        "WITH copy AS (SELECT (jsonb_populate_record(m, jsonb_build_object('id', %(new)s::text))).* FROM memories m"
        " WHERE id = %(old)s) INSERT INTO memories SELECT * FROM copy RETURNING 1",
        old=old,
        new=new,
    )
    ultron.delete_memory(old)


def test_a_beginning_that_fits_one_is_enough(ultron):
    assert str(find_memory(ultron.runtime, "a")) == IDS[2]
    assert str(find_memory(ultron.runtime, " A0000000-00 ")) == IDS[2]
    assert str(find_memory(ultron.runtime, IDS[0])) == IDS[0]
    assert [str(one) for one in find_memories(ultron.runtime, [IDS[1], "a0", IDS[1]])] == [IDS[1], IDS[2]]


def test_a_beginning_that_fits_several_lists_them_with_what_they_say(ultron):
    with pytest.raises(AmbiguousNameError) as told:
        find_memory(ultron.runtime, "3f2b")
    lines = str(told.value).splitlines()
    assert lines[0] == "3f2b fits more than one memory: give more characters."
    assert [line.split()[0] for line in lines[1:]] == list(IDS[:2]) and "port is closed" in lines[1]


def test_an_unknown_one_is_answered_with_those_that_begin_alike(ultron):
    with pytest.raises(NotFoundError, match=r"begins with 3f2bffff\. Near: 3f2b6c1e, 3f2b6c1e"):
        find_memory(ultron.runtime, "3f2bffff")
    with pytest.raises(NotFoundError, match=r"begins with 77\. `ultron memories` lists them"):
        find_memory(ultron.runtime, "77")


@pytest.mark.parametrize("given", ["", "  ", "not-an-id!", "%", "3f2b6c1e" * 5])
def test_what_is_no_id_is_told_so(ultron, given):
    with pytest.raises(InputError, match="is not the id of a memory"):
        find_memory(ultron.runtime, given)
