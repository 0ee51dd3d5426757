"""The table of settings in the docs is made from the settings themselves."""

from pathlib import Path

from ultron_core.cli.settings_table import settings_table

PAGE = Path(__file__).resolve().parents[3] / "docs" / "settings.md"


def test_the_page_holds_the_table():
    text = PAGE.read_text("utf-8")
    held = text.split("<!-- settings -->\n", 1)[1].split("\n<!-- /settings -->", 1)[0]
    assert held == settings_table(), "run `python -m ultron_core.cli.settings_table` and paste it"
