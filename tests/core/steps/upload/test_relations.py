"""Memories that are near but not the same: corrected, denied, alike, or the same after all by a model's word."""

import pytest

from tests.support.memories import StubEmbedder, StubLLM, axis, one, rows
from ultron_core.client import Ultron

OLD = "Postgres listens on port 5432 on the build host."
NEW = "Postgres now listens on port 5433 on the build host, no longer 5432."
ZH_OLD = "数据库监听 5432 端口。"
ZH_NEW = "数据库现在监听 5433 端口，不再使用 5432。"
SOFT = {"wheel was missing": axis(0), "needs wheel": axis(1, near=axis(0), cosine=0.8)}
MISSING = "The build failed because wheel was missing in the docker image."
NEEDS = "The build failed in docker because it needs wheel."


@pytest.fixture
def ultron(settings):
    vectors = {"Postgres": axis(0), "数据库": axis(1), "cache": axis(2), "缓存": axis(3)}
    beside = {
        "Debian": axis(4, near=axis(0), cosine=0.3),
        "监控": axis(5, near=axis(1), cosine=0.3),
    }
    same = StubEmbedder({**vectors, **beside})
    with Ultron(settings, embedder=same) as opened:
        yield opened


def links(ultron):
    query = "SELECT from_id, to_id, kind FROM memory_links ORDER BY created_at"
    return [(row["from_id"], row["to_id"], row["kind"]) for row in rows(ultron, query)]


CORRECTIONS = [
    (
        OLD,
        NEW,
        "which port does Postgres use on the build host",
        "The build host runs Debian and is backed up at night.",
    ),
    (ZH_OLD, ZH_NEW, "数据库监听哪个端口", "每台主机的监控端口写在表里。"),
]


def corrected(ultron, old, new, query):
    """The two uploads and what a search finds of them."""
    first, second = ultron.upload_memory(old), ultron.upload_memory(new)
    assert links(ultron) == [(second.id, first.id, "supersedes")]
    found = ultron.search_memories(query, explain=True)
    return first, second, [hit for hit in found if hit.record.id in {first.id, second.id}]


@pytest.mark.parametrize(("old", "new", "query", "beside"), CORRECTIONS)
def test_a_correction_supersedes_and_is_found_before_what_it_corrects(ultron, old, new, query, beside):
    ultron.upload_memory(beside)
    first, second, hits = corrected(ultron, old, new, query)
    assert [(hit.record.id, hit.explain["superseded"]) for hit in hits] == [(second.id, 0.0), (first.id, 1.0)]
    assert hits[0].score > hits[1].score > 0


@pytest.mark.parametrize(("old", "new", "query", "beside"), CORRECTIONS)
def test_a_correction_comes_first_when_nothing_else_is_found(ultron, old, new, query, beside):
    _, second, hits = corrected(ultron, old, new, query)
    assert hits[0].record.id == second.id


def test_a_correction_counts_within_one_batch(ultron):
    first, second = ultron.upload_memories([{"content": OLD}, {"content": NEW}])
    assert links(ultron) == [(second.id, first.id, "supersedes")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The cache is enabled in staging.", "The cache is disabled in staging."),
        ("测试环境启用缓存。", "测试环境禁用缓存。"),
    ],
)
def test_opposites_contradict_and_neither_is_ranked_down(ultron, old, new):
    first, second = ultron.upload_memory(old), ultron.upload_memory(new)
    assert links(ultron) == [(second.id, first.id, "contradicts")]
    hits = ultron.search_memories(new, explain=True)
    assert {hit.record.id for hit in hits} == {first.id, second.id}
    assert [hit.explain["superseded"] for hit in hits] == [0.0, 0.0]


def test_two_ports_without_a_word_of_change_are_merely_similar(ultron):
    first = ultron.upload_memory(OLD)
    second = ultron.upload_memory("Postgres listens on port 5433 on the build host.")
    assert links(ultron) == [(second.id, first.id, "similar_to")]


# --- between the soft and the merge threshold a model decides ----------------------------------------------


@pytest.fixture
def model():
    return StubLLM(
        classify={"memory_type": "error"},
        summarize={"summary_l0": "Wheel is missing.", "overview_l1": "Install wheel."},
        merge={"same": True, "content": MISSING + " " + NEEDS, "context": "", "resolution": ""},
    )


def uploaded(settings, model):
    """(number of memories, decision of the second upload, links) after two uploads in the soft band."""
    with Ultron(settings, embedder=StubEmbedder(SOFT), llm=model) as ultron:
        ids = {ultron.upload_memory(text).id for text in (MISSING, NEEDS)}
        decision = one(ultron, "SELECT * FROM merge_decisions ORDER BY created_at DESC LIMIT 1")
        assert decision["score"] == pytest.approx(0.8, abs=1e-5)
        return len(ids), decision, [kind for _, _, kind in links(ultron)]


def test_what_a_model_confirms_is_merged(settings, model):
    count, decision, linked = uploaded(settings, model)
    assert (count, linked) == (1, [])
    assert (decision["decision"], decision["reason"], decision["decided_by"]) == (
        "merge",
        "confirmed",
        "model",
    )


def test_what_a_model_denies_is_linked(settings, model):
    model.answers["merge"] = {"same": False, "content": MISSING}
    count, decision, linked = uploaded(settings, model)
    assert (count, linked, decision["decision"]) == (2, ["similar_to"], "insert")
    assert decision["decided_by"] == "rules"


def test_while_the_model_is_down_or_absent_it_is_linked(settings, model):
    model.down = True
    assert uploaded(settings, model)[0::2] == (2, ["similar_to"])


def test_without_a_model_it_is_linked(settings):
    assert uploaded(settings, None)[0::2] == (2, ["similar_to"])


def test_a_model_is_not_asked_about_what_diverges(settings, model):
    near = StubEmbedder({"5432": axis(0), "5433": axis(1, near=axis(0), cosine=0.8)})
    with Ultron(settings, embedder=near, llm=model) as ultron:
        for port in (5432, 5433):
            ultron.upload_memory(f"The build failed: Postgres listens on port {port}.")
        assert "merge" not in model.calls
        assert [kind for _, _, kind in links(ultron)] == ["similar_to"]
