"""Fit the offline segmenter and write ultron_core/segments/weights.json.

    python benchmarks/train_segmenter.py [--data DIR] [--out FILE]

Fitted on sets under MIT or Apache-2.0 alone: candidates beside pieces of other origin (the SGD pieces in the
stitched sets) are left out. Model: logistic regression on the features of ultron_core.segments.features and
their products, with words of farewell entering linearly and capped, because stitched sessions say goodbye at
nearly every boundary and real ones seldom do. Weights, threshold: chosen on the training part only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from benchmarks.segment_data import STITCHED, Dialogue, archive_of, load  # noqa: E402
from ultron_core.embeddings.local import local_embedder  # noqa: E402
from ultron_core.segments.features import FEATURES, Running, TurnVectors, describe  # noqa: E402
from ultron_core.segments.offline import boundaries_of, embed_turns  # noqa: E402
from ultron_core.segments.turns import Turn, turn_ends, turns_of  # noqa: E402
from ultron_core.segments.weights import Combiner  # noqa: E402

FIT_SETS = (
    *STITCHED,
    "crosswoz_switch_zh",
    "tau_airline_openai",
    "aider_swebench_lite",
    "glaive_toolcall_en",
    "glaive_toolcall_zh",
)
_ENGLISH_PIECES = "MIT and Apache-2.0 (tau-bench, aider, reflexion, who&when, glaive); SGD pieces left out"
LICENCES = {
    "stitched_en_mixed": _ENGLISH_PIECES,
    "stitched_en_same": _ENGLISH_PIECES,
    "stitched_zh": "Apache-2.0 (CrossWOZ, glaive)",
    "crosswoz_switch_zh": "Apache-2.0 (CrossWOZ)",
    "tau_airline_openai": "MIT (tau-bench)",
    "aider_swebench_lite": "Apache-2.0 (aider-swe-bench)",
    "glaive_toolcall_en": "Apache-2.0 (LLaMA-Factory demo data)",
    "glaive_toolcall_zh": "Apache-2.0 (LLaMA-Factory demo data)",
}
#: not under MIT or Apache-2.0: never fitted on
FOREIGN = frozenset({"sgd"})
#: enter linearly, without products, and the coefficient is capped
CAPPED = ("closing_user", "closing_model")
CAP = 0.35
#: CrossWOZ talks cut where the user turns to another kind of place; the same turns inside one customer's talk of
#: the stitched Chinese set are no boundary. The weight settles how much each counts.
SET_WEIGHT = {"crosswoz_switch_zh": 0.27}
STRENGTH = 0.006
CLIP = 3.0
FOLDS = 15


@dataclass
class Example:
    """One dialogue with its turns and vectors, and a row for every candidate, seen from the gold segments."""

    dialogue: Dialogue
    turns: list[Turn]
    vectors: list[TurnVectors]
    positions: list[int] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)

    @property
    def tasks(self) -> set[str]:
        return {task for *_, task in self.dialogue.pieces if task}


def prepare(dialogues: Iterable[Dialogue]) -> list[Example]:
    """Turns, vectors and gold rows; every text is embedded once."""
    dialogues = list(dialogues)
    turns = [turns_of(d.messages) for d in dialogues]
    vectors = iter(embed_turns([t for own in turns for t in own], local_embedder().embed))
    examples = [
        Example(d, own, [next(vectors) for _ in own]) for d, own in zip(dialogues, turns, strict=True)
    ]
    for example in examples:
        _gold_rows(example)
    return examples


def _gold_rows(example: Example) -> None:
    cuts = set(example.dialogue.boundaries)
    running = Running()
    ends = turn_ends(example.turns, len(example.dialogue.messages))
    for turn, own, end in zip(example.turns, example.vectors, ends, strict=True):
        if turn.may_start and running.turns:
            found = describe(turn, own, running)
            example.positions.append(turn.start)
            example.rows.append([found[name] for name in FEATURES])
            if turn.start in cuts:
                running = running.after_cut(found)
        running.add(turn, own, end - turn.position)


def training_rows(examples: Sequence[Example], unseen: set[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels and weights, without pieces of foreign licence or of a task in `unseen`."""
    rows, labels, weights = [], [], []
    for example in examples:
        gold = set(example.dialogue.boundaries)
        for position, row in zip(example.positions, example.rows, strict=True):
            around = [example.dialogue.piece_at(position - 1), example.dialogue.piece_at(position)]
            if any(pool in FOREIGN or task in unseen for pool, task in around):
                continue
            rows.append(row)
            labels.append(position in gold)
            weights.append(SET_WEIGHT.get(example.dialogue.group, 1.0))
    return np.array(rows), np.array(labels), np.array(weights)


