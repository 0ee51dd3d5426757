"""Which sessions are the reserve: half of every session set, by task, fixed before any rule was written for it.

    python benchmarks/inputs/reserve.py [--data DIR]

The audits of memories (junk, useful, false cures, recall) draw from the reserve alone; rules, patterns and fits are
made on the other half. A session is in the reserve when the first 8 hex digits of SHA-256 of `<set>/<task>` are an
even number; without a task the file's name counts. Both wire formats of a run therefore fall on the same side.
Prints one line per session: `{"set": ..., "file": ..., "task": ..., "reserve": true}`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import forbid_lockbox
from inputs.places import arguments

#: sets whose files are the same runs in another wire format, under the name of the first
TWINS = {"tau_airline_anthropic": "tau_airline_openai"}


def in_reserve(source: str, task: str) -> bool:
    """True for the half that rules are never written on."""
    digest = hashlib.sha256(f"{TWINS.get(source, source)}/{task}".encode()).hexdigest()
    return int(digest[:8], 16) % 2 == 0


def sessions(data: Path) -> Iterator[dict[str, object]]:
    """Every labelled session file of `data`/sessions with its side, in the order of sets and files."""
    for labels in sorted((data / "sessions").glob("*.labels.jsonl")):
        source = labels.name.removesuffix(".labels.jsonl")
        for line in labels.read_text("utf-8").splitlines():
            row = json.loads(line)
            name = str(row["file"])
            task = str(row.get("task") or Path(name).name)
            yield {"set": source, "file": name, "task": task, "reserve": in_reserve(source, task)}


def main() -> None:
    data = arguments(__doc__).parse_args().data
    forbid_lockbox(data)
    for row in sessions(data):
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
