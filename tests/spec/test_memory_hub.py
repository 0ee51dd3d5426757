"""Statements of the memory specification that no other test states as such. docs/conformance.md lists all of them."""

from uuid import UUID

import numpy as np
import pytest

from tests.support.memories import DIMENSION, StubEmbedder, axis
from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.redaction.patterns import redact_patterns
from ultron_core.settings import ClusterSettings, DedupSettings, LLMSettings, SearchSettings

#: half of four axes: its cosine with any one of them is exactly 0.5, in floats of any width
HALF = np.array([0.5] * 4 + [0.0] * (DIMENSION - 4), dtype=np.float32)
CATS, DOGS = "The script counts cats.", "The script counts dogs."


def two_at_one_half(settings, **dedup):
    """Ids of two memories whose cosine is exactly one half; the cosine alone decides."""
    rule = DedupSettings(guard=False, soft_threshold=0.0, **dedup)
    vectors = {"cats": axis(0), "dogs": HALF}
    with Ultron(settings.model_copy(update={"dedup": rule}), embedder=StubEmbedder(vectors)) as ultron:
        return [ultron.upload_memory(text).id for text in (CATS, DOGS)]


def test_a_cosine_equal_to_the_merge_threshold_is_not_a_duplicate(settings):
    assert len(set(two_at_one_half(settings, similarity_threshold=0.5))) == 2


def test_a_cosine_greater_than_the_merge_threshold_is_a_duplicate(settings):
    assert len(set(two_at_one_half(settings, similarity_threshold=0.499999))) == 1


def test_a_cosine_equal_to_the_cluster_threshold_joins_the_cluster(settings):
    joining = settings.model_copy(
        update={
            "dedup": DedupSettings(similarity_threshold=0.9),
            "clusters": ClusterSettings(similarity_threshold=0.5),
        }
    )
    with Ultron(joining, embedder=StubEmbedder({"cats": axis(0), "dogs": HALF})) as ultron:
        first, second = ultron.upload_memory(CATS), ultron.upload_memory(DOGS)
        cluster = ultron.clusters.assign_memory_to_cluster(first.id)
        assert set(cluster.memory_ids) == {first.id, second.id}


def test_details_count_two_hits_a_search_what_is_set_and_a_merge_one(settings):
    """The specification counts one hit a search: `search_hits=1`; the default is a departure (docs/memory-store.md)."""
    counting = settings.model_copy(update={"search": SearchSettings(hits=1)})
    with Ultron(counting) as ultron:
        memory = ultron.upload_memory("pip install fails in docker: no network", resolution="set a proxy")

        def hits():
            (record,) = ultron.get_memory_details([memory.id])
            return record.hit_count

        first = hits()
        assert hits() == first + 2
        ultron.search_memories("pip install docker network")
        assert hits() == first + 2 + 2 + 1
        ultron.upload_memory("pip install fails in docker: no network", resolution="set a proxy")
        assert hits() == first + 2 + 2 + 1 + 2 + 1


def test_a_new_memory_is_warm_and_active(settings):
    with Ultron(settings) as ultron:
        record = ultron.upload_memory("git push failed: no upstream branch")
        assert (record.tier, record.status) == ("WARM", "active")


def test_hot_memories_are_available_to_all_agents_also_when_one_agent_s_are_asked_for(settings):
    with Ultron(settings) as ultron:
        ours = ultron.upload_memory("git push failed: no upstream branch", agent_id="one")
        assert ultron.search_memories("git push upstream", agent_id="two", record_hits=False) == []
        ultron.run_tier_rebalance()
        (hit,) = ultron.search_memories("git push upstream", agent_id="two", record_hits=False)
        assert (hit.record.id, hit.record.tier) == (ours.id, "HOT")


def test_semantic_search_supports_l0_and_l1_only(settings):
    from ultron_core.errors import InputError

    with Ultron(settings) as ultron, pytest.raises(InputError):
        ultron.search_memories("anything", detail_level="full")


