"""The rebalance in SQL gives what the pure rule gives, writes only what changed, and archives what is too old."""

import random
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from psycopg import errors

from tests.support.memories import StubEmbedder, one, rows
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.memories import TierRow, assign_tiers
from ultron_core.settings import SearchSettings, TierSettings
from ultron_core.steps.upkeep import tiers as tier_step
from ultron_core.store.queries import load_queries

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NEVER_ARCHIVE = TierSettings(cold_ttl_days=0)


@pytest.fixture
def opened(settings):
    def make(tiers):
        changed = settings.model_copy(update={"tiers": tiers})
        return Ultron(changed, embedder=StubEmbedder(), clock=lambda: NOW)

    return make


def fill(ultron, counters, types=("pattern",)):
    """Memories with these (hits, last hit) counters, in bulk, their types in turn; no person said any."""
    with ultron.runtime.database.transaction() as conn:
        for number, (hits, last_hit) in enumerate(counters):
            conn.execute(
                "WITH m AS (INSERT INTO memories (id, account_id, agent_id, memory_type, content, context, resolution,"
                " tags, summary_l0, overview_l1, confidence, extractor, redaction_version, body_sha256, needs_model,"
                " created_at, updated_at) VALUES (gen_random_uuid(), 'default', 'a', %(type)s, %(c)s, '', '', '{}',"
                " '', '', 0.5, 'direct', '1', %(c)s, false, %(now)s, %(now)s) RETURNING id)"
                " INSERT INTO memory_usage (memory_id, account_id, tier, hit_count, last_hit_at)"
                " SELECT id, 'default', 'WARM', %(hits)s, %(last)s FROM m",
                {
                    "c": f"memory {number}",
                    "now": NOW,
                    "hits": hits,
                    "last": last_hit,
                    "type": types[number % len(types)],
                },
            )


def usage(ultron):
    return rows(
        ultron,
        "SELECT memory_id, tier, hit_count, last_hit_at, memory_type NOT IN ('preference', 'correction') AS confirmed"
        " FROM memory_usage u JOIN memories m ON m.id = u.memory_id",
    )


def counted(stored):
    """The rows of `usage` as the pure rule takes them."""
    return [
        TierRow(row["memory_id"], row["hit_count"], row["last_hit_at"], row["confirmed"]) for row in stored
    ]


@pytest.mark.parametrize("seed", range(6))
def test_tiers_are_those_of_the_pure_rule(opened, seed):
    random_numbers = random.Random(seed)
    hot, warm = random_numbers.choice([(10, 40), (1, 1), (25, 50), (100, 100), (12.5, 33)])
    times = [None, *(NOW - timedelta(days=n, microseconds=n) for n in range(4))]
    counters = [
        (random_numbers.randint(1, 4), random_numbers.choice(times))
        for _ in range(random_numbers.randint(1, 45))
    ]
    with opened(TierSettings(hot_percentile=hot, warm_percentile=warm, cold_ttl_days=0)) as ultron:
        fill(ultron, counters, ("pattern", "preference", "error")[: random_numbers.randint(1, 3)])
        report = ultron.run_tier_rebalance()
        stored = usage(ultron)
        expected = {key: tier.upper() for key, tier in assign_tiers(counted(stored), hot, warm).items()}
        assert {row["memory_id"]: row["tier"] for row in stored} == expected
        tiers = list(expected.values())
        assert (report.hot, report.warm, report.cold) == tuple(map(tiers.count, ("HOT", "WARM", "COLD")))
        assert report.total == len(counters) and report.newly_hot == report.hot
        assert report.tier_changes == len(counters) - report.warm  # all began as WARM


def test_a_second_rebalance_writes_no_row(opened):
    with opened(NEVER_ARCHIVE) as ultron:
        ultron.upload_memories([{"content": f"The script number {n} sorts words."} for n in range(12)])
        assert ultron.run_tier_rebalance().tier_changes > 0
        before = rows_written(ultron.runtime.database)
        report = ultron.run_tier_rebalance()
        assert (report.tier_changes, report.newly_hot, report.cold_archived) == (0, 0, 0)
        assert rows_written(ultron.runtime.database) == before


