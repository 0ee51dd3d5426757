"""A dataset goes to a hub over HTTP, whole and once, and comes back; what the hub refuses is told in one sentence."""

import json
import os
import subprocess
import sys

import pytest

from tests.trainers.hub import TOKEN, running

#: in a process of its own: the hub's client reads its address when it is imported
SEND = """
import json, sys
from pathlib import Path
from ultron_core.errors import ExportError
from ultron_core.sft.publish.copy import copy_dataset, fetch_dataset
folder, back = map(Path, sys.argv[1:])
target = "hf://datasets/team/lessons"
try:
    copied = [copy_dataset(folder, target, dry_run=n == 0) for n in range(3)]
    fetched = fetch_dataset(target, back)
except ExportError as error:
    print(json.dumps({"refused": str(error)}))
else:
    print(json.dumps({"unchanged": [c.unchanged for c in copied], "place": copied[0].place, "fetched": fetched}))
"""


@pytest.fixture
def hub():
    with running() as hub:
        yield hub


@pytest.fixture
def publish(sample, tmp_path):
    """Publishes the sample to the hub at that address, and fetches it into `tmp_path`."""

    def run(url, token=TOKEN):
        folder = sample / "good"
        told = json.loads((folder / "manifest.json").read_text())
        back = tmp_path / told["name"] / str(told["version"])
        env = {**os.environ, "HF_ENDPOINT": url, "HF_TOKEN": token, "HF_HOME": str(tmp_path / "hf")}
        env |= {"HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
        done = subprocess.run(
            [sys.executable, "-c", SEND, str(folder), str(back)], env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), folder, back

    return run


def test_a_dataset_reaches_a_hub_with_its_manifest_last_and_comes_back(hub, publish):
    told, folder, back = publish(hub.url)
    assert told["unchanged"] == [False, False, True] and told["fetched"]
    sent = [name for commit in hub.commits for name in commit]
    place = told["place"].removeprefix("hf://datasets/team/lessons/")
    assert sent[-1] == f"{place}/manifest.json" and len(sent) == len(set(sent)), "a file went twice"
    own = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    assert {name.removeprefix(f"{place}/"): raw for name, raw in hub.files.items()} == own
    assert {
        path.relative_to(back).as_posix(): path.read_bytes() for path in back.rglob("*") if path.is_file()
    } == own


def test_a_hub_that_refuses_or_is_away_is_an_error_of_the_export(hub, publish):
    told, _, _ = publish(hub.url, token="hf_wrong")
    assert "401" in told["refused"] and "Nothing complete was published" in told["refused"]
    assert not hub.files
    told, _, _ = publish("http://127.0.0.1:9")
    assert "Nothing complete was published to hf://datasets/team/lessons" in told["refused"]
