"""Visitors of the pages: browsers that are signed in with a key of some scopes, or as the owner of the home."""

import re
from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from tests.core.serve.conftest import ADDRESS
from tests.support.pages.world import embedder, furnish
from ultron_core.client import Ultron
from ultron_core.serve.pages.addresses import new_address


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=embedder()) as ultron:
        yield ultron


@pytest.fixture
def world(ultron, tmp_path):
    return furnish(ultron, tmp_path / "agents")


class Browser(TestClient):
    """Follows no redirect, and sends forms as a browser would."""

    def __init__(self, app, **more):
        super().__init__(app, base_url=ADDRESS, raise_server_exceptions=False, follow_redirects=False, **more)

    def token(self, path="/ui"):
        return re.search(r'name="form_token" value="([^"]+)"', self.get(path).text)[1]

    def submit(self, path, **fields):
        return self.post(path, data={"form_token": self.token(), **fields}, headers={"Origin": ADDRESS})


@pytest.fixture
def visit(app, ultron):
    """`visit(scopes=[...])` or `visit(preset=...)` signs in with a new key of that kind."""
    made = []

    def sign_in(name=None, **what):
        browser = Browser(app)
        made.append(browser)
        _, text = ultron.keys.add(name or f"visitor {len(made)}", **what)
        assert browser.post("/ui/sign-in", data={"key": text}).status_code == 303
        return browser

    return sign_in


@pytest.fixture
def owner(app, ultron):
    """Signed in by a one-time address."""
    browser = Browser(app)
    address = new_address(ultron.settings.store.home, ADDRESS, datetime.now(UTC))
    assert browser.get(address).status_code == 303
    return browser
