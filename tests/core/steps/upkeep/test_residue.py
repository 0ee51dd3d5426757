"""What is left of a word after it was taken out: nothing, but where the documentation says so."""

import pytest

from tests.support.memories import StubEmbedder, axis, rows, tables_holding
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.search.terms import lexical_terms, term_id
from ultron_core.steps.clusters.read import cluster_report
from ultron_core.steps.upkeep.backfill import backfill

WORD = "quetzalite"
WITH_WORD = f"The {WORD} build failed because wheel was missing."
OTHER = "The docker build failed because cargo was missing."
#: near enough for one cluster, not for one memory
NEAR = {WORD: axis(0), "cargo": axis(1, axis(0), 0.8)}


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder(NEAR)) as opened:
        yield opened


def counted(ultron):
    """Whether the word has a number among the word counts."""
    terms = [term_id(term) for term in lexical_terms(WORD)]
    query = "SELECT 1 FROM lexical_df WHERE scope = 'memory' AND term = ANY(%(terms)s)"
    return bool(rows(ultron, query, terms=terms))


def test_a_deleted_memory_leaves_its_word_nowhere(ultron):
    """Not in the topic of the cluster that it opened, nor as a count of zero."""
    memory = ultron.upload_memory(WITH_WORD, tags=[WORD])
    ultron.upload_memory(OTHER)
    cluster_report(ultron.runtime)
    ultron.search_memories(WORD)
    assert {"memories", "memory_contributions", "clusters"} <= tables_holding(ultron, WORD)
    assert len(rows(ultron, "SELECT 1 FROM clusters")) == 1 and counted(ultron)
    ultron.delete_memory(memory.id)
    assert tables_holding(ultron, WORD) == set() and not counted(ultron)
    assert rows(ultron, "SELECT topic FROM clusters")[0]["topic"]


def test_a_word_that_is_edited_out_stays_only_in_what_was_given(ultron):
    memory = ultron.upload_memory(WITH_WORD)
    ultron.upload_memory(WITH_WORD)
    ultron.upload_memory(OTHER)
    ultron.update_memory(memory.id, content="The cargo build of the image failed for want of wheel.")
    assert tables_holding(ultron, WORD) == {"memory_contributions", "memory_versions"} and not counted(ultron)
    assert all(not hit.explain["bm25"] for hit in ultron.search_memories(WORD, explain=True))
    ultron.delete_memory(memory.id)
    assert tables_holding(ultron, WORD) == set()


def test_a_deleted_memory_of_a_session_leaves_its_word_in_the_private_log_alone(ultron, tmp_path):
    ultron.ingest([write_log(tmp_path / "log.jsonl", solved("alpha", WORD))], "agent", process=True)
    for row in rows(ultron, "SELECT id FROM memories"):
        ultron.delete_memory(row["id"])
    assert "messages" in tables_holding(ultron, WORD)
    assert tables_holding(ultron, WORD) <= {"messages", "task_segments"}
    assert not counted(ultron)
    backfill(ultron.runtime)
    ultron.process_pending()
    assert rows(ultron, "SELECT 1 FROM memories") == []
