"""The benchmark of moving stores, on a handful of rows."""

import json
import shutil
import tempfile
from importlib import import_module
from pathlib import Path

import pytest


@pytest.fixture
def folder():
    """One that the account of the server can get into also for root."""
    made = Path(tempfile.mkdtemp(prefix="ultron-transfer-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def test_every_operation_is_told_and_every_copy_is_whole(folder, capsys):
    import_module("transfer").measure(folder, 40)
    told = {line["op"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert list(told) == ["export", "import", "import again", "backup", "restore"]
    assert told["import"]["digest"] and told["restore"]["digest"]
    assert {"ratio", "plain_seconds"} <= told["backup"].keys()
