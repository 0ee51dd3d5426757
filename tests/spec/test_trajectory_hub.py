"""Statements of the trajectory specification that no other test states as such. docs/conformance.md lists all."""

import dataclasses
import hashlib

import pytest

from tests.support.worlds import CuttingLLM, solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.segments import fingerprint_messages
from ultron_core.steps.stages import segment
from ultron_core.steps.stages.process import process_pending
from ultron_core.steps.stages.waiting.loop import run_batch


def rows(ultron, query):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query).fetchall()


def test_the_fingerprint_is_the_first_16_hex_characters_of_sha256_over_role_and_content():
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": ""}]
    said = b"user\x00a\x01assistant\x00\x01"
    assert fingerprint_messages(messages) == hashlib.sha256(said).hexdigest()[:16]


def test_ingest_requires_the_agent(settings):
    with Ultron(settings) as ultron, pytest.raises(TypeError, match="agent_id"):
        ultron.ingest([])


def test_after_ingest_a_session_waits_and_nothing_is_segmented(settings, tmp_path):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", task("alpha"))], "agent")
        assert rows(ultron, "SELECT agent_id, segmented FROM sessions") == [
            {"agent_id": "agent", "segmented": 0}
        ]
        assert rows(ultron, "SELECT 1 FROM task_segments") == []


def test_the_cycle_segments_then_labels_then_extracts(settings, tmp_path):
    seen = []
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))], "agent")
        process_pending(ultron.runtime, lambda stage, done: seen.append(stage))
    # windows, which only the search over the log needs, come last
    assert list(dict.fromkeys(seen)) == [
        "segments",
        "quality_labels",
        "extracted_memories",
        "message_windows",
    ]


def test_each_step_can_be_run_by_hand(settings, tmp_path):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))], "agent")
        service = ultron.trajectory_service
        assert [r.status for r in service.segment_pending_sessions(batch_size=50)] == ["done"]
        assert [r.status for r in service.label_pending_segments(batch_size=50)] == ["done"]
        assert [r.status for r in service.extract_memories_from_segments(batch_size=50)] == ["done"]
        segments = service.get_trajectory_stats()["segments"]
        assert {"total", "labeled", "memory_eligible", "sft_eligible", "memory_extracted"} <= set(segments)
        assert (segments["total"], segments["labeled"], segments["memory_extracted"]) == (1, 1, 1)


def test_each_memory_of_a_segment_is_tagged_with_the_beginning_of_its_id(settings, tmp_path):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))], "agent", process=True)
        (row,) = rows(ultron, "SELECT id, memory_extracted FROM task_segments")
        (memory,) = rows(ultron, "SELECT tags FROM memories")
    assert f"segment:{str(row['id'])[:8]}" in memory["tags"]
    assert row["memory_extracted"] == 1


def test_an_appended_log_keeps_complete_tasks_and_replaces_the_one_that_changed(settings, tmp_path):
    """The worked example of two days: A and B stay, the partial C is deleted, its memories go, C is made again."""
    a, b, c = solved("alpha", "pandas"), task("beta"), solved("gamma", "lxml")
    path = tmp_path / "file.jsonl"
    with Ultron(settings) as ultron:
        cutting = dataclasses.replace(ultron.runtime, llm=CuttingLLM())

        def day(*tasks):
            ultron.ingest([write_log(path, *tasks)], "agent")
            run_batch(cutting, segment.STEP)
            process_pending(ultron.runtime)
            return rows(ultron, "SELECT id, fingerprint, labeled FROM task_segments ORDER BY segment_index")

        first = day(a, b, c[:-2])
        partial = str(first[2]["id"])[:8]
        second = day(a, b, c)
        assert first[:2] == second[:2]
        assert first[2]["id"] != second[2]["id"] and second[2]["labeled"] == 1
        assert ultron.archive_memories_by_tag(f"segment:{partial}") == 0, "nothing is left of the partial one"
        tags = [
            tag
            for row in rows(ultron, "SELECT tags FROM memories WHERE status = 'active'")
            for tag in row["tags"]
        ]
        assert f"segment:{str(second[2]['id'])[:8]}" in tags


def test_the_label_is_stored_whole_and_names_its_scores(settings, tmp_path):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))], "agent", process=True)
        (row,) = rows(ultron, "SELECT quality_metrics, labeler FROM task_segments")
    summary = row["quality_metrics"]["summary"]
    assert 0 <= summary["overall_score"] <= 1 and summary["task_type"]
    assert row["labeler"] == row["quality_metrics"]["labeler"], (
        "the column is there to be searched by version"
    )