def test_cold_memories_past_their_time_are_archived_never_deleted(opened):
    old, fresh = NOW - timedelta(days=31), NOW - timedelta(days=29)
    with opened(TierSettings()) as ultron:
        fill(ultron, [(9, old)] + [(5, fresh)] * 4 + [(1, old)] * 3 + [(2, fresh)] * 2)
        report = ultron.run_tier_rebalance()
        assert report.cold_archived == 3 and report.total == 7
        gone = rows(ultron, "SELECT archive_reason, hit_count FROM memories JOIN memory_usage ON memory_id = id"
                            " WHERE status = 'archived'")  # fmt: skip
        assert gone == [{"archive_reason": "cold_ttl", "hit_count": 1}] * 3
        # the old memory with most hits is HOT and stays
        assert one(ultron, "SELECT tier FROM memory_usage WHERE hit_count = 9")["tier"] == "HOT"


def test_a_memory_never_hit_is_as_old_as_it_is(opened):
    with opened(TierSettings()) as ultron:
        fill(ultron, [(5, NOW)] * 5 + [(1, None)] * 3)
        with ultron.runtime.database.transaction() as conn:
            conn.execute(
                "UPDATE memories SET created_at = %s WHERE content = 'memory 6'", [NOW - timedelta(days=31)]
            )
        assert ultron.run_tier_rebalance().cold_archived == 1
        gone = rows(ultron, "SELECT content FROM memories WHERE status = 'archived'")
        assert gone == [{"content": "memory 6"}]


def test_archived_memories_take_no_place_in_the_ranking(opened):
    with opened(NEVER_ARCHIVE) as ultron:
        fill(ultron, [(9, NOW), (8, NOW), (7, NOW), (6, NOW)])
        ultron.run_tier_rebalance()
        with ultron.runtime.database.transaction() as conn:
            conn.execute("UPDATE memories SET status = 'archived' WHERE content = 'memory 0'")
        report = ultron.run_tier_rebalance()
        assert (report.total, report.hot, report.warm, report.cold) == (3, 1, 2, 0)
        stored = rows(ultron, "SELECT tier FROM memory_usage ORDER BY hit_count DESC")
        # the archived one keeps the tier it had
        assert [row["tier"] for row in stored] == ["HOT", "HOT", "WARM", "WARM"]


def wait_until(ultron, query):
    """The first row of `query`, as soon as there is one."""
    for _ in range(400):
        if found := rows(ultron, query):
            return found[0]
        time.sleep(0.025)
    raise AssertionError(f"never: {query}")