def test_ingest_text_writes_no_session_and_no_segment(settings):
    with Ultron(settings) as ultron:
        ultron.ingest_text("Error: build failed. Cause: no cache. Fix: run make clean first.")
        stats = ultron.trajectory_service.get_trajectory_stats()
        assert (stats["sessions"]["total"], stats["segments"]["total"]) == (0, 0)


def test_a_file_is_taken_as_given_also_when_it_is_a_link_but_links_in_folders_are_skipped(settings, tmp_path):
    log = write_log(tmp_path / "logs" / "log.jsonl", task("alpha"))
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.jsonl"
    link.symlink_to(log)
    with Ultron(settings) as ultron:
        assert ultron.ingest([tmp_path / "links"], "agent")["total_files"] == 0
        assert ultron.ingest([link], "agent")["successful"] == 1


def test_every_jsonl_and_every_text_has_one_row_in_the_archive(settings, tmp_path):
    write_log(tmp_path / "one.jsonl", task("alpha"))
    write_log(tmp_path / "two.jsonl", task("beta"))
    with Ultron(settings) as ultron:
        ultron.ingest([tmp_path], "agent")
        ultron.ingest_text("Error: build failed. Cause: no cache. Fix: run make clean first.")
        with ultron.runtime.database.transaction() as conn:
            rows = conn.execute(
                "SELECT kind, count(*) AS n FROM raw_uploads GROUP BY 1 ORDER BY 1"
            ).fetchall()
    assert rows == [{"kind": "ingest_file", "n": 2}, {"kind": "ingest_text", "n": 1}]


def test_total_memories_counts_memories_and_new_segments_counts_segments(settings, tmp_path):
    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
    with Ultron(settings) as ultron:
        read = ultron.ingest([log], "agent")
        assert (read["total_files"], read["new_segments"], read["total_memories"]) == (1, 0, 0)
        done = ultron.process_pending()
        assert (done["new_segments"], done["memories"]) == (1, 1)


def test_ids_are_uuids_in_records_and_may_be_given_as_text(settings):
    with Ultron(settings) as ultron:
        record = ultron.upload_memory("git push failed: no upstream branch")
        cluster = ultron.clusters.assign_memory_to_cluster(str(record.id))
        assert isinstance(cluster.cluster_id, UUID) and cluster.memory_ids == [record.id]
        assert (cluster.skill_slug, cluster.superseded_slugs) == (None, [])
        assert len(cluster.centroid) == ultron.runtime.embedder.dimension
        (member,) = ultron.clusters.get_cluster_memories(str(cluster.cluster_id))
        assert member.id == record.id


def test_the_default_model_is_qwen_flash():
    assert LLMSettings().model_name == "qwen3.6-flash"


@pytest.mark.parametrize(
    ("secret", "tag"),
    [
        ("sk-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d", "<LLM_API_KEY>"),
        ("ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5", "<GITHUB_TOKEN>"),
        ("AKIA" + "J3Q7ZKXW2M5RT6YB", "<AWS_ACCESS_KEY>"),
        ("16907998-e101-473c-8fff-2a72a8718e8e", "<UUID>"),
        ("13857124680", "<PHONE_NUMBER>"),
    ],
)
def test_each_kind_of_secret_has_its_tag(secret, tag):
    assert redact_patterns(f"use {secret} for it").text == f"use {tag} for it"


@pytest.mark.parametrize("tier", ["HOT", "WARM", "COLD"])
def test_near_duplicates_are_looked_for_in_every_tier(settings, tier):
    with Ultron(settings) as ultron:
        first = ultron.upload_memory("git push failed: no upstream branch")
        with ultron.runtime.database.transaction() as conn:
            conn.execute("UPDATE memory_usage SET tier = %(tier)s", {"tier": tier})
        assert ultron.upload_memory("git push failed: no upstream branch.").id == first.id


def test_changed_tags_alone_leave_body_and_summaries(settings):
    with Ultron(settings) as ultron:
        first = ultron.upload_memory("git push failed: no upstream branch", tags=["git"])
        again = ultron.upload_memory("git push failed: no upstream branch", tags=["branch"])
        assert set(again.tags) == {"git", "branch"}
        assert (again.content, again.summary_l0, again.overview_l1) == (
            first.content,
            first.summary_l0,
            first.overview_l1,
        )
