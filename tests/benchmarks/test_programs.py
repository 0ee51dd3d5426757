"""How often a program is taken for a person: what is asked, how it is counted, and that nothing was fitted to it."""

import importlib
import json

import pytest

from ultron_core.models import Finding, Redaction


@pytest.fixture
def programs():
    return importlib.import_module("audits.programs")


@pytest.fixture
def gold(programs):
    return json.loads(programs.GOLD.read_text("utf-8"))


def test_the_share_hidden_is_told_by_group_half_list_and_sentence(programs):
    names = [
        programs.Name("programs", "Docker", "test", True),
        programs.Name("last", "Whitfield"),
        programs.Name("full_zh", "王建国"),
    ]
    frames = {"en": {"either": ["Why {}?", "I like {}."]}, "zh": {"either": ["{} 好"]}}
    every = list(programs.asked(names, frames))
    assert [one.text for one in every if one.name.group == "full_zh"] == ["王建国 好"]
    rows = {(r["group"], r["language"], r["kind"]): r for r in programs.rows(every, [True] + 6 * [False])}
    assert rows["programs", "en", "either"] == {
        "group": "programs",
        "language": "en",
        "kind": "either",
        "half": "test",
        "listed": True,
        "n": 2,
        "hidden": 0.5,
    }
    assert rows["last", "zh", "all"]["hidden"] == 0.0
    assert "half" not in rows["last", "en", "all"]


def test_a_name_counts_as_hidden_when_half_of_it_is_taken_for_a_person(programs):
    one = programs.Asked(programs.Name("last", "Whitfield"), "en", "either", "Why Whitfield?", 4)

    def found(entity, start, end):
        return one.hidden(Redaction("", (Finding(start, end, entity, "<X>"),)))

    assert found("PERSON", 4, 13) and found("PERSON", 0, 9)
    assert not found("PERSON", 0, 8) and not found("USER", 4, 13)


def test_names_of_the_test_half_are_never_shown(programs, gold):
    every = list(programs.asked(list(programs.names(gold, ())), {"en": {"either": ["{}"]}}))
    shown = {name for name, _ in programs.shown("programs", every, [True] * len(every))}
    assert shown and all(programs.half_of(name) == "development" for name in shown)


def test_the_network_was_fitted_to_no_name_that_is_counted(programs, gold):
    fitted = set(importlib.import_module("training.names.lists").fitted_programs())
    test = {name.lower() for name in gold["programs"] if programs.half_of(name) == "test"}
    assert len(test) > 150
    counted = programs.names(gold, programs.packages_of(programs.LOCK))
    packages = {name.text.lower() for name in counted if name.group.startswith("packages")}
    assert len(packages) > 100
    assert fitted.isdisjoint(test | packages)


def test_no_sentence_is_one_that_the_network_was_fitted_to(programs, gold):
    frames = importlib.import_module("training.names.frames")
    kinds = ("program", "either", "program_zh", "either_zh", "person_zh")
    fitted = [*frames.fitted_frames(), *(one for kind in kinds for one in frames.program_frames(kind))]
    bare = {frames._PLACE.sub("{}", one.replace("{e}", "{p}")).strip(" .。?？") for one in fitted}
    asked = [one for sentences in gold["frames"].values() for kind in sentences.values() for one in kind]
    assert bare.isdisjoint(one.strip(" .。?？") for one in asked)
