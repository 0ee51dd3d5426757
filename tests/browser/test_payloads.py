"""Scripts planted in every stored text never run: no dialog, no other title, nothing fetched from anywhere."""

import pytest

from tests.browser.conftest import WIDTHS, unfold
from tests.support.pages.payloads import ALL, SHOWN, plant


@pytest.mark.parametrize("width", WIDTHS)
def test_no_planted_script_runs_on_any_page(open_page, world, database, width, server):
    page = open_page(width)
    assert SHOWN - plant(database) == set()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for path in [*world.paths, f"/ui?q={'%3Cscript%3Ealert(1)%3C/script%3E'}"]:
        page.goto(path)
        assert page.title().endswith("· Ultron"), path
        unfold(page)
        assert page.locator("script, iframe, img, object, embed, base, style, math").count() == 0, path
    assert all(url.startswith(f"{server}/ui") for url in asked)
    assert page.wrong == []


def test_the_browser_would_have_run_them_without_escaping(open_page):
    page = open_page()
    before = list(page.wrong)
    page.set_content(f"<title>x</title><p>{ALL}</p>")
    page.wait_for_function("document.title === 'pwned' || true")
    assert len(page.wrong) > len(before)  # a dialog opened
    page.wrong = before


def test_the_policy_stops_what_an_escape_would_miss(open_page, world):
    page = open_page()
    page.goto("/ui")
    page.evaluate(
        "const one = document.createElement('script'); one.textContent = \"document.title = 'pwned'\";"
        " document.body.append(one)"
    )
    assert page.title() != "pwned"
    assert any("Content Security Policy" in told for told in page.wrong)
    page.wrong = []
