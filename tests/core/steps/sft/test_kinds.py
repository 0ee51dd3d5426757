"""From stored runs to pairs and outcomes: imported outcomes, verdicts of rules, answers that were corrected."""

import json
from datetime import UTC, datetime

import pytest

from tests.support.worlds import write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError
from ultron_core.sft import read_rows, verify_dataset
from ultron_core.steps.sft.explain import explain_segment
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.steps.sft.outcomes import import_outcomes


def said(number):
    return [
        {
            "role": "user",
            "content": "How high is the tallest mountain of Peru, and in which range does it lie?",
        },
        {"role": "assistant", "content": "It is " + " ".join(f"run{number}word{n}" for n in range(40)) + "."},
    ]


@pytest.fixture
def world(settings, tmp_path):
    """Four runs of one task; outcomes of three of them are known."""
    for number in range(4):
        write_log(tmp_path / "logs" / f"{number}.jsonl", said(number))
    ends = [{"session": f"{number}.jsonl", "outcome": number == 0} for number in range(3)]
    (tmp_path / "ends.jsonl").write_text("\n".join(map(json.dumps, ends)))
    with Ultron(settings, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        import_outcomes(ultron.runtime, tmp_path / "ends.jsonl")
        yield ultron


def test_pairs_of_runs_with_known_ends(world):
    export = export_dataset(world.runtime, ExportRequest(kind="preference"))
    assert export.path.parent.name == "ultron-preference" and export.rows == 2
    rows = read_rows(export.path)
    assert len({row["chosen_id"] for row in rows}) == 1 and len({row["rejected_id"] for row in rows}) == 2
    assert "run0word1" in rows[0]["chosen"][0]["content"]
    assert {row["rejected_evidence"] for row in rows} == {"verified"}
    assert verify_dataset(export.path) == []
    with world.runtime.database.transaction() as conn:
        assert len(conn.execute("SELECT 1 FROM sft_export_rows").fetchall()) == 3, "one line a segment"
    assert export_dataset(world.runtime, ExportRequest(kind="preference")).unchanged


def test_outcomes_of_runs_with_known_ends(world):
    export = export_dataset(world.runtime, ExportRequest(kind="outcome"))
    assert sorted(row["label"] for row in read_rows(export.path)) == [False, False, True]


def test_a_kind_that_is_none_is_refused(world):
    with pytest.raises(InputError, match="sft, preference, outcome"):
        export_dataset(world.runtime, ExportRequest(kind="dpo"))


def test_a_corrected_answer_that_was_accepted_makes_a_pair(settings, tmp_path):
    turns = [
        ("user", "Write a short note to the team that the review is moved to Friday at ten."),
        (
            "assistant",
            "Dear team, the review is cancelled for now and nobody knows when it will be held again.",
        ),
        ("user", "No, that is wrong."),
        (
            "assistant",
            "Dear team, the review moves to Friday at ten; please bring your open questions along.",
        ),
        ("user", "Perfect, that works, thank you!"),
        ("assistant", "You are welcome."),
    ]
    write_log(tmp_path / "logs" / "one.jsonl", [{"role": role, "content": text} for role, text in turns])
    with Ultron(settings, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        export = export_dataset(ultron.runtime, ExportRequest(kind="preference"))
        (row,) = read_rows(export.path)
        with ultron.runtime.database.transaction() as conn:
            (segment,) = conn.execute("SELECT id FROM task_segments").fetchall()
        # what was shipped of a task is known, also where only parts of it were
        assert explain_segment(ultron.runtime, segment["id"])["datasets"] == [
            f"ultron-preference {export.version} ({row['split']})"
        ]
    assert row["made_from"] == "corrected"
    assert [m["content"] for m in row["prompt"]] == [turns[0][1]]
    assert (row["chosen"][0]["content"], row["rejected"][0]["content"]) == (turns[3][1], turns[1][1])


def test_projects_and_agents_that_are_left_out_ship_nothing_and_are_not_named(settings, tmp_path):
    for number in range(2):
        write_log(tmp_path / "logs" / f"{number}.jsonl", said(number))
    ends = [{"session": f"{number}.jsonl", "outcome": 1} for number in range(2)]
    (tmp_path / "ends.jsonl").write_text("\n".join(map(json.dumps, ends)))
    hidden = settings.model_copy(
        update={"sft": settings.sft.model_copy(update={"leave_out_agents": "me, you"})}
    )
    with Ultron(hidden) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        import_outcomes(ultron.runtime, tmp_path / "ends.jsonl")
        export = export_dataset(ultron.runtime, ExportRequest())
    assert export.rows == 0 and dict(export.rejects) == {"agent_left_out": 2}
    manifest = json.loads((export.path / "manifest.json").read_text())
    assert manifest["config"]["left_out"] and "you" not in json.dumps(manifest["config"]["left_out"])
