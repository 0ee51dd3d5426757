"""What a rule made of a person's words stays only where the fitted model finds that it holds beyond the moment."""

from dataclasses import replace

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.plain.find import hear
from ultron_core.lessons.people.plain.reader import load_model
from ultron_core.lessons.people.plain.weigh import of_the_moment
from ultron_core.lessons.people.turns import read_turns
from ultron_core.models import Evidence, MemoryDraft

MODEL = load_model()
SAID = "Move it a bit to the left. Never edit the generated files by hand, change the template instead."
LEFT, LASTING = (
    "Move it a bit to the left.",
    "Never edit the generated files by hand, change the template instead.",
)


@pytest.fixture
def turns():
    return read_turns(
        talk(("user", "add a title"), ("assistant", "I added the title to `page.html`."), ("user", SAID))
    )


def draft(turns, sentence, *tags):
    line = turns[1].message.start_line
    return MemoryDraft(sentence, "", "", tags, 0.7, "correction", (Evidence(line, line, sentence),))


def refused(turns, model, *told):
    return of_the_moment(turns, hear(turns, told), told, model)


def test_each_lesson_is_judged_by_the_sentence_that_it_holds(turns):
    told = [("correction", draft(turns, text, "correction")) for text in (LEFT, LASTING)]
    heard = hear(turns, told)[1]
    keeps = [float(row[0]) for row in MODEL.probabilities(heard)]
    between = replace(MODEL, told=sum(keeps) / 2)
    assert keeps[0] < keeps[1]
    assert refused(turns, between, *told) == [True, False]


def test_a_correction_has_to_be_worth_more_than_a_wish():
    said = "No, it should be blue, not green."
    before = ("assistant", "I called the helper in `page.py`.")
    worded = read_turns(talk(("user", "add a title"), before, ("user", said)))
    least = replace(MODEL, told=0.0)
    assert refused(worded, least, ("correction", draft(worded, said, "correction"))) == [True]
    assert refused(worded, least, ("preference", draft(worded, said, "preference"))) == [False]


@pytest.mark.parametrize("proof", ["policy", "guide"])
def test_what_is_enforced_or_written_down_is_not_asked_about(turns, proof):
    severe = replace(MODEL, told=1.1)
    assert refused(turns, severe, ("fact", draft(turns, LASTING, "fact"))) == [True]
    assert refused(turns, severe, ("fact", draft(turns, LASTING, "fact", proof))) == [False]


def test_what_rests_on_no_turn_of_a_person_stays(turns):
    severe = replace(MODEL, told=1.1)
    elsewhere = replace(draft(turns, LASTING, "fact"), evidence=(Evidence(99, 99, LASTING),))
    assert refused(turns, severe, ("fact", elsewhere)) == [False]


def test_what_a_rule_tells_is_kept_sooner_than_what_none_does():
    assert 0.0 < MODEL.told < MODEL.bound


def test_in_a_log_of_one_line_each_lesson_is_judged_by_its_own_turn():
    said = talk(
        ("user", LASTING),
        ("assistant", "I changed `template.html`."),
        ("user", "thanks, that looks good so far"),
    )
    turns = read_turns([replace(message, start_line=1, end_line=1) for message in said])
    lesson = MemoryDraft(LASTING, "", "", ("preference",), 0.7, "preference", (Evidence(1, 1, LASTING),))
    assert refused(turns, MODEL, ("preference", lesson)) == [False]
    unheard = replace(lesson, evidence=(Evidence(1, 1, "words of nobody"),))
    assert refused(turns, MODEL, ("preference", unheard)) == [False]
    assert refused(turns, replace(MODEL, told=1.0), ("preference", lesson)) == [True]
