"""The labels benchmark and the training of its model, on made-up sources."""

import gzip
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.core.labels.talks import calls, result, says, user

ROOT = Path(__file__).resolve().parents[2]


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
    absent = [row for row in rows if row["set"] != "hundred_messages"]  # that one is made up
    assert all(row["benchmark"] == "labels" and row["skipped"] == "not in the data folder" for row in absent)


def test_training_without_all_of_its_data_writes_nothing(tmp_path):
    out = tmp_path / "model.json"
    script = ROOT / "benchmarks" / "train_labeler.py"
    done = subprocess.run(
        [sys.executable, str(script), "--data", str(tmp_path), "--out", str(out)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode != 0
    assert "nothing was written" in done.stderr
    assert not out.exists()


def test_training_finds_what_tells_good_runs_from_bad_ones(tmp_path):
    """Three small made-up sources in which runs that end well are short and runs that end badly in errors."""
    for name in ("tau_airline_openai", "aider_swebench_lite", "reflexion_hotpot_react"):
        write_runs(tmp_path / "sessions", name)
    write_pairs(tmp_path / "quality")
    out = tmp_path / "model.json"
    subprocess.run(
        [
            sys.executable,
            str(ROOT / "benchmarks" / "train_labeler.py"),
            "--data",
            str(tmp_path),
            "--out",
            str(out),
        ],
        check=True,
        capture_output=True,
        cwd=ROOT,
    )
    model = json.loads(out.read_text())
    assert model["work"]["features"]["good_tail"]["weight"] > 0
    assert model["work"]["features"]["verdict"]["weight"] > 0
    assert model["answer"]["features"]["hedging"]["weight"] > 0
    assert model["fitted_on"]["work"]["tau_airline_openai"]["n"] == 12


def write_runs(folder, name):
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as packed:
        rows = []
        for n in range(12):
            good = n % 2
            text = "done" if good else "Error: no such table"
            end = [says("It is done.")] if good else []
            talk = [user(f"Do task {n}."), calls("sql", "c1", n=n), result("c1", text), *end]
            raw = "".join(json.dumps(m) + "\n" for m in talk).encode()
            entry = tarfile.TarInfo(f"{name}/{n}.jsonl")
            entry.size = len(raw)
            packed.addfile(entry, io.BytesIO(raw))
            rows.append({"file": entry.name, "task": str(n), "success": good, "bytes": len(raw)})
    (folder / f"{name}.labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_pairs(folder):
    folder.mkdir()
    better, worse = "The answer is 42, because 6 times 7 is 42.", "I think maybe it is perhaps 42, probably."
    pair = {"context": [user("What is 6 times 7?")], "chosen": better, "rejected": worse}
    rated = [{"messages": [user("6 times 7?"), says(better)], "label": 1}]
    rated += [{"messages": [user("6 times 7?"), says(worse)], "label": 0}]
    for name, rows in (("dpo_pairs_en", [pair] * 4), ("dpo_pairs_zh", [pair] * 4), ("kto_en", rated)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows)
