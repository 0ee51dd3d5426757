"""From labelled segments to a published dataset: once for the same rows, a new version for other settings."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import ExportError, InputError
from ultron_core.sft import read_rejects, read_rows
from ultron_core.steps.sft.export import ExportRequest, export_dataset, export_rows

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
LOW = ExportRequest(min_quality_score=0.5)


def leaky(name, *places):
    """A task that holds a secret in its request, in a call's arguments or in a call's output."""
    lines = task(name)
    if "request" in places:
        lines[0]["content"] += f" and use {SECRET}"
    if "call" in places:
        arguments = json.dumps({"command": f"pytest {name} --token {SECRET}"})
        lines[1]["tool_calls"][0]["function"]["arguments"] = arguments
    if "output" in places:
        lines[2]["content"] += f"\nused {SECRET}"
    return lines


@pytest.fixture
def world(settings, tmp_path):
    """Six tasks in two logs, labelled; three hold a secret, each in another place."""
    write_log(
        tmp_path / "logs" / "one.jsonl", task("alpha"), task("omega"), task("kappa"), leaky("beta", "request")
    )
    write_log(tmp_path / "logs" / "two.jsonl", leaky("gamma", "call"), leaky("zeta", "output"))
    with Ultron(settings, clock=lambda: NOW) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        yield ultron


def stored(ultron, query):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query).fetchall()


def folders(export):
    return sorted(p.name for p in export.path.parent.iterdir())


def test_the_same_rows_and_settings_are_published_once(world):
    first = export_dataset(world.runtime, LOW)
    assert first.rows > 0 and not first.unchanged
    again = export_dataset(world.runtime, LOW)
    assert again == replace(first, unchanged=True)
    assert folders(first) == [first.version]
    assert len(stored(world, "SELECT id FROM sft_exports")) == 1


def test_other_settings_make_another_version_and_keep_the_old_one(world):
    first = export_dataset(world.runtime, LOW)
    second = export_dataset(world.runtime, replace(LOW, min_quality_score=0.6))
    assert first.content_hash == second.content_hash, "the same rows, by another gate"
    assert not second.unchanged and folders(first) == sorted([first.version, second.version])
    manifest = json.loads((second.path / "manifest.json").read_text())
    assert manifest["config"]["min_quality_score"] == 0.6


def test_a_new_row_makes_another_version(world, tmp_path):
    first = export_dataset(world.runtime, LOW)
    write_log(tmp_path / "logs" / "three.jsonl", solved("delta", "numpy"))
    world.ingest([tmp_path / "logs"], "me", process=True)
    second = export_dataset(world.runtime, LOW)
    assert second.version != first.version and second.rows == first.rows + 1


def test_every_row_traces_to_the_lines_of_its_log(world, tmp_path):
    export = export_dataset(world.runtime, LOW)
    rows = {row["id"]: row for row in read_rows(export.path)}
    traces = stored(
        world,
        "SELECT r.*, s.session_file, t.start_line AS first, t.end_line AS last FROM sft_export_rows r"
        " JOIN task_segments t ON t.id = r.segment_id JOIN sessions s ON s.id = r.session_id",
    )
    assert {str(t["segment_id"]) for t in traces} == set(rows) and len(rows) == export.rows
    for trace in traces:
        row = rows[str(trace["segment_id"])]
        assert (trace["start_line"], trace["end_line"]) == (trace["first"], trace["last"])
        assert (trace["split"], trace["content_sha256"]) == (row["split"], row["content_sha256"])
        log = tmp_path / "logs" / trace["session_file"].rsplit("/", 1)[1]
        line = json.loads(log.read_text().splitlines()[trace["start_line"] - 1])
        said = next(m["content"] for m in row["messages"] if m["role"] == "user")
        assert line["content"].split(SECRET)[0] in said


def test_a_secret_is_in_no_file_of_the_dataset(world):
    export = export_dataset(world.runtime, LOW)
    files = [p for p in export.path.rglob("*") if p.is_file()]
    assert len(files) > 5
    assert not [p.name for p in files if SECRET.encode() in p.read_bytes()]
    # Parquet compresses: look at the decoded rows as well
    assert SECRET not in json.dumps(read_rows(export.path), default=str)
    assert SECRET not in json.dumps(export_rows(world.runtime, min_quality_score=0.5))


@pytest.mark.parametrize("kind", ["sft", "preference", "outcome"])
def test_a_row_whose_messages_held_a_secret_is_left_out_as_unsafe(world, kind):
    export = export_dataset(world.runtime, replace(LOW, kind=kind))
    rows = json.dumps(read_rows(export.path), default=str)
    assert export.rejects["unsafe"] == 3
    assert kind == "preference" or "please build the alpha module" in rows
    assert not any(f"please build the {name} module" in rows for name in ("beta", "gamma", "zeta"))
    assert "<GITHUB_TOKEN>" not in rows
    assert "unsafe" in {row["reason"] for row in read_rejects(export.path)}


def test_a_name_or_an_address_is_replaced_and_the_row_stays(world, tmp_path):
    lines = task("delta")
    lines[0]["content"] += " and tell anna.brown@example.org"
    write_log(tmp_path / "logs" / "mail.jsonl", lines)
    world.ingest([tmp_path / "logs"], "me", process=True)
    assert "<EMAIL_ADDRESS>" in json.dumps(export_rows(world.runtime, min_quality_score=0.5))


def test_a_task_that_handles_a_secret_in_several_messages_is_no_training_data(world, tmp_path):
    write_log(tmp_path / "logs" / "three.jsonl", leaky("delta", "request", "output"))
    before = export_dataset(world.runtime, LOW)
    world.ingest([tmp_path / "logs"], "me", process=True)
    after = export_dataset(world.runtime, LOW)
    assert dict(after.rejects) == {**before.rejects, "unsafe": before.rejects["unsafe"] + 1}
    assert after.unchanged and after.content_hash == before.content_hash


def test_what_is_left_out_is_counted_with_its_reason(world):
    everything = export_dataset(world.runtime, LOW)
    one = export_dataset(world.runtime, replace(LOW, limit=1))
    assert one.rows == 1 and one.rejects["over_limit"] == everything.rows - 1 + everything.rejects["unsafe"]


def test_a_dataset_that_was_damaged_is_not_taken_for_published(world):
    export = export_dataset(world.runtime, LOW)
    (export.path / "README.md").unlink()
    with pytest.raises(ExportError, match=r"README\.md is missing.*Remove it and export again"):
        export_dataset(world.runtime, LOW)


def test_rows_come_best_first_without_writing_anything(world, settings):
    rows = export_rows(world.runtime, min_quality_score=0.5)
    scores = [row["quality_score"] for row in rows]
    assert len(rows) >= 2 and scores == sorted(scores, reverse=True)
    assert set(rows[0]) == {
        "id",
        "messages",
        "tools",
        "topic",
        "task_type",
        "quality_score",
        "origin",
        "trust",
    }
    assert not settings.exports_dir.exists() and not stored(world, "SELECT id FROM sft_exports")


@pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden"])
def test_a_name_that_is_no_folder_name(world, name):
    with pytest.raises(InputError, match="dataset name"):
        export_dataset(world.runtime, ExportRequest(name=name))


def test_a_place_that_cannot_be_written(world, tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(ExportError, match="cannot be written"):
        export_dataset(world.runtime, replace(LOW, out_dir=tmp_path / "taken"))
    assert not stored(world, "SELECT id FROM sft_exports")


def test_a_limit_of_none_at_all_and_a_negative_one(world):
    service = world.trajectory_service
    assert len(service.export_sft(min_quality_score=0.5)) >= 2
    assert service.export_sft(min_quality_score=0.5, limit=0) == []
    with pytest.raises(InputError, match="limit must not be negative, not -1"):
        service.export_sft(limit=-1)


def test_without_a_score_the_configured_threshold_decides(settings, tmp_path):
    write_log(tmp_path / "logs" / "one.jsonl", task("alpha"))
    for threshold, rows in ((0.5, 1), (1.0, 0)):
        labels = settings.labels.model_copy(update={"sft_score_threshold": threshold})
        with Ultron(settings.model_copy(update={"labels": labels}), clock=lambda: NOW) as ultron:
            ultron.ingest([tmp_path / "logs"], "me", process=True)
            assert len(ultron.trajectory_service.export_sft()) == rows


def test_the_counts_and_the_export_agree_on_what_is_eligible(settings, tmp_path):
    """A task that was solved in part alone is refused whatever its score: it may not count as eligible either."""
    write_log(tmp_path / "logs" / "one.jsonl", task("alpha"))
    labels = settings.labels.model_copy(update={"sft_score_threshold": 0.1})
    with Ultron(settings.model_copy(update={"labels": labels}), clock=lambda: NOW) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)

        def eligible_and_refused():
            counts = ultron.trajectory_service.get_trajectory_stats()["segments"]
            return counts["sft_eligible"], dict(export_dataset(ultron.runtime, ExportRequest()).rejects)

        assert eligible_and_refused() == (1, {})
        with ultron.runtime.database.transaction() as conn:
            conn.execute(
                "UPDATE task_segments SET quality_metrics ="
                " jsonb_set(quality_metrics, '{summary,outcome}', '\"partial\"')"
            )
        assert eligible_and_refused() == (0, {"outcome_partial": 1})


@pytest.mark.parametrize(
    "stage", ["segment_pending_sessions", "label_pending_segments", "extract_memories_from_segments"]
)
def test_a_batch_of_none_does_nothing_and_a_negative_one_is_refused(settings, tmp_path, stage):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", task("alpha"))], "me")
        work = getattr(ultron.trajectory_service, stage)
        assert work(batch_size=0) == []
        with pytest.raises(InputError, match="batch_size must not be negative, not -1"):
            work(batch_size=-1)
