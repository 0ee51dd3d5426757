"""A log that grows, is edited, cut, rotated or renamed: what did not change keeps its id, label and memories."""

import dataclasses

import pytest

from tests.support.worlds import CuttingLLM, solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.steps.audit.rows import segments_tile
from ultron_core.steps.stages import segment
from ultron_core.steps.stages.process import process_pending
from ultron_core.steps.stages.waiting.loop import run_batch

A = solved("alpha", "pandas")
B = solved("beta", "requests")
C = solved("gamma", "lxml")


@pytest.fixture
def cutter():
    return CuttingLLM()


@pytest.fixture
def ultron(settings, cutter):
    """Everything offline but the cutting, so that the boundaries of the tests are where the marks are."""
    with Ultron(settings) as opened:
        opened.cutting = dataclasses.replace(opened.runtime, llm=cutter)
        yield opened


def cycle(ultron, path):
    """One cycle as the sensor would start it."""
    result = ultron.ingest([path], "agent")
    run_batch(ultron.cutting, segment.STEP)
    process_pending(ultron.runtime)
    assert segments_tile(ultron.runtime).count == 0
    return result["results"][0]["status"]


def segments(ultron):
    """{first word of the task: [(id, start_line, end_line, quality, memories)]} of the stored segments."""
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(
            "SELECT t.id, t.generation, t.start_line, t.end_line, t.quality_metrics, t.labeled, t.closed,"
            " (SELECT content FROM messages m WHERE m.session_id = t.session_id AND m.start_line = t.start_line)"
            "  AS opening,"
            " ARRAY(SELECT DISTINCT memory_id::text FROM memory_sources s WHERE s.segment_id = t.id ORDER BY 1)"
            "  AS memories"
            " FROM task_segments t ORDER BY t.generation, t.segment_index"
        ).fetchall()


def by_task(rows):
    return {row["opening"].split()[1].rstrip(":"): row for row in rows}


def same(before, after):
    """Id, label and memories are as they were."""
    return all(before[k] == after[k] for k in ("id", "quality_metrics", "memories"))


def active_memories(ultron):
    with ultron.runtime.database.transaction() as conn:
        rows = conn.execute("SELECT id::text FROM memories WHERE status = 'active'").fetchall()
    return {row["id"] for row in rows}


def test_each_task_with_a_wish_gives_a_memory_of_its_segment(ultron, tmp_path):
    cycle(ultron, write_log(tmp_path / "log.jsonl", A, B))
    rows = segments(ultron)
    assert [(r["start_line"], r["end_line"]) for r in rows] == [(1, 12), (13, 24)]
    assert all(r["labeled"] == 1 and r["closed"] and r["memories"] for r in rows)


def test_appending_a_task_keeps_the_others(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A, B)
    cycle(ultron, path)
    before = by_task(segments(ultron))
    assert cycle(ultron, write_log(path, A, B, C)) == "appended"
    after = by_task(segments(ultron))
    assert list(after) == ["alpha", "beta", "gamma"]
    assert same(before["alpha"], after["alpha"]) and same(before["beta"], after["beta"])
    assert after["gamma"]["memories"]


def test_prepending_a_task_moves_lines_and_keeps_ids(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A, B)
    cycle(ultron, path)
    before = by_task(segments(ultron))
    assert cycle(ultron, write_log(path, C, A, B)) == "changed"
    after = by_task(segments(ultron))
    assert list(after) == ["gamma", "alpha", "beta"]
    assert same(before["alpha"], after["alpha"]) and same(before["beta"], after["beta"])
    assert after["alpha"]["start_line"] == before["alpha"]["start_line"] + 12
    sources = ultron.get_memory_sources(after["alpha"]["memories"][0])
    assert all(13 <= s.start_line <= s.end_line <= 24 for s in sources)


def test_inserting_a_task_keeps_both_sides(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A, B)
    cycle(ultron, path)
    before = by_task(segments(ultron))
    cycle(ultron, write_log(path, A, C, B))
    after = by_task(segments(ultron))
    assert list(after) == ["alpha", "gamma", "beta"]
    assert same(before["alpha"], after["alpha"]) and same(before["beta"], after["beta"])


