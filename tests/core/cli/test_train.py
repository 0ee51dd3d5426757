"""`ultron train` as a person types it, without the packages that train: what it asks for, and what it lists."""

from uuid import uuid4

import pytest

from ultron_core.store.tables.training import runs
from ultron_core.training.promote import judge
from ultron_core.training.records import Calls, Evaluation, Losses, TypeLoss


@pytest.fixture
def finished(database, tmp_path):
    """A finished run in the registry."""
    before, after = (
        Evaluation(Losses(7, loss, {"qa": TypeLoss(7, loss)}), Calls(4, 1)) for loss in (2.0, 1.5)
    )
    about = {
        "id": uuid4(),
        "account_id": "default",
        "name": "20260301-a",
        "base": "/models/small.gguf",
        "base_hash": "b",
        "parent_id": None,
        "dataset": "d",
        "dataset_hash": "h",
        "seed": 0,
        "settings": {"rank": 8},
        "device": "cpu",
        "path": str(tmp_path / "a"),
        "now": "2026-03-01",
    }
    report = {
        "before": before.as_json(),
        "after": after.as_json(),
        "verdict": {"promoted": True, "fall": 0.5, "spread": 0.01, "reasons": []},
    }
    assert judge(before, after, [after.losses]).promoted
    with database.transaction() as conn:
        runs.insert(conn, about)
        rows = [{"content": "c", "group": "g", "fate": "train", "id": "no-uuid"}]
        runs.finish(conn, "default", about["id"], "2026-03-02", report=report, promoted=True, rows=rows)
    return about["name"]


def test_it_asks_for_a_base_and_for_the_extra(run, tmp_path):
    assert "Give --base PATH, or set ULTRON_TRAIN_BASE" in run("train")[2]
    code, _, errors = run("train", "--base", tmp_path)
    assert code == 1 and "ultron-memory[train]" in errors
    assert "Give --base PATH" not in run("train", ULTRON_TRAIN_BASE=tmp_path)[2]


def test_looking_and_training_are_two_things(run):
    assert run("train", "--list", "--steps", 3)[0] == 2
    assert run("train", "--list", "--show", "x")[0] == 2


def test_an_empty_registry_says_so(run):
    assert run("train", "--list")[:2] == (0, "No run yet.\n")


def test_a_run_is_listed_and_shown_with_its_losses(run, finished):
    listed = run("train", "--list")[1]
    assert finished in listed and "promoted" in listed and "2.000" in listed and "1.500" in listed
    shown = run("train", "--show", finished)[1]
    assert "loss, qa" in shown and "Promoted." in shown and "Fall 0.5000" in shown
    assert '"promoted": true' in run("train", "--list", "--json")[1]
    assert run("train", "--show", "other")[0] == 2
