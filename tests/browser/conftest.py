"""A real headless Chromium before a server on the test's database. Only with ULTRON_BROWSER=1 (`make browser`), where
no Chromium is a failure: the driver holds the event loop of its process, which the tests of other folders need."""

import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import uvicorn

from tests.browser.chromium import find
from tests.support.pages.world import embedder, furnish
from ultron_core.client import Ultron
from ultron_core.serve.app import make_app
from ultron_core.serve.backend import Backend
from ultron_core.serve.pages.addresses import new_address

IS_WANTED = os.environ.get("ULTRON_BROWSER") == "1"
WIDTHS = (390, 1400)
#: a page that cannot be reached is seen at once
_PATIENCE_MS = 10_000


def pytest_collection_modifyitems(items):
    if not IS_WANTED:
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.skip(reason="`make browser` runs the pages in a browser"))


def _missing():
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "the driver of the browser is not installed: `make browser` installs it and runs these"
    return "" if find() else "no Chromium is installed: `make browser` installs one and runs these"


def unfold(page):
    """Open everything that can be opened, so that it is looked at too."""
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")


@pytest.fixture(scope="session")
def chromium(request):
    """One browser for all tests, each of which has a context of its own."""
    from playwright.sync_api import sync_playwright

    assert not _missing(), _missing()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=embedder()) as ultron:
        yield ultron


@pytest.fixture
def world(ultron, tmp_path):
    return furnish(ultron, tmp_path / "agents")


@pytest.fixture
def server(ultron):
    """The address of a server that this process runs."""
    backend = Backend(lambda: ultron)
    backend.load()
    running = uvicorn.Server(
        uvicorn.Config(make_app(backend), port=0, log_config=None, access_log=False, server_header=False)
    )
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join()


@pytest.fixture
def open_page(chromium, server, ultron):
    """`open_page(width, scripts=True)`: a page of a signed-in visitor that notes what went wrong in it."""
    opened = []

    def make(width=1400, *, scripts=True, signed_in=True, scheme="light"):
        context = chromium.new_context(
            base_url=server,
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
            color_scheme=scheme,
        )
        page = context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        page.wrong = []
        page.on(
            "console",
            lambda told: page.wrong.append(told.text) if told.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on("requestfailed", lambda request: page.wrong.append(f"failed: {request.url}"))
        page.on("dialog", lambda dialog: (page.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        if signed_in:
            page.goto(new_address(ultron.settings.store.home, server, datetime.now(UTC)))
        opened.append((context, page))
        return page

    yield make
    for context, page in opened:
        assert page.wrong == []
        context.close()
