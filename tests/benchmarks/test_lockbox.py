"""The lockbox rule on a made-up folder of that name: six runs, each recorded, figures only."""

import gzip
import importlib
import json
import sys

import pytest

SECRET_WORDS = "the words of a person"


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """A ledger of the test's own in place of the one in the repository."""
    path = tmp_path / "ledger.jsonl"
    monkeypatch.setattr(lockbox(), "LEDGER", path)
    return path


def lockbox():
    return importlib.import_module("inputs.lockbox")


def made_lockbox(tmp_path, **pairs):
    """A folder named lockbox with sets of pairs: name -> list of (a, b, label)."""
    folder = tmp_path / "lockbox"
    (folder / "pairs").mkdir(parents=True)
    for name, rows in pairs.items():
        lines = [json.dumps({"a": a, "b": b, "label": label}) for a, b, label in rows]
        (folder / "pairs" / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder


def rows_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def run(folder, *rows, benchmark="labels"):
    with lockbox().guarded(benchmark, folder):
        for row in rows:
            print(json.dumps({"benchmark": benchmark, **row}))


def test_a_run_is_recorded_with_date_and_commit(tmp_path, ledger, capsys):
    run(made_lockbox(tmp_path), {"set": "one", "auc": 0.7})
    started, row = rows_of(ledger)
    assert started["set"] == "started"
    assert (row["benchmark"], row["set"], row["auc"]) == ("labels", "one", 0.7)
    assert row["run"] == started["run"]
    assert row["date"].startswith("20") and row["commit"]
    assert json.loads(capsys.readouterr().out) == {"benchmark": "labels", "set": "one", "auc": 0.7}


def test_the_seventh_run_of_a_benchmark_is_refused_before_anything_is_read(tmp_path, ledger):
    folder = made_lockbox(tmp_path)
    for _ in range(6):
        run(folder, {"set": "one", "auc": 0.7}, {"set": "two", "auc": 0.6})
    recorded = ledger.read_text("utf-8")
    with pytest.raises(SystemExit, match="labels has read the lockbox 6 times"):
        run(folder, {"set": "one", "auc": 0.8})
    assert ledger.read_text("utf-8") == recorded
    run(folder, {"set": "one", "f1": 0.5}, benchmark="segmentation")  # has six runs of its own


def test_a_run_counts_from_its_start_even_when_it_prints_nothing(tmp_path, ledger):
    run(made_lockbox(tmp_path))
    assert lockbox().runs_so_far("labels") == 1


def test_texts_and_file_names_come_out_nowhere(tmp_path, ledger, capfd):
    row = {
        "set": "one",
        "lane": "fused",
        "n": 3,
        "weights": [0.5, 0.5],
        "outcomes": {"success": 2, "failure": 1},
        "session": "talks/anna.jsonl",
        "missed": ["talks/anna.jsonl"],
        "evidence": [[1, 2, SECRET_WORDS]],
        "by_file": {"talks/anna.jsonl": 1},
        "by_words": {SECRET_WORDS: 1},
        "category": SECRET_WORDS * 5,
    }
    with lockbox().guarded("labels", made_lockbox(tmp_path)):
        print(json.dumps(row))
        print(SECRET_WORDS)
        print(json.dumps([SECRET_WORDS]))
        print(SECRET_WORDS, file=sys.stderr)
    out, err = capfd.readouterr()
    for written in (out, err, ledger.read_text("utf-8")):
        assert SECRET_WORDS not in written
        assert "anna" not in written
    kept = {"set": "one", "lane": "fused", "n": 3, "weights": [0.5, 0.5]}
    assert json.loads(out) == {**kept, "outcomes": {"success": 2, "failure": 1}, "benchmark": "labels"}


def test_an_exception_shows_its_class_and_nothing_else(tmp_path, ledger, capsys):
    with pytest.raises(SystemExit) as stopped, lockbox().guarded("labels", made_lockbox(tmp_path)):
        raise ValueError(SECRET_WORDS)
    assert stopped.value.code == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == {"benchmark": "labels", "set": "stopped", "error": "ValueError"}
    assert err == ""
    assert rows_of(ledger)[-1]["error"] == "ValueError"
    assert SECRET_WORDS not in ledger.read_text("utf-8")


def test_another_folder_is_not_touched(tmp_path, ledger, capsys):
    run(tmp_path, {"set": "one", "session": "talks/anna.jsonl"})
    assert "anna" in capsys.readouterr().out
    assert not ledger.exists()


def test_a_way_round_by_a_link_or_a_dot_is_the_lockbox_too(tmp_path):
    folder = made_lockbox(tmp_path)
    (tmp_path / "harmless").symlink_to(folder)
    assert lockbox().is_lockbox(tmp_path / "harmless")
    assert lockbox().is_lockbox(folder / "pairs" / "..")
    assert not lockbox().is_lockbox(tmp_path)


def test_a_whole_benchmark_on_it(tmp_path, ledger, monkeypatch, capsys):
    same = ("Port 5432 is closed.", "Port 5432 is closed.", 1)
    other = ("Port 5432 is closed.", "Bananas are yellow.", 0)
    folder = made_lockbox(tmp_path, stsb_en=[same, other])
    monkeypatch.setattr(sys, "argv", ["dedup.py", "--data", str(folder)])
    importlib.import_module("dedup").main()
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["set"] for row in shown} == {"stsb_en", "stsb_zh", "pawsx_zh", "memory_pairs"}
    assert next(row for row in shown if row["set"] == "stsb_en")["auc"] == 1.0
    _, *recorded = rows_of(ledger)
    stamp = ("run", "date", "commit")
    assert [{k: v for k, v in row.items() if k not in stamp} for row in recorded] == shown


@pytest.mark.parametrize(
    "module",
    [
        "training.labeler",
        "training.segmenter",
        "inputs.reserve",
        "gold.draw_fresh",
        "gold.draw_results",
        "gold.draw_topics",
        "gold.draw_turns",
    ],
)
def test_nothing_is_fitted_on_it_or_listed_from_it(tmp_path, monkeypatch, capsys, module):
    monkeypatch.setattr(sys, "argv", [module, "--data", str(made_lockbox(tmp_path))])
    with pytest.raises(SystemExit, match="for benchmarks only"):
        importlib.import_module(module).main()
    assert capsys.readouterr().out == ""