def test_a_rebalance_killed_between_chunks_is_completed(opened, monkeypatch):
    monkeypatch.setattr(tier_step, "_CHUNK_PAGES", 1)
    waiting = (
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    reports = []
    with opened(NEVER_ARCHIVE) as ultron:
        fill(ultron, [(number + 1, NOW) for number in range(400)])
        first, last = one(ultron, "SELECT min(memory_id::text) AS a, max(memory_id::text) AS z FROM memory_usage"
                                  " WHERE hit_count <= 200 OR hit_count > 360").values()  # fmt: skip
        run = threading.Thread(target=lambda: reports.append(ultron.run_tier_rebalance()))
        with ultron.runtime.database.transaction() as reader:
            reader.execute("SELECT FROM memory_usage WHERE memory_id = %s FOR UPDATE", [last])
            run.start()
            pid = wait_until(ultron, waiting)["pid"]
            # what was written before is there, and free for whoever counts hits
            with ultron.runtime.database.transaction() as conn:
                conn.execute("SET LOCAL lock_timeout = '1ms'")
                row = conn.execute(
                    "UPDATE memory_usage SET last_hit_at = last_hit_at WHERE memory_id = %s RETURNING tier",
                    [first],
                )
                assert row.fetchone()["tier"] in ("HOT", "COLD")
            reader.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        run.join()
        expected = {key: tier.upper() for key, tier in assign_tiers(counted(usage(ultron)), 10, 40).items()}
        assert {row["memory_id"]: row["tier"] for row in usage(ultron)} == expected
        assert [(r.tier_changes, r.newly_hot, r.cold) for r in reports] == [(240, 40, 200)]


@pytest.mark.parametrize("count", [3, 300])
def test_whatever_the_planner_thinks_rows_are_locked_in_order_of_id(opened, count):
    sql = load_queries("memories/tiers")
    params = {"account_id": "default", "begin": "(0,0)", "end": "(32,0)"}
    with opened(NEVER_ARCHIVE) as ultron:
        fill(ultron, [(1, NOW)] * count)
        with ultron.runtime.database.transaction() as conn:
            conn.execute("ANALYZE memory_usage")
            conn.execute(sql["make_work"])
            conn.execute(sql["rank"], {"account_id": "default", "hot": 10, "warm": 40, "before": None})
            conn.execute(sql["only_by_id"])
            plan = "\n".join(row["QUERY PLAN"] for row in conn.execute("EXPLAIN " + sql["set_tiers"], params))
        assert "using memory_usage_pkey" in plan and "Sort Key: tier_work.memory_id" in plan
        assert "Hash Join" not in plan and "Seq Scan on memory_usage" not in plan


def test_many_are_archived_in_chunks(opened, monkeypatch):
    monkeypatch.setattr(tier_step, "_ARCHIVE_CHUNK", 3)
    with opened(TierSettings()) as ultron:
        fill(ultron, [(1, NOW - timedelta(days=40))] * 20)
        report = ultron.run_tier_rebalance()
        assert (report.cold_archived, report.cold, report.total) == (10, 0, 10)


def test_an_archive_run_that_starts_anew_counts_each_memory_once(opened, monkeypatch):
    monkeypatch.setattr(tier_step, "_ARCHIVE_CHUNK", 3)
    archive, calls = tier_step.set_status, []

    def deadlocked_once(*given):
        calls.append(given)
        if len(calls) == 2:
            raise errors.DeadlockDetected("deadlock")
        return archive(*given)

    monkeypatch.setattr(tier_step, "set_status", deadlocked_once)
    with opened(TierSettings(hot_percentile=10, warm_percentile=10)) as ultron:
        fill(ultron, [(2, NOW)] * 10 + [(1, NOW - timedelta(days=40))] * 10)
        report = ultron.run_tier_rebalance()
        # ten of the old ones in all; ranked again without the three removed
        assert (report.cold_archived, report.total) == (10, 10)
        left = rows(ultron, "SELECT tier, count(*) FROM memory_usage JOIN memories ON id = memory_id"
                            " WHERE status = 'active' GROUP BY 1")  # fmt: skip
        assert {row["tier"]: row["count"] for row in left} == {
            "HOT": report.hot,
            "WARM": report.warm,
            "COLD": report.cold,
        }


def test_a_limit_of_zero_days_archives_nothing(opened):
    with opened(NEVER_ARCHIVE) as ultron:
        fill(ultron, [(1, NOW - timedelta(days=900))] * 5)
        assert ultron.run_tier_rebalance().cold_archived == 0


def test_frequencies_of_words_are_set_right(opened):
    with opened(NEVER_ARCHIVE) as ultron:
        ultron.upload_memories([{"content": "Postgres lags."}, {"content": "Vanilla cake."}])
        right = (
            rows(ultron, "SELECT * FROM lexical_df ORDER BY term"),
            rows(ultron, "SELECT * FROM lexical_stats"),
        )
        with ultron.runtime.database.transaction() as conn:
            conn.execute("UPDATE lexical_df SET df = df + 7")
            conn.execute("UPDATE lexical_stats SET documents = 99")
        ultron.run_tier_rebalance()
        assert right == (
            rows(ultron, "SELECT * FROM lexical_df ORDER BY term"),
            rows(ultron, "SELECT * FROM lexical_stats"),
        )


def test_a_hundred_searches_change_no_tier(settings):
    """With the defaults: being listed is no use (docs/memory-store.md, Tiers)."""
    with Ultron(settings, embedder=StubEmbedder(), clock=lambda: NOW) as ultron:
        for number in range(20):
            ultron.upload_memory(f"Build number {number} of the parser failed.")
        ultron.get_memory_details([ultron.search_memories("build 7 parser")[0].record.id])
        ultron.run_tier_rebalance()
        before = usage(ultron)
        for number in range(100):
            assert ultron.search_memories(f"Build number {number % 20} of the parser")
        assert ultron.run_tier_rebalance().tier_changes == 0 and usage(ultron) == before


def test_a_weak_hit_is_never_counted(settings):
    counting = settings.model_copy(update={"search": SearchSettings(hits=1)})
    with Ultron(counting, embedder=StubEmbedder(), clock=lambda: NOW) as ultron:
        memory = ultron.upload_memory("Postgres refused the connection to the reporting replica.")
        (weak,) = ultron.search_memories("connection of unheard sprockets, flanges, gaskets and replica")
        assert weak.weak
        assert one(ultron, "SELECT hit_count FROM memory_usage")["hit_count"] == memory.hit_count
