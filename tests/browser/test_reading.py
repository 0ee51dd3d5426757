"""Every page that reads, without JavaScript, on a narrow and on a wide screen, and as a screen reader meets it."""

import re

import pytest

from tests.browser.conftest import WIDTHS, unfold

#: nothing of these kinds is let through; lesser findings are matters of taste
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="session")
def axe():
    from axe_playwright_python.sync_playwright import Axe

    return Axe()


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_reads_without_javascript_and_fits_its_screen(open_page, world, width):
    page = open_page(width, scripts=False)
    for path in world.paths:
        assert page.goto(path).status == 200, path
        assert page.get_by_role("heading", level=1).count() == 1, path
        assert page.get_by_role("main").inner_text().strip(), path
        # not wider than the screen: only tables scroll, within their own frame
        box = page.locator("main").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, path
        page.mouse.wheel(400, 0)
        assert page.locator("header.top").bounding_box()["x"] == 0, path


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_finding(open_page, world, axe, width, scheme):
    page = open_page(width, scheme=scheme)
    for path in [*world.paths, "/ui/memories/00000000-0000-0000-0000-000000000000"]:
        page.goto(path)
        unfold(page)
        found = axe.run(page).response["violations"]
        grave = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in SERIOUS]
        assert grave == [], path
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
    page.wrong = [told for told in page.wrong if "404" not in told]  # the page that does not exist


@pytest.mark.parametrize("width", WIDTHS)
def test_the_way_in_reads_too(open_page, axe, width):
    page = open_page(width, signed_in=False)
    page.goto("/ui/sign-in")
    assert page.get_by_role("heading", name="Sign in", exact=True).is_visible()
    assert page.get_by_label("Access key").is_visible()
    assert [one["id"] for one in axe.run(page).response["violations"] if one["impact"] in SERIOUS] == []


def test_a_walk_by_keyboard_alone(open_page, world):
    page = open_page()
    page.goto("/ui")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    assert skip.evaluate("one => one === document.activeElement")
    assert skip.bounding_box()["x"] >= 0  # it shows once it is reached
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.get_attribute("name") == "q"
    assert focused.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.type("wheel docker")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=wheel"))
    assert page.get_by_role("link", name=re.compile("wheel was missing")).is_visible()


def test_from_a_search_down_to_a_message(open_page, world):
    page = open_page(390, scripts=False)
    page.goto("/ui")
    page.get_by_label("Search by meaning and by words").fill("yaml parser module")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("why it stands here").first.click()
    assert page.get_by_text("Same meaning").first.is_visible()
    page.locator(f'a[href="/ui/memories/{world.learned}"]').click()
    assert page.locator("mark", has_text="ModuleNotFoundError").first.is_visible()
    page.get_by_role("link", name="Log").click()
    page.get_by_role("link", name="coder", exact=True).click()
    page.get_by_role("link", name="shop").click()
    page.get_by_role("link", name=re.compile("run.jsonl")).click()
    page.get_by_role("link", name=re.compile("TASK parser")).click()
    assert page.get_by_role("heading", name="What was learned").is_visible()
    page.get_by_role("link", name="line 1", exact=True).click()
    assert page.get_by_text("please build the parser module").is_visible()
    page.get_by_role("link", name="Clusters").click()
    page.locator('main a[href^="/ui/clusters/"]').first.click()
    assert page.get_by_role("heading", name="Merges and splits").is_visible()


def test_filters_by_their_labels(open_page, world):
    page = open_page(scripts=False)
    page.goto("/ui")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Status").select_option("archived")
    page.get_by_label("Agent").select_option("writer")
    page.get_by_role("button", name="Search").click()
    assert page.get_by_role("link", name=re.compile("staging host")).is_visible()
    page.get_by_role("link", name="Clear filters").click()
    assert not page.get_by_role("link", name=re.compile("staging host")).is_visible()
