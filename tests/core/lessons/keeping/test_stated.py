"""Whether what the fitted readers of sentences found makes a memory."""

import json
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.keeping.stated import (
    confidence_in,
    feature_names,
    features,
    is_stated,
    is_worth_telling,
)
from ultron_core.models import Evidence, MemoryDraft, Message

GOLD = Path(__file__).parents[4] / "benchmarks" / "gold" / "draft_verdicts.jsonl"
CAUSE = (
    "The sync stopped because `worker.py` took its lock before it read `queue.toml`. "
    "The lock is now taken per row; `REDIS_URL` must name database 2."
)


#: log-odds that an agent's words last, tell progress, tell what was built, are textbook, mean nothing alone
LASTS, PASSES = (-0.5, -1.0, -1.5, -2.5, -2.5), (-3.0, 2.0, -1.5, -3.0, -1.0)


def draft(worth, *quotes, content=CAUSE, tag="finding", natures=LASTS):
    evidence = tuple(Evidence(2, 2, quote) for quote in quotes)
    return MemoryDraft(content, "", "", (tag, "cause"), confidence_in(worth), "pattern", evidence, natures)


def test_a_likely_cause_of_several_sentences_is_told_and_a_doubtful_fragment_is_not():
    assert is_worth_telling(draft(0.6, "took its lock", "per row", "names database 2"))
    assert not is_worth_telling(draft(0.2, "It is done.", content="It is done."))


def test_the_likelier_the_best_sentence_the_sooner():
    told = [is_worth_telling(draft(worth / 100, "a", "b")) for worth in range(5, 95)]
    assert told == sorted(told) and not told[5] and told[55]


def test_a_cause_may_stand_alone_and_a_fact_hardly():
    cause = "The hook runs after the validation, so `policyNumber` is still missing."
    alone = draft(0.6, cause, content=cause)
    assert is_worth_telling(replace(alone, memory_type="error"))
    assert not is_worth_telling(alone)


def test_what_passes_with_the_work_is_refused_where_what_lasts_is_kept():
    quotes = ("took its lock", "per row")
    assert is_worth_telling(draft(0.5, *quotes))
    assert not is_worth_telling(draft(0.5, *quotes, natures=PASSES))
    wish = draft(0.5, *quotes, tag="plain", natures=(1.5,))
    assert is_worth_telling(wish) and not is_worth_telling(replace(wish, natures=(-3.0,)))


def test_what_was_done_about_it_makes_a_cause_worth_more():
    short = draft(0.55, "a", content="The lock is taken before `queue.toml` is read.")
    cause = replace(short, memory_type="error")
    assert not is_worth_telling(cause)
    assert is_worth_telling(replace(cause, resolution="The agent's account: The lock is now taken per row."))


def test_a_refused_one_is_counted_with_its_reason():
    log = [Message("assistant", "It is done.", start_line=2, end_line=2, origin="model")]
    refused = draft(0.2, "It is done.", content="It is done: all of the work.")
    drop = gate_draft(refused, log)
    assert drop is not None and drop.reason == "little_worth"
    assert gate_draft(refused, log, by_rules=False) is None


def test_other_drafts_are_not_judged_here():
    assert is_stated(draft(0.5, "a")) and not is_stated(MemoryDraft(CAUSE, tags=("decision",)))


def test_the_coefficients_are_those_of_the_features_and_the_verdicts():
    raw = json.loads(files("ultron_core.lessons.keeping").joinpath("stated.json").read_text("utf-8"))
    assert tuple(raw["weights"]) == feature_names()
    assert len(features(draft(0.5, "a"))) == len(feature_names())
    assert raw["sha256"] == {GOLD.name: sha256(GOLD.read_bytes()).hexdigest()}
