"""When the average length moves, words weigh as in a store that was filled with the final average."""

import pytest

from tests.support.memories import StubEmbedder, rows
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.search import bm25_weights, lexical_terms
from ultron_core.steps.upkeep.reweight import reweigh_memories
from ultron_core.store.tables.memories import sparse

WORDS = ("gateway", "replica", "socket", "quota", "timeout", "worker", "cursor", "lease", "缓存", "连接池")
SHORT = [f"The {WORDS[n % 10]} failed, {WORDS[n % 7]} note {n}." for n in range(12)]
LONG = [
    " ".join(f"{WORDS[(n * k) % 10]} step {k} of run {n} {WORDS[n % 10]}" for k in range(1, 40 + n))
    for n in range(8)
]


@pytest.fixture
def opened(settings):
    def make(account):
        # texts that are near by their words are no duplicates here
        dedup = settings.dedup.model_copy(update={"similarity_threshold": 1.0, "soft_threshold": 1.0})
        store = settings.store.model_copy(update={"account_id": account})
        changed = settings.model_copy(update={"store": store, "dedup": dedup})
        return Ultron(changed, embedder=StubEmbedder())

    return make


def fill(ultron):
    """Short memories first, long ones later."""
    for text in (*SHORT, *LONG):
        ultron.upload_memory(text)
    assert len(stored(ultron)) == len(SHORT + LONG)


def stored(ultron):
    query = (
        "SELECT m.id, m.content, s.weights::text AS weights, s.length, s.average_length FROM memory_search s"
        " JOIN memories m ON m.id = s.memory_id WHERE s.account_id = %(account)s"
    )
    return rows(ultron, query, account=ultron.runtime.account_id)


def final_average(ultron):
    lengths = [row["length"] for row in stored(ultron)]
    return sum(lengths) / len(lengths)


def weigh_freshly(ultron):
    """Every row from its text against the final average, as if the store had always had it."""
    average = final_average(ultron)
    for row in stored(ultron):
        counts = lexical_terms(row["content"])
        weights = sparse(bm25_weights(counts, row["length"], average)).to_text()
        with ultron.runtime.database.transaction() as conn:
            conn.execute(
                "UPDATE memory_search SET weights = %s::sparsevec, average_length = %s WHERE memory_id = %s",
                [weights, average, row["id"]],
            )


def pairs(row):
    inside = row["weights"].split("}")[0].lstrip("{")
    return {int(pair.split(":")[0]): float(pair.split(":")[1]) for pair in inside.split(",")}


def ranks(ultron, query):
    hits = ultron.search_memories(query, limit=20, explain=True, record_hits=False)
    found = ultron.get_memory_details([hit.record.id for hit in hits])
    return {memory.content: hit.explain["bm25"] for memory, hit in zip(found, hits, strict=True)}


def test_ranks_are_those_of_a_store_filled_with_the_final_average(opened):
    queries = ("gateway timeout", "quota note 3", "连接池 缓存", "socket replica lease")
    with opened("drifted") as drifted, opened("fresh") as fresh:
        fill(drifted)
        fill(fresh)
        weigh_freshly(fresh)
        assert all(ranks(drifted, query) != ranks(fresh, query) for query in queries)
        assert reweigh_memories(drifted.runtime, drift=0.0) == len(SHORT + LONG)
        for query in queries:
            again, expected = ranks(drifted, query), ranks(fresh, query)
            assert len(expected) > 1 and again == pytest.approx(expected, rel=1e-4)
            assert list(again) == list(expected)


def test_the_rebalance_weighs_what_moved_by_more_than_a_fifth_and_leaves_the_rest(opened):
    with opened("drifted") as ultron:
        fill(ultron)
        before = {row["id"]: row for row in stored(ultron)}
        average = final_average(ultron)
        moved = {i for i, row in before.items() if abs(average / row["average_length"] - 1) > 0.2}
        assert 0 < len(moved) < len(before)
        ultron.run_tier_rebalance()
        after = {row["id"]: row for row in stored(ultron)}
        assert {i for i in after if after[i]["weights"] != before[i]["weights"]} == moved
        assert all(after[i]["average_length"] == pytest.approx(average, rel=1e-6) for i in moved)
        written = rows_written(ultron.runtime.database)
        assert reweigh_memories(ultron.runtime) == 0
        assert rows_written(ultron.runtime.database) == written


def test_weights_that_are_made_again_from_weights_are_those_of_the_text(opened):
    with opened("drifted") as ultron:
        fill(ultron)
        reweigh_memories(ultron.runtime, drift=0.0)
        again = {row["id"]: row for row in stored(ultron)}
        weigh_freshly(ultron)
        for row in stored(ultron):
            assert pairs(again[row["id"]]) == pytest.approx(pairs(row), rel=1e-5)


def test_an_empty_store_and_another_account_are_left_alone(opened):
    with opened("drifted") as ultron, opened("other") as other:
        assert reweigh_memories(other.runtime) == 0
        fill(ultron)
        assert reweigh_memories(other.runtime) == 0


def test_a_row_that_is_being_written_waits_for_the_next_time(opened):
    with opened("drifted") as ultron:
        fill(ultron)
        first = stored(ultron)[0]["id"]
        with ultron.runtime.database.transaction() as conn:
            conn.execute("SELECT 1 FROM memory_search WHERE memory_id = %s FOR UPDATE", [first])
            assert reweigh_memories(ultron.runtime, drift=0.0) == len(SHORT + LONG) - 1
        assert reweigh_memories(ultron.runtime, drift=0.0) == 1
