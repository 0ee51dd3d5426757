"""A list of memories: every filter alone and together, three orders, and pages that hold each memory once."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tests.support.memories import rows
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import AmbiguousNameError, InputError, NotFoundError, UnknownNameError
from ultron_core.steps.browse import SORTS

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


@pytest.fixture
def five(ultron):
    """Five memories, a day apart, with 1 to 5 hits in another order, the last of them never hit."""
    words = ["alpha port", "beta cache", "gamma queue", "delta lock", "epsilon shard"]
    made = ultron.upload_memories(
        [
            {"content": f"the {w} must be set before start", "agent_id": f"agent-{n % 2}", "tags": [w[:4]]}
            for n, w in enumerate(words)
        ]
    )
    ids = [record.id for record in made]
    for n, memory_id in enumerate(ids):
        day = BEGAN + timedelta(days=n)
        rows(
            ultron,
            "UPDATE memories SET created_at = %(day)s WHERE id = %(id)s RETURNING 1",
            day=day,
            id=memory_id,
        )
        rows(
            ultron,
            "UPDATE memory_usage SET hit_count = %(hits)s, last_hit_at = %(last)s WHERE memory_id = %(id)s RETURNING 1",
            hits=(n * 3) % 5 + 1,
            last=None if n == 4 else BEGAN + timedelta(days=20 - n),
            id=memory_id,
        )
    return ids


def listed(ultron, **filters):
    """The ids of every page, two a page, and that a page holds nothing of another."""
    found, cursor = [], None
    while True:
        page = ultron.browse.memories(limit=2, cursor=cursor, **filters)
        found += [record.id for record in page.rows]
        if (cursor := page.cursor) is None:
            assert len(found) == len(set(found))
            return found


def test_the_newest_the_most_used_and_the_last_used_come_first(ultron, five):
    assert listed(ultron) == five[::-1]
    hits = {one: (n * 3) % 5 + 1 for n, one in enumerate(five)}
    assert listed(ultron, sort="hits") == sorted(five, key=hits.get, reverse=True)
    assert listed(ultron, sort="last_hit") == five  # the one that was never hit stands at the end


def test_memories_of_one_moment_and_of_as_many_hits_stand_on_one_page_only(ultron, five):
    rows(ultron, "UPDATE memories SET created_at = %(day)s RETURNING 1", day=BEGAN)
    rows(ultron, "UPDATE memory_usage SET hit_count = 1, last_hit_at = NULL RETURNING 1")
    for sort in SORTS:
        assert listed(ultron, sort=sort) == sorted(five, reverse=True)


def test_each_filter_leaves_what_it_names(ultron, five):
    assert listed(ultron, agent_id="agent-1") == [five[3], five[1]]
    assert listed(ultron, tag="gamm") == [five[2]]
    assert listed(ultron, since=BEGAN + timedelta(days=3)) == [five[4], five[3]]
    assert listed(ultron, until=BEGAN + timedelta(days=1)) == [five[1], five[0]]
    assert listed(
        ultron, since=BEGAN + timedelta(days=1), until=BEGAN + timedelta(days=2), agent_id="agent-0"
    ) == [five[2]]
    ultron.archive_memories(five[:2])
    assert listed(ultron, status="archived", sort="hits") == [five[1], five[0]]
    assert len(listed(ultron)) == 3


def test_a_cluster_is_named_by_the_beginning_of_its_id(ultron, five):
    (row,) = rows(ultron, "SELECT cluster_id FROM cluster_members WHERE memory_id = %(id)s", id=five[3])
    members = rows(
        ultron, "SELECT memory_id FROM cluster_members WHERE cluster_id = %(c)s", c=row["cluster_id"]
    )
    expected = {one["memory_id"] for one in members}
    assert set(listed(ultron, cluster_id=str(row["cluster_id"])[:8])) == expected
    assert set(listed(ultron, cluster_id=row["cluster_id"])) == expected
    with pytest.raises(NotFoundError, match="No cluster whose id begins with"):
        listed(ultron, cluster_id=str(uuid4()))


def test_what_somebody_confirmed_is_a_persons_whatever_proved_it_before(ultron, five):
    ultron.confirm_memory(five[1])
    assert listed(ultron, proof="person") == [five[1]]
    assert five[1] not in listed(ultron, proof="claimed") and len(listed(ultron, proof="claimed")) == 4
    ultron.update_memory(five[1], content="the beta cache must be cleared")
    assert listed(ultron, proof="person") == [five[1]]  # an owner's words


@pytest.fixture
def logs(ultron, tmp_path):
    for agent, name, package in (
        ("coder", "one", "pandas"),
        ("coder", "two", "numpy"),
        ("other", "one", "scipy"),
    ):
        write_log(tmp_path / agent / name / "run.jsonl", solved(f"{agent}-{name}", package))
        ultron.ingest([tmp_path / agent / name], agent, process=True)
    rows(ultron, "UPDATE sessions SET project = 'shop' WHERE agent_id = 'coder' RETURNING 1")
    return rows(
        ultron,
        "SELECT id, partition_key, agent_id, session_file FROM sessions ORDER BY agent_id, session_file",
    )


def test_a_session_is_named_by_key_id_the_beginning_of_one_or_its_file(ultron, logs):
    for log in logs:
        query = "SELECT DISTINCT memory_id FROM memory_sources WHERE session_id = %(id)s"
        expected = {row["memory_id"] for row in rows(ultron, query, id=log["id"])}
        assert expected
        for named in (
            log["partition_key"],
            str(log["id"]),
            str(log["id"])[:8],
            f"{log['agent_id']}/{log['session_file']}",
        ):
            assert set(listed(ultron, session=named)) == expected, named


def test_a_name_that_fits_several_sessions_lists_them(ultron, logs):
    with pytest.raises(AmbiguousNameError) as told:
        listed(ultron, session="run.jsonl")
    assert all(f"{log['agent_id']}/{log['session_file']}" in str(told.value) for log in logs)


def test_an_unknown_name_is_answered_with_the_nearest(ultron, logs, five):
    with pytest.raises(UnknownNameError, match=r"No agent 'codr'. Did you mean coder"):
        listed(ultron, agent_id="codr")
    with pytest.raises(UnknownNameError, match=r"No project 'shpo'\. Did you mean shop"):
        listed(ultron, project="shpo")
    with pytest.raises(UnknownNameError, match=f"Did you mean .*{logs[0]['session_file']}"):
        listed(ultron, session=f"coder/{logs[0]['session_file'][:-1]}")
    # one that gave memories and has no log
    assert listed(ultron, agent_id="agent-0")


def test_of_a_project_are_those_of_its_sessions_and_those_that_were_given_for_it(ultron, logs):
    given = ultron.upload_memory("the shop's port is 8080", project="shop").id
    sourced = rows(
        ultron,
        "SELECT DISTINCT memory_id FROM memory_sources s JOIN sessions e ON e.id = s.session_id"
        " WHERE e.project = 'shop'",
    )
    assert set(listed(ultron, project="shop")) == {given, *(row["memory_id"] for row in sourced)}


def test_a_cursor_of_another_order_or_of_nothing_is_refused(ultron, five):
    cursor = ultron.browse.memories(limit=2, sort="hits").cursor
    for wrong, sort in ((cursor, "time"), ("x", "hits"), ("W10", "time"), (cursor[:-4], "hits")):
        with pytest.raises(InputError, match="cursor is not one"):
            ultron.browse.memories(cursor=wrong, sort=sort)
    with pytest.raises(UnknownNameError, match=r"No sort 'hit'\. Did you mean hits"):
        ultron.browse.memories(sort="hit")
    with pytest.raises(InputError, match="since must be a datetime"):
        ultron.browse.memories(since="yesterday")


def test_of_another_account_nothing_is_listed_or_named(ultron, logs, settings):
    store = settings.store.model_copy(update={"account_id": "theirs"})
    theirs = settings.model_copy(update={"store": store})
    with Ultron(theirs) as other:
        assert listed(other) == []
        for names in ({"session": logs[0]["partition_key"]}, {"agent_id": "coder"}):
            with pytest.raises(UnknownNameError, match=r"is known yet"):
                listed(other, **names)
