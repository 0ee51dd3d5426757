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


def test_the_model_says_what_else_it_was_fitted_on():
    """The texts of other people's repositories are not kept here; how many there were is."""
    people = MODEL["provenance"]["people"]
    assert people["turns"] > people["repositories"] > 100
    assert len(people["sha256"]) == 64


def test_fitting_again_gives_the_same_coefficients(rows):
    train = importlib.import_module("training.acts")
    table = train.describe(rows, vectors=False)
    used = train.fit_rows(table)
    first, again = train.fit(table, used), train.fit(table, used)
    assert first.index == again.index
    assert np.array_equal(first.grams, again.grams)
    assert set(first.index) - set(MODEL["grams"]) == set(), (
        "the shipped model knows what the repository holds"
    )


def test_repositories_of_people_leave_in_parts_and_count_less(turns, rows, tmp_path):
    train = importlib.import_module("training.acts")
    file = tmp_path / "turns.jsonl"
    row = {"lang": "en", "text": "no, that is wrong", "before": "Done.", "labels": ["objection"]}
    found = [{**row, "repository": f"a/{n}", "drawn": "sought" if n % 2 else "random"} for n in range(40)]
    file.write_text("\n".join(map(json.dumps, [*found, {**found[0], "labels": []}])), "utf-8")
    people = turns.load_people(file)
    assert [one.sought for one in people[:2]] == [False, True]
    assert len(people) == len(found)
    table = train.describe([*rows, *people], vectors=False)
    used = train.fit_rows(table)
    left = train.groups(table, used)
    assert sum(map(len, left)) == len(used)
    assert len([group for group in left if table.rows[group[0]].people]) <= train.FOLDS


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