def fit(examples: Sequence[Example], unseen: set[str] = frozenset()) -> Combiner:
    """One combiner, its threshold chosen on the same examples by decoding them."""
    rows, labels, weights = training_rows(examples, set(unseen))
    mean, spread = rows.mean(0), rows.std(0)
    # a feature that never varied in training says nothing: unit scale, and the clip bounds it
    scale = np.where(spread > 1e-2, spread, 1.0)
    z = np.clip((rows - mean) / scale, -CLIP, CLIP)
    pairs = _pairs()
    products = np.column_stack([z[:, i] * z[:, j] for i, j in pairs])
    scaler = StandardScaler().fit(np.column_stack([z, products]))
    model = LogisticRegression(C=STRENGTH, max_iter=3000, tol=1e-5)
    model.fit(scaler.transform(np.column_stack([z, products])), labels, sample_weight=weights)
    slope = model.coef_[0] / scaler.scale_
    intercept = float(model.intercept_[0] - slope @ scaler.mean_)
    linear = slope[: len(FEATURES)].copy()
    for name in CAPPED:
        place = FEATURES.index(name)
        linear[place] = np.clip(linear[place], -CAP, CAP)
    quadratic = np.zeros((len(FEATURES), len(FEATURES)))
    for (i, j), value in zip(pairs, slope[len(FEATURES) :], strict=True):
        quadratic[i, j] = value
    made = Combiner(mean, scale, CLIP, intercept, linear, quadratic, 0.0)
    return replace_threshold(made, best_threshold(made, rows, labels, weights))


def _pairs() -> list[tuple[int, int]]:
    free = [i for i, name in enumerate(FEATURES) if name not in CAPPED]
    return [(i, j) for n, i in enumerate(free) for j in free[n:]]


def replace_threshold(combiner: Combiner, threshold: float) -> Combiner:
    return Combiner(**{**combiner.__dict__, "threshold": threshold})


def best_threshold(combiner: Combiner, rows: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> float:
    """The log-odds with the best weighted F1 on the training rows."""
    odds = combiner.log_odds(rows)
    grid = np.linspace(-1.5, 1.5, 61)
    scores = []
    for threshold in grid:
        cut = odds > threshold
        hit = weights[cut & labels].sum()
        scores.append(2 * hit / max(weights[cut].sum() + weights[labels].sum(), 1e-9))
    return float(grid[int(np.argmax(scores))])


def out_of_fold(
    examples: Sequence[Example], each: Callable[[Example, list[int]], None], folds: int = FOLDS
) -> None:
    """Boundaries of each example from a combiner that saw neither it nor any task in its fold."""
    order = np.random.default_rng(0).integers(0, folds, len(examples))
    for fold in range(folds):
        held = [e for e, f in zip(examples, order, strict=True) if f == fold]
        unseen = set().union(*(e.tasks for e in held)) if held else set()
        combiner = fit([e for e, f in zip(examples, order, strict=True) if f != fold], unseen)
        for example in held:
            each(example, decode(example, combiner))


def decode(example: Example, combiner: Combiner) -> list[int]:
    return boundaries_of(example.turns, example.vectors, len(example.dialogue.messages), combiner)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "ultron_core" / "segments" / "weights.json")
    options = parser.parse_args()
    examples = prepare(d for name in FIT_SETS for d in load(options.data, name))
    combiner = fit(examples)
    rows, labels, _ = training_rows(examples, set())
    provenance = {
        "made_by": "benchmarks/train_segmenter.py",
        "date": datetime.now(UTC).date().isoformat(),
        "method": f"L2 logistic regression, C={STRENGTH}, features and products, farewell capped at {CAP}",
        "rows": len(rows),
        "boundaries": int(labels.sum()),
        "sets": [
            {
                "name": name,
                "licence": LICENCES[name],
                "sha256": hashlib.sha256(archive_of(options.data, name).read_bytes()).hexdigest(),
            }
            for name in FIT_SETS
        ],
    }
    text = json.dumps({"provenance": provenance, **combiner.to_json()}, ensure_ascii=False, indent=1)
    options.out.write_text(_one_line_arrays(text) + "\n", "utf-8")
    print(json.dumps({"rows": len(rows), "boundaries": int(labels.sum()), "out": options.out.name}))


def _one_line_arrays(text: str) -> str:
    """Numbers of one array on one line: a readable diff."""
    return re.sub(
        r"\[\s*((?:-?[\d.e-]+,?\s*)+)\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]).strip() + "]", text
    )


if __name__ == "__main__":
    main()
