"""How well the offline labels track real outcomes.

    python benchmarks/labels.py [--data DIR] [--shipped]

One JSON object a line. Every set of DIR whose labels say how runs ended gets an outcome row and a `gates_` row.
On the data that the models are fitted on, `auc` is of a model fitted without this set and the others of its source
(inputs/sources.py), `auc_in_source` of one fitted on other tasks of the same set, `auc_shipped` of the shipped one;
the gates use the left-out model and its bound. On any other DIR, and with --shipped, nothing is fitted: every figure
is of the shipped coefficients. `auc_low`, `auc_high`: 95 % by bootstrap over tasks; `naive`: simple features.
Then the means, reliability, the lift of the training gate, preference pairs ranked right, agreement of the twins.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from inputs.lockbox import guarded, is_lockbox
from inputs.places import arguments
from inputs.sources import OUTCOME_SOURCES, group_of
from label_parts.figures import auc, auc_interval, lift, naive_aucs, reliability
from label_parts.fit import fit_answers, fit_work, in_source
from label_parts.runs import (
    Pair,
    Run,
    independent,
    load_pairs,
    load_rated,
    load_runs,
    load_sessions,
    outcome_names,
)

from ultron_core.labels import is_memory_eligible, is_sft_eligible, label_segment
from ultron_core.labels.offline import label_offline
from ultron_core.labels.signals import observe
from ultron_core.labels.success import LinearModel, estimate_from, estimate_success, shipped_models
from ultron_core.labels.verdict import decide_outcome
from ultron_core.models import Message, QualityLabel, ToolCall
from ultron_core.transcript.dialogue import read_dialogue

Models = Mapping[str, LinearModel]


def emit(**row: Any) -> None:
    print(json.dumps({"benchmark": "labels", **row}, ensure_ascii=False), flush=True)


def outcomes_and_gates(data: Path, shipped_only: bool) -> None:
    """A row of outcomes and one of gates for each set, then what holds over all of them."""
    sets = {name: load_runs(data, name) for name in outcome_names(data)}
    for name in [name for name in OUTCOME_SOURCES if name not in sets]:
        emit(set=name, skipped="not in the data folder")
    counted = independent(sets)
    fitted = not shipped_only and set(OUTCOME_SOURCES) <= set(sets)
    predicted: dict[str, np.ndarray] = {}
    kept: dict[str, list[int]] = {}
    best_gap: dict[str, float] = {}
    by_messages: dict[str, float] = {}
    for name, runs in sets.items():
        models = _left_out(sets, name) if fitted else shipped_models()
        scores = np.array([score(run, models) for run in runs])
        row = outcome_row(name, runs, scores, fitted)
        emit(**row)
        own_kept = gate_row(name, runs, models)
        if name in counted:
            predicted[name], kept[name] = scores, own_kept
            best_gap[name] = row["auc"] - row["naive_auc"]
            by_messages[name] = row["naive"]["messages"]
    if predicted:
        _overall(counted, predicted, kept, best_gap, by_messages, fitted)


def score(run: Run, models: Models) -> float:
    """The success probability of a run."""
    return estimate_from(run.kind, run.features, run.outcome, models).probability


def _left_out(sets: Mapping[str, Sequence[Run]], name: str) -> Models:
    """The models without the source of this set. The one of single answers knows no outcome, so it stays."""
    others = [sets[other] for other in OUTCOME_SOURCES if group_of(other) != group_of(name)]
    return {"work": fit_work(others), "answer": shipped_models()["answer"]}


def outcome_row(name: str, runs: Sequence[Run], scores: np.ndarray, fitted: bool) -> dict[str, Any]:
    """Ranking and calibration of one set. A set whose runs all end alike has no AUC."""
    start = time.perf_counter()
    truth = np.array([run.success for run in runs])
    row: dict[str, Any] = {
        "set": name,
        "n": len(runs),
        "fit": "left_out" if fitted else "shipped",
        "base_rate": round(float(truth.mean()), 3),
        "predicted": round(float(scores.mean()), 3),
        "brier": round(float(np.mean((scores - truth) ** 2)), 3),
    }
    if 0 < truth.sum() < len(truth):
        shipped = np.array([score(run, shipped_models()) for run in runs])
        low, high = auc_interval(runs, scores)
        naive = naive_aucs(runs)
        row |= {"auc": round(auc(truth, scores), 3), "auc_low": low, "auc_high": high}
        row |= {"auc_shipped": round(auc(truth, shipped), 3)}
        row |= {"naive_auc": max(naive.values()), "naive": naive}
        if fitted:
            row["auc_in_source"] = round(auc(truth, in_source(runs, score)), 3)
    return {**row, "seconds": round(time.perf_counter() - start, 2)}


def gate_row(name: str, runs: Sequence[Run], models: Models) -> list[int]:
    """What passes the two gates at their default thresholds, and why the rest does not. Returns the kept ends."""
    start = time.perf_counter()
    labels = [label_offline(run.messages, models=models) for run in runs]
    seconds = time.perf_counter() - start
    sft = [is_sft_eligible(label) for label in labels]
    kept = [run.success for run, gate in zip(runs, sft, strict=True) if gate.ok]
    emit(
        set=f"gates_{name}",
        n=len(runs),
        sft=len(kept),
        memory=round(float(np.mean([is_memory_eligible(label).ok for label in labels])), 3),
        gate_precision=round(float(np.mean(kept)), 3) if kept else None,
        base_rate=round(float(np.mean([run.success for run in runs])), 3),
        refused=dict(Counter(gate.reason for gate in sft if not gate.ok)),
        outcomes=dict(Counter(label.summary.outcome for label in labels)),
        task_types=dict(Counter(label.summary.task_type for label in labels)),
        seconds=round(seconds, 2),
    )
    return kept


def _overall(
    counted: Mapping[str, Sequence[Run]],
    predicted: Mapping[str, np.ndarray],
    kept: Mapping[str, Sequence[int]],
    best_gap: Mapping[str, float],
    by_messages: Mapping[str, float],
    fitted: bool,
) -> None:
    fit = "left_out" if fitted else "shipped"
    ends = {name: [run.success for run in runs] for name, runs in counted.items()}
    aucs = [auc(np.array(ends[name]), predicted[name]) for name in counted]
    mean, simple = float(np.mean(aucs)), float(np.mean(list(by_messages.values())))
    emit(
        set="mean",
        fit=fit,
        n=len(aucs),
        auc=round(mean, 3),
        fewer_messages=round(simple, 3),
        gain=round(mean - simple, 3),
        worst_gap_to_best_simple=round(min(best_gap.values()), 3),
    )
    pooled = np.concatenate(list(predicted.values()))
    truth = np.concatenate([ends[name] for name in predicted])
    emit(set="reliability", fit=fit, n=len(pooled), **reliability(pooled, truth))
    emit(set="training_gate", fit=fit, n=len(pooled), **lift(kept, ends))


def preference_sets(data: Path, shipped_only: bool) -> None:
    pairs: dict[str, list[Pair]] = {name: load_pairs(data, name) for name in ("dpo_pairs_en", "dpo_pairs_zh")}
    rated = load_rated(data, "kto_en")
    shipped = shipped_models()
    for name, own in pairs.items():
        if not own:
            emit(set=name, skipped="not in the data folder")
            continue
        start = time.perf_counter()
        right = {"ranked_right_shipped": round(ranked_right(own, shipped), 3)}
        if rated and not shipped_only:
            # the two sets are translations of each other's kind and come from one repository: only kto_en is left
            kto = fit_answers([], rated, shipped["answer"].base_rate)
            right["ranked_right"] = round(ranked_right(own, {**shipped, "answer": kto}), 3)
        emit(set=name, n=len(own), **right, seconds=round(time.perf_counter() - start, 2))


def ranked_right(pairs: Sequence[Pair], models: Models) -> float:
    """Share of pairs where the better answer gets the higher probability; equal ones count half."""
    right = 0.0
    for pair in pairs:
        better, worse = (_probability(side, models) for side in (pair.chosen, pair.rejected))
        right += 1.0 if better > worse else 0.5 if better == worse else 0.0
    return right / len(pairs)


def _probability(messages: Sequence[Message], models: Models) -> float:
    signals = observe(read_dialogue(messages))
    return estimate_success(signals, decide_outcome(signals).outcome, models).probability


def twins(data: Path) -> None:
    """Labels of the same talks in two wire formats; evidence lines differ (a first metadata line) by nature."""
    name = "tau_airline_anthropic"
    openai = {row["file"]: messages for row, messages in load_sessions(data, "tau_airline_openai")}
    same, count, start = 0, 0, time.perf_counter()
    for row, messages in load_sessions(data, name):
        if row.get("same_as") in openai:
            count += 1
            same += without_lines(label_segment(messages)) == without_lines(
                label_segment(openai[row["same_as"]])
            )
    if not count:
        emit(set="twins", skipped="not in the data folder")
        return
    emit(set="twins", n=count, agree=round(same / count, 4), seconds=round(time.perf_counter() - start, 2))


def without_lines(label: QualityLabel) -> dict[str, Any]:
    raw = label.to_json()
    return {
        **raw,
        "metrics": {key: {**m, "lines": len(m.get("lines", ()))} for key, m in raw["metrics"].items()},
    }


def speed() -> None:
    """Milliseconds for a made-up segment of a hundred messages, the best of ten."""
    talk = [Message("user", "Fix all of it.")]
    for n in range(33):
        call = ToolCall(f"c{n}", "bash", {"command": f"pytest tests/test_{n}.py"})
        seen = f"tests/test_{n}.py::test_it ok\n" * 20 + f"{n + 1} passed in 0.{n}s"
        talk += [
            Message("assistant", f"Step {n}: I look at module_{n}.py and change what is wrong there."),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", seen, tool_call_id=f"c{n}"),
        ]
    times = []
    for _ in range(10):
        start = time.perf_counter()
        label_segment(talk)
        times.append((time.perf_counter() - start) * 1000)
    emit(set="hundred_messages", messages=len(talk), ms=round(min(times), 1))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--shipped", action="store_true", help="fit nothing: figures of the shipped models")
    options = parser.parse_args()
    with guarded("labels", options.data):
        shipped_only = options.shipped or is_lockbox(options.data)
        outcomes_and_gates(options.data, shipped_only)
        preference_sets(options.data, shipped_only)
        twins(options.data)
        speed()


if __name__ == "__main__":
    main()
