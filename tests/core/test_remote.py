"""A place that fsspec reaches and that is away is told in one sentence, whatever its client raises."""

import fsspec
import pytest
from fsspec.spec import AbstractFileSystem

from tests.support.rows import four_questions, written
from ultron_core.errors import ExportError
from ultron_core.remote import as_os_errors
from ultron_core.sft.publish.copy import copy_dataset, fetch_dataset
from ultron_core.steps.files.bucket import list_objects, object_is_gone


class ConnectionLost(Exception):
    """Of an HTTP client: no OSError."""


class Away(AbstractFileSystem):
    protocol = "away"

    def info(self, path, **options):
        raise ConnectionLost("nobody answers")

    def find(self, path, **options):
        raise ConnectionLost("nobody answers")

    exists = cat_file = put_file = get_file = info


@pytest.fixture(autouse=True)
def registered():
    fsspec.register_implementation("away", Away, clobber=True)


def test_a_bucket_that_is_away_cannot_be_listed_and_proves_nothing():
    with pytest.raises(OSError, match="ConnectionLost: nobody answers"):
        list(list_objects("away://logs/sessions"))
    assert not object_is_gone("away://logs/sessions/a.jsonl")


def test_a_hub_that_is_away_is_an_error_of_the_export(tmp_path):
    folder = written(tmp_path / "v1", four_questions())
    with pytest.raises(ExportError, match="Nothing complete was published to away://hub: ConnectionLost"):
        copy_dataset(folder, "away://hub")
    with pytest.raises(ExportError, match="away://hub cannot be read: ConnectionLost"):
        fetch_dataset("away://hub", tmp_path / "lessons" / "1")


def test_errors_that_callers_know_pass_as_they_are():
    with pytest.raises(FileNotFoundError), as_os_errors():
        raise FileNotFoundError("a.jsonl")
    with pytest.raises(ExportError), as_os_errors():
        raise ExportError("another dataset")
