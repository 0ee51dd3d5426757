"""The user's own words: whole words in any case go, mail addresses around them go as mail addresses."""

from __future__ import annotations

import pytest

from ultron_core.redaction import REDACTION_VERSION, PresidioRedactor
from ultron_core.settings import Settings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ACME pays Globex  Inc.", "<REDACTED_WORD> pays <REDACTED_WORD_2>."),
        ("acme-web and ACME_KEY", "<REDACTED_WORD>-web and <REDACTED_WORD_2>_KEY"),
        ("pacemen stay", "pacemen stay"),
        ("mail bob@acme.com", "mail <EMAIL_ADDRESS>"),
        ("给小米公司的报价", "给<REDACTED_WORD>公司的报价"),
        ("ac\u200bme is hidden", "<REDACTED_WORD> is hidden"),
    ],
)
def test_own_words_go(text, expected):
    assert PresidioRedactor(["acme", "globex inc", "小米"]).redact_text(text).text == expected


def test_they_go_from_json_and_twice_is_once():
    redactor = PresidioRedactor(["acme"])
    value, _ = redactor.redact_json({"acme": ["Acme wins"], "n": 1})
    assert value == {"<REDACTED_WORD>": ["<REDACTED_WORD_2> wins"], "n": 1}
    assert redactor.redact_json(value)[0] == value


def test_a_change_of_the_words_is_a_change_of_the_version():
    versions = {PresidioRedactor(words).version for words in ([], ["acme"], ["acme", "globex"])}
    assert len(versions) == 3
    assert PresidioRedactor().version == REDACTION_VERSION
    assert PresidioRedactor(["b", "A"]).version == PresidioRedactor(["a", "B "]).version


def test_the_setting_is_a_list_with_commas(tmp_path):
    settings = Settings.load({"ULTRON_REDACT_WORDS": "Acme, Globex Inc ,x,"}, cwd=tmp_path, home=tmp_path)
    assert settings.redaction.word_list == ("Acme", "Globex Inc")
