"""A server on the test's database, asked in the same process, and keys of every kind."""

import pytest
from starlette.testclient import TestClient

from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.serve.app import make_app
from ultron_core.serve.backend import Backend

ADDRESS = "http://127.0.0.1:9999"


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as ultron:
        yield ultron


@pytest.fixture
def backend(ultron, tmp_path):
    (tmp_path / "logs").mkdir()
    backend = Backend(lambda: ultron, roots=[tmp_path / "logs"])
    backend.load()
    return backend


@pytest.fixture
def app(backend):
    return make_app(backend)


@pytest.fixture
def client(app):
    with TestClient(app, base_url=ADDRESS, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def key(ultron):
    """`key("name", preset=..., scopes=..., agent_id=...)` gives the header of a new key."""

    def make(name="tester", **what):
        _, text = ultron.keys.add(name, **(what or {"preset": "admin"}))
        return {"Authorization": f"Bearer {text}"}

    return make


@pytest.fixture
def log(tmp_path):
    """A log below the roots from which one memory comes."""
    return write_log(tmp_path / "logs" / "run.jsonl", solved("parser", "yaml"))
