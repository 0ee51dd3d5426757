"""Fit what kind of thing a sentence says, and write ultron_core/transcript/sense/nature.json.

    python benchmarks/training/sense/nature.py --labels FILE [--out FILE]

FILE holds a JSON object a line: `question` ("answer" for an agent's sentence, "sentence" for a person's), `repository`,
`passage` as the network reads it, and `letter`, as benchmarks/gold/nature_guide.md names them (the texts are others',
and not kept). A logistic regression per nature on the vector of the shipped network, which stays as it is. Prints how
each ranks with the repositories left out in ten parts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

# run as a script, this file's own folder is on the path instead of the one two above it
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from training.logistic import fit, left_out, part_of
from training.second import ranked

from ultron_core.transcript.sense.encoder import encode
from ultron_core.transcript.sense.nature import NATURES, Question
from ultron_core.transcript.sense.reader import numbered
from ultron_core.transcript.sense.weights import load_weights

OUT = Path(__file__).resolve().parents[3] / "ultron_core" / "transcript" / "sense" / "nature.json"
#: the letters of the guide that each nature stands for; `G`, a guess, is none of them
LETTERS: Mapping[Question, Mapping[str, str]] = {
    "answer": {"lasting": "D", "progress": "P", "built": "B", "textbook": "K", "unclear": "U"},
    "sentence": {"lasting": "LDF"},
}
#: inverse strength of the penalty; .001 and .01 rank alike
STRENGTH = 0.003
#: digits that are kept of a coefficient
DIGITS = 5


@dataclass(frozen=True)
class Labelled:
    """The sentences of one question: vectors, letters, and the part that each leaves with."""

    vectors: np.ndarray
    letters: np.ndarray
    parts: np.ndarray

    def true_of(self, letters: str) -> np.ndarray:
        return np.isin(self.letters, list(letters))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.labels.read_text("utf-8").splitlines()]
    told: dict[str, dict[str, Any]] = {}
    for question in LETTERS:
        own = [row for row in rows if row["question"] == question]
        labelled = read(question, own)
        told[question] = dict(natures_of(question, labelled))
    made = {
        "made_by": "benchmarks/training/sense/nature.py",
        "date": datetime.now(UTC).date().isoformat(),
        "sentences": {question: sum(row["question"] == question for row in rows) for question in LETTERS},
        "repositories": len({row["repository"] for row in rows}),
        "width": int(load_weights().places.shape[1]),
        "questions": told,
    }
    args.out.write_text(json.dumps(made, separators=(",", ":")) + "\n", "utf-8")
    return 0


def read(question: Question, rows: Sequence[dict[str, Any]]) -> Labelled:
    weights = load_weights()
    passages = [numbered(question, tuple(row["passage"]), weights.pieces) for row in rows]
    return Labelled(
        np.array(list(encode(passages, weights)), dtype=np.float64),
        np.array([row["letter"] for row in rows]),
        np.array([part_of(row["repository"]) for row in rows]),
    )


def natures_of(question: Question, labelled: Labelled) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in NATURES[question]:
        true = labelled.true_of(LETTERS[question][name])
        told = left_out(labelled.vectors, true.astype(float), labelled.parts, STRENGTH)
        report(question, name, true, told)
        weights, shift = fit(labelled.vectors, true.astype(float), STRENGTH)
        yield name, {"shift": round(shift, DIGITS), "weights": np.round(weights, DIGITS).tolist()}


def report(question: str, name: str, true: np.ndarray, odds: np.ndarray) -> None:
    counts = {"sentences": len(true), "true": int(true.sum())}
    print(json.dumps({"question": question, "nature": name, **counts, **ranked(true, odds)}), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
