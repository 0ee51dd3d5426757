"""The evaluation of a model, on a server that gives the recorded answers about the sessions of tests/replay."""

import importlib
import io
import json
import re
import sys
import tarfile

import pytest

from tests.support.gold import sessions
from tests.support.model import hostile
from tests.support.model.recorded import Recorded
from tests.support.model.server import model_server
from tests.support.walk import KEY
from ultron_core.settings import LLMSettings, Settings

#: what the benchmarks recorded of how the runs ended; of the puzzle, the log shows the flag
ENDED = {s.path: s.success for s in sessions() if s.success is not None}
ENDED |= {s.path: 1 for s in sessions() if s.name == "baby-encryption"}


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
    """The sessions whose end is known, and one of five tasks, as the data folder of a benchmark."""
    rows = [{"file": f"runs/{path.name}", "success": success} for path, success in ENDED.items()]
    pack(tmp_path / "sessions", "runs", list(ENDED), rows)
    talk = next(session for session in sessions() if session.name == "zh-questions")
    row = {"file": f"stitched_zh/{talk.path.name}", "boundaries": [2, 4, 6, 8]}
    pack(tmp_path / "segmentation", "stitched_zh", [talk.path], [row])
    return tmp_path


def settings(**llm):
    return Settings(llm=LLMSettings(**{"api_key": KEY, "model": "recorded", "redact_input": False} | llm))


def rows_of(capsys):
    return {row["set"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}


def test_its_figures_come_again_from_the_record(bench, data, tmp_path, capsys):
    record = tmp_path / "answers.jsonl"
    answers = Recorded()
    with model_server() as server:
        server.always = answers
        bench.evaluate(data, bench.Models(settings(base_url=server.url), record), 20)
        asked = len(server.chats())
    assert answers.unanswered == [], answers.complaint(tmp_path)
    first = rows_of(capsys)
    runs, cuts = first["runs"], first["stitched_zh"]
    assert (runs["n"], runs["failed"], runs["asked"], runs["re_ask"]) == (8, 0, 8, 0)
    assert runs["auc"] == 1.0 and runs["brier"] < 0.1
    assert (runs["gate_n"], runs["gate_precision"], runs["base"]) == (1, 1.0, 0.375)
    assert runs["input_tokens"] > 2_000 and runs["output_tokens"] > 200
    assert runs["quotes"] > 5 and runs["quote_drop"] == 0
    assert runs["cures"] == 9 and runs["cures_called_verified"] > 0
    one = pytest.approx(1 / runs["cures"], abs=1e-4)
    assert runs["cures_verified"] == one, "a quoted result shows one, whatever became of its run"
    assert (cuts["f1_clipped"], cuts["f1_full"]) == (1.0, 1.0)
    assert cuts["input_tokens_clipped"] < cuts["input_tokens_full"]
    assert len(record.read_text("utf-8").splitlines()) == asked

    bench.evaluate(data, bench.Models(settings(base_url="http://127.0.0.1:9/v1"), replay=record), 20)
    assert rows_of(capsys) == first


def test_every_figure_that_it_describes_is_printed(bench, data, tmp_path, capsys):
    answers = Recorded()
    with model_server() as server:
        server.always = answers
        bench.evaluate(data, bench.Models(settings(base_url=server.url)), 1)
    first = rows_of(capsys)
    described = set(re.findall(r"`([a-z0-9_]+)`", bench.__doc__)) - {"success_probability"}
    assert described - first["runs"].keys() - first["stitched_zh"].keys() == set()
    assert "all" in first and first["stitched_en_mixed"]["skipped"] == "not in the data folder"


def test_answers_that_are_refused_count_as_asked_again_or_failed(bench, data, capsys):
    """One answer in two is no JSON at first; one session never gets a usable one."""
    answers, seen = Recorded(), []

    def stubborn(handler, request):
        record = request["messages"][1]["content"]
        never = "RidgeClassifierCV" in record
        seen.append(record)
        if never or (len(set(seen)) % 2 and seen.count(record) == 1):
            return handler._send(200, hostile.said("I would rather not."))
        return answers(handler, request)

    with model_server() as server:
        server.always = stubborn
        bench.evaluate(data, bench.Models(settings(base_url=server.url)), 20)
    runs = rows_of(capsys)["runs"]
    assert (runs["n"], runs["failed"], runs["asked"]) == (7, 1, 8)
    assert 1 / 8 < runs["re_ask"] < 1


def test_without_a_key_it_says_so(bench, data, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["model_eval", "--data", str(data)])
    bench.main()
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert "no key is set" in row["skipped"]
