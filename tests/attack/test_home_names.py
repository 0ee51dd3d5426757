"""Homes whose names mean something to a shell: the server runs in them, and nothing of the name is run."""

import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest

from ultron_core.errors import ServerStartError
from ultron_core.store.server import EmbeddedServer

NAMES = [
    "h$(touch ran)",
    "h`touch ran`",
    'h"; touch ran; "',
    "h'; touch ran; '",
    "h;touch ran",
    "h\\",
    "-h",
    "h\x85\u2028ä",
]


@pytest.fixture
def folder():
    """One that the account of the server can get into also for root."""
    made = Path(tempfile.mkdtemp(prefix="ultron-names-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_runs_in_a_home_of_any_name_and_nothing_else_does(folder, name, monkeypatch):
    monkeypatch.chdir(folder)
    for _ in range(2):  # made, then found again
        with EmbeddedServer.open(folder / name) as server, psycopg.connect(server.url()) as conn:
            assert conn.execute("SELECT 1").fetchone() == (1,)
            data = Path(server.describe()["data"])
            assert data == folder / name / "postgres" / "data"
            assert EmbeddedServer.open(folder / name).close() is None, "a second user finds it"
            assert conn.execute("SELECT 1").fetchone() == (1,)
    assert not [path for place in (folder, Path("/"), data) for path in place.glob("ran*")]


@pytest.mark.parametrize("end", ["\n", "\r"])
def test_a_home_with_a_line_break_is_refused_before_anything_runs(folder, end):
    with pytest.raises(ServerStartError, match=r"line break in its name.* ULTRON_HOME"):
        EmbeddedServer.open(folder / f"h{end}touch ran")
    assert list(folder.iterdir()) == []
