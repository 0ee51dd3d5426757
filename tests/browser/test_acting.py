"""Every action of the pages, as a person does it: by role and label, in a real browser."""

import re
from datetime import UTC, datetime

import pytest

from ultron_core.serve.pages.addresses import new_address


def click(page, name, role="button"):
    page.get_by_role(role, name=name, exact=True).click()


def test_an_address_signs_in_once_and_a_session_ends(open_page, server, ultron):
    address = new_address(ultron.settings.store.home, server, datetime.now(UTC))
    page = open_page(signed_in=False)
    page.goto(address)
    assert page.get_by_role("heading", name="Memories").is_visible()
    assert page.evaluate("document.cookie") == ""  # no script could read it
    click(page, "Sign out")
    page.wait_for_url("**/ui/sign-in")
    page.goto(address)
    assert page.get_by_role("alert").inner_text().startswith("That address was used before")
    page.wrong = [told for told in page.wrong if "401" not in told]  # Chromium notes the refusal


def test_an_access_key_signs_in(open_page, ultron):
    _, text = ultron.keys.add("anna", preset="person")
    page = open_page(390, signed_in=False, scripts=False)
    page.goto("/ui/sign-in")
    page.get_by_label("Access key").fill(text)
    click(page, "Sign in")
    assert page.get_by_text("anna", exact=True).is_visible()
    assert not page.get_by_role("link", name="Keys").is_visible()


@pytest.mark.parametrize("width", [390, 1400])
def test_edit_look_back_archive_and_delete(open_page, world, width):
    page = open_page(width)
    page.goto(f"/ui/memories/{world.changed}")
    click(page, "Edit", "link")
    page.get_by_label("What it says").fill("先迁移，再部署。")
    page.get_by_label("Tags").fill("部署, 上线")
    click(page, "Save")
    assert page.get_by_role("status").inner_text().startswith("Saved")
    click(page, "History", "link")
    assert page.get_by_text("changed by owner").is_visible()
    page.go_back()
    click(page, "Archive")
    assert page.get_by_role("status").inner_text().startswith("Archived")
    click(page, "Unarchive")
    assert page.get_by_role("status").inner_text().startswith("Back in searches")
    click(page, "Delete…", "link")
    click(page, "Cancel", "link")
    click(page, "Delete…", "link")
    click(page, "Delete for good")
    assert page.get_by_role("status").inner_text().startswith("Deleted")
    page.wait_for_url("**/ui?deleted=1")


def test_two_who_edit_at_once(open_page, world, ultron):
    page = open_page()
    page.goto(f"/ui/memories/{world.merged}/edit")
    ultron.update_memory(world.merged, content="The image lacks wheel.")
    page.get_by_label("What it says").fill("My own words.")
    click(page, "Save")
    assert page.get_by_role("alert").inner_text().startswith("Somebody changed this memory")
    assert page.get_by_label("What it says").input_value() == "My own words."
    assert page.get_by_text("The image lacks wheel.").is_visible()
    click(page, "Save")  # knowing what is there
    assert page.get_by_role("status").inner_text().startswith("Saved")
    page.wrong = [told for told in page.wrong if "409" not in told]


def test_a_merge_is_undone(open_page, world):
    page = open_page(390)
    page.goto(f"/ui/memories/{world.merged}/history")
    click(page, "Undo this merge")
    assert page.get_by_role("status").inner_text().startswith("The merge is undone")
    assert page.get_by_text("/var/log/build-7.txt").first.is_visible()


@pytest.mark.parametrize("width", [390, 1400])
def test_a_key_is_made_shown_once_and_revoked(open_page, ultron, width):
    page = open_page(width)
    click(page, "Keys", "link")
    page.get_by_label("Name").fill("ci runner")
    page.get_by_label("May").select_option("agent")
    page.get_by_label("For one agent alone").fill("builder")
    page.get_by_label("Days it holds").fill("30")
    click(page, "Add key")
    text = page.get_by_label(re.compile("^The key ci runner")).input_value()
    assert ultron.keys.recognise(text).agent_id == "builder"
    click(page, "Keys", "link")
    assert text not in page.content()
    click(page, "Revoke ci runner")
    assert page.get_by_text("revoked", exact=True).is_visible()


def test_refusals_and_statistics(open_page, world):
    page = open_page(390, scripts=False)
    page.goto("/ui/refusals")
    click(page, "too vague", "link")
    page.get_by_text("What it was").click()
    assert page.get_by_text("It works.").is_visible()
    page.get_by_role("link", name=re.compile("run.jsonl, lines 3")).click()
    assert page.locator("article.marked").count() == 2
    click(page, "Statistics", "link")
    assert page.get_by_role("cell", name="a-model").is_visible()
