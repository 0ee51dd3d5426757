"""Failed model calls: an outage costs a row nothing, a bad answer costs a try, and nothing is lost for good."""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.records import messages_in
from tests.support.worlds import CuttingLLM, solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import ModelAnswerError
from ultron_core.segments.by_model.answer import TaskList
from ultron_core.steps.overview import stats
from ultron_core.steps.stages import segment
from ultron_core.steps.stages.process import count_pending, process_pending, run_stage
from ultron_core.steps.stages.reprocess import reprocess, retry

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Moody(CuttingLLM):
    """Cuts at the marks, unless it is down or talks nonsense."""

    nonsense = False

    def complete(self, messages, schema, *, stage=""):
        if self.nonsense:
            self.calls += 1
            raise ModelAnswerError("the test model answers nonsense")
        return super().complete(messages, schema, stage=stage)


@pytest.fixture
def model():
    return Moody()


@pytest.fixture
def ultron(settings, model, tmp_path):
    """Two logs that wait to be cut by the model, which does nothing else."""
    settings = settings.model_copy(
        update={
            "segments": settings.segments.model_copy(update={"max_attempts": 2}),
            "llm": settings.llm.model_copy(update={"max_concurrency": 1}),
        }
    )
    with Ultron(settings, clock=lambda: NOW) as opened:
        for name in ("one", "two"):
            write_log(tmp_path / f"{name}.jsonl", solved(name, "pandas"), task(f"{name}-more"))
        opened.ingest([tmp_path], "agent")
        opened.cutting = dataclasses.replace(opened.runtime, llm=model)
        yield opened


def sessions(ultron):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute("SELECT * FROM sessions ORDER BY session_file").fetchall()


def cycle(ultron):
    return process_pending(ultron.cutting)


def test_an_outage_leaves_attempts_alone_and_sets_a_next_try(ultron, model):
    model.down = True
    for _ in range(5):
        cycle(ultron)
    assert [row["attempts"] for row in sessions(ultron)] == [0, 0]
    assert {row["next_try"] for row in sessions(ultron)} == {NOW + timedelta(minutes=5)}
    assert model.calls == 5, "an endpoint that is down is asked once a cycle"
    assert count_pending(ultron.cutting)["segments"] == 2
    assert count_pending(ultron.cutting, due=True)["segments"] == 0, "the sensor asks for nothing yet"


def test_a_bad_answer_costs_one_try_a_cycle_and_stops_nobody_else(ultron, model):
    model.nonsense = True
    assert cycle(ultron).failed == 2
    assert [row["attempts"] for row in sessions(ultron)] == [1, 1]
    assert model.calls == 2, "each row once a cycle"


def test_rows_that_used_up_their_tries_are_shown_do_not_wait_and_are_freed_by_retry(ultron, model):
    model.nonsense = True
    for _ in range(3):
        report = cycle(ultron)
    assert model.calls == 4, "two rows with two tries each"
    assert report.exhausted == 2
    waiting = stats(ultron.cutting)["waiting"]
    assert (waiting["segments"], waiting["exhausted"]) == (0, 2)
    model.nonsense = False
    assert cycle(ultron).sessions == 0
    assert retry(ultron.cutting) == 2
    # labels and memories are made by rules from here on: this model only cuts
    assert [
        r.status
        for r in run_stage(ultron.cutting, "segments", [r["partition_key"] for r in sessions(ultron)])
    ]
    assert count_pending(ultron.cutting)["exhausted"] == 0
    assert all(row["segmented"] for row in sessions(ultron))
    assert retry(ultron.cutting) == 0


def test_a_file_that_grows_while_it_is_cut_has_a_status_of_its_own_and_stops_nobody_else(
    ultron, model, tmp_path
):
    ask = model.complete

    def grow_first(messages, schema, *, stage=""):
        if model.calls == 0:
            write_log(tmp_path / "one.jsonl", solved("one", "pandas"), task("one-more"), task("one-grown"))
            ultron.ingest([tmp_path / "one.jsonl"], "agent")
        return ask(messages, schema, stage=stage)

    model.complete = grow_first
    keys = [row["partition_key"] for row in sessions(ultron)]
    reports = {r.partition_key: r.status for r in run_stage(ultron.cutting, "segments", keys)}
    assert sorted(reports.values()) == ["changed", "done"]
    assert [row["attempts"] for row in sessions(ultron)] == [0, 0]
    assert {r.status for r in run_stage(ultron.cutting, "segments", keys)} == {"done"}


def test_reprocessed_segments_are_cut_again_as_a_whole(ultron, model):
    keys = [row["partition_key"] for row in sessions(ultron)]
    run_stage(ultron.cutting, segment.STEP.stage.name, keys)

    def whole(messages, schema, *, stage=""):
        last = messages_in(messages[1]["content"])[-1].number
        return TaskList(tasks=[{"start": 1, "end": last, "topic": "all of it"}])

    model.complete = whole
    assert reprocess(ultron.runtime, "segments") == 2
    run_stage(ultron.cutting, "segments", keys)
    with ultron.runtime.database.transaction() as conn:
        assert conn.execute("SELECT count(*) AS n FROM task_segments").fetchone() == {"n": 2}


def test_segments_that_the_memory_gate_refused_are_gated_again_when_the_threshold_changes(settings, tmp_path):
    def at(threshold):
        labels = settings.labels.model_copy(update={"memory_score_threshold": threshold})
        return settings.model_copy(update={"labels": labels})

    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
    with Ultron(at(1.0)) as strict:
        assert strict.ingest([log], "agent", process=True)["total_memories"] == 0
        assert strict.process_pending()["refused"] == 0, "nothing changed: nothing is gated again"
        assert count_pending(strict.runtime)["extracted_memories"] == 0
    with Ultron(at(0.1)) as lenient:
        assert count_pending(lenient.runtime)["extracted_memories"] == 1
        assert lenient.process_pending()["memories"] >= 1
