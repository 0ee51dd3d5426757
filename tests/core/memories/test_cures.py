"""How far the cure of a memory is borne out once several became one."""

import pytest

from ultron_core.memories import Backing, Body, cure_of_merge

OLD, NEW = Body("npm ci fails.", "", "Use Node 18."), Body("npm ci fails on CI.", "", "Clear the cache.")
BOTH = Body("npm ci fails.", "", "Use Node 18.\nClear the cache.")
BARE = Body("npm ci fails on CI.")


@pytest.mark.parametrize(
    ("merged", "parts", "cure"),
    [
        (OLD, [(OLD, "verified"), (NEW, "claimed")], "verified"),
        (OLD, [(OLD, "claimed"), (BARE, "none")], "claimed"),
        (OLD, [(OLD, "claimed"), (OLD, "verified")], "verified"),
        (NEW, [(BARE, "none"), (NEW, "claimed")], "claimed"),
        (BOTH, [(OLD, "verified"), (NEW, "claimed")], "claimed"),
        (BOTH, [(OLD, "verified"), (NEW, "verified")], "verified"),
        (BOTH, [(OLD, "verified"), (NEW, "none")], "none"),
        (BARE, [(BARE, "none"), (BARE, "none")], "none"),
    ],
    ids=["kept", "bare", "same", "new", "put together", "both", "a caller's", "no cure"],
)
def test_a_merged_cure_is_as_sure_as_the_one_that_stands_and_several_as_the_least(merged, parts, cure):
    assert cure_of_merge(merged, parts) == cure


def test_of_the_same_words_the_best_cure_counts():
    claimed, verified = (
        Backing("agent", "result", cure="claimed"),
        Backing("agent", "result", cure="verified"),
    )
    assert claimed.better(verified).cure == verified.better(claimed).cure == "verified"
