"""Recall and precision of a fitted network by itself, on sets and on own frames with names it was not fitted to.

    python benchmarks/training/names/evaluate.py [--data DIR] [--network FILE]

The sets are Presidio's two in DIR/pii, which had no part in the fit; those that DIR does not have are skipped. Own
sentences are the measured frames of frames.json, eight times each, with names held out (lists.py): as written, in
lower case, with the names alone in lower case, or in capitals. A name counts as found when half of it is, and what
was found is right when it touches anything marked. benchmarks/redaction.py measures the whole redaction instead.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# run as a script, this file's own folder is on the path instead of the one two above it
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments
from training.names.frames import Span, filled, measured_frames
from training.names.lists import Names, unseen_names

from ultron_core.redaction.names.network import NameNetwork

NETWORK = ROOT / "ultron_core" / "redaction" / "names" / "network.npz"
SETS = ("presidio_generated_large", "presidio_synth_v2")
BOUNDS = (0.3, 0.5, 0.7, 0.9)
#: sentences of each frame
TIMES = 8
STYLES = {"written": 0.62, "lower": 0.2, "names_lower": 0.12, "upper": 0.06}
_LETTERS = "ABCDEFGHJKLMNPRST"


@dataclass(frozen=True)
class Marked:
    text: str
    names: list[Span]
    #: anything personal, names among it
    marked: list[Span]
    kind: str = ""
    style: str = ""


def of_set(path: Path) -> list[Marked]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Marked(
            row["text"],
            [(span["start"], span["end"]) for span in row["spans"] if span["type"] == "PERSON"],
            [(span["start"], span["end"]) for span in row["spans"]],
        )
        for row in rows
    ]


def own_sentences(names: Mapping[str, Names], seed: int = 9) -> list[Marked]:
    chance = random.Random(seed)
    found = []
    for kind, frame in measured_frames():
        for _ in range(TIMES):
            text, spans = filled(frame, _drawn(chance.choice(list(names.values())), chance))
            style = chance.choices(list(STYLES), list(STYLES.values()))[0]
            found.append(Marked(styled(text, spans, style), spans, spans, kind, style))
    return found


def _drawn(names: Names, chance: random.Random) -> Callable[[str], str]:
    """All names of a sentence are of one language."""

    def name(place: str) -> str:
        if place[0] == "m":
            return chance.choice(_LETTERS)
        given, last = chance.choice(names.given), chance.choice(names.last)
        return {"g": given, "s": last}.get(place[0], f"{given} {last}")

    return name


def styled(text: str, names: Sequence[Span], style: str) -> str:
    """As written where another case would be longer, e.g. `ß` in capitals."""
    if style == "names_lower":
        for start, end in names:
            low = text[start:end].lower()
            text = text[:start] + low + text[end:] if len(low) == end - start else text
        return text
    other = {"lower": text.lower(), "upper": text.upper()}.get(style, text)
    return other if len(other) == len(text) else text


def figures(rows: Sequence[Marked], found: Mapping[str, Sequence[Span]]) -> dict[str, float | int | None]:
    names = hits = made = right = 0
    for row in rows:
        spans = found[row.text]
        names += len(row.names)
        hits += sum(2 * _covered(name, spans) >= name[1] - name[0] for name in row.names)
        made += len(spans)
        right += sum(any(a < end and start < b for a, b in row.marked) for start, end in spans)
    return {
        "n": names,
        "recall": round(hits / names, 3) if names else None,
        "precision": round(right / made, 3) if made else None,
    }


def _covered(name: Span, spans: Sequence[Span]) -> int:
    return sum(max(0, min(name[1], end) - max(name[0], start)) for start, end in spans)


def report(network: NameNetwork, name: str, rows: Sequence[Marked]) -> None:
    for bound in BOUNDS:
        (said,) = network.names([row.text for row in rows], bound)
        found = {text: [(start, end) for start, end, _ in names] for text, names in said.items()}
        say(set=name, bound=bound, **figures(rows, found))
        if bound != 0.5:
            continue
        for style in sorted({row.style for row in rows} - {""}):
            say(set=name, bound=bound, style=style, **figures([r for r in rows if r.style == style], found))
        for kind in sorted({row.kind for row in rows} - {""}):
            say(set=name, bound=bound, kind=kind, **figures([r for r in rows if r.kind == kind], found))


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "names", **fields}), flush=True)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--network", type=Path, default=NETWORK)
    args = parser.parse_args()
    forbid_lockbox(args.data)
    with np.load(args.network) as stored:
        network = NameNetwork({name: stored[name].astype(np.float32) for name in stored.files})
    for name in SETS:
        path = args.data / "pii" / f"{name}.jsonl.gz"
        if path.exists():
            report(network, name, of_set(path))
        else:
            say(set=name, skipped="not in the data folder")
    report(network, "own", own_sentences(unseen_names()))


if __name__ == "__main__":
    main()
