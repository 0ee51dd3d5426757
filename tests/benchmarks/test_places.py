"""Where benchmarks look for data, and that they run on what a clone of the repository has."""

import importlib
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def places():
    return importlib.import_module("inputs.places")


def run(script, *arguments, cwd, **variables):
    """The rows that a benchmark prints; fails on another exit code than 0."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
        env={**os.environ, **variables},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_examples_are_the_default_wherever_a_benchmark_is_started(tmp_path):
    rows = run("sessions.py", cwd=tmp_path, ULTRON_BENCH_DATA="")
    measured = {row["set"]: row["n"] for row in rows if "messages" in row}
    folders = {path.name for path in (ROOT / "examples" / "sessions").iterdir()}
    assert measured.keys() == folders
    assert sum(measured.values()) == 60
    assert {row["set"] for row in rows if "skipped" in row} == {"huge_session", "malformed"}


def test_a_variable_names_another_folder_and_the_argument_wins(tmp_path, places, monkeypatch):
    monkeypatch.setenv("ULTRON_BENCH_DATA", str(tmp_path / "mine"))
    assert places.arguments("").parse_args([]).data == tmp_path / "mine"
    assert places.arguments("").parse_args(["--data", "other"]).data == Path("other")
    monkeypatch.delenv("ULTRON_BENCH_DATA")
    assert places.arguments("").parse_args([]).data == ROOT / "examples"


def test_sets_are_archives_and_folders_without_what_is_hidden(tmp_path, places):
    folder = tmp_path / "sessions" / "talks"
    (folder / "deep").mkdir(parents=True)
    for name in ("b.jsonl", "deep/a.jsonl", ".hidden.jsonl"):
        (folder / name).write_text(name)
    with tarfile.open(tmp_path / "sessions" / "packed.tar.gz", "w:gz") as packed:
        for name in ("packed/2.jsonl", "packed/1.jsonl", "packed/.3.jsonl"):
            entry = tarfile.TarInfo(name)
            entry.size = 1
            packed.addfile(entry, io.BytesIO(b"x"))
    packed_set, talks = places.session_sets(tmp_path)
    assert (packed_set.name, talks.name) == ("packed", "talks")
    assert [name for name, _ in packed_set.files()] == ["packed/1.jsonl", "packed/2.jsonl"]
    assert list(talks.files()) == [("b.jsonl", b"b.jsonl"), ("deep/a.jsonl", b"deep/a.jsonl")]


@pytest.mark.parametrize("name", ["sessions", "extraction", "segmentation", "retrieval"])
def test_absent_sets_are_skipped_with_a_line_and_exit_code_0(tmp_path, monkeypatch, capsys, name):
    monkeypatch.setattr(sys, "argv", [name, "--data", str(tmp_path)])
    assert not importlib.import_module(name).main()
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows
    assert all(row["benchmark"] == name for row in rows)
    assert all(row["skipped"] == "not in the data folder" for row in rows)


#: the working copy of one machine, in parts so that this file does not name it itself
OUTSIDE = ("../" + "shared", "shared/" + "data", "/" + "work/")


def test_no_file_of_the_repository_points_outside_it():
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    own = [name for name in listed.splitlines() if not name.startswith("examples/sessions/")]
    texts = {name: (ROOT / name).read_text("utf-8") for name in own if not name.endswith((".png", ".npz"))}
    assert [(name, place) for name, text in texts.items() for place in OUTSIDE if place in text] == []
