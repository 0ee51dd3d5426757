"""Stored clusters are merged and split with a reason, once; batches give what single memories give."""

from uuid import UUID

import numpy as np
import pytest

from tests.support.memories import StubEmbedder, StubLLM, axis, one, rows
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.steps.clusters.members import Joining, lock_clusters, place
from ultron_core.steps.clusters.read import cluster_report, get_cluster_changes

BASE = axis(0)
OTHER = axis(1, near=BASE, cosine=0.3)
#: two topics at a cosine of 0.3: a0..a4 and b0..b3
VECTORS = {f"a{i}": axis(2 + i, near=BASE, cosine=0.95) for i in range(5)} | {
    f"b{i}": axis(7 + i, near=OTHER, cosine=0.95) for i in range(4)
}


@pytest.fixture
def strict(settings):
    """Nothing is merged as a duplicate: only clusters are looked at here."""
    return settings.model_copy(
        update={"dedup": settings.dedup.model_copy(update={"similarity_threshold": 1.0})}
    )


@pytest.fixture
def ultron(strict):
    with Ultron(strict, embedder=StubEmbedder(VECTORS)) as opened:
        yield opened


def upload(ultron, *names):
    return {name: ultron.upload_memory(f"The script writes {name} files.").id for name in names}


def put_together(ultron, ids):
    """All of these into the first one's cluster, as an older rule or embedder may have left them."""
    target = one(ultron, "SELECT cluster_id FROM cluster_members WHERE memory_id = %(i)s", i=ids[0])[
        "cluster_id"
    ]
    with ultron.runtime.database.transaction() as conn:
        conn.execute("UPDATE cluster_members SET cluster_id = %(c)s WHERE memory_id = ANY(%(ids)s)",
                     {"c": target, "ids": ids})  # fmt: skip
        conn.execute("DELETE FROM clusters WHERE cluster_id <> %(c)s", {"c": target})
        conn.execute(
            "UPDATE clusters SET size = %(n)s, checked_size = NULL, centroid = (SELECT avg(exact) FROM memory_vectors)",
            {"n": len(ids)},
        )
    return target


def groups(ultron):
    found = rows(ultron, "SELECT array_agg(memory_id) AS ids FROM cluster_members GROUP BY cluster_id")
    return {frozenset(row["ids"]) for row in found}


def test_a_cluster_of_two_topics_is_split_and_says_why(ultron):
    ids = upload(ultron, *VECTORS)
    first = put_together(ultron, list(ids.values()))
    report = cluster_report(ultron.runtime)
    assert (report.merged, report.split) == (0, 1)
    halves = {frozenset(i for name, i in ids.items() if name[0] == letter) for letter in "ab"}
    assert groups(ultron) == halves
    (change,) = ultron.clusters.get_changes()
    assert (change.kind, change.cluster_id, change.size, change.other_size) == ("split", first, 5, 4)
    assert "below 0.70" in change.reason and change.cosine < 0.7
    for cluster in report.clusters:
        members = [VECTORS[name] for name, i in ids.items() if i in cluster.memory_ids]
        assert np.allclose(cluster.centroid, np.mean(members, axis=0), atol=1e-6)
        assert cluster.topic
    before = rows_written(ultron.runtime.database)
    again = cluster_report(ultron.runtime)
    assert (again.merged, again.split) == (0, 0) and rows_written(ultron.runtime.database) == before


