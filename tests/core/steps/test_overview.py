"""What the overview counts, and how much of the store it reads for that."""

import json

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.labels import is_memory_eligible, is_sft_eligible
from ultron_core.steps.overview import trajectory_stats
from ultron_core.store.tables import segments as segment_store


def test_the_gates_count_by_scores_alone_and_read_no_notes(settings, tmp_path):
    write_log(tmp_path / "logs" / "one.jsonl", solved("alpha", "pandas"), task("beta"))
    with Ultron(settings) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        runtime, own = ultron.runtime, {**ultron.runtime.account, "project": None, "lowest": 0.0}
        with runtime.database.transaction() as conn:
            read = segment_store.fetch(conn, "labels_from", own)
            labels = [
                row["label"] for row in conn.execute("SELECT quality_metrics AS label FROM task_segments")
            ]
        counted = trajectory_stats(runtime)["segments"]
    memory, sft = runtime.settings.labels.memory_score_threshold, runtime.settings.labels.sft_score_threshold
    assert counted["memory_eligible"] == sum(is_memory_eligible(label, memory).ok for label in labels) > 0
    assert counted["sft_eligible"] == sum(is_sft_eligible(label, sft).ok for label in labels) > 0
    assert "note" in json.dumps(labels) and "note" not in json.dumps([row["quality_metrics"] for row in read])
