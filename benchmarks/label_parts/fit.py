"""Fit the two success models. Weights of work are learned within sources and must not tell sources apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from label_parts.runs import Pair, Run
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from ultron_core.labels.features import ANSWER_FEATURES, WORK_FEATURES, answer_features
from ultron_core.labels.signals import observe
from ultron_core.labels.success import LinearModel
from ultron_core.models import Message
from ultron_core.transcript.dialogue import read_dialogue

Matrix = np.ndarray

#: penalty on the size of the weights (of standardised features), and on how far they set the means of sources apart:
#: an agent that writes more in one source than in another says nothing about success
RIDGE, BETWEEN = 0.1, 0.15
#: slopes of probability over evidence. Against: the log-odds, which the ridge made small. In favour: next to none,
#: because the base rate of a source never seen is unknown (.15 to .58 in the fitted ones). Both chosen by reliability
#: on sources left out
AGAINST, FAVOUR = 1.3, 0.05
#: training takes the evidence that this share of the fitted runs reaches, sources weighed the same
KEPT_SHARE = 0.10
#: inverse strength of the penalty on the answer model
ANSWER_C = 0.02
#: no outcome was ever seen for single answers, so form moves the probability little in either direction
ANSWER_SLOPE = 0.3


def fit_work(sources: Sequence[Sequence[Run]]) -> LinearModel:
    """Ridge logistic regression, one intercept a source, sources weighed the same, no weight below zero."""
    worked = [[run for run in runs if run.kind == "work"] for runs in sources]
    tables = [np.array([[run.features[n] for n in WORK_FEATURES] for run in runs]) for runs in worked]
    ends = [np.array([run.success for run in runs], dtype=float) for runs in worked]
    scale = _scale(np.sqrt(np.mean([table.var(axis=0) for table in tables], axis=0)))
    means = np.array([table.mean(axis=0) for table in tables])
    weights = _within_sources(
        [(t - m) / scale for t, m in zip(tables, means, strict=True)], ends, means / scale
    )
    mean = means.mean(axis=0)
    evidence = [((table - mean) / scale) @ weights for table in tables]
    return LinearModel(
        WORK_FEATURES,
        _rounded(mean),
        _rounded(scale),
        _rounded(weights),
        base_rate=round(float(np.mean([end.mean() for end in ends])), 4),
        against=AGAINST,
        favour=FAVOUR,
        bound=round(_top(evidence, KEPT_SHARE), 4),
    )


def _within_sources(tables: Sequence[Matrix], ends: Sequence[Matrix], means: Matrix) -> Matrix:
    """Weights that tell runs of one source apart, centred within each; `means` are those of the sources."""
    count, features = len(tables), means.shape[1]
    penalty = RIDGE * np.eye(features) + BETWEEN * np.cov(means.T, bias=True).reshape(features, features)

    def loss(parameters: Matrix) -> tuple[float, Matrix]:
        weights, intercepts = parameters[:features], parameters[features:]
        pull = penalty @ weights
        total, slope = count * float(weights @ pull) / 2, np.zeros_like(parameters)
        slope[:features] = count * pull
        for k, (table, end) in enumerate(zip(tables, ends, strict=True)):
            odds = table @ weights + intercepts[k]
            total += float(np.mean(np.logaddexp(0, odds) - end * odds))
            error = (1 / (1 + np.exp(-odds)) - end) / len(end)
            slope[:features] += table.T @ error
            slope[features + k] += error.sum()
        return total, slope

    bounds = [(0.0, None)] * features + [(None, None)] * count
    found = minimize(loss, np.zeros(features + count), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x[:features])


def _top(evidence: Sequence[Matrix], share: float) -> float:
    """The evidence that `share` of the runs reach, sources weighed the same."""
    pooled = np.concatenate(evidence)
    weight = np.concatenate([np.full(len(own), 1 / len(own) / len(evidence)) for own in evidence])
    order = np.argsort(-pooled)
    return float(pooled[order][np.searchsorted(np.cumsum(weight[order]), share)])


def answer_row(messages: Sequence[Message]) -> list[float]:
    row = answer_features(observe(read_dialogue(messages)))
    return [row[name] for name in ANSWER_FEATURES]


def fit_answers(
    pair_sets: Sequence[Sequence[Pair]],
    rated: Sequence[tuple[Sequence[Message], int]],
    base_rate: float,
) -> LinearModel:
    """Differences within pairs and single rated chats in one logistic regression without intercept."""
    better = np.array([answer_row(p.chosen) for pairs in pair_sets for p in pairs])
    worse = np.array([answer_row(p.rejected) for pairs in pair_sets for p in pairs])
    single = np.array([answer_row(messages) for messages, _ in rated])
    everything = np.vstack([m for m in (better, worse, single) if len(m)])
    mean, scale = everything.mean(axis=0), _scale(everything.std(axis=0))
    parts, marks = [], []
    if len(better):
        parts += [(better - worse) / scale, (worse - better) / scale]
        marks += [np.ones(len(better)), np.zeros(len(better))]
    if len(single):
        parts.append((single - mean) / scale)
        marks.append(np.array([label for _, label in rated]))
    model = LogisticRegression(C=ANSWER_C, fit_intercept=False, max_iter=2000)
    model.fit(np.vstack(parts), np.concatenate(marks), sample_weight=np.full(sum(map(len, marks)), 0.5))
    return LinearModel(
        ANSWER_FEATURES,
        _rounded(mean),
        _rounded(scale),
        _rounded(model.coef_[0]),
        base_rate=base_rate,
        against=ANSWER_SLOPE,
        favour=ANSWER_SLOPE,
        bound=None,
    )


def in_source(runs: Sequence[Run], score: Callable[[Run, Mapping[str, LinearModel]], float]) -> Matrix:
    """Scores of a model fitted on the other tasks of the same source, in five parts by task."""
    tasks = sorted({run.task for run in runs})
    part = {task: k % 5 for k, task in enumerate(tasks)}
    scores = np.zeros(len(runs))
    for k in range(5):
        others = [run for run in runs if part[run.task] != k]
        models = {"work": fit_work([others])}
        models["answer"] = models["work"]
        for at, run in enumerate(runs):
            if part[run.task] == k:
                scores[at] = score(run, models) if run.kind == "work" else models["work"].base_rate
    return scores


def _scale(deviation: Matrix) -> Matrix:
    """Standard deviations; 1 for a feature that never varies in this data."""
    return np.where(deviation > 1e-6, deviation, 1.0)


def _rounded(values: Matrix) -> tuple[float, ...]:
    return tuple(round(float(v), 6) for v in values)
