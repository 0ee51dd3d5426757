"""Trainings by a learner without a model: once per content, compared, registered, killed, tainted."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.support.learner import FakeLearner
from tests.support.rows import MANIFEST, asked, build, written
from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import ConflictError, InputError, UnknownNameError
from ultron_core.folders import make_folders, only_one
from ultron_core.models import ToolCall
from ultron_core.sft import BuildConfig, write_dataset
from ultron_core.sft.files.read import read_rows
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.steps.training import run as training
from ultron_core.steps.training.registry import LOCK, list_runs, show_run
from ultron_core.steps.training.waiting import waiting_rows
from ultron_core.store.tables.training import runs
from ultron_core.training.records import Recipe

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LOW = ExportRequest(min_quality_score=0.5)
RECIPE = Recipe(batch=2, max_length=10_000)


@pytest.fixture
def base(tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "model.safetensors").write_bytes(b"weights")
    return tmp_path / "base"


@pytest.fixture
def ultron(settings):
    settings = settings.model_copy(update={"sft": settings.sft.model_copy(update={"validation_share": 0.5})})
    with Ultron(settings, clock=lambda: NOW) as opened:
        yield opened


def question(number):
    """A candidate with a call; nothing in it is like another one."""
    words = " ".join(f"w{number}x{n}" for n in range(20 + number))
    call = ToolCall("a", "look_up", {"q": f"q{number}"})
    return asked(number, f"What of {words}?", f"That: {words[::-1]}", calls=[call], session=f"s{number}")


@pytest.fixture
def dataset(tmp_path):
    """Writes a dataset of the questions with these numbers; half of them measure."""

    def make(*numbers, share=0.5):
        place = tmp_path / f"{share}-{'-'.join(map(str, numbers))}"
        if place.exists():
            return place
        return written(place, [question(n) for n in numbers], BuildConfig(validation_share=share))

    return make


@pytest.fixture
def export(ultron, tmp_path):
    """Puts logs of these tasks into the store and exports what is there; returns the folder of the dataset."""

    def make(*names):
        for name in names:
            write_log(tmp_path / "logs" / f"{name}.jsonl", task(name))
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        return export_dataset(ultron.runtime, LOW).path

    return make


@pytest.fixture
def train(ultron, base):
    """One training; the learner can be asked afterwards."""

    def call(dataset, learner=None, recipe=RECIPE, **more):
        learner = learner or FakeLearner()
        done = training.train(ultron.runtime, dataset, base, recipe, make_learner=lambda _: learner, **more)
        return done, learner

    return call


def sides(dataset):
    return {
        split: {row["content_sha256"] for row in read_rows(dataset, split)}
        for split in ("train", "validation")
    }


def stored(ultron, query, **params):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query, params).rowcount


FIRST = range(6)
ALL = range(12)


def test_a_run_is_compared_promoted_published_and_listed(dataset, train, ultron):
    rows = dataset(*FIRST)
    done, learner = train(rows)
    run, split = done.run, sides(rows)
    assert split["train"] and split["validation"]
    # three seeds, each on all rows of the training split and from the base
    assert [(set(taken), parent) for taken, parent in learner.trainings] == [(split["train"], None)] * 3
    assert (run.status, run.promoted, run.rows) == ("finished", True, len(split["train"]))
    assert run.report["before"]["losses"]["loss"] == 2.0 and run.report["after"]["losses"]["loss"] == 1.0
    assert run.report["before"]["calls"]["prompts"] == 3 + len(split["validation"])
    assert run.report["verdict"]["spread"] == pytest.approx(0.02)
    assert (run.path / "adapter" / "adapter_model.safetensors").is_file()
    assert "step 1 of 1" in (run.path / "log.txt").read_text()
    assert list_runs(ultron.runtime) == [run] == [show_run(ultron.runtime, run.name)]
    with pytest.raises(UnknownNameError):
        show_run(ultron.runtime, "other")


def test_with_unchanged_data_nothing_is_trained(dataset, train):
    train(dataset(*FIRST))
    again, learner = train(dataset(*FIRST))
    assert (again.run, again.new, learner.trainings) == (None, 0, [])


def test_new_rows_alone_are_trained_from_the_promoted_adapter(dataset, train):
    first, _ = train(dataset(*FIRST))
    second, learner = train(dataset(*ALL))
    old, new = sides(dataset(*FIRST)), sides(dataset(*ALL))
    taken, parent = learner.trainings[0]
    assert set(taken) == new["train"] - old["train"] and taken
    assert parent == first.run.path / "adapter" and second.run.parent == first.run.name
    assert old["validation"] <= new["validation"], "no row changes its side"


def test_too_few_new_rows_start_nothing(dataset, train):
    waiting = len(sides(dataset(*FIRST))["train"])
    assert train(dataset(*FIRST), least=waiting + 1)[0].run is None
    assert train(dataset(*FIRST), least=waiting)[0].run is not None


def test_what_was_not_promoted_is_not_gone_on_from(dataset, train):
    first, _ = train(dataset(*FIRST), FakeLearner(gain=0))
    assert not first.run.promoted and first.run.report["verdict"]["reasons"]
    second, learner = train(dataset(*ALL))
    assert second.run.parent is None
    assert set(learner.trainings[0][0]) == sides(dataset(*ALL))["train"], "the base has seen none of them"


def test_again_trains_all_rows_from_the_base(dataset, train):
    train(dataset(*FIRST))
    done, learner = train(dataset(*FIRST), again=True)
    assert done.run.parent is None
    assert set(learner.trainings[0][0]) == sides(dataset(*FIRST))["train"]


def test_rows_that_are_too_long_are_left_out_and_start_no_run_again(dataset, train):
    rows = dataset(*FIRST)
    lengths = sorted(len(FakeLearner().encode(None, row).tokens) for row in read_rows(rows, "train"))
    short = replace(RECIPE, max_length=lengths[-1] - 1)
    done, _ = train(rows, recipe=short)
    assert done.run.rows == len(lengths) - 1 and done.run.report["counts"]["left_out"]["too_long"] >= 1
    assert train(rows, recipe=short)[0].run is None
    assert train(rows, recipe=replace(short, max_length=lengths[-1]))[0].new == 1
    with pytest.raises(InputError, match="raise --max-length"):
        train(rows, recipe=replace(short, max_length=16), again=True)


def test_a_row_keeps_its_side_when_the_dataset_moves_it(dataset, train, ultron, base):
    """The same rows in a dataset that splits them otherwise."""
    one, other = dataset(*ALL, share=0.3), dataset(*ALL, share=0.8)
    assert sides(one)["train"] & sides(other)["validation"], "the other dataset moves some"
    train(one)
    plan = waiting_rows(ultron.runtime, other, base, RECIPE).plan
    assert {row.content for row in plan.validation} == sides(one)["validation"]
    assert plan.train == [] and plan.left_out == {"already_trained": len(sides(one)["train"])}


class Killed(BaseException):
    """Ends the call as a kill would."""


def killed(*_, **__):
    raise Killed


@pytest.mark.parametrize("place", ["training", "publishing", "registering"])
def test_after_a_kill_nothing_half_is_listed_and_the_next_run_completes(
    place, dataset, train, ultron, monkeypatch
):
    owner, name = {
        "training": (FakeLearner, "train"),
        "publishing": (training, "publish"),
        "registering": (training, "register"),
    }[place]
    with monkeypatch.context() as patched:
        # a killed process does not get to say that it stopped
        patched.setattr(runs, "stop", lambda *_: None)
        patched.setattr(owner, name, killed)
        with pytest.raises(Killed):
            train(dataset(*FIRST))
    (left,) = list_runs(ultron.runtime)
    assert (left.status, left.promoted, left.report) == ("killed", False, {})
    done, learner = train(dataset(*FIRST))
    (finished,) = [run for run in list_runs(ultron.runtime) if run.status == "finished"]
    assert finished.promoted
    # what was whole is taken up instead of trained a second time
    assert (done.run is None, learner.trainings == []) == ((place == "registering",) * 2)
    assert {path.name for path in ultron.settings.adapters_dir.iterdir()} == {LOCK, finished.name}


def test_a_run_that_fails_is_stopped_with_its_error_and_leaves_the_next_one_free(dataset, train, ultron):
    class Broken(FakeLearner):
        def train(self, *_):
            raise MemoryError("no room")

    with pytest.raises(MemoryError):
        train(dataset(*FIRST), Broken())
    (stopped,) = list_runs(ultron.runtime)
    assert (stopped.status, stopped.error) == ("stopped", "MemoryError: no room")
    assert [path.name for path in ultron.settings.adapters_dir.iterdir()] == [LOCK]
    assert train(dataset(*FIRST))[0].run.promoted


def test_a_loss_that_is_no_number_stops_the_run(dataset, train, ultron):
    with pytest.raises(InputError, match="lower the learning rate"):
        train(dataset(*FIRST), FakeLearner(gain=math.nan))
    assert [run.status for run in list_runs(ultron.runtime)] == ["stopped"]


def test_one_training_at_a_time(dataset, train, ultron):
    make_folders(ultron.settings.adapters_dir)
    with only_one(ultron.settings.adapters_dir / LOCK), pytest.raises(ConflictError):
        train(dataset(*FIRST))


def test_an_erased_session_taints_the_adapter_and_what_goes_on_from_it(export, train, ultron):
    first, _ = train(export("alpha", "beta", "gamma", "delta"))
    rows = export("epsilon", "zeta", "theta", "kappa")
    second, _ = train(rows)
    assert second.run.parent == first.run.name
    trained = "SELECT session_id FROM training_rows r JOIN training_runs t ON t.id = r.run_id WHERE fate = "
    measured = stored(ultron, f"DELETE FROM sessions WHERE id IN ({trained} 'validation' LIMIT 1)")
    assert measured == 1
    assert [run.tainted_at for run in list_runs(ultron.runtime)] == [None, None], "it was not trained on"
    gone = stored(
        ultron,
        f"DELETE FROM sessions WHERE id IN ({trained} 'train' AND t.name = %(name)s LIMIT 1)",
        name=first.run.name,
    )
    assert gone == 1
    assert [run.tainted_at for run in list_runs(ultron.runtime)] == [NOW, NOW]
    # the next run begins at the base, with all rows but the erased ones
    done, learner = train(rows)
    assert (done.run.parent, done.run.tainted_at, done.left_out) == (None, None, {"erased": 2})
    assert len(learner.trainings[0][0]) == len(sides(rows)["train"]) - 1


def test_a_dataset_that_breaks_a_rule_is_refused(dataset, train):
    (dataset(*FIRST) / "report.md").write_text("edited")
    with pytest.raises(InputError, match="rule 20"):
        train(dataset(*FIRST))


def test_a_mask_that_trains_too_much_is_refused(dataset, train, ultron):
    class Greedy(FakeLearner):
        def encode(self, ref, row):
            made = super().encode(ref, row)
            return replace(made, trained=[True] * len(made.tokens))

    with pytest.raises(InputError, match="trained stretches"):
        train(dataset(*FIRST), Greedy())
    assert list_runs(ultron.runtime) == []


def test_pairs_are_no_dataset_to_train_on(train, tmp_path):
    made = build([], BuildConfig(kind="preference"))
    write_dataset(tmp_path / "pairs", made, {**MANIFEST, "kind": "preference"})
    with pytest.raises(InputError, match="kind preference"):
        train(tmp_path / "pairs")
