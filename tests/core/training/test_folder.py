"""A run's folder has its name when it is whole; what a kill left is finished or removed."""

import json
from dataclasses import asdict

import pytest

from ultron_core.errors import ExportError
from ultron_core.training.folder import is_complete, publish, read_manifest, start_work, take_up, work_folder
from ultron_core.training.promote import judge
from ultron_core.training.records import Calls, Evaluation, Losses

BEFORE, AFTER = (Evaluation(Losses(3, loss), Calls(2, 1), [("ask | it", "so")]) for loss in (2.0, 1.5))


def manifest():
    return {
        "name": "one",
        "base": "/models/small",
        "base_hash": "b",
        "parent": None,
        "dataset": "d",
        "dataset_hash": "h",
        "device": "cpu",
        "seconds": 1.0,
        "settings": {"rank": 8},
        "counts": {"train": 4, "validation": 3, "left_out": {"too_long": 1}},
        "before": BEFORE.as_json(),
        "after": AFTER.as_json(),
        "of_seeds": [asdict(AFTER.losses)],
        "verdict": asdict(judge(BEFORE, AFTER, [AFTER.losses])),
    }


@pytest.fixture
def target(tmp_path):
    target = tmp_path / "adapters" / "one"
    (start_work(target) / "adapter").mkdir()
    (work_folder(target) / "adapter" / "weights").write_bytes(b"w")
    return target


def test_a_published_folder_is_whole_and_tells_what_was_measured(target):
    publish(target, manifest())
    assert is_complete(target) and not work_folder(target).exists()
    assert set(read_manifest(target)["files"]) == {"README.md", "adapter/weights"}
    card = (target / "README.md").read_text()
    assert "Promoted." in card and "| loss | 3 | 2.0000 | 1.5000 |" in card.replace("`", "")
    assert "too_long 1" in card


def test_a_changed_or_missing_file_is_no_whole_folder(target):
    publish(target, manifest())
    (target / "adapter" / "weights").write_bytes(b"x")
    assert not is_complete(target)
    (target / "adapter" / "weights").unlink()
    assert not is_complete(target)


def test_what_was_killed_before_the_manifest_is_removed(target):
    assert take_up(target) is None
    assert not target.exists() and not work_folder(target).exists()


def test_what_was_killed_before_it_had_its_name_gets_it(target):
    publish(target, manifest())
    target.replace(work_folder(target))
    assert take_up(target)["name"] == "one" and is_complete(target)


def test_what_was_killed_once_it_had_its_name_is_found(target):
    publish(target, manifest())
    assert json.dumps(take_up(target)) == json.dumps(read_manifest(target))


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="ULTRON_TRAIN_DIR"):
        start_work(tmp_path / "file" / "one")
