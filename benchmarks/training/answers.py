"""Fit what a note-taker keeps of an agent's sentences, and write ultron_core/lessons/findings/model.json.

    python benchmarks/training/answers.py --data FILE [FILE ...] --told FILE [--sessions DIR] [--out FILE]

FILE holds labelled answers (benchmarks/inputs/answers.py); to them come the statements of the sessions in DIR that
benchmarks/gold/statements.jsonl labels. The fit goes on from answers_prior.json, the coefficients of earlier answers
whose texts are not kept: one logistic regression for `keep` over all sentences, one per kind among the kept. An n-gram
must occur in two repositories. `--told` is what training/sense/fit.py says of the sentences with networks that had not
seen their repositories; beside fits that had not either, both are weighed against each other. Prints how they rank.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.answers import Answer, as_messages, load_answers, project_of, terms
from inputs.places import data_folder, session_sets
from training.grams import PARTS, Examples, GramFit, Prior, fit_outputs, part_of
from training.second import LeftOut, Unseen, as_json, fit_second, parts_of, ranked, weighed_left_out

from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.features import dense_names, part_features
from ultron_core.lessons.findings.listen import read_answers
from ultron_core.lessons.findings.reader import OUTPUTS, beside
from ultron_core.lessons.people.statements import clean_statement
from ultron_core.lessons.reading import read_segment
from ultron_core.sessions import parse_session
from ultron_core.transcript.sense.reader import Passage

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "ultron_core" / "lessons" / "findings" / "model.json"
PRIOR = Path(__file__).with_name("answers_prior.json")
STATEMENTS = ROOT / "benchmarks" / "gold" / "statements.jsonl"
STRENGTH = 0.1
#: a statement of the shared sessions counts so much of an answer's sentence
SHARED, SHARED_WEIGHT = "shared:", 0.5
#: chosen on what readers said of whole memories (benchmarks/gold/draft_verdicts.jsonl): of those whose best sentence is
#: below .2 one in twenty is useful; what lies above is weighed as a whole (lessons/keeping/stated.py)
BOUND, REMARK, BESIDE, LEAST = 0.2, 0.25, 0.12, 0.15
_UNIT = 1000
#: share of a sentence's terms that another note tells
_AGAIN = 0.5
#: share of a sentence that must stand within kept ones
_WITHIN = 0.5


@dataclass(frozen=True)
class Table:
    """A row per sentence."""

    dense: np.ndarray
    grams: list[frozenset[str]]
    keep: np.ndarray
    kind: np.ndarray
    #: numbers the answer, -1 for statements of the shared sessions
    answer: np.ndarray
    repositories: np.ndarray
    weights: np.ndarray
    #: the sentences as the network reads them
    passages: list[Passage]


@dataclass
class Rows:
    dense: list[np.ndarray] = dataclasses.field(default_factory=list)
    grams: list[frozenset[str]] = dataclasses.field(default_factory=list)
    keep: list[bool] = dataclasses.field(default_factory=list)
    kind: list[str] = dataclasses.field(default_factory=list)
    answer: list[int] = dataclasses.field(default_factory=list)
    repositories: list[str] = dataclasses.field(default_factory=list)
    weights: list[float] = dataclasses.field(default_factory=list)
    passages: list[Passage] = dataclasses.field(default_factory=list)

    def table(self) -> Table:
        return Table(
            np.array(self.dense),
            self.grams,
            np.array(self.keep),
            np.array(self.kind),
            np.array(self.answer),
            np.array(self.repositories),
            np.array(self.weights),
            self.passages,
        )


def describe(answers: Sequence[Answer], sessions: Path | None) -> Table:
    rows = Rows()
    elsewhere: dict[str, list[tuple[int, set[str]]]] = {}
    for number, one in enumerate(answers):
        kept = [terms((*item.sentences, item.memory)) for item in one.keep]
        elsewhere.setdefault(one.repository, []).extend((number, own) for own in kept)
    for number, one in enumerate(answers):
        reading = read_segment(as_messages(one), "unknown", project_of(one))
        for heard in read_answers(reading.messages, reading.actions, reading.turns):
            if heard.message.content != one.text:
                continue
            dense, grams = part_features(heard.parts, heard.heard, one.text)
            for at, (part, values, own) in enumerate(zip(heard.parts, dense, grams, strict=True)):
                kind = kind_of(part, one)
                known = not kind and tells_kept(part, elsewhere.get(one.repository, []), number)
                rows.passages.append(beside(heard.parts, at))
                _add(rows, values, own, kind, number, one.repository, 0.0 if known else 1.0)
    if sessions is not None:
        add_statements(rows, sessions)
    return rows.table()


def _add(
    rows: Rows,
    dense: np.ndarray,
    grams: frozenset[str],
    kind: str,
    answer: int,
    repository: str,
    weight: float,
) -> None:
    rows.dense.append(dense)
    rows.grams.append(grams)
    rows.keep.append(bool(kind))
    rows.kind.append(kind if kind in OUTPUTS else "pattern" if kind == "preference" else "")
    rows.answer.append(answer)
    rows.repositories.append(repository)
    rows.weights.append(weight)


def tells_kept(part: Part, elsewhere: Sequence[tuple[int, set[str]]], number: int) -> bool:
    """Whether a sentence tells what was kept from another answer of its repository: a note is taken once."""
    own = terms([part.text])
    return any(at != number and len(own & kept) > _AGAIN * len(own) for at, kept in elsewhere)


def kind_of(part: Part, answer: Answer) -> str:
    """The kind of the item that holds most of the sentence; empty where less than half of it is to be kept."""
    span = range(part.begin, part.begin + len(part.quote))
    best, kind = 0.0, ""
    for item in answer.keep:
        for sentence in item.sentences:
            begin = answer.text.find(sentence)
            held = min(span.stop, begin + len(sentence)) - max(span.start, begin)
            if begin >= 0 and held / len(span) > best:
                best, kind = held / len(span), item.kind
    return kind if best >= _WITHIN else ""


def add_statements(rows: Rows, sessions: Path) -> None:
    """The labelled statements of the shared sessions, with what stands around them there; only the last round has
    kinds."""
    wanted: dict[str, dict[tuple[int, str], str]] = {}
    for line in STATEMENTS.read_text("utf-8").splitlines():
        row = json.loads(line)
        wanted.setdefault(row["session"], {})[row["line"], _plain(row["text"])] = (
            row.get("kind", "any") if row["keep"] else ""
        )
    for part in session_sets(sessions):
        for file, body in part.files():
            labels = wanted.get(f"{part.name}/{Path(file).name}")
            if not labels:
                continue
            reading = read_segment(parse_session(body).messages, "unknown")
            lines = {line for line, _ in labels}
            for heard in read_answers(reading.messages, reading.actions, reading.turns):
                if heard.message.start_line not in lines:
                    continue
                dense, grams = part_features(heard.parts, heard.heard, heard.message.content)
                for at, (one, values, own) in enumerate(zip(heard.parts, dense, grams, strict=True)):
                    kind = labels.get((heard.message.start_line, _plain(one.text)))
                    if kind is not None:
                        rows.passages.append(beside(heard.parts, at))
                        _add(rows, values, own, kind, -1, SHARED + part.name, SHARED_WEIGHT)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, clean_statement(text).casefold()))[-60:]


def fit(table: Table, rows: np.ndarray, prior: Prior) -> GramFit:
    own = Examples(rows, table.keep[rows], table.kind[rows], table.weights[rows])
    return fit_outputs(table, table.repositories, own, prior, dense_names(), STRENGTH)


def left_out(table: Table, prior: Prior) -> np.ndarray:
    """A row per sentence, from a fit that had not seen its repository; of statements from one that had."""
    found = np.zeros((len(table.keep), len(OUTPUTS)))
    parts = np.array([part_of(name) for name in table.repositories])
    for part in range(PARTS):
        rows = np.flatnonzero(parts == part)
        found[rows] = fit(table, np.flatnonzero((parts != part) | (table.answer < 0)), prior).probabilities(
            table, rows
        )
    return found


def unseen(table: Table, cheap: np.ndarray, others: LeftOut) -> Unseen:
    """The sentences of answers as both readers find them that had not seen their repositories."""
    rows = np.flatnonzero(table.answer >= 0)
    truth = np.column_stack([table.keep, *(table.kind == kind for kind in OUTPUTS[1:])])
    known = np.column_stack([table.weights > 0, *([table.keep] * (len(OUTPUTS) - 1))])
    told = others.read("answer", OUTPUTS, [table.passages[row] for row in rows], cheap[rows])
    own = (cheap[rows], told, truth[rows], known[rows], table.weights[rows])
    return Unseen("answer", OUTPUTS, *own, parts_of(table.repositories[rows]))


def report(table: Table, found: np.ndarray, answers: Sequence[Answer], name: str) -> None:
    """`found` has a row per sentence of an answer; they stand before the statements."""
    numbers = table.answer[: len(found)]
    real = table.weights[: len(found)] > 0
    drawn = np.array([answers[number].drawn for number in numbers])
    lang = np.array([answers[number].lang for number in numbers])
    for part in ("all", "natural", "sought", "en", "zh"):
        rows = real if part == "all" else real & ((drawn == part) | (lang == part))
        keep, score = table.keep[: len(found)][rows], found[rows, 0]
        if not 0 < keep.sum() < len(keep):
            continue
        passed = {
            str(bound): f"{int(keep[score >= bound].sum())}/{int((score >= bound).sum())}"
            for bound in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
        }
        say(
            reader=name,
            part=part,
            sentences=len(keep),
            keep=int(keep.sum()),
            **ranked(keep, score),
            right_of=passed,
        )


def say(**fields: object) -> None:
    print(
        json.dumps({"benchmark": "answers_fit", "left_out": "repository", **fields}, ensure_ascii=False),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, nargs="+", metavar="FILE")
    parser.add_argument("--told", type=Path, required=True, metavar="FILE")
    parser.add_argument("--sessions", type=Path, default=data_folder(), metavar="DIR")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    answers = load_answers(*args.data)
    table = describe(answers, args.sessions)
    prior = Prior.load(PRIOR)
    own = fit(table, np.arange(len(table.keep)), prior)
    both = unseen(table, left_out(table, prior), LeftOut(args.told))
    report(table, both.cheap, answers, "cheap")
    report(table, weighed_left_out(both), answers, "both")
    made = {
        "made_by": "benchmarks/training/answers.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "answers": {
            "labelled": len(answers),
            "repositories": len({one.repository for one in answers}),
            "by_licence": dict(sorted(Counter(one.licence or "none" for one in answers).items())),
            "statements": int((table.answer < 0).sum()),
        },
        "goes_on_from": prior.came_from,
        "sha256": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (*args.data, STATEMENTS)
        },
        "outputs": list(OUTPUTS),
        "second": as_json(fit_second(both)),
        "bound": BOUND,
        "remark": REMARK,
        "beside": BESIDE,
        "least": LEAST,
        "dense": dense_names(),
        **own.written(_UNIT),
    }
    args.out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{args.out}: {args.out.stat().st_size // 1024} KB, {len(made['grams'])} n-grams")


if __name__ == "__main__":
    main()
