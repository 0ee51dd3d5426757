"""The native sessions with gold: rows that hang together, a session out of a clone, and how far candidates reach."""

import hashlib
import importlib
import importlib.util
import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

GATHER = Path(__file__).parents[2] / "benchmarks" / "gold" / "native" / "gather.py"
CODEX = [
    {"type": "session_meta", "payload": {"id": "s1", "cwd": "/src/shop"}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Why does the shop not start?"}],
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "The port 5432 was taken by an old container."}],
        },
    },
]


@pytest.fixture
def native():
    return importlib.import_module("inputs.native")


@pytest.mark.parametrize("half", ["development", "reserve"])
def test_each_row_speaks_of_a_session_of_its_half(native, half):
    ids = {row["id"] for row in native.sessions(half)}
    rows = native.rows(half)
    assert {row["session"] for row in rows} <= ids
    of = {
        kind: Counter(row["session"] for row in rows if row["row"] == kind)
        for kind in ("title", "note", "trap", "read")
    }
    assert set(of["title"].values()) == set(of["read"].values()) == {1}
    assert max(of["note"].values()) <= 10 and max(of["trap"].values()) <= 6
    assert all(len(row["sha256"]) == 64 for row in rows if row["row"] != "read")


def test_no_repository_is_in_both_halves(native):
    halves = [{row["repository"] for row in native.sessions(half)} for half in ("development", "reserve")]
    assert halves[0].isdisjoint(halves[1])


def test_a_session_is_taken_out_of_a_clone_and_checked(tmp_path):
    spec = importlib.util.spec_from_file_location("gather", GATHER)
    gather = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gather)
    log = b'{"type": "user"}\n'
    (tmp_path / "a.jsonl").write_bytes(log)

    def git(*words):
        named = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        return subprocess.run(
            ["git", "-C", str(tmp_path), *named, *words], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "a log")
    row = {"commit": git("rev-parse", "HEAD"), "path": "a.jsonl", "sha256": hashlib.sha256(log).hexdigest()}
    assert gather.gathered(row, tmp_path) == log
    assert gather.gathered({**row, "sha256": "0" * 64}, tmp_path) is None


def test_a_note_on_the_lines_of_a_closing_is_reached(monkeypatch, tmp_path):
    candidates = importlib.import_module("candidates")
    (tmp_path / "n1").mkdir()
    (tmp_path / "n1" / "log.jsonl").write_text("\n".join(json.dumps(row) for row in CODEX) + "\n")
    notes = [
        {"row": "note", "session": "n1", "line": 3, "end": 3, "place": "closing"},
        {"row": "note", "session": "n1", "line": 1, "end": 1, "place": "tool_output"},
    ]
    monkeypatch.setattr(candidates, "sessions", lambda half: [{"id": "n1"}])
    monkeypatch.setattr(candidates, "rows", lambda half: notes)
    told = candidates.measure(tmp_path, "development")
    assert told[-1]["reached"] == 0.5
    assert {row["place"]: row["reached"] for row in told if "place" in row} == {
        "closing": 1.0,
        "tool_output": 0.0,
    }


def test_boundaries_and_ends_are_held_against_what_readers_wrote(monkeypatch, tmp_path):
    bench, inputs = importlib.import_module("native"), importlib.import_module("inputs.native")
    (tmp_path / "n1").mkdir()
    (tmp_path / "n1" / "log.jsonl").write_text("\n".join(json.dumps(row) for row in CODEX) + "\n")
    gold = [
        {"row": "boundary", "session": "n1", "line": 3},
        {"row": "title", "session": "n1", "line": 2, "title": "Why the shop does not start"},
        {"row": "outcome", "session": "n1", "task_line": 2, "line": 3, "outcome": "success"},
    ]
    monkeypatch.setattr(inputs, "sessions", lambda half: [{"id": "n1"}])
    monkeypatch.setattr(inputs, "rows", lambda half: gold)
    told = {row["set"]: row for row in bench.measure(tmp_path, "reserve")}
    assert (told["boundaries"]["gold"], told["boundaries"]["made"], told["boundaries"]["f1"]) == (1, 0, 0.0)
    assert told["topics"]["own"] == 1.0 and told["title"]["topic"] == "Why does the shop not start?"
    assert told["outcomes_last"] | {"named": 0.0, "right": None, "n": 1} == told["outcomes_last"]
