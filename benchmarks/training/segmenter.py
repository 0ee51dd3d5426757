"""Fit the offline segmenter and write ultron_core/segments/offline/weights.json.

    python benchmarks/training/segmenter.py [--data DIR] [--out FILE]

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
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.dialogues import STITCHED, Dialogue, archive_of, load
from inputs.lockbox import forbid_lockbox
from inputs.marked import REPOSITORY, fit_sessions
from inputs.places import ROOT, arguments
from inputs.stitch import CHATS, FAMILY, chat_file, chats, made_sessions
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ultron_core.embeddings.local import local_embedder
from ultron_core.lessons.weights import NamedWeights
from ultron_core.segments.offline.around import around_turns
from ultron_core.segments.offline.cut import boundaries_of, can_open, prior
from ultron_core.segments.offline.features import FEATURES, Running, describe
from ultron_core.segments.offline.turns import Turn, turn_ends, turns_of
from ultron_core.segments.offline.vectors import TurnVectors, embed_turns
from ultron_core.segments.offline.weights import SHAPE, Combiner, Combiners

FIT_SETS = (
    *STITCHED,
    "crosswoz_switch_zh",
    "tau_airline_openai",
    "aider_swebench_lite",
    "glaive_toolcall_en",
    "glaive_toolcall_zh",
)
#: one request a session: no candidates of their own, but pieces of made sessions
MADE_OF = (
    "reflexion_hotpot_react",
    "who_and_when_failures",
    "fireact_hotpot",
    "mint_code",
    "mint_alfworld",
    "intercode_sql",
    "intercode_bash",
)
#: sets with marked native sessions outside the reserve
NATIVE_LICENCES = {
    "human_claude_specstory": "Apache-2.0 (specstoryai/getspecstory)",
    "human_copilot_destyler_zh": "MIT (destyler)",
    "human_aider": "Apache-2.0 (Aider-AI/aider docs)",
    "claude_code_spotter": "MIT (marot/spotter)",
    "claude_code_viewer": "MIT (d-kimuson/claude-code-viewer)",
    "pi_coding_agent": "MIT (badlogic/pi-mono)",
}
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
    "fireact_hotpot": "MIT (FireAct)",
    "mint_code": "Apache-2.0 (mint-bench)",
    "mint_alfworld": "Apache-2.0 (mint-bench)",
    "intercode_sql": "MIT (intercode)",
    "intercode_bash": "MIT (intercode)",
    **dict.fromkeys(CHATS, "Apache-2.0 (LLaMA-Factory demo data)"),
    **NATIVE_LICENCES,
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
    "crosswoz_switch_zh": 0.8,
    "tau_airline_openai": 2.0,
    "aider_swebench_lite": 2.0,
    "glaive_toolcall_en": 2.0,
    "glaive_toolcall_zh": 2.0,
    **dict.fromkeys(REPOSITORY, 0.3),
}
MADE_WEIGHT = 1.0
CLIP = 3.0
FOLDS = 5
#: boundaries a set must have before its F1 says something
_ENOUGH = 20


@dataclass(frozen=True)
class Shape:
    """How one combiner is fitted. `caution` is added to the best threshold of the training sets: work of an unseen
    kind scores higher than theirs does, talk lower."""

    strength: float
    products: bool
    caution: float


#: chosen by leaving sources out: without products CrossWOZ cannot be told (F1 .54 in source); with them, work of an
#: unseen source is cut worse (stitched_en_same .66 against .71)
TALK = Shape(strength=0.003, products=True, caution=-0.4)
WORK = Shape(strength=0.03, products=False, caution=0.2)


@dataclass
class Example:
    """One dialogue with its turns and vectors, and a row for every candidate, seen from the gold segments."""

    dialogue: Dialogue
    turns: list[Turn]
    vectors: list[TurnVectors]
    positions: list[int] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)
    priors: list[float] = field(default_factory=list)
    #: the turn of each candidate, its new files, and whether it belongs to work on the files of a project
    seen: list[tuple[Turn, float, bool]] = field(default_factory=list)

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
        running.work |= turn.work
        opens = can_open(turn, running)
        if running.turns and (opens or turn.start in cuts):
            found = describe(turn, own, around, running)
            if opens:
                example.positions.append(turn.start)
                example.rows.append([found[name] for name in FEATURES])
                example.priors.append(prior(turn))
                example.seen.append((turn, running.new_files(turn), running.is_coding(turn)))
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
    priors: np.ndarray

    def only(self, chosen: np.ndarray) -> Rows:
        return Rows(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def training_rows(
    examples: Sequence[Example], unseen: Collection[str], sources: Collection[str] = ()
) -> Rows:
    """Without pieces of foreign licence, of a task in `unseen` or of a source (see FAMILY) in `sources`."""
    rows, labels, weights, groups, priors = [], [], [], [], []
    for example in examples:
        gold, group = set(example.dialogue.boundaries), example.dialogue.group
        weight = SET_WEIGHT.get(group, 1.0) if group in FIT_SETS or group in REPOSITORY else MADE_WEIGHT
        for position, row, own in zip(example.positions, example.rows, example.priors, strict=True):
            around = [example.dialogue.piece_at(position - 1), example.dialogue.piece_at(position)]
            if any(p in FOREIGN or t in unseen or FAMILY.get(p, p) in sources for p, t in around):
                continue
            rows.append(row)
            labels.append(position in gold)
            weights.append(weight)
            groups.append(group)
            priors.append(own)
    return Rows(np.array(rows), np.array(labels), np.array(weights), np.array(groups), np.array(priors))


def fit(
    examples: Sequence[Example], unseen: Collection[str] = (), sources: Collection[str] = ()
) -> Combiners:
    """The combiners of talk and of work, each with its threshold chosen on the same examples."""
    table = training_rows(examples, unseen, sources)
    works = table.features[:, FEATURES.index(SHAPE)] > 0.5
    return Combiners(_fit(table.only(~works), TALK), _fit(table.only(works), WORK))


def _fit(table: Rows, shape: Shape) -> Combiner:
    rows, labels = table.features, table.labels
    mean, spread = rows.mean(0), rows.std(0)
    # a feature that never varied in training says nothing: unit scale, and the clip bounds it
    scale = np.where(spread > 1e-2, spread, 1.0)
    z = np.clip((rows - mean) / scale, -CLIP, CLIP)
    pairs = _pairs() if shape.products else []
    wide = np.column_stack([z, *(z[:, i] * z[:, j] for i, j in pairs)])
    scaler = StandardScaler().fit(wide)
    model = LogisticRegression(C=shape.strength, max_iter=300, tol=1e-2)
    model.fit(scaler.transform(wide).astype(np.float32), labels, sample_weight=table.weights)
    slope = model.coef_[0].astype(np.float64) / scaler.scale_
    linear = slope[: len(FEATURES)].copy()
    for name in CAPPED:
        place = FEATURES.index(name)
        linear[place] = np.clip(linear[place], -CAP, CAP)
    quadratic = np.zeros((len(FEATURES), len(FEATURES)))
    for (i, j), value in zip(pairs, slope[len(FEATURES) :], strict=True):
        quadratic[i, j] = value
    intercept = float(model.intercept_[0] - slope @ scaler.mean_)
    made = Combiner(mean, scale, CLIP, intercept, linear, quadratic, 0.0)
    best = best_threshold(made.log_odds(rows) + table.priors, labels, table.groups)
    return replace(made, threshold=best + shape.caution)


def _pairs() -> list[tuple[int, int]]:
    free = [i for i, name in enumerate(FEATURES) if name not in CAPPED]
    return [(i, j) for n, i in enumerate(free) for j in free[n:]]


def best_threshold(odds: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> float:
    """The log-odds that serve both kinds of sets best: .6 mean of those with boundaries, .4 of single tasks; a
    quarter of the whole is the worst set.

    A set counts by F1; one of single tasks by 1 less three times the share of its turns that are cut (a talk
    has about three).
    """
    sets = [(odds[groups == g], labels[groups == g]) for g in sorted(set(groups))]
    with_cuts = [(o, gold) for o, gold in sets if gold.sum() > _ENOUGH]
    single = [o for o, gold in sets if not gold.any() and len(gold) >= _ENOUGH]
    scores = []
    grid = np.linspace(-2.5, 2.5, 101)
    for bound in grid:
        found = [2 * ((o > bound) & gold).sum() / ((o > bound).sum() + gold.sum()) for o, gold in with_cuts]
        whole = [1 - 3 * (o > bound).mean() for o in single]
        mean = 0.6 * (np.mean(found) if found else 1.0) + 0.4 * (np.mean(whole) if whole else 1.0)
        scores.append(0.75 * mean + 0.25 * min([*found, *whole], default=1.0))
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


def decode(example: Example, combiners: Combiners, openings: NamedWeights | None = None) -> list[int]:
    length = len(example.dialogue.messages)
    return boundaries_of(example.turns, example.vectors, length, combiners, openings)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "ultron_core" / "segments" / "offline" / "weights.json"
    )
    options = parser.parse_args()
    forbid_lockbox(options.data)
    examples = prepare(d for name in (*FIT_SETS, *MADE_OF) for d in load(options.data, name))
    examples += prepare(fit_sessions(options.data))
    examples += made_examples(options.data, examples)
    combiners = fit(examples)
    table = training_rows(examples, ())
    provenance = {
        "made_by": "benchmarks/training/segmenter.py",
        "date": datetime.now(UTC).date().isoformat(),
        "method": f"L2 logistic regressions of talk (C={TALK.strength}, with products) and of work (C={WORK.strength}),"
        f" farewell capped at {CAP}; with sessions made of the same tasks by benchmarks/inputs/stitch.py",
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
    text = json.dumps({"provenance": provenance, **combiners.to_json()}, ensure_ascii=False, indent=1)
    options.out.write_text(_one_line_arrays(text) + "\n", "utf-8")
    print(
        json.dumps(
            {"rows": len(table.labels), "boundaries": int(table.labels.sum()), "out": options.out.name}
        )
    )


def _files(data: Path) -> dict[str, Path]:
    return {n: archive_of(data, n) for n in (*FIT_SETS, *MADE_OF, *NATIVE_LICENCES)} | {
        n: chat_file(data, n) for n in CHATS
    }


def _one_line_arrays(text: str) -> str:
    """Numbers of one array on one line: a readable diff."""
    return re.sub(
        r"\[\s*((?:-?[\d.e-]+,?\s*)+)\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]).strip() + "]", text
    )


if __name__ == "__main__":
    main()
