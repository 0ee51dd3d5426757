"""Each sampled check is silent on a sound store, and speaks when what it looks for is brought about."""

import pytest

from tests.support.worlds import rows_written, solved, write_log
from ultron_core.client import Ultron
from ultron_core.steps.audit import samples
from ultron_core.steps.audit.totals import totals

FACTS = [
    "The nightly export of the billing service needs the flag --no-lock on Postgres replicas.",
    "Docker builds of the gateway fail behind the proxy unless pip gets a trusted host.",
    "The mobile team signs its releases with fastlane and keeps the keys in a vault.",
    "Terraform plans for the network module must run with one thread, or the provider deadlocks.",
    "Grafana shows stale panels until the browser cache of the dashboards is cleared.",
]


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


@pytest.fixture
def stocked(ultron):
    for fact in FACTS:
        ultron.upload_memory(fact, "me")
    return ultron


def change(ultron, statement, *params):
    with ultron.runtime.database.transaction() as conn:
        assert conn.execute(statement, params).rowcount > 0, "nothing was changed"


def test_a_sound_store_gives_no_finding_and_nothing_is_written(stocked, database):
    before = rows_written(database)
    looked = {
        look: look(stocked.runtime)
        for look in (samples.duplicates, samples.index_recall, samples.found_by_own_words)
    }
    assert {one.count for one in looked.values()} == {0}, looked
    assert looked[samples.duplicates].checked == looked[samples.found_by_own_words].checked == len(FACTS)
    assert looked[samples.index_recall].checked == len(FACTS) ** 2, "each is compared with all"
    assert rows_written(database) == before


def test_the_index_is_what_is_asked(stocked):
    """Without the index the same statement has to compare all rows, and would hide what the index misses."""
    query = samples._SQL["distances_by_index"]
    names = {"model": samples.sql.Literal(stocked.runtime.embedder.model_id)}
    names["dimension"] = samples.sql.Literal(stocked.runtime.embedder.dimension)
    params = {**stocked.runtime.model_key, "ids": [], "nearest": 10}
    with stocked.runtime.database.transaction() as conn:
        conn.execute(samples._SQL["index_only"])
        statement = samples.sql.SQL("EXPLAIN " + query).format(**names)
        plan = "\n".join(str(row) for row in conn.execute(statement, params).fetchall())
    assert "Order By: ((embedding)" in plan, plan


class ShortSighted(samples.NamedQueries):
    """An index that finds two of the nearest and no more."""

    def __getitem__(self, name):
        query = super().__getitem__(name)
        return query.replace("LIMIT %(nearest)s", "LIMIT 2") if name == "distances_by_index" else query


def test_what_the_index_misses_is_told(stocked, monkeypatch):
    monkeypatch.setattr(samples, "_SQL", ShortSighted("upkeep/samples"))
    finding = samples.index_recall(stocked.runtime)
    assert (finding.checked, finding.count) == (25, 15)
    assert finding.sample == ("the index finds 10 of 25: rebuild it",)


def test_memories_that_are_stored_twice_are_told(stocked):
    texts = (
        "The scheduler of the platform restarts every night.",
        "Password rotation is done by hand in spring.",
    )
    first, second = (stocked.upload_memory(text, "me").id for text in texts)
    change(
        stocked,
        "UPDATE memories n SET content = o.content FROM memories o WHERE n.id = %s AND o.id = %s",
        second,
        first,
    )
    change(
        stocked,
        "INSERT INTO memory_vectors (memory_id, model_id, account_id, memory_type, status, embedding, exact) "
        "SELECT %s, model_id, account_id, memory_type, status, embedding, exact FROM memory_vectors "
        "WHERE memory_id = %s",
        second,
        first,
    )
    finding = samples.duplicates(stocked.runtime)
    assert finding.count == 2, "each repeats the other"
    assert str(first) in finding.sample[0] and str(second) in finding.sample[0]


def test_memories_that_search_cannot_find_are_told(stocked):
    change(stocked, "UPDATE memory_search SET terms = '{}'")
    change(stocked, "DELETE FROM memory_vectors")
    finding = samples.found_by_own_words(stocked.runtime)
    assert (finding.count, finding.checked) == (len(FACTS), len(FACTS))


def test_a_memory_that_the_gate_refuses_today_is_junk(ultron, tmp_path):
    write_log(tmp_path / "logs" / "one.jsonl", solved("alpha", "pandas"))
    ultron.ingest([tmp_path / "logs"], "me", process=True)
    sound = samples.junk(ultron.runtime)
    assert sound.count == 0 < sound.checked
    change(ultron, "UPDATE memories SET content = 'The task is complete.', context = '', resolution = ''")
    finding = samples.junk(ultron.runtime)
    assert finding.count == finding.checked and "boilerplate" in finding.sample[0]


def test_drift_is_a_gap_between_distributions():
    assert samples.largest_gap([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]) == 0
    assert samples.largest_gap([0.1, 0.2], [0.8, 0.9]) == 1
    assert samples.largest_gap([0.1, 0.9], [0.1, 0.1]) == 0.5


def test_scores_that_move_are_told_and_few_are_not_judged(ultron, monkeypatch):
    labels = [{"overall_score": 0.2 + 0.001 * n, "memory_score": 0.5, "labeler": "old"} for n in range(60)]
    newer = [{**label, "overall_score": label["overall_score"] + 0.5, "labeler": "new"} for label in labels]
    rows = [*newer, *labels]
    monkeypatch.setattr(samples._SQL, "fetch", lambda *_: rows)
    finding = samples.score_drift(ultron.runtime)
    assert finding.count == 1 and finding.checked == 120
    assert finding.sample[0].startswith("overall_score: mean 0.23 before, 0.73 now")
    assert finding.sample[0].endswith("made by old before, new now")
    rows = rows[:60]
    assert samples.score_drift(ultron.runtime) == samples.Finding("scores without drift", 0, 0)


def test_totals_count_what_is_there_and_what_came_since(stocked, tmp_path):
    before = totals(stocked.runtime, None)
    assert before["memories"] == len(FACTS) and before["files"] == 0
    assert "new_memories" not in before and "mean_overall_score" not in before, (
        "a mean of nothing is no number"
    )
    since = stocked.runtime.clock()
    write_log(tmp_path / "logs" / "one.jsonl", solved("alpha", "pandas"))
    stocked.ingest([tmp_path / "logs"], "me", process=True)
    now = totals(stocked.runtime, since)
    assert (now["files"], now["sessions"], now["new_sessions"]) == (1, 1, 1)
    assert now["segments_labelled"] == now["segments"] > 0
    assert 0 <= now["mean_overall_score"] <= 1
    assert now["new_memories"] == now["memories"] - len(FACTS) > 0
    assert {"new_cost", "new_input_tokens", "waiting_segments", "stale"} <= now.keys()
