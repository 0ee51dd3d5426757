"""A process of its own that works on everything that waits: for tests that kill it.

python -m tests.support.process_once DATABASE_URL HOME MODEL_URL
"""

import sys
from pathlib import Path

from tests.support.walk import PlainRedactor, with_server
from ultron_core.client import Ultron
from ultron_core.settings import SessionSettings, Settings, StoreSettings
from ultron_core.testing import FakeEmbedder


class _Server:
    def __init__(self, url):
        self.url = url


def main(database_url, home, model_url):
    settings = Settings(
        store=StoreSettings(home=Path(home), database_url=database_url),
        sessions=SessionSettings(quiet_minutes=0),
    )
    # one request at a time: what is in flight when the process dies is then one request
    settings = with_server(settings, _Server(model_url), max_concurrency=1)
    with Ultron(settings, redactor=PlainRedactor(), embedder=FakeEmbedder(64, model_id="words")) as ultron:
        ultron.process_pending()


if __name__ == "__main__":
    main(*sys.argv[1:])
