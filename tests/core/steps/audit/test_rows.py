"""Each finding is silent on sound rows and names the row that was broken on purpose."""

import pytest

from tests.support.worlds import CuttingLLM, solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.steps.audit import rows as audit
from ultron_core.steps.sft.export import ExportRequest, export_dataset

SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
ALL = (
    audit.lines_accounted,
    audit.left_failed,
    audit.segments_tile,
    audit.scores_in_range,
    audit.no_secret_stored,
    audit.memories_have_sources,
    audit.tier_shares,
    audit.clusters_consistent,
    audit.dataset_matches_manifest,
)


@pytest.fixture
def world(settings, tmp_path):
    """Two logs taken all the way to a memory, a cluster and a dataset; yields the open Ultron."""
    write_log(tmp_path / "logs" / "one.jsonl", solved("alpha", "pandas"), task("beta"))
    write_log(tmp_path / "logs" / "two.jsonl", task("gamma"))
    with Ultron(settings) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        ultron.run_tier_rebalance()
        export_dataset(ultron.runtime, ExportRequest(min_quality_score=0.5))
        yield ultron


def change(ultron, statement):
    with ultron.runtime.database.transaction() as conn:
        assert conn.execute(statement).rowcount > 0, "nothing was broken"


def test_sound_rows_give_no_finding_and_all_of_them_are_looked_at(world):
    for look in ALL:
        finding = look(world.runtime)
        assert (finding.count, finding.sample) == (0, ()), finding
        assert finding.checked > 0, finding


BROKEN = [
    (
        audit.lines_accounted,
        "UPDATE sessions SET lines = jsonb_set(lines, '{total}', '999') WHERE session_file LIKE '%one.jsonl'",
        "one.jsonl",
    ),
    (
        audit.left_failed,
        "UPDATE sessions SET status = 'failed', error = 'broken here' WHERE session_file LIKE '%two.jsonl'",
        "two.jsonl: broken here",
    ),
    (
        audit.left_failed,
        "UPDATE source_files SET state = 'failed', error = 'too large' WHERE session_file LIKE '%two.jsonl'",
        "two.jsonl: too large",
    ),
    (
        audit.left_failed,
        "UPDATE sessions SET window_attempts = 99, error = 'no vector' WHERE session_file LIKE '%two.jsonl'",
        "two.jsonl: no vector",
    ),
    (audit.segments_tile, "DELETE FROM task_segments WHERE session_file LIKE '%two.jsonl'", "two.jsonl"),
    (
        audit.segments_tile,
        "UPDATE task_segments SET start_message = start_message + 1 WHERE session_file LIKE '%two.jsonl'",
        "two.jsonl",
    ),
    (
        audit.scores_in_range,
        "UPDATE task_segments SET quality_metrics = jsonb_set(quality_metrics, '{summary,overall_score}', '1.5')"
        " WHERE session_file LIKE '%two.jsonl'",
        "two.jsonl segment",
    ),
    (
        audit.scores_in_range,
        "UPDATE task_segments SET quality_metrics = quality_metrics #- '{summary,memory_score}'"
        " WHERE session_file LIKE '%two.jsonl'",
        "two.jsonl segment",
    ),
    (audit.memories_have_sources, "DELETE FROM memory_sources", "has no source"),
    (audit.memories_have_sources, "UPDATE memory_sources SET quote = 'never said'", "quote not in me/"),
    (audit.memories_have_sources, "UPDATE memory_sources SET start_line = 1, end_line = 1", "lines 1-1"),
    (audit.clusters_consistent, "UPDATE clusters SET size = size + 1", "members"),
    (audit.clusters_consistent, "UPDATE memories SET status = 'archived'", "0 active"),
    (audit.clusters_consistent, "DELETE FROM cluster_members", "0 members"),
]


@pytest.mark.parametrize(("look", "statement", "named"), BROKEN, ids=lambda v: getattr(v, "__name__", None))
def test_a_broken_row_is_found_and_named(world, look, statement, named):
    change(world, statement)
    finding = look(world.runtime)
    assert finding.count > 0 and named in finding.sample[0], finding


