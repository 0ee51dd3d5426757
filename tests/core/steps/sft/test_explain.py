"""Any segment can be asked about, in or out."""

from uuid import UUID, uuid4

import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import NotFoundError
from ultron_core.steps.sft.explain import explain_segment
from ultron_core.steps.sft.export import ExportRequest, export_dataset


@pytest.fixture
def world(settings, tmp_path):
    write_log(tmp_path / "log.jsonl", task("alpha"))
    write_log(tmp_path / "other.jsonl", solved("delta", "numpy"))
    with Ultron(settings) as ultron:
        ultron.ingest([tmp_path / "log.jsonl", tmp_path / "other.jsonl"], "me", process=True)
        yield ultron


def ids(world):
    with world.runtime.database.transaction() as conn:
        return [row["id"] for row in conn.execute("SELECT id FROM task_segments ORDER BY id")]


def test_a_segment_above_and_one_below_the_gate(world):
    above, below = ids(world)
    with world.runtime.database.transaction() as conn:
        for segment, score in ((above, 0.9), (below, 0.3)):
            conn.execute(
                "UPDATE task_segments SET quality_metrics = jsonb_set(quality_metrics,"
                " '{summary,overall_score}', to_jsonb(%s::float8)) WHERE id = %s",
                (score, segment),
            )
    export = export_dataset(world.runtime, ExportRequest())
    told = explain_segment(world.runtime, above)
    assert (
        told["verdict"].startswith("eligible")
        and told["evidence"] == "verified"
        and told["trained_tokens"] > 0
    )
    assert [name.split(" (")[0] for name in told["datasets"]] == [f"ultron {export.version}"]
    told = explain_segment(world.runtime, below)
    assert (told["verdict"], told["overall_score"], told["datasets"]) == (
        "left out: below_threshold",
        0.3,
        [],
    )


def test_an_open_segment_and_one_that_does_not_exist(world):
    first = ids(world)[0]
    with world.runtime.database.transaction() as conn:
        conn.execute("UPDATE task_segments SET closed = false WHERE id = %s", (first,))
    assert explain_segment(world.runtime, first)["verdict"].startswith("left out: not finished")
    with pytest.raises(NotFoundError, match="There is no segment"):
        explain_segment(world.runtime, UUID(str(uuid4())))
