"""One walk of the sixteen sessions for many tests: it is made once and read by all."""

import secrets

import pytest

from tests.conftest import drop_database, with_database
from tests.support.model.recorded import Recorded
from tests.support.model.server import model_server
from tests.support.walk import PlainRedactor, walk, with_server
from ultron_core.settings import SessionSettings, Settings, StoreSettings
from ultron_core.store.database import ensure_database
from ultron_core.testing import FakeEmbedder


@pytest.fixture(scope="session")
def plain():
    """What is plugged in besides the model, at no cost: no names are looked for, vectors are made of words."""
    return {"redactor": PlainRedactor(), "embedder": FakeEmbedder(64, model_id="words")}


@pytest.fixture(scope="module")
def fresh_settings(server_url, tmp_path_factory):
    """Settings on a database of this module's own."""
    name = f"ultron_test_{secrets.token_hex(6)}"
    url = with_database(server_url, name)
    ensure_database(url)
    yield Settings(
        store=StoreSettings(home=tmp_path_factory.mktemp("home"), database_url=url),
        sessions=SessionSettings(quiet_minutes=0),
    )
    drop_database(server_url, name)


@pytest.fixture(scope="module")
def walked(fresh_settings, plain):
    """The walk with the recorded answers, and what was asked of them."""
    answers = Recorded()
    with model_server() as server:
        server.always = answers
        yield walk(with_server(fresh_settings, server), server, **plain), answers
