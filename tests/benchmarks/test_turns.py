"""The gold turns and the model fitted on them belong together."""

import hashlib
import importlib
import json
from importlib.resources import files

import numpy as np
import pytest

MODEL = json.loads(files("ultron_core.transcript.acts").joinpath("model.json").read_text("utf-8"))


@pytest.fixture
def turns():
    return importlib.import_module("inputs.turns")


@pytest.fixture
def rows(turns):
    return turns.load_turns()


def test_the_model_was_fitted_on_the_turns_of_the_repository(turns):
    for name, digest in MODEL["provenance"]["sha256"].items():
        assert hashlib.sha256((turns.GOLD / name).read_bytes()).hexdigest() == digest, f"refit after {name}"


def test_each_gram_occurs_in_two_repositories(rows):
    features = importlib.import_module("ultron_core.transcript.acts.features")
    seen = {}
    for row in rows:
        if not row.held_out:
            for gram in features.grams(row.turn.text):
                seen.setdefault(gram, set()).add(row.repository)
    assert [gram for gram in MODEL["grams"] if len(seen.get(gram, ())) < 2] == []


def test_refitting_gives_the_same_coefficients(rows):
    train = importlib.import_module("training.acts")
    table = train.describe(rows, vectors=False)
    again = train.fit(table, train.fit_rows(table))
    assert list(again.index) == MODEL["grams"]
    shipped = MODEL["plain"]
    for name in ("intercept", "dense", "grams"):
        values = getattr(again, name).ravel() * shipped["unit"]
        assert len(values) == len(shipped[name])
        assert max(abs(a - b) for a, b in zip(values, shipped[name], strict=True)) < 2


def test_written_turns_are_marked_and_are_no_copies(rows):
    written = [row for row in rows if row.written]
    drawn = {row.turn.text.lower() for row in rows if not row.written}
    held_out = [row for row in written if row.held_out]
    assert (
        0.2
        < sum("rule" in row.labels for row in held_out) / sum("rule" in row.labels for row in written)
        < 0.3
    )
    assert not any(row.held_out for row in rows if not row.written)
    longer = [row.turn.text for row in written if len(row.turn.text) > 12]
    assert [text for text in longer if text.lower() in drawn] == []


def test_turns_for_rules_alone_choose_nothing_for_the_other_acts(rows):
    train = importlib.import_module("training.acts")
    table = train.describe(rows, vectors=False)
    used = train.fit_rows(table)
    general = np.array([i for i in used if not table.rows[i].for_rule])
    with_them, without = train.fit(table, used), train.fit(table, general)
    rule = list(train.ACTS).index("rule")
    others = [act for act in range(len(train.ACTS)) if act != rule]
    assert with_them.index == without.index
    assert np.allclose(with_them.dense[:, others], without.dense[:, others])
    assert not np.allclose(with_them.dense[:, rule], without.dense[:, rule])


def test_scores_count_what_is_named_and_what_is_missed(rows):
    acts = importlib.import_module("audits.turns")
    part = [i for i, row in enumerate(rows) if row.repository == "kto" and not row.for_rule]
    perfect = {i: rows[i].labels for i in part}
    assert acts.scores(rows, part, perfect)["macro_f1_all"] == 1.0
    silent = dict.fromkeys(part, ("praise",))
    found = acts.scores(rows, part, silent)
    assert found["acts"]["praise"] == {"turns": 0, "named": 60, "precision": 0.0, "recall": None, "f1": 0.0}
    assert found["acts"]["instruction"]["recall"] == 0.0
