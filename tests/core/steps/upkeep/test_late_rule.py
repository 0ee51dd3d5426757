"""What gets its vector late is compared by the rule of uploads, with the same settings."""

import pytest

from tests.support.memories import LockWatch, StubEmbedder, StubLLM, axis, one, rows
from ultron_core.client import Ultron
from ultron_core.steps.upkeep.backfill import backfill

PORT, OTHER_PORT = "Postgres listens on port 5432 here.", "Postgres listens on port 5433 here."
MISSING = "The build failed because wheel was missing in the docker image."
AGAIN = "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt."
NEEDS = "The build failed in docker because it needs wheel."
NEAR = {
    "Postgres": axis(0),
    "The build failed because": axis(1),
    "Building failed": axis(2, near=axis(1), cosine=0.95),
    "needs wheel": axis(3, near=axis(1), cosine=0.8),
}


@pytest.fixture
def opened(settings):
    def make(llm=None, embedder=None, **dedup):
        own = settings.dedup.model_copy(update=dedup)
        chosen = settings.model_copy(update={"dedup": own})
        return Ultron(chosen, embedder=embedder or StubEmbedder(NEAR), llm=llm)

    return make


def store_late(ultron, *texts):
    ultron.runtime.embedder.down = True
    records = [ultron.upload_memory(text) for text in texts]
    ultron.runtime.embedder.down = False
    return records


def links(ultron):
    return [
        tuple(row.values()) for row in rows(ultron, "SELECT from_id, to_id, kind, reason FROM memory_links")
    ]


def test_without_the_guard_the_cosine_alone_decides(opened):
    """ULTRON_DEDUP_GUARD=0: two ports are one memory, late as at once."""
    with opened(guard=False) as ultron:
        first = ultron.upload_memory(PORT)
        store_late(ultron, OTHER_PORT)
        backfill(ultron.runtime)
        assert [row["id"] for row in rows(ultron, "SELECT id FROM memories")] == [first.id]


def test_with_the_guard_two_ports_stay_apart_and_are_linked(opened):
    with opened() as ultron:
        first = ultron.upload_memory(PORT)
        (late,) = store_late(ultron, OTHER_PORT)
        backfill(ultron.runtime)
        assert links(ultron) == [(late.id, first.id, "similar_to", "diverging_number")]


def test_a_late_merge_leaves_the_body_when_bodies_may_not_grow(opened):
    """ULTRON_DEDUP_EXTEND_BODY=0."""
    with opened(extend_body=False) as ultron:
        first = ultron.upload_memory(MISSING)
        store_late(ultron, AGAIN)
        backfill(ultron.runtime)
        assert one(ultron, "SELECT id, content FROM memories") == {"id": first.id, "content": MISSING}
        assert rows(ultron, "SELECT 1 FROM memory_contributions WHERE pending_merge") == []


def test_late_memories_in_the_soft_band_are_linked_to_stored_ones_and_to_each_other(opened):
    with opened() as ultron:
        first = ultron.upload_memory(MISSING)
        near, *ports = store_late(ultron, NEEDS, PORT, OTHER_PORT)
        assert backfill(ultron.runtime) == 3
        assert set(links(ultron)) == {
            (near.id, first.id, "similar_to", "similar"),
            (ports[1].id, ports[0].id, "similar_to", "diverging_number"),
        }


def test_a_late_memory_that_is_older_than_its_neighbour_is_what_the_link_points_to(opened):
    """It was stored first and corrected since: the correction supersedes it, though its vector is the later one."""
    correction = "Postgres now listens on port 5433 here, no longer 5432."
    with opened() as ultron:
        (old,) = store_late(ultron, PORT)
        new = ultron.upload_memory(correction)
        backfill(ultron.runtime)
        assert [link[:3] for link in links(ultron)] == [(new.id, old.id, "supersedes")]


def test_a_model_is_asked_about_late_memories_while_no_lock_is_held(opened):
    held = []
    watching = LockWatch(NEAR)
    model = StubLLM(
        summarize={"summary_l0": "Wheel.", "overview_l1": "Wheel."},
        classify={"memory_type": "error"},
        merge={"same": True, "content": MISSING + " " + NEEDS, "context": "", "resolution": ""},
    )
    with opened(llm=model, embedder=watching) as ultron:
        first = ultron.upload_memory(MISSING)
        store_late(ultron, NEEDS)
        watching.watch(ultron)
        complete = model.complete

        def noting(messages, schema, *, stage=""):
            watching.embed([MISSING])
            held.append(watching.held[-1])
            return complete(messages, schema, stage=stage)

        model.complete = noting
        backfill(ultron.runtime)
        assert [row["id"] for row in rows(ultron, "SELECT id FROM memories")] == [first.id]
        decision = one(ultron, "SELECT reason, decided_by FROM merge_decisions WHERE decision = 'merge'")
        assert decision == {"reason": "confirmed_found_later", "decided_by": "model"}
        assert held and not any(held)


def test_a_memory_split_off_is_summarised_within_the_limits_of_the_settings(settings):
    extract = settings.extract.model_copy(update={"l0_max_tokens": 8, "l1_max_tokens": 16})
    chosen = settings.model_copy(update={"extract": extract})
    with Ultron(chosen, embedder=StubEmbedder(NEAR)) as ultron:
        ultron.upload_memory(MISSING)
        ultron.upload_memory(AGAIN)
        split = ultron.unmerge(one(ultron, "SELECT id FROM merge_decisions WHERE decision = 'merge'")["id"])
        other = settings.store.model_copy(update={"account_id": "other"})
        with Ultron(chosen.model_copy(update={"store": other}), embedder=StubEmbedder(NEAR)) as apart:
            given = apart.upload_memory(AGAIN)
        assert (split.summary_l0, split.overview_l1) == (given.summary_l0, given.overview_l1)
        assert len(split.summary_l0) < len(AGAIN)
