"""`ultron train` on a random tiny model: it learns, is listed, survives kills, trains nothing twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.support.worlds import task, write_log
from tests.trainers.test_trl import small_model, tokenizer
from ultron_core.client import Ultron
from ultron_core.settings import Settings
from ultron_core.sft import read_rows
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.steps.training.registry import list_runs
from ultron_core.steps.training.run import train
from ultron_core.steps.training.waiting import recipe_of
from ultron_core.training import torch_learner

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "kappa")
SETTINGS = {
    "ULTRON_OFFLINE": "1",
    "ULTRON_SESSION_QUIET_MINUTES": "0",
    "ULTRON_SFT_VALIDATION_SHARE": "0.4",
    "ULTRON_TRAIN_STEPS": "6",
    "ULTRON_TRAIN_LEARNING_RATE": "0.01",
    "ULTRON_TRAIN_BATCH": "2",
    "ULTRON_TRAIN_RANK": "4",
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    home = tmp_path_factory.mktemp("training") / "home"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ULTRON_")}
    return {**kept, **SETTINGS, "ULTRON_HOME": str(home), "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def ultron(environment):
    settings = Settings.load(environment, home=Path(environment["ULTRON_HOME"]))
    with Ultron(settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def dataset(ultron, tmp_path_factory):
    logs = tmp_path_factory.mktemp("logs")
    for name in NAMES:
        write_log(logs / f"{name}.jsonl", task(name))
    ultron.ingest([logs], "me", process=True)
    export = export_dataset(ultron.runtime, ExportRequest(min_quality_score=0.5))
    assert export.train_rows and export.validation_rows
    return export.path


@pytest.fixture(scope="module")
def base(dataset, tmp_path_factory):
    """Random weights, and a tokenizer made of the rows, which makes them short."""
    folder = tmp_path_factory.mktemp("base")
    words = tokenizer("qwen3", [json.dumps(row["messages"]) for row in read_rows(dataset)], 1500)
    words.save_pretrained(folder)
    small_model(words).save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def _short_answers(monkeypatch):
    monkeypatch.setattr(torch_learner, "_ANSWER_TOKENS", 8)


def call(ultron, dataset, base, **more):
    return train(ultron.runtime, dataset, base, recipe_of(ultron.runtime), **more)


@pytest.mark.parametrize("place", ["training", "publishing", "registering"])
def test_after_a_kill_nothing_half_is_listed_and_the_next_run_completes(
    place, ultron, dataset, base, environment, tmp_path
):
    # another base a place: what one was trained on is new to the next
    other = tmp_path / "base"
    other.mkdir()
    for file in base.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    (other / "place.txt").write_text(place)
    command = [sys.executable, "-m", "tests.trainers.killed", place, str(dataset), str(other)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr[-2000:]
    killed = list_runs(ultron.runtime)[0]
    assert (killed.status, killed.promoted, killed.report) == ("killed", False, {})
    again = call(ultron, dataset, other)
    newest = list_runs(ultron.runtime)[0]
    # once the files had their name there was nothing left to train
    assert (again.run is None) == (place == "registering")
    assert newest.status == "finished" and (newest.path / "adapter/adapter_model.safetensors").is_file()
    listed = {run.name for run in list_runs(ultron.runtime) if run.status == "finished"}
    folders = {path.name for path in ultron.settings.adapters_dir.iterdir() if path.is_dir()}
    assert folders == listed, "no half adapter"


def test_it_learns_is_promoted_and_trains_nothing_twice(ultron, dataset, base, environment):
    heard = []
    run = call(ultron, dataset, base, tell=heard.append).run
    before, after = (run.report[side]["losses"]["loss"] for side in ("before", "after"))
    assert after < before - run.report["verdict"]["spread"] and run.promoted
    assert any("step 6 of 6" in line for line in heard)
    model = AutoModelForCausalLM.from_pretrained(base)
    PeftModel.from_pretrained(model, run.path / "adapter")
    assert "{% generation" not in AutoTokenizer.from_pretrained(run.path / "adapter").chat_template
    # by the command line, as a person looks at it
    command = [sys.executable, "-m", "ultron_core.cli.main", "train", "--list", "--json"]
    listed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert run.name in {one["name"] for one in json.loads(listed.stdout)}
    assert call(ultron, dataset, base).run is None, "unchanged data"


def test_an_erased_row_taints_the_adapter(ultron, dataset, base):
    before = {run.name for run in list_runs(ultron.runtime) if run.status == "finished"}
    assert not any(run.tainted_at for run in list_runs(ultron.runtime))
    with ultron.runtime.database.transaction() as conn:
        conn.execute(
            "DELETE FROM sessions WHERE id = (SELECT session_id FROM training_rows WHERE fate = 'train' LIMIT 1)"
        )
    assert {run.name for run in list_runs(ultron.runtime) if run.tainted_at} == before
    done = call(ultron, dataset, base)
    assert done.left_out["erased"] == 1 and done.run.parent is None and done.run.tainted_at is None