def test_a_gap_as_long_as_an_overlap_is_seen(settings, tmp_path):
    write_log(tmp_path / "logs" / "three.jsonl", task("alpha"), task("beta"), task("gamma"))
    with Ultron(settings, llm=CuttingLLM(), quality_llm=CuttingLLM()) as ultron:
        ultron.ingest([tmp_path / "logs"], "me")
        ultron.trajectory_service.segment_pending_sessions()
        assert audit.segments_tile(ultron.runtime).count == 0
        # the middle one moves by a message: first, last and the number covered stay right
        change(
            ultron,
            "UPDATE task_segments SET start_message = start_message + 1, end_message = end_message + 1"
            " WHERE segment_index = 1",
        )
        assert audit.segments_tile(ultron.runtime).count == 1


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        (f"UPDATE memories SET content = content || ' {SECRET}'", "memory "),
        (f"UPDATE memories SET tags = tags || '{SECRET}'::text", "memory "),
        (f"UPDATE memory_sources SET quote = '{SECRET}'", "quote of memory "),
        (f"UPDATE memory_contributions SET resolution = '{SECRET}'", "contribution to memory "),
        (f"UPDATE task_segments SET topic = '{SECRET}'", "segment "),
        (f"UPDATE drops SET detail = '{SECRET}'", "drop "),
        (f"UPDATE clusters SET topic = '{SECRET}'", "cluster "),
    ],
)
def test_a_secret_is_found_wherever_it_is_stored_and_not_repeated(world, statement, place):
    change(world, statement)
    finding = audit.no_secret_stored(world.runtime)
    assert finding.count > 0 and finding.sample[0].startswith(place)
    assert SECRET not in " ".join(finding.sample)


def test_more_hot_memories_than_their_share(world):
    for number in range(3):
        world.upload_memory(f"The build of part {number} needs tool number {number}.")
    assert audit.tier_shares(world.runtime).count == 0
    change(world, "UPDATE memory_usage SET tier = 'HOT'")
    assert audit.tier_shares(world.runtime).sample == ("HOT holds 4 of 4",)


@pytest.mark.parametrize("harm", ["change", "remove", "add", "no manifest"])
def test_a_dataset_that_was_touched(world, harm):
    path = export_dataset(world.runtime, ExportRequest(min_quality_score=0.5)).path
    (data,) = (path / "data").glob("train-*.parquet")
    if harm == "change":
        data.write_bytes(data.read_bytes() + b" ")
    elif harm == "remove":
        data.unlink()
    elif harm == "add":
        (path / "data" / "extra.txt").write_text("more")
    else:
        (path / "manifest.json").unlink()
    finding = audit.dataset_matches_manifest(world.runtime)
    assert finding.count == 1 and finding.blocking


def test_a_long_list_is_counted_in_full_and_shown_in_part(world):
    with world.runtime.database.transaction() as conn:
        conn.execute(
            "INSERT INTO drops (account_id, agent_id, stage, reason, detail, created_at)"
            " SELECT 'default', 'me', 'extract', 'x', %s, now() FROM generate_series(1, 50)",
            (SECRET,),
        )
    finding = audit.no_secret_stored(world.runtime)
    assert finding.count == 50 and len(finding.sample) == 20


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("a  b", "x a\nb y", True),
        ("key <LLM_API_KEY> works", "the key sk-123 works now", True),
        ("works <LLM_API_KEY> key", "the key sk-123 works now", False),
        ('say "hi"', '{"text": "say \\"hi\\""}', True),
        ("pytest \x1b[31mx", '{"command": "pytest \\u001b[31mx"}', True),
        ("not there", "something else", False),
    ],
)
def test_a_redacted_quote_is_looked_for_piece_by_piece(quote, text, found):
    assert audit.quote_in_text(quote, text) is found
