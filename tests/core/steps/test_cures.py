"""How far a cure is borne out is a field of the memory: shown by whoever shows it, and never a word in its text."""

import pytest

from tests.support.claims import again, said, segments_of
from tests.support.memories import StubEmbedder, axis, rows
from ultron_core.client import Ultron
from ultron_core.serve.told import told_hits, told_memories, told_memory

FAILS = "npm ci fails on Node 16 with an unsupported engine."
ADVICE = "Use Node 18."
NEAR = "npm ci fails on Node 16 since the engine is unsupported there."
CHINESE, CHINESE_ADVICE = "构建服务器上安装依赖时总是超时。", "换成内网镜像。"
VECTORS = {"npm ci fails on Node 16 with": axis(0), "npm ci fails on Node 16 since": axis(0), "构建": axis(2)}


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder(VECTORS)) as opened:
        yield opened


@pytest.fixture
def segment(ultron):
    (own,) = segments_of(ultron, "first")
    return own


def doubtful(ultron, segment, content=FAILS, advice=ADVICE, **more):
    given = {"resolution": advice, "cure": "claimed", "proof": "result", "memory_type": "error"}
    return said(ultron, segment, content, **{**given, **more})


def test_the_words_are_stored_as_they_are_and_the_doubt_stands_beside_them(ultron, segment):
    record = doubtful(ultron, segment)
    assert (record.resolution, record.cure, record.tags) == (ADVICE, "claimed", [])
    assert record.doubt == " (cure not verified)"
    texts = rows(ultron, "SELECT concat(content, resolution, summary_l0, overview_l1) AS said FROM memories")
    assert [text for text in texts if "verified" in text["said"]] == []


def test_the_doubt_is_told_in_the_language_of_the_cure(ultron, segment):
    record = doubtful(ultron, segment, CHINESE, CHINESE_ADVICE)
    assert told_memory(record).endswith("（解决办法未经验证）")


def test_whoever_shows_a_memory_shows_its_doubt(ultron, segment):
    record = doubtful(ultron, segment)
    assert "engine" in told_memory(record) and told_memory(record).endswith("(cure not verified)")
    assert "resolution (cure not verified): Use Node 18." in told_memories([(record, [])], 500)
    hits = ultron.search_memories("npm engine")
    assert "(cure not verified)" in told_hits(hits, 500)
    assert "cure not verified" in ultron.recall("npm ci fails on Node 16").block


def test_a_proven_cure_has_no_doubt_and_stands_in_the_handbook_alone(ultron, segment):
    proven = doubtful(ultron, segment, CHINESE, CHINESE_ADVICE, cure="verified", proof="check")
    doubtful(ultron, segment, proof="check")
    assert proven.doubt == ""
    assert [line.pointer for line in ultron.handbook("shop").lines] == [str(proven.id)[:8]]


def test_what_a_caller_hands_in_says_nothing_of_its_cure(ultron):
    record = ultron.upload_memory(FAILS, resolution=ADVICE)
    assert (record.cure, record.doubt) == ("none", "")


def test_the_same_words_with_a_proof_take_the_doubt_away(ultron, segment):
    record = doubtful(ultron, segment)
    (other,) = segments_of(ultron, "second")
    assert doubtful(ultron, other, cure="verified").id == record.id
    assert again(ultron, record).cure == "verified"


def test_a_merge_puts_no_doubtful_cure_behind_a_proven_one(ultron, segment):
    proven = doubtful(ultron, segment, advice="Take a newer engine.", cure="verified")
    (other,) = segments_of(ultron, "second")
    merged = doubtful(ultron, other, NEAR, "Remove the lock file of the old installation.")
    assert merged.id == proven.id
    assert (merged.resolution.splitlines()[0], merged.cure) == ("Take a newer engine.", "claimed")
    (decision,) = [d for d in ultron.get_memory_history(proven.id)["decisions"] if d["decision"] == "merge"]
    back = ultron.unmerge(decision["id"])
    assert (back.cure, again(ultron, proven).cure) == ("claimed", "verified")


@pytest.mark.parametrize(
    ("edit", "cure"),
    [
        ({"content": "npm ci fails."}, "claimed"),
        ({"resolution": "Use Node 20."}, "none"),
        ({"resolution": "Use Node 20.", "trust": "agent"}, "claimed"),
        ({"resolution": ""}, "none"),
    ],
    ids=["other words", "the owner's cure", "an agent's cure", "no cure"],
)
def test_an_edit_changes_what_is_known_of_the_cure_only_with_its_words(ultron, segment, edit, cure):
    record = doubtful(ultron, segment)
    assert ultron.update_memory(record.id, **edit).cure == cure
    (before,) = ultron.get_memory_history(record.id)["versions"]
    assert before["cure"] == "claimed"


def test_the_owner_s_word_takes_the_doubt_away(ultron, segment):
    record = doubtful(ultron, segment)
    assert ultron.judge_memory(record.id, "useful").doubt == ""
