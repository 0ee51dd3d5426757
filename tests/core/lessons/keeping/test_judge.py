"""Whether a draft of the rules is worth keeping, by the fitted judgement."""

import json
from dataclasses import replace
from importlib.resources import files

import pytest

from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.keeping.judge import is_worth_keeping, judgement
from ultron_core.lessons.keeping.shape import feature_names, features
from ultron_core.models import Evidence, MemoryDraft, Message

LASTING = "In shop: `flush()` in `src/stats.py` must be called before every exit, else the counts are lost."
LEANING = "Then I might have broken this, so it seems that the 2 above (12, 40) are not those."


@pytest.mark.parametrize("origin", ["model", "human", "tool"])
def test_what_names_a_thing_and_holds_for_long_ranks_above_what_leans_on_its_neighbours(origin):
    assert judgement(MemoryDraft(LASTING), origin) > judgement(MemoryDraft(LEANING), origin)


def test_what_looks_like_junk_is_refused_with_a_reason_of_its_own():
    log = [Message("assistant", LEANING, start_line=2, end_line=2, origin="model")]
    draft = MemoryDraft(LEANING, confidence=0.8, evidence=(Evidence(2, 2, "Then I might have broken this"),))
    drop = gate_draft(draft, log)
    assert drop is not None
    assert (drop.reason, drop.detail) == ("little_worth", LEANING)
    assert gate_draft(draft, log, by_rules=False) is None, "the fit knows no drafts of a model"
    assert gate_draft(draft, ()) is None, "nor what a person uploads"


@pytest.mark.parametrize("kind", ["security", "correction", "preference"])
def test_a_leaked_secret_and_what_a_person_said_are_told_however_they_are_put(kind):
    assert is_worth_keeping(replace(MemoryDraft(LEANING), memory_type=kind), "model")


def test_a_failure_whose_cure_the_log_proves_is_told_whatever_its_numbers():
    content = "`pytest alpha` failed: ModuleNotFoundError: No module named 'pandas_ZEBRA-4711'"
    told = MemoryDraft(
        content, memory_type="error", resolution="It was after `pip install pandas_ZEBRA-4711`."
    )
    proven = replace(told, resolution="It worked after running `pip install pandas_ZEBRA-4711`.")
    assert not is_worth_keeping(told, "tool") and is_worth_keeping(proven, "tool")


def test_the_words_of_the_templates_point_at_nothing():
    pointers = feature_names().index("pointers")
    told = features(
        "`make` failed 3 times in the same way: no rule", "It worked after running `init`.", "tool"
    )
    assert told[pointers] == 0


def test_the_coefficients_are_those_of_the_features():
    raw = json.loads(files("ultron_core.lessons.keeping").joinpath("keep.json").read_text("utf-8"))
    assert tuple(raw["weights"]) == feature_names()
    assert len(features(LASTING, "", "human")) == len(feature_names())
