"""What an export drafted of a segment is remembered: the next one reads no log that has not changed."""

from datetime import UTC, datetime

import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.sft import read_rows
from ultron_core.steps.sft import candidates as reading
from ultron_core.steps.sft.export import ExportRequest, export_dataset

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LOW = ExportRequest(min_quality_score=0.5)


@pytest.fixture
def read(monkeypatch):
    """The segments whose messages were read, one entry a segment."""
    seen = []
    messages_of = reading.exports.messages_of

    def watched(conn, account_id, segments):
        seen.extend(str(segment["id"]) for segment in segments)
        return messages_of(conn, account_id, segments)

    monkeypatch.setattr(reading.exports, "messages_of", watched)
    return seen


@pytest.fixture
def world(settings, tmp_path):
    write_log(tmp_path / "logs" / "one.jsonl", task("alpha"), solved("beta", "numpy"))
    # all but the same as the first task: a near-duplicate of it
    twin = [*task("alpha")[:-1], {"role": "assistant", "content": "You are welcome, any time."}]
    write_log(tmp_path / "logs" / "two.jsonl", twin)
    with Ultron(settings, clock=lambda: NOW) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        yield ultron


def run(world, statement, *values):
    with world.runtime.database.transaction() as conn:
        conn.execute(statement, values)


def test_a_second_export_reads_no_log(world, read):
    first = export_dataset(world.runtime, LOW)
    assert first.rows == 2 and first.rejects == {"near_duplicate": 1} and len(read) == 3
    again = export_dataset(world.runtime, LOW)
    assert again.unchanged and again.rejects == first.rejects and len(read) == 3
    other = export_dataset(world.runtime, ExportRequest(name="other", min_quality_score=0.5))
    assert read_rows(other.path) == read_rows(first.path)


def test_another_label_or_log_is_read_and_nothing_else(world, read, tmp_path):
    first = export_dataset(world.runtime, LOW)
    read.clear()
    shipped = sorted(row["id"] for row in read_rows(first.path))
    run(
        world,
        "UPDATE task_segments SET quality_metrics = jsonb_set(quality_metrics, '{summary,task_type}', '\"qa\"')"
        " WHERE id = %s",
        shipped[0],
    )
    second = export_dataset(world.runtime, LOW)
    assert second.content_hash != first.content_hash and read == [shipped[0]]
    write_log(tmp_path / "logs" / "three.jsonl", solved("delta", "scipy"))
    world.ingest([tmp_path / "logs"], "me", process=True)
    assert export_dataset(world.runtime, LOW).rows == 3 and len(read) == 2


def test_a_setting_that_drafts_depend_on_is_asked_for_anew(world, settings, read):
    export_dataset(world.runtime, LOW)
    shorter = settings.sft.model_copy(update={"tool_output_max_tokens": 16})
    with Ultron(settings.model_copy(update={"sft": shorter}), clock=lambda: NOW) as other:
        export_dataset(other.runtime, LOW)
    assert len(read) == 6


def test_a_duplicate_takes_the_place_of_the_row_that_went(world, read):
    """It was drafted and never cleaned: its log is read again."""
    first = export_dataset(world.runtime, LOW)
    kept = {row["id"]: row for row in read_rows(first.path)}
    duplicate = ({*read} - {*kept}).pop()
    twin = next(one["id"] for one in kept.values() if "TASK alpha" in str(one["messages"][0]))
    read.clear()
    run(world, "DELETE FROM task_segments WHERE id = %s", twin)
    second = export_dataset(world.runtime, LOW)
    row = next(one for one in read_rows(second.path) if one["id"] == duplicate)
    assert second.rows == 2 and read == [duplicate]
    assert "TASK alpha" in row["messages"][0]["content"] and row["num_tokens"] > 0


def test_what_is_remembered_gives_the_rows_that_a_first_export_gives(world):
    export_dataset(world.runtime, LOW)
    run(world, "DELETE FROM sft_cleaned")
    warm = export_dataset(world.runtime, ExportRequest(name="warm", min_quality_score=0.5))
    run(world, "DELETE FROM sft_drafted")
    cold = export_dataset(world.runtime, ExportRequest(name="cold", min_quality_score=0.5))
    assert warm.content_hash == cold.content_hash and read_rows(warm.path) == read_rows(cold.path)
