"""A reader of the pages. ULTRON_DOCS=1 (`make test-docs`) runs what takes minutes; elsewhere it is skipped."""

import os

import pytest

from tests.pages.commands import Reader
from tests.support.model.server import ModelServer


def pytest_collection_modifyitems(items):
    if os.environ.get("ULTRON_DOCS") == "1":
        return
    for item in items:
        if "reader" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason="`make test-docs` runs every command of the pages"))


@pytest.fixture
def reader(tmp_path):
    made = Reader(tmp_path)
    made.settle()
    return made


@pytest.fixture
def model():
    made = ModelServer().start()
    yield made
    made.stop()
