"""The evaluation of a model, on the server that answers in good faith about the sessions of tests/replay."""

import importlib
import io
import json
import sys
import tarfile

import pytest

from tests.support.good_faith import GoodFaith, sessions
from tests.support.model_server import model_server
from tests.support.walk import KEY
from ultron_core.settings import LLMSettings, Settings


@pytest.fixture
def bench():
    return importlib.import_module("model_eval")


def pack(folder, name, members, rows):
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as packed:
        for path in members:
            entry = tarfile.TarInfo(f"{name}/{path.name}")
            entry.size = path.stat().st_size
            packed.addfile(entry, io.BytesIO(path.read_bytes()))
    (folder / f"{name}.labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def data(tmp_path):
    """The sessions whose end is recorded, and one of five tasks, as the data folder of a benchmark."""
    ended = [session for session in sessions() if session.success is not None]
    rows = [{"file": f"runs/{s.path.name}", "success": s.success} for s in ended]
    pack(tmp_path / "sessions", "runs", [s.path for s in ended], rows)
    talk = next(session for session in sessions() if session.name == "zh-questions")
    row = {"file": f"stitched_zh/{talk.path.name}", "boundaries": [2, 4, 6, 8]}
    pack(tmp_path / "segmentation", "stitched_zh", [talk.path], [row])
    return tmp_path


def settings(**llm):
    return Settings(llm=LLMSettings(**{"api_key": KEY, "model": "good-faith", "redact_input": False} | llm))


def rows_of(capsys):
    return {row["set"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}


def test_its_figures_come_again_from_the_record(bench, data, tmp_path, capsys):
    record = tmp_path / "answers.jsonl"
    good = GoodFaith()
    with model_server() as server:
        server.always = good.behave
        bench.evaluate(data, bench.Models(settings(base_url=server.url), record), 20)
        asked = len(server.chats())
    first = rows_of(capsys)
    runs, cuts = first["runs"], first["stitched_zh"]
    assert (runs["n"], runs["failed"], runs["asked"], runs["re_ask"]) == (7, 0, 7, 0)
    assert runs["auc"] == 1.0 and runs["brier"] < 0.1
    assert runs["quotes"] > 5 and runs["quote_drop"] == 0
    assert runs["cures"] == 7 and runs["cures_called_verified"] > 0
    assert runs["cures_verified"] == 0, "a run that failed verifies nothing"
    assert (cuts["f1_clipped"], cuts["f1_full"]) == (1.0, 1.0)
    assert cuts["input_tokens_clipped"] < cuts["input_tokens_full"]
    assert len(record.read_text("utf-8").splitlines()) == asked

    bench.evaluate(data, bench.Models(settings(base_url="http://127.0.0.1:9/v1"), replay=record), 20)
    assert rows_of(capsys) == first


def test_without_a_key_it_says_so(bench, data, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["model_eval", "--data", str(data)])
    bench.main()
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert "no key is set" in row["skipped"]
