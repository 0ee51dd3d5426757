"""How well the offline labels track real outcomes.

    python benchmarks/labels.py [--data DIR]

One JSON object a line. Outcome sets: `auc` of success_probability with every outcome set but this one fitted
(`auc_shipped`: the shipped coefficients), 95 % interval by bootstrap over tasks, `naive_auc` = the best of
fewer messages, fewer bytes, fewer error words. Preference pairs: `ranked_right` with this set left out of
the fit. Then a reliability table, the agreement of the twins, and what the two gates let through.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from inputs.lockbox import guarded
from inputs.places import arguments
from scipy.stats import rankdata
from sklearn.metrics import brier_score_loss
from train_labeler import (
    WORK_SOURCES,
    Pair,
    Run,
    fit_answers,
    fit_work,
    load_pairs,
    load_rated,
    load_runs,
    load_sessions,
)

from ultron_core.labels import is_memory_eligible, is_sft_eligible, label_segment
from ultron_core.labels.signals import observe
from ultron_core.labels.success import LinearModel, shipped_models, success_probability
from ultron_core.models import Message, QualityLabel, ToolCall
from ultron_core.transcript.dialogue import read_dialogue

ERROR_WORDS = re.compile(
    r"error|fail|exception|traceback|invalid|not found|unable|错误|失败|异常", re.IGNORECASE
)
GATE_SETS = (
    "tau_airline_openai",
    "aider_swebench_lite",
    "reflexion_hotpot_react",
    "who_and_when_failures",
    "glaive_toolcall_en",
    "glaive_toolcall_zh",
)


def emit(**row: Any) -> None:
    print(json.dumps({"benchmark": "labels", **row}, ensure_ascii=False), flush=True)


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


def probability(messages: Sequence[Message], work: LinearModel, answer: LinearModel) -> float:
    signals = observe(read_dialogue(messages))
    return success_probability(signals, {"work": work, "answer": answer})[0]


def fast_auc(truth: np.ndarray, scores: np.ndarray) -> float:
    """Area under the ROC curve from ranks, ties counted half (Mann-Whitney)."""
    good = int(truth.sum())
    ranks = rankdata(scores)
    return float((ranks[truth == 1].sum() - good * (good + 1) / 2) / (good * (len(truth) - good)))


def bootstrap(runs: Sequence[Run], scores: np.ndarray, naive: np.ndarray, rounds: int = 1000) -> np.ndarray:
    """(rounds, 2): AUC and its gain over the naive score, tasks drawn with replacement.

    Runs of one task are not independent, so whole tasks are drawn.
    """
    by_task: dict[str, list[int]] = defaultdict(list)
    for position, run in enumerate(runs):
        by_task[run.task].append(position)
    tasks = list(by_task.values())
    truth = np.array([run.success for run in runs])
    generator = np.random.default_rng(7)
    values = []
    while len(values) < rounds:
        drawn = np.concatenate([tasks[k] for k in generator.integers(0, len(tasks), len(tasks))])
        if 0 < truth[drawn].sum() < len(drawn):
            auc = fast_auc(truth[drawn], scores[drawn])
            values.append((auc, auc - fast_auc(truth[drawn], naive[drawn])))
    return np.array(values)


def interval(values: np.ndarray) -> tuple[float, float]:
    """95 % of the values."""
    return round(float(np.quantile(values, 0.025)), 3), round(float(np.quantile(values, 0.975)), 3)


def naive_scores(runs: Sequence[Run]) -> dict[str, np.ndarray]:
    errors = [sum(len(ERROR_WORDS.findall(m.content)) for m in run.messages) for run in runs]
    return {
        "messages": -np.array([len(run.messages) for run in runs]),
        "bytes": -np.array([run.bytes for run in runs]),
        "error_words": -np.array(errors),
    }


def outcome_sets(data: Path) -> None:
    runs = {name: load_runs(data, name) for name in WORK_SOURCES}
    for name in [name for name, found in runs.items() if not found]:
        emit(set=name, skipped="not in the data folder")
        del runs[name]
    shipped = shipped_models()
    gains, held_out = [], []
    for name, own in runs.items():
        others = [found for other, found in runs.items() if other != name]
        start = time.perf_counter()
        model = fit_work(others) if others else shipped["work"]
        scores = np.array([probability(run.messages, model, shipped["answer"]) for run in own])
        all_in = np.array([probability(run.messages, shipped["work"], shipped["answer"]) for run in own])
        truth = np.array([run.success for run in own])
        naive = naive_scores(own)
        naive_aucs = {key: round(fast_auc(truth, values), 3) for key, values in naive.items()}
        best = max(naive_aucs, key=lambda key: naive_aucs[key])
        drawn = bootstrap(own, scores, naive[best])
        low, high = interval(drawn[:, 0])
        emit(
            set=name,
            n=len(own),
            seconds=round(time.perf_counter() - start, 2),
            auc=round(fast_auc(truth, scores), 3),
            auc_low=low,
            auc_high=high,
            naive_auc=naive_aucs[best],
            naive=naive_aucs,
            auc_shipped=round(fast_auc(truth, all_in), 3),
            brier=round(float(brier_score_loss(truth, scores)), 3),
            left_out=bool(others),
        )
        gains.append((fast_auc(truth, scores) - fast_auc(truth, naive[best]), drawn[:, 1]))
        held_out += list(zip(scores, truth, all_in, strict=True))
    if gains:
        low, high = interval(np.mean([values for _, values in gains], axis=0))
        mean = round(float(np.mean([gain for gain, _ in gains])), 3)
        emit(set="average", n=len(gains), gain_over_naive=mean, gain_low=low, gain_high=high)
        reliability("left_out", [(s, t) for s, t, _ in held_out])
        reliability("shipped", [(a, t) for _, t, a in held_out])


def reliability(which: str, rows: Sequence[tuple[float, int]]) -> None:
    """Predicted against observed share of success, in fifths of the probability range."""
    table = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = [(p, t) for p, t in rows if low <= p < low + 0.2 or (low == 0.8 and p == 1.0)]
        if inside:
            predicted, seen = np.mean(inside, axis=0)
            table.append(
                {
                    "from": low,
                    "n": len(inside),
                    "predicted": round(float(predicted), 3),
                    "seen": round(float(seen), 3),
                }
            )
    brier = float(np.mean([(p - t) ** 2 for p, t in rows]))
    emit(set=f"reliability_{which}", n=len(rows), brier=round(brier, 3), table=table)


def preference_sets(data: Path) -> None:
    pairs: dict[str, list[Pair]] = {name: load_pairs(data, name) for name in ("dpo_pairs_en", "dpo_pairs_zh")}
    rated = load_rated(data, "kto_en")
    shipped = shipped_models()
    for name, own in pairs.items():
        if not own:
            emit(set=name, skipped="not in the data folder")
            continue
        others = [found for other, found in pairs.items() if other != name and found]
        start = time.perf_counter()
        model = fit_answers(others, rated) if others or rated else shipped["answer"]
        emit(
            set=name,
            n=len(own),
            ranked_right=round(ranked_right(own, shipped["work"], model), 3),
            ranked_right_shipped=round(ranked_right(own, shipped["work"], shipped["answer"]), 3),
            seconds=round(time.perf_counter() - start, 2),
        )


def ranked_right(pairs: Sequence[Pair], work: LinearModel, answer: LinearModel) -> float:
    """Share of pairs where the better answer gets the higher probability; equal ones count half."""
    right = 0.0
    for pair in pairs:
        better, worse = (probability(side, work, answer) for side in (pair.chosen, pair.rejected))
        right += 1.0 if better > worse else 0.5 if better == worse else 0.0
    return right / len(pairs)


def twins(data: Path) -> None:
    """Labels of the same sessions in two wire formats; their evidence lines differ by a first metadata line."""
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
        emit(set=name, skipped="not in the data folder")
        return
    emit(set="twins", n=count, agree=round(same / count, 4), seconds=round(time.perf_counter() - start, 2))


def without_lines(label: QualityLabel) -> dict[str, Any]:
    raw = label.to_json()
    return {**raw, "metrics": {key: {**m, "lines": len(m["lines"])} for key, m in raw["metrics"].items()}}


def gates(data: Path) -> None:
    """What passes the two gates at their default thresholds, and why the rest is refused."""
    for name in GATE_SETS:
        rows = list(load_sessions(data, name))
        if not rows:
            emit(set=name, skipped="not in the data folder")
            continue
        start = time.perf_counter()
        labels = [label_segment(messages) for _, messages in rows]
        seconds = time.perf_counter() - start
        sft = [is_sft_eligible(label) for label in labels]
        marks = [
            row["success"] for (row, _), gate in zip(rows, sft, strict=True) if gate.ok and "success" in row
        ]
        base = [row["success"] for row, _ in rows if "success" in row]
        emit(
            set=f"gates_{name}",
            n=len(rows),
            seconds=round(seconds, 2),
            sft=round(float(np.mean([gate.ok for gate in sft])), 3),
            memory=round(float(np.mean([is_memory_eligible(label).ok for label in labels])), 3),
            gate_precision=round(float(np.mean(marks)), 3) if marks else None,
            base_rate=round(float(np.mean(base)), 3) if base else None,
            refused=dict(Counter(gate.reason for gate in sft if not gate.ok)),
            outcomes=dict(Counter(label.summary.outcome for label in labels)),
            task_types=dict(Counter(label.summary.task_type for label in labels)),
        )


def main() -> None:
    data = arguments(__doc__).parse_args().data
    with guarded("labels", data):
        outcome_sets(data)
        preference_sets(data)
        twins(data)
        gates(data)
        speed()


if __name__ == "__main__":
    main()
