"""Names of software that no list holds: how a text uses them tells that they are nobody's."""

import pytest

from ultron_core.redaction import redact_text
from ultron_core.redaction.names.programs import stranger, told_as_software, used_in_code

#: nobody's name and no program's, for all that the lists know
WORD = "Zolvane"


@pytest.mark.parametrize(
    "used",
    [
        "npm install zolvane",
        "run `pip3 install -U zolvane` first",
        'import { serve } from "zolvane"',
        "const z = require('zolvane')",
        "see node_modules/zolvane/index",
        "the flag of `zolvane`",
        "a zolvane.js plugin",
        "Zolvane v3 is out",
        "Zolvane 3.2 is out",
        '"zolvane": "^1.2.0"',
        "zolvane>=2 is needed",
        "Zolvane.create(x)",
    ],
)
def test_a_word_that_a_text_installs_imports_or_versions_is_a_program(used):
    text = f"I asked Zolvane.\n{used}\n"
    assert used_in_code(text, WORD) or told_as_software(text, WORD)


@pytest.mark.parametrize(
    "said",
    [
        "Zolvane is here.",
        "Ask zolvane.",
        "a letter from Zolvane to 3 friends",
        "npm install zolvaner",
        "lib/zolvane",
        "Zolvane, 30",
    ],
)
def test_a_word_that_is_only_said_is_none(said):
    assert not used_in_code(said, WORD) and not told_as_software(said, WORD)


@pytest.mark.parametrize("name", ["Petra", "Lindqvist"])
def test_a_name_of_the_lists_stays_a_name_whatever_is_done_with_it(name):
    assert not stranger(name)
    assert not told_as_software(f"npm install {name.lower()} and `{name.lower()}` v3", name)


def test_one_use_in_a_document_is_enough_for_all_of_it():
    told = "My colleague Zolvane wrote this module."
    assert "Zolvane" not in redact_text(told).text
    assert redact_text(f"{told}\n\nnpm install zolvane\n").text.startswith(told)


@pytest.mark.parametrize(
    "text",
    [
        "Hi Dr. Zolvane, the invoice is here. See zolvane.dev",
        "My name is Zolvane and I work here. Please go get Zolvane a chair.",
        "Mr. Zolvane worked; Zolvane 3.5 hours again.",
    ],
)
def test_a_person_whom_the_text_introduces_is_hidden_whatever_stands_beside(text):
    assert "<PERSON>" in redact_text(text).text.split("Zolvane")[0]
