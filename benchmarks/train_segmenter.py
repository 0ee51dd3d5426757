"""Fit the offline segmenter and write ultron_core/segments/offline/weights.json.

    python benchmarks/train_segmenter.py [--data DIR] [--out FILE]

Fitted only on sets under MIT or Apache-2.0: candidates next to pieces of other origin (the SGD pieces in the stitched
sets) are left out. Sessions made of the same tasks (inputs/stitch.py) are added with a lower weight. The model is a
logistic regression on the features of ultron_core.segments.offline.features and their products. Words of farewell
enter linearly and capped, because stitched sessions say goodbye at nearly every boundary and real ones seldom do.
Weights and threshold are chosen on the training part only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from inputs.dialogues import STITCHED, Dialogue, archive_of, load
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments
from inputs.stitch import CHATS, FAMILY, chat_file, chats, made_sessions
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ultron_core.embeddings.local import local_embedder
from ultron_core.segments.offline.around import around_turns
from ultron_core.segments.offline.cut import boundaries_of
from ultron_core.segments.offline.features import FEATURES, Running, describe
from ultron_core.segments.offline.turns import Turn, turn_ends, turns_of
from ultron_core.segments.offline.vectors import TurnVectors, embed_turns
from ultron_core.segments.offline.weights import Combiner

FIT_SETS = (
    *STITCHED,
    "crosswoz_switch_zh",
    "tau_airline_openai",
    "aider_swebench_lite",
    "glaive_toolcall_en",
    "glaive_toolcall_zh",
)
#: one request a session: no candidates of their own, but pieces of made sessions
MADE_OF = ("reflexion_hotpot_react", "who_and_when_failures")
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
    "reflexion_hotpot_react": "MIT (reflexion)",
    "who_and_when_failures": "MIT (Agents_Failure_Attribution)",
    **dict.fromkeys(CHATS, "Apache-2.0 (LLaMA-Factory demo data)"),
}
#: not under MIT or Apache-2.0: never fitted on
FOREIGN = frozenset({"sgd"})
#: enter linearly, without products, and the coefficient is capped
CAPPED = ("closing_user", "closing_model")
CAP = 0.35
#: CrossWOZ talks cut where the user turns to another kind of place; the same turns inside one customer's talk of
#: the stitched Chinese set are no boundary. The weight settles how much each counts. Single tasks count double:
#: they are few rows and what must not be cut.
SET_WEIGHT = {
    "crosswoz_switch_zh": 0.22,
    "tau_airline_openai": 2.0,
    "aider_swebench_lite": 2.0,
    "glaive_toolcall_en": 2.0,
    "glaive_toolcall_zh": 2.0,
}
MADE_WEIGHT = 0.25
STRENGTH = 0.003
CLIP = 3.0
FOLDS = 15
#: boundaries a set must have before its F1 says something
_ENOUGH = 20


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
    near = around_turns(example.turns, example.vectors)
    for turn, own, around, end in zip(example.turns, example.vectors, near, ends, strict=True):
        if turn.may_start and running.turns:
            found = describe(turn, own, around, running)
            example.positions.append(turn.start)
            example.rows.append([found[name] for name in FEATURES])
            if turn.start in cuts:
                running = running.after_cut(found)
        running.add(turn, own, end - turn.position)


@dataclass(frozen=True)
class Rows:
    """Candidates as a table: features, whether a boundary, weight, and the set each is from."""

    features: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    groups: np.ndarray


def training_rows(
    examples: Sequence[Example], unseen: Collection[str], sources: Collection[str] = ()
) -> Rows:
    """Without pieces of foreign licence, of a task in `unseen` or of a source (see FAMILY) in `sources`."""
    rows, labels, weights, groups = [], [], [], []
    for example in examples:
        gold, group = set(example.dialogue.boundaries), example.dialogue.group
        weight = SET_WEIGHT.get(group, 1.0) if group in FIT_SETS else MADE_WEIGHT
        for position, row in zip(example.positions, example.rows, strict=True):
            around = [example.dialogue.piece_at(position - 1), example.dialogue.piece_at(position)]
            if any(p in FOREIGN or t in unseen or FAMILY.get(p, p) in sources for p, t in around):
                continue
            rows.append(row)
            labels.append(position in gold)
            weights.append(weight)
            groups.append(group)
    return Rows(np.array(rows), np.array(labels), np.array(weights), np.array(groups))


def fit(examples: Sequence[Example], unseen: Collection[str] = (), sources: Collection[str] = ()) -> Combiner:
    """One combiner, its threshold chosen on the same examples."""
    table = training_rows(examples, unseen, sources)
    rows, labels, weights = table.features, table.labels, table.weights
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
    return replace(made, threshold=best_threshold(made.log_odds(rows), labels, table.groups))


def _pairs() -> list[tuple[int, int]]:
    free = [i for i, name in enumerate(FEATURES) if name not in CAPPED]
    return [(i, j) for n, i in enumerate(free) for j in free[n:]]


def best_threshold(odds: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> float:
    """The log-odds that maximise three parts mean and one part worst set.

    A set counts by F1; one of single tasks by 1 less three times the share of its turns that are cut (a talk
    has about three).
    """
    grid = np.linspace(-2.0, 2.5, 91)
    scores = []
    for threshold in grid:
        each = []
        for group in sorted(set(groups)):
            own = groups == group
            cut, gold = odds[own] > threshold, labels[own]
            if gold.sum() > _ENOUGH:
                each.append(2 * (cut & gold).sum() / (cut.sum() + gold.sum()))
            elif not gold.any():
                each.append(1 - 3 * cut.mean())
        scores.append(0.75 * np.mean(each) + 0.25 * np.min(each) if each else 0.0)
    return float(grid[int(np.argmax(scores))])


def made_examples(data: Path, prepared: Iterable[Example]) -> list[Example]:
    """Sessions made of the tasks of the prepared sets, and the chats themselves, each one task."""
    talks = chats(data)
    return prepare([*made_sessions([*(e.dialogue for e in prepared), *talks]), *talks])


def out_of_fold(
    examples: Sequence[Example],
    made: Sequence[Example],
    each: Callable[[Example, list[int]], None],
    folds: int = FOLDS,
) -> None:
    """Boundaries of each example from a combiner that saw neither it nor any task in its fold."""
    order = np.random.default_rng(0).integers(0, folds, len(examples))
    for fold in range(folds):
        held = [e for e, f in zip(examples, order, strict=True) if f == fold]
        unseen = set().union(*(e.tasks for e in held)) if held else set()
        rest = [e for e, f in zip(examples, order, strict=True) if f != fold]
        combiner = fit([*rest, *made], unseen)
        for example in held:
            each(example, decode(example, combiner))


def decode(example: Example, combiner: Combiner) -> list[int]:
    return boundaries_of(example.turns, example.vectors, len(example.dialogue.messages), combiner)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "ultron_core" / "segments" / "offline" / "weights.json"
    )
    options = parser.parse_args()
    forbid_lockbox(options.data)
    examples = prepare(d for name in (*FIT_SETS, *MADE_OF) for d in load(options.data, name))
    examples += made_examples(options.data, examples)
    combiner = fit(examples)
    table = training_rows(examples, ())
    provenance = {
        "made_by": "benchmarks/train_segmenter.py",
        "date": datetime.now(UTC).date().isoformat(),
        "method": f"L2 logistic regression, C={STRENGTH}, features and products, farewell capped at {CAP};"
        " with sessions made of the same tasks by benchmarks/inputs/stitch.py",
        "rows": len(table.labels),
        "boundaries": int(table.labels.sum()),
        "sets": [
            {
                "name": name,
                "licence": LICENCES[name],
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
            for name, path in _files(options.data).items()
        ],
    }
    text = json.dumps({"provenance": provenance, **combiner.to_json()}, ensure_ascii=False, indent=1)
    options.out.write_text(_one_line_arrays(text) + "\n", "utf-8")
    print(
        json.dumps(
            {"rows": len(table.labels), "boundaries": int(table.labels.sum()), "out": options.out.name}
        )
    )


def _files(data: Path) -> dict[str, Path]:
    return {n: archive_of(data, n) for n in (*FIT_SETS, *MADE_OF)} | {n: chat_file(data, n) for n in CHATS}


def _one_line_arrays(text: str) -> str:
    """Numbers of one array on one line: a readable diff."""
    return re.sub(
        r"\[\s*((?:-?[\d.e-]+,?\s*)+)\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]).strip() + "]", text
    )


if __name__ == "__main__":
    main()
