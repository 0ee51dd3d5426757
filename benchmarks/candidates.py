"""Which notes of readers a candidate passage stands on, and how many candidates a session has.

    python benchmarks/candidates.py --logs DIR [--half development]

DIR is what `benchmarks/gold/native/gather.py` made. Prints one JSON object a source of candidates and a place of notes:
`reached` is the share of its notes that lie on the lines of a candidate, which bounds what any ranker can keep. A
candidate on the right line may say something else, so the figure flatters. No lockbox, no network.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inputs.native import Half, rows, sessions

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.find import find_candidates
from ultron_core.sessions import parse_session
from ultron_core.transcript.actions import read_actions


def reached_by(note: Mapping[str, Any], found: Sequence[Candidate]) -> set[str]:
    """The sources of candidates that lie on the lines of a note."""
    first, last = note.get("phys", note["line"]), note.get("phys") or note.get("end") or note["line"]
    return {one.source for one in found if one.start_line <= last and one.end_line >= first}


def measure(logs: Path, half: Half) -> list[dict[str, Any]]:
    """The figures, as rows."""
    notes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(half):
        if row["row"] == "note":
            notes[row["session"]].append(row)
    counts: Counter[str] = Counter()
    by_source: Counter[str] = Counter()
    places: dict[str, list[bool]] = defaultdict(list)
    read = 0
    for session in sessions(half):
        files = sorted((logs / session["id"]).glob("*"))
        if not files:
            continue
        messages = parse_session(files[0]).messages
        found = find_candidates(messages, read_actions(messages))
        read += 1
        counts.update(one.source for one in found)
        for note in notes[session["id"]]:
            sources = reached_by(note, found)
            by_source.update(sources)
            places[note["place"]].append(bool(sources))
    if not read:
        return [
            {"benchmark": "candidates", "set": f"native_{half}", "skipped": "no logs: run gather.py first"}
        ]
    base = {"benchmark": "candidates", "set": f"native_{half}"}
    told = [
        {**base, "source": s, "n": n, "notes": by_source[s], "per_session": round(n / read, 1)}
        for s, n in counts.items()
    ]
    told += [
        {**base, "place": p, "n": len(hit), "reached": round(sum(hit) / len(hit), 3)}
        for p, hit in places.items()
    ]
    hits = [one for hit in places.values() for one in hit]
    return [
        *told,
        {**base, "n": len(hits), "sessions": read, "reached": round(sum(hits) / max(1, len(hits)), 3)},
    ]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--half", choices=("development", "reserve"), default="development")
    given = parser.parse_args()
    for row in measure(given.logs, given.half):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
