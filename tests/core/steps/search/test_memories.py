"""What a search returns, in which order, how much of it, and what it counts."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.clock import Clock
from tests.support.memories import StubEmbedder, StubLLM, axis, one, rows
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.errors import InputError, ModelUnavailableError
from ultron_core.settings import SearchSettings

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def ultron(settings, clock):
    """Words decide here: no text is near to another by its vector unless a test says so."""
    embedder = StubEmbedder({"Postgres": axis(0), "database port": axis(0), "cake": axis(1), "": axis(2)})
    with Ultron(settings, embedder=embedder, clock=clock) as opened:
        yield opened


def found(hits):
    return [hit.record.id for hit in hits]


def test_levels_of_detail_clear_what_they_leave_out(ultron):
    memory = ultron.upload_memory(
        "Postgres refused the connection.", "on the CI box", "start the service first"
    )
    (l1,) = ultron.search_memories("Postgres refused")
    assert (l1.record.content, l1.record.resolution) == ("", "")
    assert l1.record.summary_l0 and l1.record.overview_l1 and l1.record.context == "on the CI box"
    (l0,) = ultron.search_memories("Postgres refused", detail_level="l0")
    assert (l0.record.content, l0.record.context, l0.record.resolution, l0.record.overview_l1) == ("",) * 4
    assert l0.record.summary_l0 == memory.summary_l0
    (full,) = ultron.get_memory_details([memory.id])
    assert full.resolution == "start the service first"


def test_meaning_finds_what_shares_no_word(ultron):
    memory = ultron.upload_memory("Postgres refused the connection.")
    ultron.upload_memory("Vanilla cake needs sugar.")
    (hit,) = ultron.search_memories("which database port")
    assert hit.record.id == memory.id and hit.similarity_score == pytest.approx(1.0, abs=1e-3)


def test_an_exact_identifier_finds_a_long_memory(ultron):
    padding = " ".join(f"Step{n} ran the usual thing and printed nothing special." for n in range(40))
    wanted = ultron.upload_memory(f"Postgres said no. The deployment log shows ERR_X17_QUOTA. {padding}")
    for n in range(10):
        ultron.upload_memory(f"Postgres note {n}.")
    ultron.runtime.embedder.vectors["ERR_X17_QUOTA?"] = axis(5)
    assert found(ultron.search_memories("ERR_X17_QUOTA?")) == [wanted.id]


def test_nothing_stored_that_matches_gives_nothing(ultron):
    assert ultron.search_memories("Postgres") == []
    ultron.upload_memory("Postgres refused the connection.")
    assert ultron.search_memories("migratory birds of Iceland") == []


def test_an_empty_query_and_bad_arguments_are_refused(ultron):
    for call in (
        lambda: ultron.search_memories("  \x00"),
        lambda: ultron.search_memories("x", detail_level="l2"),
        lambda: ultron.search_memories("x", limit=0),
        lambda: ultron.search_sessions(""),
    ):
        with pytest.raises(InputError):
            call()


def test_filters_narrow_what_is_found(ultron, clock):
    clock.now = NOW - timedelta(days=10)
    old = ultron.upload_memory("Postgres refused an error once.", tags=["db", "old"], agent_id="ann").id
    clock.now = NOW
    new = ultron.upload_memory("I prefer Postgres.", tags=["db"], agent_id="bob").id

    def search(**filters):
        return set(found(ultron.search_memories("Postgres", record_hits=False, **filters)))

    assert search() == {old, new}
    assert search(memory_types=["error"]) == {old}
    assert search(memory_types=["error", "preference"]) == {old, new}
    assert search(tags=["db"]) == {old, new} and search(tags=["db", "old"]) == {old}
    assert search(agent_id="bob") == {new} and search(agent_id="nobody") == set()
    assert search(since=NOW - timedelta(days=1)) == {new}
    assert search(until=NOW - timedelta(days=1)) == {old}
    assert search(tiers=["warm"]) == {old, new} and search(tiers=["HOT"]) == set()
    ultron.archive_memories_by_tag("old")
    assert search() == {new} and search(status="archived") == {old}


def test_limit_takes_the_best(ultron):
    for n in range(5):
        ultron.upload_memory(f"Postgres listens on port 543{n} here.")
    hits = ultron.search_memories("Postgres port 5433", limit=2)
    assert len(hits) == 2 and "5433" in hits[0].record.summary_l0
    assert hits[0].score >= hits[1].score


def test_a_search_counts_what_is_set_and_browsing_writes_nothing(settings, clock):
    counting = settings.model_copy(update={"search": SearchSettings(hits=1)})
    with Ultron(counting, embedder=StubEmbedder({"Postgres": axis(0), "": axis(2)}), clock=clock) as ultron:
        count_hits(ultron)


def count_hits(ultron):
    memory = ultron.upload_memory("Postgres refused the connection.")
    other = ultron.upload_memory("Vanilla cake needs sugar.")
    before = rows_written(ultron.runtime.database)
    assert found(ultron.search_memories("Postgres", record_hits=False)) == [memory.id]
    assert rows_written(ultron.runtime.database) == before
    ultron.search_memories("Postgres")
    counts = {
        r["memory_id"]: r["hit_count"] for r in rows(ultron, "SELECT memory_id, hit_count FROM memory_usage")
    }
    assert counts == {memory.id: 2, other.id: 1}


def test_explain_shows_the_parts_of_the_score(ultron, clock):
    ultron.upload_memory("Postgres refused the connection.")
    clock.now = NOW + timedelta(days=20)
    (hit,) = ultron.search_memories("Postgres refused", explain=True, record_hits=False)
    assert hit.explain["cosine"] == pytest.approx(1.0, abs=1e-3) and hit.explain["bm25"] > 0
    assert hit.explain["days"] == 20
    # WARM has boost 1; w = 0.1, alpha = 0.05: 0.9 + 0.1 x exp(-1)
    assert hit.score == pytest.approx(hit.explain["relevance"] * (0.9 + 0.1 * 0.36788), abs=1e-3)
    (plain,) = ultron.search_memories("Postgres refused")
    assert plain.explain == {}


def test_hot_memories_come_before_equal_cold_ones(ultron):
    ultron.upload_memory(
        "Vanilla cake dough rises."
    )  # so that both below are weighed against one average length
    ids = [ultron.upload_memory(f"Postgres replica {name} lags.").id for name in ("north", "south")]
    with ultron.runtime.database.transaction() as conn:
        conn.execute("UPDATE memory_usage SET tier = 'COLD' WHERE memory_id = %s", [ids[0]])
        conn.execute("UPDATE memory_usage SET tier = 'HOT' WHERE memory_id = %s", [ids[1]])
    hits = ultron.search_memories("Postgres replica lags")
    assert found(hits) == [ids[1], ids[0]]
    assert hits[0].score / hits[1].score == pytest.approx(1.2 / 0.8, rel=1e-2)


def test_words_of_a_merge_an_update_and_a_return_are_found_at_once(ultron):
    first = ultron.upload_memory(
        "Postgres refused the connection because its socket was missing.", tags=["t"]
    )
    ultron.upload_memory("Postgres refused the connection because its socket was missing. See /run/pgsock.")
    ultron.runtime.embedder.vectors = {"": axis(4)}
    assert found(ultron.search_memories("/run/pgsock")) == [first.id]
    ultron.archive_memories_by_tag("t")
    ultron.run_tier_rebalance()
    ultron.upload_memory("Postgres refused the connection because its socket was missing.")
    assert found(ultron.search_memories("/run/pgsock")) == [first.id]
    counted = one(ultron, "SELECT documents, total_length FROM lexical_stats")
    assert counted == one(
        ultron, "SELECT 1::bigint AS documents, length::bigint AS total_length FROM memory_search"
    )
    before = rows_written(ultron.runtime.database)
    ultron.run_tier_rebalance()
    after = rows_written(ultron.runtime.database)
    # its tier, and its weights against the average of its own length; every count was right already
    assert {table for table, *_ in after - before} <= {"memory_usage", "memory_search"}
    assert len(after - before) <= 2
    ultron.run_tier_rebalance()
    assert rows_written(ultron.runtime.database) == after


def test_a_query_in_chinese_finds_chinese_and_english(settings):
    with Ultron(settings) as ultron:
        chinese = ultron.upload_memory("数据库连接超时，因为连接池太小。", resolution="把连接池改成 50。")
        english = ultron.upload_memory("The database connection timed out because the pool was too small.")
        ultron.upload_memory("Vanilla cake needs sugar and two eggs.")
        hits = ultron.search_memories("数据库连接超时怎么办")
        assert found(hits)[:2] == [chinese.id, english.id]


def test_without_an_embedder_words_still_find_and_a_note_says_so(ultron):
    memory = ultron.upload_memory("Postgres refused the connection.")
    ultron.runtime.embedder.down = True
    hits = ultron.search_memories("Postgres refused")
    assert found(hits) == [memory.id] and hits[0].similarity_score == 0
    assert "embedder" in hits.notes[0]


def test_a_model_widens_the_query_and_when_down_the_plain_query_works(settings):
    embedder = StubEmbedder({"Postgres": axis(0), "": axis(2)})
    model = StubLLM(search={"phrases": ["Postgres socket"]})
    with Ultron(settings, embedder=embedder) as plain:
        memory = plain.upload_memory("Postgres lost its socket.")
    with Ultron(settings, embedder=embedder, llm=model) as ultron:
        assert found(ultron.search_memories("zebra")) == [memory.id]
        model.answers["search"] = ModelUnavailableError("down")
        hits = ultron.search_memories("Postgres socket")
        assert found(hits) == [memory.id] and "plain query" in hits.notes[0]
