"""Sixteen clients of one running server, mixed reads and writes: the benchmark, short."""

from benchmarks.load import clients
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, Settings, StoreSettings


def test_nothing_fails_and_no_write_is_lost(tmp_path, new_database, monkeypatch):
    url = new_database()
    monkeypatch.setenv("ULTRON_DATABASE_URL", url)
    server = clients.start(tmp_path)
    try:
        done = clients.work(clients.over_http(tmp_path), 16, 4)
    finally:
        megabytes = clients.stop(server)
    assert not done.errors
    assert len(done.searches) > 16 and done.uploads
    settings = Settings(store=StoreSettings(home=tmp_path, database_url=url), llm=LLMSettings(offline=True))
    with Ultron(settings) as ultron:
        assert clients.lost(ultron, done.uploads) == 0
        assert clients.lost(ultron, {"never sent": next(iter(done.uploads.values()))}) == 1
    assert megabytes < 700
