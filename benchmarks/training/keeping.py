"""Fit whether a draft is worth keeping, and write ultron_core/lessons/keeping/keep.json.

    python benchmarks/training/keeping.py [--data DIR] [--out FILE]

Reads the verdicts on memories in benchmarks/gold (each memory once, the mean of its readers), and from the sessions
who said what is quoted first. One logistic regression on lessons/keeping/shape.py tells junk from useful; what the
readers call fair is neither. Both answers weigh alike, and each source as the root of its size. The bound is where,
with the source left out of the fit, one useful memory in ten is lost. Prints, source left out: area under the curve,
and what the bound drops of junk, fair and useful memories: of all, of people's sessions, of the reserve's blind
reading.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments, session_sets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from ultron_core.lessons.keeping.shape import feature_names, features
from ultron_core.models import Message, Origin
from ultron_core.sessions import parse_session

GOLD = ROOT / "benchmarks" / "gold"
OUT = ROOT / "ultron_core" / "lessons" / "keeping" / "keep.json"
#: the blind reading of the reserve first, then the readings of development
READINGS = (
    "memory_verdicts", "memory_verdicts_second", "native_verdicts", "findings_verdicts", "people_verdicts",
    "cure_verdicts",
)  # fmt: skip
WORTH = {"useful": 1.0, "fair": 0.5, "junk": 0.0}
#: inverse strength of the penalty; .003 to .03 rank alike with the source left out
STRENGTH = 0.01
#: share of the useful memories that the bound may cost with the source left out
LOSS = 0.1
#: one repository under several names leaves together
SAME = {
    "tau_airline_anthropic": "tau",
    "tau_airline_openai": "tau",
    "intercode_sql": "intercode",
    "intercode_bash": "intercode",
}
NATIVE = ("human_", "claude_code_", "pi_")


@dataclass(frozen=True)
class Table:
    values: np.ndarray
    worth: np.ndarray
    sources: np.ndarray
    blind: np.ndarray

    @property
    def useful(self) -> np.ndarray:
        return self.worth > 0.74

    @property
    def junk(self) -> np.ndarray:
        return self.worth < 0.26

    @property
    def native(self) -> np.ndarray:
        return np.array([name.startswith(NATIVE) for name in self.sources])


def load(data: Path) -> Table:
    read: dict[tuple[str, str], list[float]] = {}
    first: dict[tuple[str, str], int] = {}
    blind: set[tuple[str, str]] = set()
    for reading in READINGS:
        for line in (GOLD / f"{reading}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            key = (row["session"], " ".join(row["memory"].split()))
            read.setdefault(key, []).append(WORTH[row["verdict"]])
            first.setdefault(key, min(span[0] for span in row["lines"]))
            if reading == READINGS[0]:
                blind.add(key)
    said = origins(data, {(session, line) for (session, _), line in first.items()})
    keys = sorted(read)
    return Table(
        np.array([features(key[1], "", said[key[0], first[key]]) for key in keys]),
        np.array([float(np.mean(read[key])) for key in keys]),
        np.array([SAME.get(source, source) for source in (key[0].split("/")[0] for key in keys)]),
        np.array([key in blind for key in keys]),
    )


def origins(data: Path, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], Origin]:
    """Whose message holds each line of a session."""
    names = {session for session, _ in wanted}
    found: dict[tuple[str, int], Origin] = {}
    for part in session_sets(data):
        for file, body in part.files():
            name = f"{part.name}/{Path(file).name}"
            if name in names:
                messages = list(parse_session(body).messages)
                found |= {
                    (name, line): speaker(messages, line) for session, line in wanted if session == name
                }
    return found


def speaker(messages: list[Message], line: int) -> Origin:
    return next((m.origin for m in messages if m.start_line <= line <= m.end_line), "harness")


def fit(table: Table, rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and intercept for the features as they come."""
    rows = rows & (table.junk | table.useful)
    values, answers, sources = table.values[rows], table.useful[rows], table.sources[rows]
    sizes = Counter(sources)
    weights = np.array([sizes[name] ** -0.5 for name in sources])
    weights = np.where(answers, weights / weights[answers].sum(), weights / weights[~answers].sum())
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-3
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit((values - middle) / spread, answers, sample_weight=weights * len(answers) / 2)
    scaled = model.coef_[0] / spread
    return scaled, float(model.intercept_[0] - scaled @ middle)


def left_out(table: Table) -> np.ndarray:
    found = np.zeros(len(table.worth))
    for name in sorted(set(table.sources)):
        own = table.sources == name
        weights, intercept = fit(table, ~own)
        found[own] = table.values[own] @ weights + intercept
    return found


def report(table: Table, found: np.ndarray, bound: float) -> None:
    everything = np.ones(len(found), bool)
    for part, rows in (("all", everything), ("native", table.native), ("blind", table.blind)):
        shares = {
            name: [int((found[rows & of] < bound).sum()), int((rows & of).sum())]
            for name, of in (
                ("junk", table.junk),
                ("fair", ~table.junk & ~table.useful),
                ("useful", table.useful),
            )
        }
        say(part=part, n=int(rows.sum()), auc=auc(table, found, rows), dropped_of=shares)
    for name in sorted(set(table.sources)):
        own = table.sources == name
        if 3 <= int(table.junk[own].sum()) < int(own.sum()):
            say(part=name, n=int(own.sum()), junk=int(table.junk[own].sum()), auc=auc(table, found, own))


def auc(table: Table, found: np.ndarray, rows: np.ndarray) -> float:
    """Of junk against all others."""
    return round(float(roc_auc_score(~table.junk[rows], found[rows])), 3)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "keeping", "left_out": "source", **fields}), flush=True)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    forbid_lockbox(args.data)
    table = load(args.data)
    found = left_out(table)
    bound = float(np.quantile(found[table.useful], LOSS))
    report(table, found, bound)
    weights, intercept = fit(table, np.ones(len(table.worth), bool))
    made = {
        "made_by": "benchmarks/training/keeping.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "sha256": {
            name: hashlib.sha256((GOLD / f"{name}.jsonl").read_bytes()).hexdigest() for name in READINGS
        },
        "memories": dict(sorted(Counter(map(str, table.sources)).items())),
        "bound": round(bound, 3),
        "intercept": round(intercept, 3),
        "weights": {
            name: round(float(value), 3) for name, value in zip(feature_names(), weights, strict=True)
        },
    }
    args.out.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
