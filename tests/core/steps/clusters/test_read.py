"""Clusters follow their memories: joined at upload, left on archive, moved by a change, rebuilt in bulk."""

from uuid import uuid4

import numpy as np
import pytest

from tests.support.memories import StubEmbedder, axis, one, rows
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.errors import InputError, NotFoundError
from ultron_core.settings import ClusterSettings
from ultron_core.steps.clusters.read import cluster_report

BASE = axis(0)
VECTORS = {
    "red": BASE,
    "blue": axis(1, near=BASE, cosine=0.8),
    "green": axis(2, near=BASE, cosine=0.5),
    "black": axis(3),
}


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder(VECTORS)) as opened:
        yield opened


def upload(ultron, *colours, tag="t"):
    return [ultron.upload_memory(f"The script paints {colour} dots.", tags=[tag]).id for colour in colours]


def groups(ultron):
    found = rows(ultron, "SELECT cluster_id, array_agg(memory_id ORDER BY memory_id) AS ids FROM cluster_members"
                         " GROUP BY 1")  # fmt: skip
    return {frozenset(row["ids"]) for row in found}


def test_a_memory_joins_the_nearest_cluster_from_the_threshold_on(ultron):
    red, blue, green, black = upload(ultron, "red", "blue", "green", "black")
    assert groups(ultron) == {frozenset({red, blue}), frozenset({green}), frozenset({black})}
    cluster = ultron.clusters.assign_memory_to_cluster(blue)
    assert set(cluster.memory_ids) == {red, blue} and cluster.size == 2
    mean = (VECTORS["red"] + VECTORS["blue"]) / 2
    assert np.allclose(cluster.centroid, mean, atol=1e-6)
    assert {m.id for m in ultron.clusters.get_cluster_memories(cluster.cluster_id)} == {red, blue}


def test_the_threshold_of_the_settings_wins(settings):
    loose = settings.model_copy(update={"clusters": ClusterSettings(similarity_threshold=0.4)})
    with Ultron(loose, embedder=StubEmbedder(VECTORS)) as ultron:
        red, blue, green = upload(ultron, "red", "blue", "green")
        assert groups(ultron) == {frozenset({red, blue, green})}


def test_archived_members_leave_and_the_centroid_follows(ultron):
    (red,) = upload(ultron, "red", tag="old")
    (blue,) = upload(ultron, "blue")
    ultron.archive_memories_by_tag("old")
    cluster = ultron.clusters.assign_memory_to_cluster(blue)
    assert cluster.memory_ids == [blue] and np.allclose(cluster.centroid, VECTORS["blue"], atol=1e-6)
    with pytest.raises(InputError, match="archived"):
        ultron.clusters.assign_memory_to_cluster(red)
    ultron.archive_memories_by_tag("t")
    assert rows(ultron, "SELECT 1 FROM clusters") == []


def test_who_leaves_a_large_cluster_is_taken_out_of_its_mean(settings):
    near = {f"n{i}": axis(1 + i, near=BASE, cosine=0.9) for i in range(6)}
    with Ultron(settings, embedder=StubEmbedder(near)) as ultron:
        ids = upload(ultron, *near)
        ultron.delete_memory(ids[2])
        cluster = ultron.clusters.assign_memory_to_cluster(ids[0])
        left = [vector for name, vector in near.items() if name != "n2"]
        assert cluster.size == 5 and cluster.size_at_crystallization is None
        assert np.allclose(cluster.centroid, np.mean(left, axis=0), atol=1e-6)


def test_a_deleted_member_is_forgotten_by_the_centroid(ultron):
    red, blue = upload(ultron, "red", "blue")
    ultron.delete_memory(red)
    assert np.allclose(ultron.clusters.assign_memory_to_cluster(blue).centroid, VECTORS["blue"], atol=1e-6)


def test_a_changed_body_moves_the_centroid(ultron):
    red, _blue = upload(ultron, "red", "blue")
    ultron.update_memory(red, content="The script paints blue dots twice.")
    assert np.allclose(ultron.clusters.assign_memory_to_cluster(red).centroid, VECTORS["blue"], atol=1e-6)


