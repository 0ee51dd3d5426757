"""A dataset's page counts what the Parquet files hold."""

import pyarrow as pa
import pyarrow.parquet as pq

from ultron_pipelines.frames import frame_table, refused, shipped


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


def row(tokens, **also):
    return {
        "task_type": "code", "evidence": "likely", "source_harness": "codex", "num_tokens": tokens,
        "num_trained_tokens": tokens // 4, **also,
    }  # fmt: skip


def test_rows_of_all_files_by_kind_with_their_lengths(tmp_path):
    write(tmp_path / "data" / "train-00000-of-00001.parquet", [row(100), row(300), row(40, task_type="qa")])
    write(tmp_path / "data" / "validation-00000-of-00001.parquet", [row(200)])
    first, second = shipped(tmp_path).to_dicts()
    assert first == {
        "task_type": "code", "evidence": "likely", "source_harness": "codex", "rows": 3, "median tokens": 200,
        "p90 tokens": 300, "trained share": 0.25,
    }  # fmt: skip
    assert (second["task_type"], second["rows"]) == ("qa", 1)


def test_pairs_have_no_evidence_and_no_length_of_their_own(tmp_path):
    pair = {"task_type": "code", "source_harness": "codex", "chosen_tokens": 5}
    write(tmp_path / "data" / "train-00000-of-00001.parquet", [pair])
    assert shipped(tmp_path).to_dicts() == [{"task_type": "code", "source_harness": "codex", "rows": 1}]


def test_what_was_left_out_by_reason_and_what_has_no_score(tmp_path):
    left = [
        {"reason": "below_threshold", "task_type": "qa", "quality_score": 0.5},
        {"reason": "below_threshold", "task_type": "qa", "quality_score": 0.7},
        {"reason": "not_labelled", "task_type": "qa", "quality_score": None},
    ]
    write(tmp_path / "rejects.parquet", left)
    assert refused(tmp_path)["rows"].to_list() == [2, 1]
    shown = frame_table(refused(tmp_path)).md_str
    assert "| below_threshold | qa | 2 | 0.6 |" in shown and "| not_labelled | qa | 1 | - |" in shown
