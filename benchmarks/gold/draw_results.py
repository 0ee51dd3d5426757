"""The tool results of `result_verdicts.jsonl`: a fixed draw of those read as failures and of those read as clean.

    python benchmarks/gold/draw_results.py [--data DIR] [--count 200]

From the half outside the reserve alone (`inputs/reserve.py`), `count` of each side, in the order of the SHA-256 of
seed and place, at most so many of a set and of a session, since a few sets hold most results. One JSON object a
result: side (`failure`: error, failed, timeout, refused; `clean`: ok, passed, empty), set, file, line, class, tool,
call, telling (the line told of a failure), head and tail of the output. The sides are those of the code that runs; the
verdicts name the class of the code they were drawn with.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inputs.draws import spread
from inputs.lockbox import forbid_lockbox
from inputs.places import arguments, session_sets
from inputs.reserve import TWINS, sessions

from ultron_core.sessions import parse_session
from ultron_core.transcript.actions import read_actions

SEED = "results-1"
OF_SET, OF_SESSION = 30, 4
FAILURES = ("error", "failed", "timeout", "refused")


def results(data: Path) -> Iterator[dict[str, Any]]:
    """Every result that a call claims, in the sessions outside the reserve."""
    reserve = {(r["set"], Path(str(r["file"])).name) for r in sessions(data) if r["reserve"]}
    for found in session_sets(data):
        if found.name in TWINS:  # the same runs in another wire format
            continue
        for name, body in found.files():
            if (found.name, Path(name).name) in reserve or not name.endswith(".jsonl"):
                continue
            messages = list(parse_session(body).messages)
            for action in read_actions(messages):
                yield {
                    "side": "failure" if action.outcome in FAILURES else "clean",
                    "set": found.name,
                    "file": Path(name).name,
                    "line": messages[action.result].start_line,
                    "class": action.outcome,
                    "tool": action.tool,
                    "call": action.text[:300],
                    "telling": action.failure.line if action.failure else "",
                    "marked": messages[action.result].is_error,
                    "head": action.output[:700],
                    "tail": action.output[700:][-500:],
                }


def rank(row: dict[str, Any]) -> str:
    place = f"{SEED}/{row['set']}/{row['file']}/{row['line']}/{row['call']}"
    return hashlib.sha256(place.encode()).hexdigest()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=200)
    args = parser.parse_args()
    forbid_lockbox(args.data)
    rows = list(results(args.data))
    for side in ("failure", "clean"):
        of_side = sorted((row for row in rows if row["side"] == side), key=rank)
        for row in spread(of_side, args.count, of_set=OF_SET, of_session=OF_SESSION):
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
