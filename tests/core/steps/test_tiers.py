"""The rebalance in SQL gives what the pure rule gives, writes only what changed, and archives what is too old."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.memories import StubEmbedder, one, rows
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.memories import TierRow, assign_tiers
from ultron_core.settings import TierSettings

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NEVER_ARCHIVE = TierSettings(cold_ttl_days=0)


@pytest.fixture
def opened(settings):
    def make(tiers):
        changed = settings.model_copy(update={"tiers": tiers})
        return Ultron(changed, embedder=StubEmbedder(), clock=lambda: NOW)

    return make


def fill(ultron, counters):
    """Memories with these (hits, last hit) counters, in bulk."""
    with ultron.context.database.transaction() as conn:
        for number, (hits, last_hit) in enumerate(counters):
            conn.execute(
                "WITH m AS (INSERT INTO memories (id, account_id, agent_id, memory_type, content, context, resolution,"
                " tags, summary_l0, overview_l1, confidence, extractor, redaction_version, body_sha256, needs_model,"
                " created_at, updated_at) VALUES (gen_random_uuid(), 'default', 'a', 'pattern', %(c)s, '', '', '{}',"
                " '', '', 0.5, 'direct', '1', %(c)s, false, %(now)s, %(now)s) RETURNING id)"
                " INSERT INTO memory_usage (memory_id, account_id, tier, hit_count, last_hit_at)"
                " SELECT id, 'default', 'WARM', %(hits)s, %(last)s FROM m",
                {"c": f"memory {number}", "now": NOW, "hits": hits, "last": last_hit},
            )


def usage(ultron):
    return rows(ultron, "SELECT memory_id, tier, hit_count, last_hit_at FROM memory_usage")


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
        fill(ultron, counters)
        report = ultron.run_tier_rebalance()
        stored = usage(ultron)
        counted = [TierRow(row["memory_id"], row["hit_count"], row["last_hit_at"]) for row in stored]
        expected = {key: tier.upper() for key, tier in assign_tiers(counted, hot, warm).items()}
        assert {row["memory_id"]: row["tier"] for row in stored} == expected
        tiers = list(expected.values())
        assert (report.hot, report.warm, report.cold) == tuple(map(tiers.count, ("HOT", "WARM", "COLD")))
        assert report.total == len(counters) and report.newly_hot == report.hot
        assert report.tier_changes == len(counters) - report.warm  # all began as WARM


def test_a_second_rebalance_writes_no_row(opened):
    with opened(NEVER_ARCHIVE) as ultron:
        ultron.upload_memories([{"content": f"The script number {n} sorts words."} for n in range(12)])
        assert ultron.run_tier_rebalance().tier_changes > 0
        before = rows_written(ultron.context.database)
        report = ultron.run_tier_rebalance()
        assert (report.tier_changes, report.newly_hot, report.cold_archived) == (0, 0, 0)
        assert rows_written(ultron.context.database) == before


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
        with ultron.context.database.transaction() as conn:
            conn.execute("UPDATE lexical_df SET df = df + 7")
            conn.execute("UPDATE lexical_stats SET documents = 99")
        ultron.run_tier_rebalance()
        assert right == (
            rows(ultron, "SELECT * FROM lexical_df ORDER BY term"),
            rows(ultron, "SELECT * FROM lexical_stats"),
        )
