"""A client written from the specification's text alone, and one that uses the names of the original's clients, against
a running server."""

from typing import ClassVar

import httpx
import pytest

from tests.core.serve.running import make_running
from tests.support.worlds import solved, write_log

MEMORY = {
    "content": "ModuleNotFoundError: No module named 'pandas'",
    "context": "Running data analysis script inside a Docker container",
    "resolution": "pip install pandas",
    "tags": ["python", "docker", "pandas"],
}


class SpecClient:
    """`POST /memories/...` with the payloads of the specification."""

    paths: ClassVar = {
        "upload": "/memories/upload",
        "search": "/memories/search",
        "details": "/memories/details",
    }
    ids = "ids"

    def __init__(self, client, headers):
        self._client, self._headers = client, headers

    def ask(self, path, body):
        answer = self._client.post(path, json=body, headers=self._headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def upload(self, **memory):
        return self.ask(self.paths["upload"], memory)

    def search(self, query):
        return self.ask(self.paths["search"], {"query": query, "detail_level": "l1", "limit": 10})

    def details(self, ids):
        return self.ask(self.paths["details"], {self.ids: ids})


class OriginalClient(SpecClient):
    paths: ClassVar = {"upload": "/memory/upload", "search": "/memory/search", "details": "/memory/details"}
    ids = "memory_ids"


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def running(server_url, tmp_path_factory, logs):
    for server in make_running(server_url, tmp_path_factory.mktemp("spec")):
        server.env["ULTRON_INGEST_ROOTS"] = str(logs)
        server.start()
        yield server
        server.stop()


@pytest.fixture(params=[SpecClient, OriginalClient])
def outside(request, running):
    with httpx.Client(base_url=running.address, timeout=60) as client:
        yield request.param(client, {"Authorization": f"Bearer {running.key}"})


def test_what_is_uploaded_is_found_and_read_in_full(outside):
    stored = outside.upload(**MEMORY)
    assert stored["success"] and stored["data"]["tier"] == "WARM" and stored["data"]["status"] == "active"
    found = outside.search("Python import error pandas")
    assert found["success"] and found["count"] == len(found["data"]) == 1
    (hit,) = found["data"]
    assert hit["id"] == stored["data"]["id"] and hit["content"] == "" and hit["summary_l0"]
    assert 0 < hit["similarity_score"] <= 1
    full = outside.details([hit["id"], "00000000-0000-0000-0000-000000000000"])
    assert full["count"] == 1 and full["data"][0]["resolution"] == MEMORY["resolution"]


def test_logs_and_texts_are_ingested(outside, logs):
    log = write_log(logs / f"{type(outside).__name__}.jsonl", solved("parser", "yaml"))
    done = outside.ask("/ingest", {"paths": [str(log)], "agent_id": "my-agent"})
    assert done["success"] and done["data"]["total_files"] == 1 and done["data"]["successful"] == 1
    text = "pip install failed inside Docker. Error: Could not find a version. Fix: use --network host"
    assert outside.ask("/ingest/text", {"text": text})["data"]["status"] == "done"


def test_the_statistics_of_the_original(running, outside):
    outside.upload(**MEMORY)
    answer = running.ask("GET", "/memory/stats").json()
    assert answer["data"]["total"] >= 1 and set(answer["data"]) == {
        "total",
        "by_tier",
        "by_type",
        "by_status",
    }
