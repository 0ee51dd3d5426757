"""What only an agent said stands on a shelf of its own until something bears it out, and leaves when nothing does."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.claims import again, said, segments_of
from tests.support.clock import Clock
from tests.support.memories import StubEmbedder, axis, one, rows, tables_holding
from tests.support.recount import counters_off
from ultron_core.client import Ultron
from ultron_core.errors import InputError, UnknownNameError
from ultron_core.settings import TierSettings
from ultron_core.steps.rows.status import retract_from_segment
from ultron_core.store.digest import content_digest
from ultron_core.store.tables import uploads

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CLAIM = "The proxy drops idle connections after thirty seconds."
NEAR = "Idle connections are dropped by the proxy after thirty seconds."
PROVEN = "Staging runs behind a proxy of its own on port 8080."
VECTORS = {"The proxy": axis(0), "Idle": axis(1, near=axis(0), cosine=0.95)}


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def ultron(settings, clock):
    everyone_hot = settings.model_copy(update={"tiers": TierSettings(hot_percentile=100, cold_ttl_days=0)})
    with Ultron(everyone_hot, embedder=StubEmbedder(VECTORS), clock=clock) as opened:
        yield opened
        assert counters_off(opened) == []


@pytest.fixture
def tasks(ultron):
    """Two tasks of one session."""
    return segments_of(ultron, "first", "first", "further")


@pytest.fixture
def first(tasks):
    return tasks[0]


@pytest.fixture
def further(tasks):
    return tasks[1]


@pytest.fixture
def second(ultron):
    (segment,) = segments_of(ultron, "second")
    return segment


def found(ultron, query, **more):
    return [hit.record.content or hit.record.summary_l0 for hit in ultron.search_memories(query, **more)]


@pytest.mark.parametrize(
    ("trust", "proof", "status", "kept"),
    [
        ("agent", None, "claimed", "claimed"),
        ("agent", "claimed", "claimed", "claimed"),
        ("agent", "check", "active", "check"),
        ("agent", "result", "active", "result"),
        ("human", None, "active", "person"),
        ("tool", None, "active", "claimed"),
        ("upload", None, "active", "claimed"),
    ],
)
def test_the_bare_words_of_an_agent_stand_apart(ultron, first, trust, proof, status, kept):
    record = said(ultron, first, CLAIM, trust=trust, proof=proof, probability=0.75)
    assert (record.status, record.proof) == (status, kept)
    assert record.probability == (None if trust == "upload" else 0.75)


def test_a_search_finds_claims_only_where_it_asks_for_them_and_below_what_is_proven(ultron, first):
    said(ultron, first, CLAIM)
    said(ultron, first, PROVEN, proof="check")
    query = "proxy"
    assert found(ultron, query) == [PROVEN]
    assert found(ultron, query, claimed=True) == [PROVEN, CLAIM]
    assert found(ultron, query, status="claimed") == [CLAIM]
    assert found(ultron, query, claimed=True, proof=["claimed"]) == [CLAIM]
    assert found(ultron, query, claimed=True, proof=["check", "person"]) == [PROVEN]
    (hit,) = ultron.search_memories(query, status="claimed")
    assert hit.record.claimant == "The agent said: "
    with pytest.raises(UnknownNameError, match="check, claimed, person, repeated, result"):
        ultron.search_memories(query, proof=["sworn"])
    with pytest.raises(InputError, match="archived"):
        ultron.search_memories(query, claimed=True, status="archived")


def test_a_claim_is_never_handed_on_nor_made_a_skill(ultron, first):
    claims = [said(ultron, first, f"{CLAIM} Rule {n}.", memory_type="security") for n in range(3)]
    assert {record.status for record in claims} == {"claimed"}
    ultron.run_tier_rebalance()
    ultron.clusters.run_initial_clustering()
    assert {row["tier"] for row in rows(ultron, "SELECT tier FROM memory_usage")} == {"WARM"}
    assert rows(ultron, "SELECT 1 FROM cluster_members") == []

    def handed_on():
        blocks = ultron.recall(CLAIM, project="shop").block, ultron.wake_up("agent", "shop").block
        return [CLAIM in text for text in (*blocks, ultron.handbook("shop").text)]

    assert handed_on() == [False, False, False]
    ultron.confirm_memory(claims[0].id)
    ultron.run_tier_rebalance()
    assert handed_on() == [True, True, True] and again(ultron, claims[0]).tier == "HOT"
    assert len(rows(ultron, "SELECT 1 FROM cluster_members")) == 1


def test_a_check_that_bears_the_same_words_out_moves_them_up(ultron, first, further):
    claim = said(ultron, first, CLAIM)
    moved = said(ultron, further, CLAIM, trust="tool", proof="check", lesson="failure")
    assert (moved.id, moved.status, moved.trust, moved.proof) == (claim.id, "active", "agent", "check")
    assert rows(ultron, "SELECT 1 FROM cluster_members") != []


def test_near_words_that_a_check_bears_out_take_the_place_of_a_claim(ultron, first, second):
    claim = said(ultron, first, CLAIM)
    moved = said(ultron, second, NEAR, proof="check")
    assert (moved.id, moved.status, moved.content, moved.proof) == (claim.id, "active", NEAR, "check")
    merge = one(ultron, "SELECT id FROM merge_decisions WHERE decision = 'merge'")["id"]
    split = ultron.unmerge(merge)
    back = again(ultron, claim)
    assert (split.content, split.status) == (NEAR, "active")
    assert (back.content, back.status, back.proof) == (CLAIM, "claimed", "claimed")


def test_a_person_who_says_the_same_moves_it_up(ultron, first, further):
    claim = said(ultron, first, CLAIM)
    moved = said(ultron, further, CLAIM, trust="human")
    assert (moved.id, moved.status, moved.trust, moved.proof) == (claim.id, "active", "human", "person")


@pytest.mark.parametrize("words", [CLAIM, NEAR])
def test_another_session_that_says_the_same_moves_it_up_and_takes_it_down_when_it_goes(
    ultron, first, second, words
):
    claim = said(ultron, first, CLAIM)
    moved = said(ultron, second, words)
    assert (moved.id, moved.status, moved.proof) == (claim.id, "active", "repeated")
    ultron.runtime.database.run(lambda conn: retract_from_segment(ultron.runtime, conn, second[1], []))
    down = again(ultron, claim)
    assert (down.status, down.proof) == ("claimed", "claimed")


def test_in_a_large_store_a_claim_is_met_through_an_index_of_its_own(ultron, first, second, monkeypatch):
    monkeypatch.setattr(uploads, "EXACT_BELOW", 0)
    claim = said(ultron, first, CLAIM)
    assert said(ultron, second, NEAR).id == claim.id


def test_what_the_rules_say_anew_of_the_same_task_decides(ultron, first):
    claim = said(ultron, first, CLAIM)
    assert said(ultron, first, CLAIM, proof="check").status == "active"
    assert said(ultron, first, CLAIM).status == again(ultron, claim).status == "claimed"


def test_the_same_session_repeats_nothing(ultron, first, further):
    claim = said(ultron, first, CLAIM)
    told = said(ultron, further, CLAIM)
    assert (told.id, told.status) == (claim.id, "claimed")


def test_a_copy_of_a_session_repeats_nothing(ultron, first):
    claim = said(ultron, first, CLAIM)
    copied, _ = segments_of(ultron, "copy", "first", "further")
    told = said(ultron, copied, CLAIM)
    assert copied[0] != first[0] and (told.id, told.status) == (claim.id, "claimed")


def test_an_owner_who_confirms_moves_it_up_for_as_long_as_the_words_stand(ultron, first, further):
    claim = said(ultron, first, CLAIM)
    assert ultron.confirm_memory(claim.id).status == "active"
    assert found(ultron, "proxy idle connections", proof=["person"]) == [CLAIM]
    said(ultron, further, CLAIM)
    assert again(ultron, claim).status == "active"


def test_what_a_caller_uploads_or_rewords_stays_where_it_is(ultron, first):
    claim = said(ultron, first, CLAIM)
    reworded = ultron.update_memory(claim.id, content=NEAR, trust="agent")
    assert (reworded.status, reworded.trust) == ("active", "agent")
    second = said(ultron, first, PROVEN)
    assert second.status == "claimed"
    assert (ultron.upload_memory(PROVEN, agent_id="b").id, again(ultron, second).status) == (
        second.id,
        "active",
    )


def test_an_archived_claim_comes_back_to_its_shelf(ultron, first):
    claim = said(ultron, first, CLAIM)
    assert ultron.archive_memory(claim.id).status == "archived"
    assert found(ultron, "proxy idle connections", claimed=True) == []
    assert ultron.unarchive_memory(claim.id).status == "claimed"


def test_a_claim_that_nobody_repeats_is_archived_in_its_time(ultron, first, further, second, clock):
    old, repeated = said(ultron, first, CLAIM), said(ultron, first, PROVEN)
    clock.now = NOW + timedelta(days=60)
    assert said(ultron, further, PROVEN).status == "claimed"
    clock.now = NOW + timedelta(days=89)
    assert ultron.run_tier_rebalance().claims_archived == 0
    clock.now = NOW + timedelta(days=91)
    assert ultron.run_tier_rebalance().claims_archived == 1
    query = "SELECT status, archive_reason FROM memories WHERE id = %(id)s"
    assert one(ultron, query, id=old.id) == {"status": "archived", "archive_reason": "claimed_expired"}
    assert again(ultron, repeated).status == "claimed"
    assert (said(ultron, second, CLAIM).id, again(ultron, old).status) == (old.id, "active")


def test_with_no_days_claims_stay_for_good(settings, clock):
    never = settings.model_copy(update={"tiers": TierSettings(claimed_days=0)})
    with Ultron(never, embedder=StubEmbedder(), clock=clock) as ultron:
        (segment,) = segments_of(ultron, "first")
        claim = said(ultron, segment, CLAIM)
        clock.now = NOW + timedelta(days=9999)
        assert ultron.run_tier_rebalance().claims_archived == 0 and again(ultron, claim).status == "claimed"


def test_an_erased_session_takes_its_claims_and_what_it_bore_out(ultron, first, second):
    alone, shared = said(ultron, first, CLAIM), said(ultron, first, PROVEN)
    assert said(ultron, second, PROVEN).status == "active"
    ultron.erase_session("agent/first.jsonl")
    assert ultron.get_memory_details([alone.id]) == [] and tables_holding(ultron, "thirty seconds") == set()
    left = again(ultron, shared)
    assert (left.status, left.proof) == ("claimed", "claimed")


def test_the_shelf_is_part_of_the_digest(ultron, first):
    claim = said(ultron, first, CLAIM)
    before = content_digest(ultron.runtime.database)
    ultron.confirm_memory(claim.id)
    after = content_digest(ultron.runtime.database)
    assert before != after


def test_both_shelves_are_counted_and_listed(ultron, first):
    said(ultron, first, CLAIM)
    said(ultron, first, PROVEN, proof="check")
    assert ultron.get_memory_stats()["by_status"] == {"active": 1, "claimed": 1}
    assert [record.content for record in ultron.browse.memories(status="claimed").rows] == [CLAIM]
    assert [record.content for record in ultron.browse.memories(proof="check").rows] == [PROVEN]
