import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_benchmark_skips_absent_sets_with_a_line_and_exit_code_0(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "labels.py"), "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["set"] for row in rows} >= {"tau_airline_openai", "dpo_pairs_zh", "glaive_toolcall_en"}
    assert all(row["benchmark"] == "labels" and row["skipped"] == "not there" for row in rows)
