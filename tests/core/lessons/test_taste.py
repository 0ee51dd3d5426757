"""A taste is learned where it proves itself on sessions that were left out; else the ranker is left as it is."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ultron_core.lessons.taste import Features, Judged, corrected, fit_taste

KINDS = ("closing", "turn", "failure", "pick")


def judged(random_state, *, says, sessions=15, each=4, sure=False):
    """Memories of several sessions with a probability of the ranker; `says` decides from their features and it."""
    drawn = random.Random(random_state)
    rows = []
    for session in range(sessions):
        for _ in range(each):
            kind = drawn.choice(KINDS)
            probability = 0.5 if sure else drawn.uniform(0.2, 0.95)
            features = Features(kind, "pattern", "agent", "claimed", f"project {session % 3}", "en")
            useful = says(drawn, features, probability)
            rows.append(Judged(probability, features, useful, f"session {session}"))
    return rows


def hates_closings(drawn, features, probability):
    return features.lesson != "closing" and drawn.random() < 0.9


def as_the_ranker(drawn, features, probability):
    return drawn.random() < probability


def test_a_consistent_taste_is_learned():
    taste = fit_taste(judged(1, says=hates_closings))
    assert taste.reason == "" and taste.gain > 0.1 and taste.verdicts == 60
    closing = Features("closing", "pattern", "agent", "claimed", "project 1", "en")
    assert corrected(0.6, closing, taste.coefficients) < 0.3
    assert corrected(0.6, replace(closing, lesson="turn"), taste.coefficients) > 0.75


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_ranker_is_left_where_verdicts_are_as_it_says(seed):
    taste = fit_taste(judged(seed, says=as_the_ranker))
    assert taste.coefficients is None and taste.gain is not None
    assert "its standard error is" in taste.reason


def test_noise_is_learned_in_few_of_many_stores():
    """One standard error lets a sixth of what is chance pass; shrinking and leaving sessions out makes it fewer."""
    learned = sum(fit_taste(judged(seed, says=as_the_ranker)).coefficients is not None for seed in range(60))
    assert learned <= 6


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "0 verdicts on memories that the ranker saw; 30 are needed"),
        (judged(1, says=hates_closings)[:29], "29 verdicts"),
        (judged(1, says=lambda *_: True), "all 60 verdicts are useful; both are needed"),
        (judged(1, says=lambda *_: False), "all 60 verdicts are junk"),
        (judged(1, says=hates_closings, sessions=4, each=10), "on 4 sessions; 5 are needed"),
    ],
)
def test_too_little_is_said_so(rows, reason):
    taste = fit_taste(rows)
    assert taste.coefficients is None and taste.gain is None and reason in taste.reason


def test_the_same_verdicts_teach_the_same():
    rows = judged(7, says=hates_closings)
    assert fit_taste(rows) == fit_taste(rows)
    assert fit_taste(rows).coefficients == pytest.approx(fit_taste(rows[::-1]).coefficients, abs=1e-3)


def test_the_fit_is_a_shrunken_logistic_regression():
    """Where the ranker says a half of everything the offset is nothing, and scikit-learn fits the same."""
    rows = judged(3, says=hates_closings, sure=True)
    coefficients = fit_taste(rows).coefficients
    names = sorted(coefficients)

    def column(row, name):
        kind, _, value = name.partition("=")
        return (
            1.0
            if name == "always"
            else 0.0
            if name == "log_odds"
            else float(getattr(row.features, kind) == value)
        )

    table = np.array([[column(row, name) for name in names] for row in rows])
    known = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    known.fit(table, [row.is_useful for row in rows])
    assert dict(zip(names, known.coef_[0], strict=True)) == pytest.approx(coefficients, abs=2e-4)


def test_a_project_of_one_session_teaches_nothing():
    rows = judged(5, says=hates_closings)
    alone = [replace(row, features=replace(row.features, project=row.session)) for row in rows]
    assert not [name for name in fit_taste(alone).coefficients if name.startswith("project")]


@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.3, 1.0])
def test_without_a_taste_nothing_is_corrected_and_the_ranker_is_never_quite_sure(probability):
    features = Features("", "error", "human", "person", "", "zh")
    assert corrected(probability, features, None) == probability
    assert 0.0 < corrected(probability, features, {"always": 0.1}) < 1.0


def test_what_was_never_judged_is_corrected_by_what_all_have_alone():
    new = Features("new", "new", "new", "new", "new", "new")
    odds = math.log(0.6 / 0.4)
    by_all = corrected(0.6, new, {"always": -1.0, "log_odds": 0.5, "lesson=turn": 9.0})
    assert by_all == pytest.approx(1 / (1 + math.exp(-(odds * 1.5 - 1.0))))
