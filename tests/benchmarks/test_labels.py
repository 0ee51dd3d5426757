"""The labels benchmark and the training of its model, on made-up sources."""

import gzip
import importlib
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.core.labels.talks import calls, result, says, user
from ultron_core.labels import label_segment

ROOT = Path(__file__).resolve().parents[2]


SOURCES = (
    "tau_airline_openai",
    "aider_swebench_lite",
    "reflexion_hotpot_react",
    "fireact_hotpot",
    "mint_code",
    "mint_alfworld",
    "intercode_sql",
    "intercode_bash",
)


def benchmark(script, *arguments):
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def rows_of(data, *arguments):
    done = benchmark("labels.py", "--data", data, *arguments)
    assert done.returncode == 0, done.stderr
    return {row["set"]: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.fixture(scope="module")
def development(tmp_path_factory):
    """All sets that the models are fitted on, small and made up: short runs end well, runs with errors do not."""
    folder = tmp_path_factory.mktemp("development")
    for name in SOURCES:
        write_runs(folder / "sessions", name)
    write_pairs(folder / "quality")
    return folder


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder with one set that nobody fitted on, and one whose runs all fail."""
    folder = tmp_path_factory.mktemp("elsewhere")
    write_runs(folder / "sessions", "somebody_else")
    write_runs(folder / "sessions", "all_failed", ends=(0, 0))
    return folder


def test_absent_sets_are_skipped_with_a_line_and_exit_code_0(tmp_path):
    rows = rows_of(tmp_path)
    assert rows.keys() >= {*SOURCES, "dpo_pairs_zh", "twins"}
    rows.pop("hundred_messages")  # that one is made up
    assert all(r["benchmark"] == "labels" and r["skipped"] == "not in the data folder" for r in rows.values())


def test_every_set_with_known_ends_gets_an_outcome_row_and_a_gate_row(elsewhere):
    rows = rows_of(elsewhere)
    row, gates = rows["somebody_else"], rows["gates_somebody_else"]
    assert row["n"] == gates["n"] == 12
    assert row["auc_low"] <= row["auc"] <= row["auc_high"]
    assert row["naive"].keys() == {"messages", "bytes", "error_words"}
    assert gates.keys() >= {"sft", "memory", "gate_precision", "base_rate"}
    assert "auc" not in rows["all_failed"], "there is nothing to rank"
    assert rows["gates_all_failed"]["base_rate"] == 0
    assert rows["mean"]["n"] == 1, "a set with one kind of end does not count in the mean"


def test_on_other_data_nothing_is_fitted(elsewhere):
    rows = rows_of(elsewhere)
    assert rows["somebody_else"]["fit"] == rows["mean"]["fit"] == "shipped"
    assert rows["somebody_else"]["auc"] == rows["somebody_else"]["auc_shipped"]
    assert "auc_in_source" not in rows["somebody_else"]


def test_the_flag_scores_the_shipped_model_on_the_development_data(development):
    assert rows_of(development, "--shipped")["tau_airline_openai"]["fit"] == "shipped"


def test_on_the_development_data_each_source_is_left_out(development):
    rows = rows_of(development)
    row = rows["mint_code"]
    assert row["fit"] == "left_out"
    assert row["auc"] > 0.9, "what tells the runs apart is the same in all of these made-up sources"
    assert row["auc_in_source"] > 0.9
    assert rows["mean"]["n"] == len(SOURCES)
    assert rows["training_gate"]["lift"] is None or rows["training_gate"]["lift"] > 1
    assert rows["reliability"]["n"] == 12 * len(SOURCES)


def test_sets_of_one_source_leave_together():
    labels = importlib.import_module("labels")
    asked = []
    fake = {name: [name] for name in SOURCES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "fit_work", lambda others: asked.extend(run for runs in others for run in runs))
        labels._left_out(fake, "fireact_hotpot")
    assert set(asked) == set(SOURCES) - {"fireact_hotpot", "reflexion_hotpot_react"}


def test_training_without_all_of_its_data_writes_nothing(tmp_path):
    out = tmp_path / "model.json"
    done = benchmark("training/labeler.py", "--data", tmp_path, "--out", out)
    assert done.returncode != 0
    assert "nothing was written" in done.stderr
    assert not out.exists()


def test_training_finds_what_tells_good_runs_from_bad_ones(development, tmp_path):
    out = tmp_path / "model.json"
    assert benchmark("training/labeler.py", "--data", development, "--out", out).returncode == 0
    model = json.loads(out.read_text())
    assert model["work"]["features"]["left_open"]["weight"] > 0
    assert model["work"]["features"]["known_failure"]["weight"] > 0
    assert all(feature["weight"] >= 0 for feature in model["work"]["features"].values())
    assert model["answer"]["features"]["hedging"]["weight"] > 0
    assert model["fitted_on"]["work"]["tau_airline_openai"]["n"] == 12


def test_what_only_tells_sources_apart_gets_less_weight_than_what_tells_runs_apart():
    """Prose differs between the two sources as much as within them; the state of the end only within."""
    fit = importlib.import_module("label_parts.fit")

    def run(far, success):
        features = dict.fromkeys(fit.WORK_FEATURES, 0.0)
        features |= {"prose": far + success, "left_open": float(success)}
        return SimpleNamespace(kind="work", features=features, success=success)

    sources = [[run(far, n % 2) for n in range(20)] for far in (0.0, 30.0)]
    model = fit.fit_work(sources)
    weights = dict(zip(model.names, model.weights, strict=True))
    assert weights["left_open"] > 10 * weights["prose"]


def write_runs(folder, name, ends=(0, 1)):
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as packed:
        rows = []
        for n in range(12):
            good = ends[n % 2]
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


def test_labels_of_both_wire_formats_are_compared_without_their_lines(monkeypatch):
    """A metric without evidence is stored without its lines."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    without_lines = importlib.import_module("labels").without_lines
    label = label_segment([user("sort list.py"), says("Done.")])
    told = without_lines(label)["metrics"]
    assert any("lines" not in metric for metric in label.to_json()["metrics"].values())
    assert all(isinstance(metric["lines"], int) for metric in told.values())
