"""Figures of ranking and calibration: AUC, its interval over tasks, simple features, reliability, lift."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from label_parts.runs import Run
from scipy.stats import rankdata

ERROR_WORDS = re.compile(
    r"error|fail|exception|traceback|invalid|not found|unable|错误|失败|异常", re.IGNORECASE
)
#: a bin of the reliability table with fewer runs says nothing
FULL_BIN = 30


def auc(truth: np.ndarray, scores: np.ndarray) -> float:
    """Area under the ROC curve from ranks, ties counted half (Mann-Whitney)."""
    good = int(truth.sum())
    ranks = rankdata(scores)
    return float((ranks[truth == 1].sum() - good * (good + 1) / 2) / (good * (len(truth) - good)))


def auc_interval(runs: Sequence[Run], scores: np.ndarray, rounds: int = 1000) -> tuple[float, float]:
    """95 % by bootstrap. Runs of one task are not independent, so whole tasks are drawn with replacement."""
    by_task: dict[str, list[int]] = defaultdict(list)
    for position, run in enumerate(runs):
        by_task[run.task].append(position)
    tasks = list(by_task.values())
    truth = np.array([run.success for run in runs])
    generator = np.random.default_rng(7)
    values: list[float] = []
    while len(values) < rounds:
        drawn = np.concatenate([tasks[k] for k in generator.integers(0, len(tasks), len(tasks))])
        if 0 < truth[drawn].sum() < len(drawn):
            values.append(auc(truth[drawn], scores[drawn]))
    return round(float(np.quantile(values, 0.025)), 3), round(float(np.quantile(values, 0.975)), 3)


def naive_aucs(runs: Sequence[Run]) -> dict[str, float]:
    """What a simple feature does: fewer messages, fewer bytes, fewer error words."""
    truth = np.array([run.success for run in runs])
    errors = [sum(len(ERROR_WORDS.findall(m.content)) for m in run.messages) for run in runs]
    scores = {
        "messages": [-len(run.messages) for run in runs],
        "bytes": [-run.bytes for run in runs],
        "error_words": [-count for count in errors],
    }
    return {name: round(auc(truth, np.array(values)), 3) for name, values in scores.items()}


def reliability(predicted: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Predicted against observed share of success by tenths of the probability."""
    table = []
    for low in range(10):
        inside = (predicted >= low / 10) & (predicted < (low + 1) / 10)
        if inside.any():
            mean, seen = float(predicted[inside].mean()), float(truth[inside].mean())
            row = {
                "from": low / 10,
                "n": int(inside.sum()),
                "predicted": round(mean, 3),
                "seen": round(seen, 3),
            }
            table.append(row)
    gaps = [abs(row["predicted"] - row["seen"]) for row in table if row["n"] >= FULL_BIN]
    worst = round(max(gaps), 3) if gaps else None
    return {
        "worst_full_bin": worst,
        "brier": round(float(np.mean((predicted - truth) ** 2)), 3),
        "table": table,
    }


def lift(kept: Mapping[str, Sequence[int]], all_ends: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Kept successes over what the base rate of each kept row's own source lets expect."""
    expected = sum(len(ends) * float(np.mean(all_ends[name])) for name, ends in kept.items())
    good = sum(sum(ends) for ends in kept.values())
    total = sum(sum(ends) for ends in all_ends.values())
    gaps = [
        float(np.mean(ends)) - float(np.mean(all_ends[name]))
        for name, ends in kept.items()
        if len(ends) >= 10
    ]
    return {
        "kept": sum(map(len, kept.values())),
        "sets_kept_from": sum(1 for ends in kept.values() if len(ends)),
        "successes_kept": round(good / total, 3) if total else None,
        "lift": round(good / expected, 3) if expected else None,
        "worst_precision_gap": round(min(gaps), 3) if gaps else None,
    }