def test_cutting_a_task_off_archives_what_only_it_carried(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A, B)
    cycle(ultron, path)
    before = by_task(segments(ultron))
    cycle(ultron, write_log(path, A))
    after = by_task(segments(ultron))
    assert list(after) == ["alpha"] and same(before["alpha"], after["alpha"])
    assert active_memories(ultron) == set(before["alpha"]["memories"])


def test_a_memory_with_another_source_stays_when_one_segment_goes(ultron, tmp_path):
    first = write_log(tmp_path / "one" / "log.jsonl", A, B)
    second = write_log(tmp_path / "two" / "log.jsonl", B)
    cycle(ultron, first)
    cycle(ultron, second)
    shared = set(segments(ultron)[1]["memories"])
    cycle(ultron, write_log(first, A))
    assert shared and shared <= active_memories(ultron)


def test_the_same_task_twice_is_two_segments_and_one_memory(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A, B)
    cycle(ultron, path)
    before = by_task(segments(ultron))
    cycle(ultron, write_log(path, A, B, A))
    rows = segments(ultron)
    assert [(r["start_line"], r["end_line"]) for r in rows] == [(1, 12), (13, 24), (25, 36)]
    assert same(before["alpha"], rows[0]) and same(before["beta"], rows[1])
    assert rows[2]["memories"] == rows[0]["memories"]
    cycle(ultron, write_log(path, A, B))
    assert set(rows[0]["memories"]) <= active_memories(ultron)


def test_rotation_starts_a_new_generation_and_keeps_the_old_one(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A)
    cycle(ultron, path)
    before = segments(ultron)[0]
    assert cycle(ultron, write_log(path, B[:3] + C[3:])) == "rotated"
    rows = segments(ultron)
    assert [r["generation"] for r in rows] == [0, 1]
    assert same(before, rows[0]) and set(before["memories"]) <= active_memories(ultron)


def test_a_renamed_file_keeps_its_identity(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A)
    cycle(ultron, path)
    before = segments(ultron)
    moved = tmp_path / "renamed.jsonl"
    path.rename(moved)
    assert cycle(ultron, moved) == "renamed"
    assert [r["id"] for r in segments(ultron)] == [r["id"] for r in before]


def test_a_copy_at_another_path_is_another_session(ultron, tmp_path):
    path = write_log(tmp_path / "log.jsonl", A)
    cycle(ultron, path)
    assert cycle(ultron, write_log(tmp_path / "copy.jsonl", A)) == "new"
    assert len(segments(ultron)) == 2


def test_fifty_appends_cost_a_bounded_number_of_calls_each(ultron, cutter, tmp_path):
    path = tmp_path / "live.jsonl"
    tasks = [task(f"part{i}") for i in range(50)]
    costs = []
    for upto in range(1, 51):
        before = cutter.calls, cutter.tokens
        write_log(path, *tasks[:upto])
        ultron.ingest([path], "agent")
        run_batch(ultron.cutting, segment.STEP)
        costs.append((cutter.calls - before[0], cutter.tokens - before[1]))
    assert segments_tile(ultron.runtime).count == 0
    assert max(calls for calls, _ in costs) <= 2
    # the text sent for the last append is no more than that of an early one: the tail, not the log
    assert max(tokens for _, tokens in costs[40:]) <= 2 * max(tokens for _, tokens in costs[1:5])


def test_the_archive_of_a_renamed_file_goes_by_its_new_name(ultron, tmp_path):
    """Whoever looks for all that is kept of a session looks by the name that the session has."""
    path = write_log(tmp_path / "log.jsonl", A)
    cycle(ultron, path)
    moved = tmp_path / "renamed.jsonl"
    path.rename(moved)
    cycle(ultron, moved)
    with ultron.runtime.database.transaction() as conn:
        names = conn.execute(
            "SELECT s.session_file FROM raw_uploads u LEFT JOIN sessions s USING (account_id, agent_id, session_file)"
        ).fetchall()
    assert len(names) == 2 and all(row["session_file"] for row in names)