def test_two_clusters_that_became_one_are_merged_into_the_one_with_a_skill(ultron):
    ids = upload(ultron, "a0", "a1", "a2", "a3")
    (cluster,) = cluster_report(ultron.runtime).clusters
    ultron.clusters.mark_crystallized(cluster.cluster_id, "write-files")
    # an older threshold had kept these two apart
    with ultron.runtime.database.transaction() as conn:
        lonely = conn.execute(
            "INSERT INTO clusters (cluster_id, account_id, model_id, centroid, size, created_at, updated_at)"
            " SELECT gen_random_uuid(), 'default', 'stub', exact, 1, now(), now() FROM memory_vectors"
            " WHERE memory_id = %(i)s RETURNING cluster_id", {"i": ids["a3"]}).fetchone()["cluster_id"]  # fmt: skip
        conn.execute("UPDATE cluster_members SET cluster_id = %(c)s WHERE memory_id = %(i)s",
                     {"c": lonely, "i": ids["a3"]})  # fmt: skip
        conn.execute("UPDATE clusters SET size = 3, crystallized_size = 3, centroid = (SELECT avg(exact) FROM"
                     " memory_vectors WHERE memory_id <> %(i)s) WHERE skill_slug IS NOT NULL",
                     {"i": ids["a3"]})  # fmt: skip
    report = cluster_report(ultron.runtime)
    assert (report.merged, report.split) == (1, 0)
    (kept,) = report.clusters
    assert (kept.cluster_id, kept.skill_slug, kept.size) == (cluster.cluster_id, "write-files", 4)
    (change,) = get_cluster_changes(ultron.runtime, lonely)
    assert (change.kind, change.other_id, change.other_size) == ("merge", lonely, 1)
    assert "at least 0.85" in change.reason


def test_a_batch_joins_as_one_after_another_would(ultron):
    ids = upload(ultron, *VECTORS)
    single = groups(ultron)
    with ultron.runtime.database.transaction() as conn:
        conn.execute("DELETE FROM clusters")
        lock_clusters(ultron.runtime, conn)
        batch = [Joining(i, VECTORS[name], f"{name} files") for name, i in ids.items()]
        joined = place(ultron.runtime, conn, batch[:4]) + place(ultron.runtime, conn, batch[4:])
        # members stay where they are, and their clusters keep the right mean
        assert place(ultron.runtime, conn, batch[:2]) == joined[:2]
    assert groups(ultron) == single
    for cluster in cluster_report(ultron.runtime).clusters:
        members = [VECTORS[name] for name, i in ids.items() if i in cluster.memory_ids]
        assert np.allclose(cluster.centroid, np.mean(members, axis=0), atol=1e-6)


def test_a_skill_whose_members_were_archived_is_due_after_three_more(ultron):
    ids = upload(ultron, "a0", "a1", "a2", "a3")
    (cluster,) = cluster_report(ultron.runtime).clusters
    ultron.clusters.mark_crystallized(cluster.cluster_id, "write-files")
    for name in ("a2", "a3"):
        ultron.delete_memory(ids[name])
    upload(ultron, "a2", "a3")
    assert ultron.clusters.get_clusters_ready_to_recrystallize() == []
    upload(ultron, "a4")
    (due,) = ultron.clusters.get_clusters_ready_to_recrystallize()
    assert (due.size, due.size_at_crystallization) == (5, 2)


def test_a_model_names_clusters_that_may_become_a_skill(strict):
    model = StubLLM(
        classify={"memory_type": "pattern"},
        summarize={"summary_l0": "files", "overview_l1": "files"},
        cluster={"topic": "Writing files for  bob@example.com"},
    )
    with Ultron(strict, embedder=StubEmbedder(VECTORS), llm=model) as ultron:
        upload(ultron, *VECTORS)
        cluster_report(ultron.runtime)
        named = rows(ultron, "SELECT size, topic, topic_by FROM clusters ORDER BY size DESC")
        assert [(r["size"], r["topic_by"]) for r in named] == [(5, "model"), (4, "words")]
        assert named[0]["topic"].startswith("Writing files for") and "bob@" not in named[0]["topic"]
        calls = model.calls.count("cluster")
        before = rows_written(ultron.runtime.database)
        cluster_report(ultron.runtime)
        assert (model.calls.count("cluster"), rows_written(ultron.runtime.database)) == (calls, before)
        model.down = True
        upload(ultron)
        assert isinstance(cluster_report(ultron.runtime).clusters[0].cluster_id, UUID)
