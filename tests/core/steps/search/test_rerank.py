"""A model may order the best memories found; without its answer the plain order stays and a note says why."""

import pytest

from tests.support.memories import StubEmbedder, StubLLM, axis, one
from ultron_core.client import Ultron
from ultron_core.errors import BudgetExceededError, ModelAnswerError, ModelUnavailableError
from ultron_core.testing import FakeLLM

TEXTS = ("Postgres port is 5432.", "Postgres socket lives in run.", "Postgres logs to stderr.")
QUERY = "Postgres socket port"


@pytest.fixture
def embedder():
    return StubEmbedder({"": axis(0)})


@pytest.fixture
def opened(settings, embedder):
    search = settings.search.model_copy(update={"intent_analysis": False})
    dedup = settings.dedup.model_copy(update={"similarity_threshold": 1.0, "soft_threshold": 1.0})

    def make(llm=None, **changed):
        own = search.model_copy(update=changed)
        return Ultron(settings.model_copy(update={"search": own, "dedup": dedup}), embedder=embedder, llm=llm)

    with make() as plain:
        for text in TEXTS:
            plain.upload_memory(text)
    return make


def summaries(hits):
    return [hit.record.summary_l0 for hit in hits]


def plain_order(ultron):
    return summaries(ultron.search_memories(QUERY, record_hits=False))


def test_it_is_off_unless_asked_for(opened):
    model = FakeLLM()
    with opened(model) as ultron:
        assert len(ultron.search_memories(QUERY)) == 3 and model.calls == []


def test_the_order_is_the_models_and_explain_shows_the_old_place(opened):
    model = FakeLLM({"search": [{"order": [3, 1]}]})
    with opened(model) as ultron:
        before = plain_order(ultron)
        hits = ultron.search_memories(QUERY, explain=True, rerank=True)
        assert summaries(hits) == [before[2], before[0], before[1]]
        assert [hit.explain["place_before"] for hit in hits] == [3, 1, 2]
        assert hits.notes == [] and model.count("search") == 1
        sent = model.calls[0].messages[1]["content"]
        assert QUERY in sent and all(text in sent for text in TEXTS)


def test_the_setting_turns_it_on_and_the_argument_off_again(opened):
    model = FakeLLM({"search": lambda _: {"order": [2]}})
    with opened(model, rerank=True) as ultron:
        before = summaries(ultron.search_memories(QUERY, rerank=False))
        assert summaries(ultron.search_memories(QUERY)) == [before[1], before[0], before[2]]
        assert model.count() == 1


def test_the_model_may_lift_what_is_below_the_limit_and_only_what_is_shown_counts_a_hit(opened):
    with opened(FakeLLM({"search": [{"order": [3]}]}), hits=1) as ultron:
        last = plain_order(ultron)[2]
        (hit,) = ultron.search_memories(QUERY, limit=1, rerank=True)
        assert hit.record.summary_l0 == last
        counted = one(ultron, "SELECT memory_id FROM memory_usage WHERE hit_count > 1")
        assert counted["memory_id"] == hit.record.id


def test_only_the_best_are_sent_and_the_others_follow(opened):
    model = FakeLLM({"search": [{"order": [2, 3]}]})
    with opened(model, rerank_candidates=2) as ultron:
        before = plain_order(ultron)
        assert summaries(ultron.search_memories(QUERY, rerank=True)) == [before[1], before[0], before[2]]
        assert before[2] not in model.calls[0].messages[1]["content"]


@pytest.mark.parametrize(
    "trouble",
    [
        ModelUnavailableError("down"),
        ModelAnswerError("no JSON in two tries"),
        BudgetExceededError("the budget of today is used up"),
        {"order": []},
        {"order": [77, -3]},
    ],
)
def test_a_model_that_gives_no_order_leaves_the_plain_one_and_a_note(opened, trouble):
    with opened(StubLLM(search=trouble)) as ultron:
        before = plain_order(ultron)
        hits = ultron.search_memories(QUERY, rerank=True, explain=True)
        assert summaries(hits) == before
        assert len(hits.notes) == 1 and hits.notes[0].startswith("plain order")
        assert all("place_before" not in hit.explain for hit in hits)


def test_without_a_model_a_note_says_so(opened):
    with opened() as ultron:
        hits = ultron.search_memories(QUERY, rerank=True)
        assert len(hits) == 3 and "no model" in hits.notes[0]


def test_one_memory_needs_no_order(opened):
    model = FakeLLM()
    with opened(model) as ultron:
        ultron.delete_memory(ultron.search_memories(QUERY)[0].record.id)
        ultron.delete_memory(ultron.search_memories(QUERY)[0].record.id)
        assert len(ultron.search_memories(QUERY, rerank=True)) == 1 and model.calls == []


def test_the_query_is_redacted_before_it_is_sent(opened):
    model = FakeLLM({"search": [{"order": [1]}]})
    with opened(model) as ultron:
        ultron.search_memories(f"{QUERY} for jane.roe@example.org", rerank=True)
        assert "jane.roe" not in model.calls[0].messages[1]["content"]


def test_no_transaction_is_open_while_the_model_is_asked(opened):
    seen = []

    def ask(_):
        with ultron.runtime.database.direct() as conn:
            query = (
                "SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'"
            )
            seen.append(conn.execute(query).fetchone()["open"])
        return {"order": [2, 1, 3]}

    with opened(FakeLLM({"search": ask})) as ultron:
        ultron.search_memories(QUERY, rerank=True)
    assert seen == [0]
