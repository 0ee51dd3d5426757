"""A dataset whose manifest or place somebody else wrote: its names read and write nothing outside of its folder."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFile

from tests.support.rows import four_questions, written
from tests.support.watched import Watched
from ultron_core.errors import InputError
from ultron_core.sft.files.read import MANIFEST, load_manifest
from ultron_core.sft.publish.copy import copy_dataset, fetch_dataset
from ultron_core.sft.publish.review import confirm, confirmed, review_dataset
from ultron_core.steps.sft.export import ExportRequest, export_dataset

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def bucket():
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "made" / "v1", four_questions())


def rewrite(folder, **changed):
    (folder / MANIFEST).write_text(json.dumps({**load_manifest(folder), **changed}))


def test_a_file_outside_is_not_published(folder, tmp_path, bucket):
    (tmp_path / "id_rsa").write_text("private")
    (folder / "link").symlink_to(tmp_path)
    for name in ("../../id_rsa", str(tmp_path / "id_rsa"), "link/id_rsa"):
        rewrite(folder, files={name: {}})
        with pytest.raises(InputError, match="leads out"):
            copy_dataset(folder, "memory://bucket")
    assert not bucket.store


@pytest.mark.parametrize(
    "changed", [{"name": "../up"}, {"name": "/up"}, {"version": ".."}, {"version": "a/b"}]
)
def test_a_dataset_is_copied_to_its_place_alone(folder, tmp_path, changed):
    rewrite(folder, **changed)
    watched = Watched(tmp_path)
    with pytest.raises(InputError, match="of the manifest"):
        copy_dataset(folder, f"file://{tmp_path}/shelf")
    assert watched.changes() == []


def test_an_object_that_climbs_is_not_fetched(folder, tmp_path, bucket):
    copy_dataset(folder, "memory://bucket")
    climbing = "/bucket/test/1/../../../out.txt"
    bucket.store[climbing] = MemoryFile(bucket, climbing, b"written")
    watched = Watched(tmp_path, [tmp_path / "here"])
    with pytest.raises(InputError, match="leads out"):
        fetch_dataset("memory://bucket", tmp_path / "here" / "test" / "1")
    assert set(watched.changes()) <= {str(tmp_path / "here")}


def test_a_review_is_kept_in_its_folder(folder, tmp_path):
    reviews = tmp_path / "reviews"
    for content in ("../out", str(tmp_path / "out"), "a/b", ".hidden"):
        review = replace(review_dataset(folder, {}), content_hash=content)
        with pytest.raises(InputError, match="content_hash"):
            confirm(reviews, review, NOW)
        with pytest.raises(InputError, match="content_hash"):
            confirmed(reviews, content)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("name", ["../out", "/out", "a/b", ".hidden", "..", "a\nb", "x" * 300])
def test_a_dataset_is_called_like_a_folder(runtime_of, name):
    with pytest.raises(InputError, match="dataset name"):
        export_dataset(runtime_of, ExportRequest(name=name))


@pytest.fixture
def runtime_of(settings):
    from ultron_core.client import Ultron

    with Ultron(settings) as ultron:
        yield ultron.runtime
