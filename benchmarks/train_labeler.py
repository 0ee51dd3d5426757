"""Fit the success model of the offline labeler and write its coefficients as JSON.

    python benchmarks/train_labeler.py [--data DIR] [--out ultron_core/labels/success_model.json]

Data, all MIT or Apache-2.0: tau_airline_openai (MIT), aider_swebench_lite (Apache-2.0) and
reflexion_hotpot_react (MIT) for work with tools; dpo_pairs_en, dpo_pairs_zh and kto_en (Apache-2.0) for
answers. `benchmarks/labels.py` uses `fit_work` and `fit_answers` with one source left out at a time.
"""

from __future__ import annotations

import gzip
import json
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments
from sklearn.linear_model import LogisticRegression

from ultron_core.labels.features import ANSWER_FEATURES, WORK_FEATURES, answer_features, work_features
from ultron_core.labels.signals import observe
from ultron_core.labels.success import LinearModel
from ultron_core.models import Message, MessageLike, as_messages
from ultron_core.sessions import parse_session
from ultron_core.transcript.dialogue import read_dialogue

WORK_SOURCES = {
    "tau_airline_openai": "sierra-research/tau-bench, MIT",
    "aider_swebench_lite": "paul-gauthier/aider-swe-bench, Apache-2.0",
    "reflexion_hotpot_react": "noahshinn/reflexion, MIT",
}
ANSWER_SOURCES = {
    "dpo_pairs_en": "hiyouga/LLaMA-Factory demo data, Apache-2.0",
    "dpo_pairs_zh": "hiyouga/LLaMA-Factory demo data, Apache-2.0",
    "kto_en": "hiyouga/LLaMA-Factory demo data, Apache-2.0",
}
#: inverse regularisation strengths: few sources, so the weights stay small and near each other
WORK_C = 0.03
ANSWER_C = 0.02


@dataclass(frozen=True)
class Run:
    """One session with a known end."""

    file: str
    task: str
    success: int
    bytes: int
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Pair:
    """One context with a better and a worse answer, each a whole list of messages."""

    chosen: tuple[Message, ...]
    rejected: tuple[Message, ...]


def load_sessions(data: Path, name: str) -> Iterator[tuple[dict[str, Any], tuple[Message, ...]]]:
    """(label row, normalised messages) of each session of a set; nothing when the set is absent."""
    archive, labels = data / "sessions" / f"{name}.tar.gz", data / "sessions" / f"{name}.labels.jsonl"
    if not archive.exists() or not labels.exists():
        return
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
        by_name = {p.name: p for p in Path(folder).rglob("*") if p.is_file()}
        for line in labels.read_text("utf-8").splitlines():
            row = json.loads(line)
            path = by_name.get(Path(row["file"]).name)
            if path is not None:
                yield row, parse_session(path).messages


def load_runs(data: Path, name: str) -> list[Run]:
    """Sessions of one set that have a `success` mark."""
    return [
        Run(row["file"], row["task"], int(row["success"]), int(row["bytes"]), messages)
        for row, messages in load_sessions(data, name)
        if "success" in row
    ]


def _rows(data: Path, name: str) -> list[dict[str, Any]]:
    path = data / "quality" / f"{name}.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def load_pairs(data: Path, name: str) -> list[Pair]:
    """Preference pairs as two sessions each."""

    def talk(row: Mapping[str, Any], answer: str) -> tuple[Message, ...]:
        messages: list[MessageLike] = [*row["context"], {"role": "assistant", "content": answer}]
        return tuple(as_messages(messages))

    return [Pair(talk(r, r["chosen"]), talk(r, r["rejected"])) for r in _rows(data, name)]


def load_rated(data: Path, name: str) -> list[tuple[tuple[Message, ...], int]]:
    """Chats with 1 (good) or 0 (bad)."""
    return [(tuple(as_messages(r["messages"])), int(r["label"])) for r in _rows(data, name)]


def work_matrix(runs: Sequence[Run]) -> np.ndarray:
    rows = [work_features(observe(read_dialogue(run.messages))) for run in runs]
    return np.array([[row[name] for name in WORK_FEATURES] for row in rows])


def answer_row(messages: Sequence[Message]) -> list[float]:
    row = answer_features(observe(read_dialogue(messages)))
    return [row[name] for name in ANSWER_FEATURES]


