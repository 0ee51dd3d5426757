"""Fit which talks are work on a project, and write ultron_core/lessons/people/work.json.

    python benchmarks/training/work.py --told FILE... [--data DIR] [--out FILE]

Work are the sessions of people with coding agents in DIR, outside the reserve, and the talks of FILE: rows of labelled
answers or turns (benchmarks/inputs/answers.py, said.py), those of one `path` together. No work are talks with a
customer, chit-chat, questions of general knowledge, and prompts of DIR's preference data that name no code. Each talk
is read whole, and its beginning alone, since segments may be short. Both sides weigh the same. One logistic regression
over words. Prints, for each source without work left out together with a part of the repositories of work: the share
of its talks taken for work, and the share of work that is missed, at several bounds.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import forbid_lockbox
from inputs.places import data_folder, session_sets
from inputs.reserve import sessions as labelled
from sklearn.linear_model import LogisticRegression
from training.grams import gram_rows, vocabulary

from ultron_core.lessons.people.work import OUTPUTS, spoken, words
from ultron_core.sessions import parse_session

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "ultron_core" / "lessons" / "people" / "work.json"
#: inverse strength of the penalty
STRENGTH = 3.0
#: of the sources without work, each left out, at most 8 talks in 100 pass it, of the preference data 31 (questions of
#: people to an agent, half of them Chinese); of the talks of work 6 to 25 in 100 are missed, mostly where two messages
#: are read alone, and commands, paths and code tell those all the same
BOUND = 0.7
BOUNDS = (0.5, 0.6, 0.7, 0.8)
#: whole numbers of one hundredth
UNIT = 100
#: talks of one set: the largest has thousands
MOST = 150
#: paragraphs of a whole talk, and of its beginning
WHOLE, BEGINNING = 20, 2
NO_WORK = ("tau_airline_openai", "glaive_toolcall", "fireact_hotpot", "reflexion_hotpot")
AT_WORK = ("human_", "claude_code_", "pi_")
DIALOGUES = {"sgd_switch": "sgd", "crosswoz_switch_zh": "crosswoz", "tiage": "tiage"}
PROMPTS = {"dpo_pairs_en": "preferences", "dpo_pairs_zh": "preferences", "kto_en": "kto"}
#: such a prompt may be work
NAMES_CODE = ("```", "def ", "code", "代码", "函数", "编程", "program")


@dataclass(frozen=True)
class Talk:
    source: str
    work: bool
    text: str


@dataclass(frozen=True)
class Table:
    """`dense` has no columns: words alone are read."""

    talks: Sequence[Talk]
    grams: Sequence[frozenset[str]]

    @property
    def dense(self) -> np.ndarray:
        return np.zeros((len(self.talks), 0))

    @property
    def work(self) -> np.ndarray:
        return np.array([talk.work for talk in self.talks])


@dataclass(frozen=True)
class Fit:
    index: dict[str, int]
    model: LogisticRegression

    def probabilities(self, table: Table, rows: Sequence[int]) -> np.ndarray:
        found: np.ndarray = self.model.predict_proba(gram_rows(table.grams, rows, self.index))[:, 1]
        return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=data_folder())
    parser.add_argument("--told", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    forbid_lockbox(args.data)
    table = described([*session_talks(args.data), *dialogues(args.data), *told_talks(args.told)])
    for row in left_out(table):
        print(json.dumps({"benchmark": "work", **row}), flush=True)
    rows = list(range(len(table.talks)))
    args.out.write_text(json.dumps(as_json(fit(table, rows), table), ensure_ascii=False) + "\n", "utf-8")
    return 0


def described(talks: Sequence[Talk]) -> Table:
    both = [
        part
        for talk in talks
        for part in (talk, Talk(talk.source, talk.work, "\n".join(talk.text.split("\n")[:BEGINNING])))
    ]
    return Table(both, [words(talk.text) for talk in both])


def session_talks(data: Path) -> Iterator[Talk]:
    reserved = {(str(row["set"]), Path(str(row["file"])).name) for row in labelled(data) if row["reserve"]}
    for found in session_sets(data):
        if not found.name.startswith((*NO_WORK, *AT_WORK)):
            continue
        names = [
            (name, body)
            for name, body in found.files()
            if name.endswith(".jsonl") and (found.name, Path(name).name) not in reserved
        ]
        for _, body in names[:MOST]:
            if text := spoken(list(parse_session(body).messages)):
                yield Talk(
                    found.name.removesuffix("_en").removesuffix("_zh"), found.name.startswith(AT_WORK), text
                )


def dialogues(data: Path) -> Iterator[Talk]:
    """Talks with customers, chit-chat, and prompts of people who want an answer."""
    for name, source in DIALOGUES.items():
        for row in rows_of(data / "segmentation" / f"{name}.jsonl.gz"):
            yield Talk(source, False, "\n".join(one["content"] for one in row["utterances"][:WHOLE]))
    for name, source in PROMPTS.items():
        for row in rows_of(data / "quality" / f"{name}.jsonl.gz"):
            said = [*(row.get("context") or row.get("messages") or ()), {"content": row.get("chosen", "")}]
            text = "\n".join(one["content"].replace("\n", " ") for one in said)
            if not any(mark in text for mark in NAMES_CODE):
                yield Talk(source, False, text)


def rows_of(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in islice(lines, 2 * MOST)]


def told_talks(paths: Sequence[Path]) -> Iterator[Talk]:
    """What was said in one place, in its order."""
    said: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            place = said[row["repository"], row["path"]]
            for text in (row.get("request", ""), row["text"]):
                if text.strip():
                    place[text.replace("\n", " ")] = None
    for (repository, _), texts in said.items():
        yield Talk(repository, True, "\n".join(islice(texts, WHOLE)))


def fit(table: Table, rows: Sequence[int]) -> Fit:
    sources = [talk.source for talk in table.talks]
    index = vocabulary(table.grams, sources, rows)
    work = table.work[rows]
    weights = np.where(work, 0.5 / work.mean(), 0.5 / (1.0 - work.mean()))
    model = LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0)
    return Fit(index, model.fit(gram_rows(table.grams, rows, index), work, sample_weight=weights))


def left_out(table: Table) -> Iterator[dict[str, Any]]:
    sources = sorted({talk.source for talk in table.talks if not talk.work})
    for number, source in enumerate(sources):
        out = [
            talk.source == source
            or (
                talk.work
                and int(hashlib.sha256(talk.source.encode()).hexdigest(), 16) % len(sources) == number
            )
            for talk in table.talks
        ]
        found = fit(table, [row for row, gone in enumerate(out) if not gone])
        rows = [row for row, gone in enumerate(out) if gone]
        likely, work = found.probabilities(table, rows), table.work[rows]
        yield {
            "left_out": source,
            "talks": int((~work).sum()),
            "work": int(work.sum()),
            "taken_for_work": {str(b): round(float((likely[~work] >= b).mean()), 3) for b in BOUNDS},
            "missed": {str(b): round(float((likely[work] < b).mean()), 3) for b in BOUNDS},
        }


def as_json(found: Fit, table: Table) -> dict[str, Any]:
    used = {
        word: round(float(weight) * UNIT)
        for word, weight in zip(found.index, found.model.coef_[0], strict=True)
        if round(float(weight) * UNIT)
    }
    return {
        "made_by": "benchmarks/training/work.py",
        "date": datetime.now(UTC).date().isoformat(),
        "talks": {"work": int(table.work.sum()) // 2, "other": int((~table.work).sum()) // 2},
        "bound": BOUND,
        "outputs": list(OUTPUTS),
        "dense": [],
        "unit": UNIT,
        "grams": list(used),
        "weights": {
            "intercept": [round(float(found.model.intercept_[0]) * UNIT)],
            "dense": [],
            "grams": list(used.values()),
        },
    }


if __name__ == "__main__":
    raise SystemExit(main())
