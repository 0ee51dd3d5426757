"""The README's table of settings is made from the settings themselves."""

from pathlib import Path

from ultron_core.cli.settings_table import settings_table

README = Path(__file__).resolve().parents[3] / "README.md"


def test_the_readme_holds_the_table():
    text = README.read_text("utf-8")
    held = text.split("<!-- settings -->\n", 1)[1].split("\n<!-- /settings -->", 1)[0]
    assert held == settings_table(), "run `python -m ultron_core.cli.settings_table` and paste it"