def fit_work(sources: Sequence[Sequence[Run]]) -> LinearModel:
    """Logistic regression with one intercept a source, then Platt scaling over all sources.

    The intercepts take up how hard each benchmark is, so the weights learn only what tells runs of the same
    benchmark apart. Sources weigh the same, and so do tasks within a source.
    """
    x = np.vstack([work_matrix(runs) for runs in sources])
    y = np.concatenate([[run.success for run in runs] for runs in sources])
    weight = np.concatenate([_task_weights(runs) for runs in sources]) * 100
    mean = np.average(x, axis=0, weights=weight)
    scale = _scale(np.sqrt(np.average((x - mean) ** 2, axis=0, weights=weight)))
    # a large constant makes the penalty on the intercepts next to nothing
    own = np.concatenate([np.full(len(runs), k) for k, runs in enumerate(sources)])
    marks = 10.0 * np.eye(len(sources))[own]
    model = LogisticRegression(C=WORK_C, fit_intercept=False, max_iter=2000)
    model.fit(np.hstack([(x - mean) / scale, marks]), y, sample_weight=weight)
    weights = model.coef_[0][: len(WORK_FEATURES)]
    evidence = ((x - mean) / scale) @ weights
    slope, intercept = _calibrate(evidence, y, weight)
    return _model(WORK_FEATURES, mean, scale, weights, slope, intercept)


def _calibrate(evidence: np.ndarray, success: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Platt scaling over all sources at once, the slope kept between 0.2 and 0.5.

    Below, segments could no longer be told apart; above, a source that looks unlike those seen (very short
    answers, say) would get probabilities near 0 or 1 that nothing supports. The intercept then keeps the mean.
    """
    platt = LogisticRegression(C=1e3).fit(evidence[:, None], success, sample_weight=weight)
    slope = min(0.5, max(0.2, float(platt.coef_[0][0])))
    share = float(np.average(success, weights=weight))
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = float(np.average(1 / (1 + np.exp(-(slope * evidence + middle))), weights=weight))
        low, high = (middle, high) if mean < share else (low, middle)
    return slope, (low + high) / 2


def _scale(deviation: np.ndarray) -> np.ndarray:
    """Standard deviations; 1 for a feature that never varies in this data."""
    return np.where(deviation > 1e-6, deviation, 1.0)


def _task_weights(runs: Sequence[Run]) -> np.ndarray:
    count = Counter(run.task for run in runs)
    weight = np.array([1.0 / count[run.task] for run in runs])
    return weight / weight.sum()


def fit_answers(
    pair_sets: Sequence[Sequence[Pair]], rated: Sequence[tuple[Sequence[Message], int]]
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
    return _model(ANSWER_FEATURES, mean, scale, model.coef_[0], 1.0, 0.0)


def borrow_verdict(answers: LinearModel, work: LinearModel) -> LinearModel:
    """The answer sets end with the answer and never contain a verdict: its weight comes from the runs."""
    at, source = answers.names.index("verdict"), work.names.index("verdict")
    values = [list(answers.mean), list(answers.scale), list(answers.weights)]
    for column, value in zip(values, (0.0, work.scale[source], work.weights[source]), strict=True):
        column[at] = value
    mean, scale, weights = map(tuple, values)
    return replace(answers, mean=mean, scale=scale, weights=weights)


def _model(
    names: Sequence[str],
    mean: np.ndarray,
    scale: np.ndarray,
    coefficients: np.ndarray,
    slope: float,
    intercept: float,
) -> LinearModel:
    def rounded(values: np.ndarray) -> tuple[float, ...]:
        return tuple(round(float(v), 6) for v in values)

    return LinearModel(
        tuple(names),
        rounded(mean),
        rounded(scale),
        rounded(coefficients),
        round(slope, 6),
        round(intercept, 6),
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "ultron_core" / "labels" / "success_model.json")
    options = parser.parse_args()
    forbid_lockbox(options.data)
    runs = {name: load_runs(options.data, name) for name in WORK_SOURCES}
    pairs = [load_pairs(options.data, name) for name in ("dpo_pairs_en", "dpo_pairs_zh")]
    rated = load_rated(options.data, "kto_en")
    if not all(runs.values()) or not all(pairs) or not rated:
        raise SystemExit(f"{options.data} lacks a set that the model is fitted on; nothing was written")
    work = fit_work(list(runs.values()))
    answer = borrow_verdict(fit_answers(pairs, rated), work)
    document = {
        "about": "Logistic regressions of the offline labeler; made by benchmarks/train_labeler.py.",
        "fitted_on": {
            "work": {name: {"source": WORK_SOURCES[name], "n": len(r)} for name, r in runs.items()},
            "answer": {
                name: {"source": ANSWER_SOURCES[name], "n": count}
                for name, count in zip(ANSWER_SOURCES, [*map(len, pairs), len(rated)], strict=True)
            },
        },
        "work": work.to_json(),
        "answer": answer.to_json(),
    }
    options.out.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(json.dumps({"written": options.out.name, "work": document["work"], "answer": document["answer"]}))


if __name__ == "__main__":
    main()
