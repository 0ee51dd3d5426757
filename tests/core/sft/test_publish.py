"""A dataset leaves the house only after a person has seen what was replaced in this very content."""

import json
from datetime import UTC, datetime

import fsspec
import pytest

from tests.support.rows import asked, four_questions, written
from ultron_core.errors import ExportError
from ultron_core.sft import load_manifest
from ultron_core.sft.publish.review import confirm, confirmed, review_dataset, scanner
from ultron_core.sft.publish.upload import publish_dataset

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "v1", [*four_questions(), replaced()])


def replaced():
    """A row in which the redactor replaced something."""
    words = " ".join(f"word{n}" for n in range(30))
    return asked(
        9, f"Ask <PERSON> at <EMAIL_ADDRESS> about {words}", f"<PERSON> says yes. {words}", session="s9"
    )


@pytest.fixture
def stub():
    """A bucket in memory, empty."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def test_a_review_shows_every_replacement_and_rows_of_every_project(folder):
    review = review_dataset(folder, {"seg-009": "shop"}, samples=2)
    assert review.rows == 5 and review.scanner == "detect-secrets"
    assert review.projects["shop"] == {
        "rows": 1,
        "replaced": {"PERSON": 2, "EMAIL_ADDRESS": 1},
        "scanner": {},
    }
    assert review.projects["-"]["rows"] == 4
    assert {place.row for place in review.replacements} == {"seg-009"} and len(review.replacements) == 3
    assert any(
        place.around.startswith("Ask <PERSON> at <EMAIL_ADDRESS> about") for place in review.replacements
    )
    assert [row["id"] for row in review.samples if row["id"] == "seg-009"] and len(review.samples) == 3


def test_an_outside_scanner_looks_at_every_text(tmp_path):
    key = "AKIA" + "QWERTYUIOPASDFGH"
    leaky = asked(1, "What is the key of the bucket?", f"The key is {key}, keep it for yourself, please.")
    review = review_dataset(written(tmp_path / "v1", [leaky]), {})
    kinds = {place.kind for place in review.findings}
    assert (
        scanner() and "detect-secrets AWS Access Key" in kinds and any(k.startswith("pattern") for k in kinds)
    )
    assert all(key in place.around for place in review.findings)


def test_nothing_is_published_before_this_content_was_confirmed(folder, tmp_path, stub):
    reviews = tmp_path / "reviews"
    with pytest.raises(ExportError, match="Nobody has reviewed"):
        publish_dataset(folder, "memory://bucket", reviews)
    other = written(tmp_path / "v2", four_questions())
    confirm(reviews, review_dataset(other, {}), NOW)
    with pytest.raises(ExportError, match="Nobody has reviewed"):
        publish_dataset(folder, "memory://bucket", reviews)
    assert not stub.store
    path = confirm(reviews, review_dataset(folder, {}), NOW)
    assert json.loads(path.read_text())["confirmed_at"] == NOW.isoformat()
    assert confirmed(reviews, load_manifest(folder)["content_hash"])["rows"] == 5
    assert publish_dataset(folder, "memory://bucket", reviews).files


@pytest.fixture
def reviewed(folder, tmp_path):
    confirm(tmp_path / "reviews", review_dataset(folder, {}), NOW)
    return tmp_path / "reviews"


def test_a_dry_run_says_what_would_be_copied_and_copies_nothing(folder, reviewed, stub):
    would = publish_dataset(folder, "memory://bucket", reviewed, dry_run=True)
    assert would.dry_run and not stub.store
    done = publish_dataset(folder, "memory://bucket", reviewed)
    assert done.files == would.files and done.place == would.place
    there = {name.removeprefix("/bucket/test/1/"): data.getvalue() for name, data in stub.store.items()}
    own = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    assert there == own
    assert list(done.files)[-1] == "manifest.json", "complete only with the last file"


def test_what_is_there_already_stays_and_another_dataset_is_not_overwritten(folder, reviewed, stub, tmp_path):
    publish_dataset(folder, f"file://{tmp_path}/shelf", reviewed)
    assert (tmp_path / "shelf" / "test" / "1" / "README.md").is_file()
    assert publish_dataset(folder, f"file://{tmp_path}/shelf", reviewed).unchanged
    other = written(tmp_path / "v2", four_questions())
    confirm(reviewed, review_dataset(other, {}), NOW)
    with pytest.raises(ExportError, match="another dataset"):
        publish_dataset(other, f"file://{tmp_path}/shelf", reviewed)


def test_a_folder_that_was_changed_by_hand_is_not_published(folder, reviewed, stub):
    (folder / "README.md").write_text("changed")
    with pytest.raises(ExportError, match="rule 20"):
        publish_dataset(folder, "memory://bucket", reviewed)
    assert not stub.store


def test_a_place_that_nobody_knows_is_refused_with_its_name(folder, reviewed):
    with pytest.raises(ExportError, match="nowhere://x"):
        publish_dataset(folder, "nowhere://x", reviewed)
