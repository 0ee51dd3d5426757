"""Names that no list holds, where the text speaks of a person: sentences, lists, addresses."""

import time

import pytest

from ultron_core.redaction import redact_text
from ultron_core.redaction.names.persons import addressees, listed, spoken_of

#: nobody's name and no program's, for all that the lists know
WORD = "Zolvane"


def _spoken(text: str) -> bool:
    start = text.index(WORD)
    return spoken_of(text, start, start + len(WORD))


@pytest.mark.parametrize(
    "text",
    [
        "Our neighbour Zolvane moved out.",
        "my best friend's name is Zolvane",
        "I read that ex-singer Zolvane is back.",
        "Ask Frau Zolvane about it.",
        "Tell Señora Zolvane.",
        "The goalkeeper Zolvane was hurt.",
        "The project manager Zolvane has it.",
        "Petra shouted at Zolvane.",
        "Please follow up with Zolvane in May.",
        "They went to the funeral of Zolvane.",
        "A film directed by Zolvane.",
        "My account is wrong, please change it to Zolvane",
        "Zolvane's birthday is in May.",
        "Zolvane whispered.",
        "Zolvane is a very sympathetic person.",
        "Zolvane, the plumber, said no.",
        "Zolvane, 34, of Leeds",
        "Zolvane of Acme Ltd. is the CEO of the year.",
        "Cc Zolvane, she knows why.",
    ],
)
def test_words_around_a_person(text):
    assert _spoken(text)


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Zolvane the report is ready.",
        "Zolvane broke the build again.",
        "We use the Zolvane editor.",
        "The media player Zolvane crashed.",
        "The package manager Zolvane is slow.",
        "It is powered by Zolvane.",
        "Zolvane's parent process died.",
        "Zolvane is a good tool for a student.",
        "He installed Zolvane.",
        "Zolvane is a fast parser.",
        "Zolvane asks for a password.",
        # part of a longer name, or no name
        "The Kid Zolvane said no.",
        "We saw Zolvane Opposites, which she liked.",
        "Initially a Zolvane like his father, he won.",
        "The capital Zolvane is named in his honor.",
        "Anna Petrov of Zolvane is the CEO of the year.",
        "The Esma Sultan Zolvane stands there.",
    ],
)
def test_words_around_programs_say_nothing(text):
    assert not _spoken(text)


@pytest.mark.parametrize(
    "text",
    [
        "Our teacher Ozdrakin shouted at Ozdrakin.",
        "I met Vekmarovic at lunch and thanked her.",
        "They had 6: Anna, Peter, Vekmarovic, Maria and Julia.",
        "Vekmarovic\nAcme Ltd.\n12 Harbour Road\nSuite 4\nLeeds",
    ],
)
def test_a_name_that_no_list_holds_goes(text):
    redacted = redact_text(text).text
    assert "Vekmarovic" not in redacted
    assert "Ozdrakin" not in redacted


@pytest.mark.parametrize(
    "text",
    [
        "Zolvane broke the build again.",
        "Install Zolvane, Barquix and Fooly.",
        "Zolvane\nSuite of tests: 4 passed",
    ],
)
def test_a_program_that_no_list_holds_stays(text):
    assert redact_text(text).text == text


def test_a_list_has_members():
    text = "We saw Anna, Zolvane and Petra."
    assert [[text[a:b] for a, b in members] for members in listed(text)] == [["Anna", "Zolvane", "Petra"]]
    assert not list(listed("Anna and Petra"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Zolvane\n12 Harbour Road\nApt. 4\n", ["Zolvane"]),
        ("Dear all,\n\n> \n> Zolvane\n> Acme\n> 12 Road\n> Suite 4", ["Zolvane"]),
        ("12 Harbour Road\nZolvane\nApt. 4\n", []),
        ("Zolvane\n\n12 Harbour Road, Apt. 4\n", ["Zolvane"]),
        ("Zolvane\nruns in Suite mode\n", []),
    ],
)
def test_who_stands_above_an_address(text, names):
    assert [text[a:b] for a, b in addressees(text)] == names


@pytest.mark.parametrize(
    "part", ["Zolvane\n", "\n> ", "Anna, ", "my very very ", "account change it ", "Suite "]
)
def test_long_texts_are_read_in_time(part):
    text = part * (200_000 // len(part))
    begun = time.process_time()
    list(addressees(text + "Suite"))
    list(listed(text))
    _spoken(text[-2_000:] + WORD + text[:2_000]) if WORD not in part else None
    assert time.process_time() - begun < 2
