"""These tests run by `make test-trainers`, in an environment that has the trainers and the core of Ultron."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("trl") else ["test_*.py"]
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def sample():
    """The folder that `tests.trainers.sample` wrote."""
    return Path(os.environ["ULTRON_SAMPLE"])


@pytest.fixture(scope="session")
def expected(sample):
    return json.loads((sample / "expected.json").read_text())