def test_clustering_anew_depends_on_words_alone_and_settles(settings):
    seen = []
    for order in (("red", "blue", "green", "black"), ("black", "green", "blue", "red")):
        with Ultron(settings, embedder=StubEmbedder(VECTORS)) as ultron:
            with ultron.runtime.database.transaction() as conn:
                conn.execute("DELETE FROM memories")
                conn.execute("DELETE FROM clusters")
            upload(ultron, *order)
            result = ultron.clusters.run_initial_clustering()
            words = {r["id"]: r["content"] for r in rows(ultron, "SELECT id, content FROM memories")}
            seen.append(({frozenset(words[i] for i in group) for group in groups(ultron)}, result))
            before = rows_written(ultron.runtime.database)
            assert ultron.clusters.run_initial_clustering() == result
            assert rows_written(ultron.runtime.database) == before
    assert seen[0] == seen[1] and seen[0][1]["memories"] == 4


def test_ready_at_five_members_and_again_at_three_more(settings):
    near = {f"n{i}": axis(1 + i, near=BASE, cosine=0.92) for i in range(9)}
    strict = settings.model_copy(
        update={"dedup": settings.dedup.model_copy(update={"similarity_threshold": 1.0})}
    )
    with Ultron(strict, embedder=StubEmbedder(near)) as ultron:
        service = ultron.clusters

        def add(*numbers):
            for number in numbers:
                ultron.upload_memory(f"The script writes n{number} files.")

        add(0, 1, 2, 3)
        assert service.get_clusters_ready_to_crystallize() == []
        add(4)
        (ready,) = service.get_clusters_ready_to_crystallize()
        assert ready.size == 5 and service.get_clusters_ready_to_recrystallize() == []
        service.mark_crystallized(ready.cluster_id, "write-files")
        assert service.get_clusters_ready_to_crystallize() == []
        add(5, 6)
        assert service.get_clusters_ready_to_recrystallize() == []
        add(7)
        (again,) = service.get_clusters_ready_to_recrystallize()
        assert (again.size, again.size_at_crystallization, again.skill_slug) == (8, 5, "write-files")
        service.mark_crystallized(again.cluster_id, "write-files-2")
        assert service.get_clusters_ready_to_recrystallize() == []
        (kept,) = [c for c in cluster_report(ultron.runtime).clusters if c.skill_slug]
        assert (kept.skill_slug, kept.superseded_slugs) == ("write-files-2", ["write-files"])
        # rebuilding clusters keeps a cluster that has a skill, with its members
        service.run_initial_clustering()
        after = one(ultron, "SELECT cluster_id, size FROM clusters")
        assert after == {"cluster_id": kept.cluster_id, "size": 8}


def test_the_report_names_clusters_by_their_words_and_writes_nothing_twice(ultron):
    upload(ultron, "red", "blue", "black")
    report = cluster_report(ultron.runtime)
    assert report.memories == 3 and report.newly_assigned == 0 and len(report.clusters) == 2
    assert report.vectors.shape == (3, 16) and sorted(report.labels) == [0, 0, 1]
    assert "black" in report.clusters[1].topic
    before = rows_written(ultron.runtime.database)
    cluster_report(ultron.runtime)
    assert rows_written(ultron.runtime.database) == before


def test_an_empty_store_has_no_clusters(ultron):
    assert ultron.clusters.run_initial_clustering() == {"clusters": 0, "memories": 0}
    assert cluster_report(ultron.runtime).clusters == ()


def test_unknown_ids_are_refused(ultron):
    service = ultron.clusters
    for call in (
        lambda: service.get_cluster_memories(uuid4()),
        lambda: service.mark_crystallized(uuid4(), "slug"),
        lambda: service.assign_memory_to_cluster(uuid4()),
    ):
        with pytest.raises(NotFoundError):
            call()
    for call in (
        lambda: service.get_cluster_memories("nonsense"),
        lambda: service.mark_crystallized("nonsense", "slug"),
        lambda: service.assign_memory_to_cluster("nonsense"),
    ):
        with pytest.raises(InputError, match="not an id"):
            call()
