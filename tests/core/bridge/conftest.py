import pytest

from tests.core.serve.running import make_running


@pytest.fixture(scope="module")
def home(server_url, tmp_path_factory):
    """A server that is not started yet, with Claude Code's folder of logs in the user's home."""
    folder = tmp_path_factory.mktemp("bridge")
    yield from make_running(server_url, folder)
