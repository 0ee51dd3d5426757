"""Two accounts in one database, with the same words: nothing of one shows, changes or counts in the other."""

import pytest

from tests.support.memories import StubEmbedder, axis, rows
from tests.support.recount import counters_off
from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import UltronError
from ultron_core.steps import overview
from ultron_core.steps.clusters.read import cluster_report, get_clusters
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.steps.upkeep.redact import replay
from ultron_core.store import content_digest

FACTS = (
    "The build failed because wheel was missing in the docker image.",
    "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt.",
    "I prefer tabs over spaces in all my code.",
)
NEAR = {"The build failed": axis(0), "Building failed": axis(4, axis(0), 0.96), "I prefer": axis(1)}


class OtherEmbedder(StubEmbedder):
    """Another model of the same size."""

    model_id = "other-stub"


def open_as(settings, account, embedder=None):
    store = settings.store.model_copy(update={"account_id": account})
    return Ultron(settings.model_copy(update={"store": store}), embedder=embedder or StubEmbedder(NEAR))


@pytest.fixture
def both(settings, tmp_path):
    """Two accounts to which the same was given: three uploads, one merged, and a log."""
    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"), task("beta"))
    with open_as(settings, "one") as one, open_as(settings, "two") as two:
        for ultron in (one, two):
            ultron.upload_memory(FACTS[0], tags=["t"], idempotency_key="key")
            ultron.upload_memories([{"content": fact, "tags": ["t"]} for fact in FACTS[1:]])
            ultron.ingest([log], "agent", process=True)
            cluster_report(ultron.runtime)
        yield one, two


def everything(ultron):
    """Every row of the account in every table that names one, as text; the tables without one are shared bytes."""
    tables = rows(
        ultron,
        "SELECT table_name AS name FROM information_schema.columns"
        " WHERE table_schema = 'ultron' AND column_name = 'account_id' ORDER BY 1",
    )
    account = ultron.runtime.account_id
    return {
        table["name"]: sorted(
            row["row"]
            for row in rows(
                ultron,
                f"SELECT t::text AS row FROM ultron.{table['name']} t WHERE account_id = %(a)s",
                a=account,
            )
        )
        for table in tables
    }


def memory_of(ultron, text):
    query = "SELECT id FROM memories WHERE account_id = %(a)s AND content LIKE %(t)s"
    return rows(ultron, query, a=ultron.runtime.account_id, t=f"%{text}%")[0]["id"]


def cluster_of(ultron):
    return get_clusters(ultron.runtime)[0].cluster_id


def merge_of(ultron):
    query = "SELECT id FROM merge_decisions WHERE account_id = %(a)s AND decision = 'merge'"
    return rows(ultron, query, a=ultron.runtime.account_id)[0]["id"]


ACTIONS = {
    "upload": lambda u: u.upload_memory(FACTS[1]),
    "upload a known key": lambda u: u.upload_memory(FACTS[0], tags=["t"], idempotency_key="key"),
    "load": lambda u: u.load_memories([{"content": fact} for fact in FACTS], expected=3),
    "search": lambda u: u.search_memories("docker wheel missing"),
    "search sessions": lambda u: u.search_sessions("pandas"),
    "change": lambda u: u.update_memory(memory_of(u, "tabs"), content="I prefer spaces."),
    "unmerge": lambda u: u.unmerge(merge_of(u)),
    "useful": lambda u: u.judge_memory(memory_of(u, "prefer"), "useful"),
    "junk": lambda u: u.judge_memory(memory_of(u, "wheel"), "junk"),
    "upload junk": lambda u: u.upload_memory(FACTS[0]),
    "taste": lambda u: u.refit_taste(),
    "skill": lambda u: u.clusters.mark_crystallized(cluster_of(u), "slug"),
    "archive": lambda u: u.archive_memories_by_tag("t"),
    "rebalance": lambda u: u.run_tier_rebalance(),
    "cluster": lambda u: u.clusters.run_initial_clustering(),
    "report": lambda u: cluster_report(u.runtime),
    "fill": lambda u: backfill(u.runtime),
    "redact": lambda u: replay(u.runtime, again=True),
    "reembed": lambda u: u.reembed(OtherEmbedder(NEAR), grace_seconds=0),
    "delete": lambda u: u.delete_memory(memory_of(u, "prefer")),
    "text": lambda u: u.ingest_text("I prefer tabs over spaces in all my code."),
    "process": lambda u: u.process_pending(),
    "export": lambda u: u.trajectory_service.export_sft(min_quality_score=0.0),
}


def test_nothing_done_in_one_account_touches_a_row_of_the_other(both):
    one, two = both
    before, digest = everything(two), content_digest(two.runtime.database, "two")
    assert sum(map(len, before.values())) > 50
    for name, action in ACTIONS.items():
        action(one)
        after = everything(two)
        assert {table: after[table] for table in after if after[table] != before[table]} == {}, name
        assert counters_off(two) == [], name
    assert content_digest(two.runtime.database, "two") == digest


def test_equal_accounts_tell_the_same_and_nothing_of_each_other(both, settings):
    one, two = both
    with open_as(settings, "three") as empty:
        assert empty.search_memories("docker wheel missing") == []
        assert empty.search_sessions("pandas") == []
        assert empty.get_memory_stats()["total"] == 0
        assert get_clusters(empty.runtime) == []
        assert overview.sessions(empty.runtime, None, 50) == []
        assert overview.drops(empty.runtime, None, None, 50) == overview.drop_counts(empty.runtime) == []
        assert overview.newest_dataset(empty.runtime) is None
        assert empty.trajectory_service.get_trajectory_stats()["sessions"]["total"] == 0
        assert empty.trajectory_service.export_sft(min_quality_score=0.0) == []
    assert one.get_memory_stats() == two.get_memory_stats()
    assert one.trajectory_service.get_trajectory_stats() == two.trajectory_service.get_trajectory_stats()
    assert one.run_tier_rebalance() == two.run_tier_rebalance()
    for ultron in both:
        account = ultron.runtime.account_id
        own = {row["id"] for row in rows(ultron, f"SELECT id FROM memories WHERE account_id = '{account}'")}
        assert {hit.record.id for hit in ultron.search_memories("docker wheel", limit=50)} <= own
        assert {i for c in get_clusters(ultron.runtime) for i in c.memory_ids} == own


def test_ids_of_another_account_name_nothing(both):
    one, two = both
    memory, cluster, merge = memory_of(two, "tabs"), cluster_of(two), merge_of(two)
    before = everything(two)
    assert one.get_memory_details([memory]) == []
    assert one.get_memory_sources(memory) == []
    two.judge_memory(memory, "junk")
    assert one.upload_memory(FACTS[2]).status == "active", "junk is junk for who judged it"
    assert memory not in {record.id for record in one.memories_to_judge(100)}
    before = everything(two)
    assert one.clusters.get_changes(cluster) == []
    for call in (
        lambda: one.update_memory(memory, content="mine"),
        lambda: one.delete_memory(memory),
        lambda: one.judge_memory(memory, "junk"),
        lambda: one.unmerge(merge),
        lambda: one.clusters.assign_memory_to_cluster(memory),
        lambda: one.clusters.get_cluster_memories(cluster),
        lambda: one.clusters.mark_crystallized(cluster, "mine"),
    ):
        with pytest.raises(UltronError):
            call()
    assert everything(two) == before
