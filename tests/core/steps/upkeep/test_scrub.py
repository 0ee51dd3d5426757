"""After scrubbing no file of the embedded server holds what was erased."""

import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest

from tests.support.memories import StubEmbedder
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings

PHRASE, OTHER = "quetzalite", "wyvernite"


@pytest.fixture
def home():
    """A folder that the account of the embedded server can get into also for root."""
    folder = Path(tempfile.mkdtemp(prefix="ultron-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def holding(folder, word):
    return [
        str(p.relative_to(folder))
        for p in folder.rglob("*")
        if p.is_file() and word.encode() in p.read_bytes()
    ]


def test_no_file_of_the_server_holds_a_word_of_it(home):
    settings = Settings(
        store=StoreSettings(home=home),
        sessions=SessionSettings(quiet_minutes=0),
        llm=LLMSettings(offline=True),
    )
    with Ultron(settings, embedder=StubEmbedder()) as ultron:
        root = Path(ultron.describe_server()["data"]).parent
        for name, word in (("a", PHRASE), ("b", OTHER)):
            log = write_log(settings.sessions_dir / "agent" / f"{name}.jsonl", solved(name, word))
            ultron.ingest([log], "agent", process=True)
        with ultron.runtime.database.direct() as conn:
            # the planner's sample holds it, as when a table was analysed before it was emptied
            conn.execute("CREATE TABLE public.sampled AS SELECT %(word)s || n AS t FROM generate_series(1, 9) n",
                         {"word": PHRASE})  # fmt: skip
            conn.execute("ANALYZE")
            conn.execute("TRUNCATE public.sampled")
            conn.execute("ANALYZE public.sampled")
            with pytest.raises(psycopg.Error):
                conn.execute("SELECT %(word)s::integer", {"word": PHRASE})
            conn.execute("CHECKPOINT")
        log = Path(ultron.describe_server()["log"])
        assert PHRASE not in log.read_text("utf-8"), "the server's log quotes no statement and no value"
        with log.open("a", encoding="utf-8") as file:
            file.write(f"ERROR of an older version: {PHRASE}\n")
        ultron.erase(session="agent/a.jsonl")
        with ultron.runtime.database.direct() as conn:
            conn.execute("VACUUM")
            conn.execute("CHECKPOINT")
        assert {path.partition("/")[0] for path in holding(root, PHRASE)} == {"data", "postgres.log"}
        ultron.scrub()
        assert holding(root, PHRASE) == []
        assert holding(root, OTHER) and ultron.search_memories(OTHER)
        with ultron.runtime.database.direct() as conn:
            assert conn.execute("SHOW wal_recycle").fetchone()["wal_recycle"] == "on"
        ultron.ingest([log.parent.parent / "sessions" / "agent"], "agent", process=True)


def test_another_server_is_its_administrator_s(settings):
    with Ultron(settings) as ultron, pytest.raises(InputError, match=r"docs/erasure\.md"):
        ultron.scrub()
