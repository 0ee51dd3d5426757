"""The sessions of `fresh_recall.jsonl`: a fixed draw from the part of the reserve that no audit had read before.

    python benchmarks/gold/draw_fresh.py [--data DIR]

Left out is every session that another gold file names, and every task that one of those shares: another model's or
another try's run of a task that was read says the same, and so does its twin in another wire format. Within a set
sessions go by the SHA-256 of seed and file name, one a task. One JSON object a session: set, file, part (`newer` or
`older`, as benchmarks/audits/memories.py reports them).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inputs.lockbox import forbid_lockbox
from inputs.places import arguments
from inputs.reserve import sessions

GOLD = Path(__file__).parent
SEED = "fresh-1"
#: set -> (part, sessions). No session of a person with a coding agent is left in the reserve but the small trimmed
#: ones of stage0_fixtures; tau's second wire format and the .traj files hold runs of tasks that are drawn or read
SETS: dict[str, tuple[str, int]] = {
    "fireact_hotpot": ("newer", 5),
    "intercode_bash": ("newer", 5),
    "intercode_sql": ("newer", 5),
    "mint_alfworld": ("newer", 5),
    "mint_code": ("newer", 5),
    "stage0_fixtures": ("older", 5),
    "aider_swebench_lite": ("older", 4),
    "tau_airline_openai": ("older", 3),
    "who_and_when_failures": ("older", 3),
    "glaive_toolcall_zh": ("older", 2),
    "glaive_toolcall_en": ("older", 1),
    "reflexion_hotpot_react": ("older", 1),
}
#: its task column is the first part of the file name, the same in all ten
WITHOUT_TASK = "stage0_fixtures"


def named() -> Iterator[tuple[str, str]]:
    """(set, file name) of every session that a gold file written before this draw names."""
    for path in sorted(GOLD.glob("*.jsonl")):
        if path.name.startswith("fresh_"):
            continue
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            place = row.get("session") or f"{row.get('set')}/{row.get('file')}"
            yield place.split("/")[0], Path(place).name


def rank(name: str) -> str:
    return hashlib.sha256(f"{SEED}/{name}".encode()).hexdigest()


def drawn(data: Path) -> Iterator[dict[str, str]]:
    read = set(named())
    rows = [(str(r["set"]), str(r["file"]), str(r["task"])) for r in sessions(data) if r["reserve"]]
    tasks = {(source, task) for source, name, task in rows if (source, Path(name).name) in read}
    for source, (part, count) in SETS.items():
        found: dict[str, str] = {}  # one session a task
        of_set = [(Path(name).name, name, task) for s, name, task in rows if s == source]
        for bare, name, task in sorted(of_set, key=lambda row: rank(row[0])):
            if source == WITHOUT_TASK:
                task = bare
            if (source, bare) not in read and (source, task) not in tasks:
                found.setdefault(task, name)
        for name in list(found.values())[:count]:
            yield {"set": source, "file": name, "part": part}


def main() -> None:
    data = arguments(__doc__).parse_args().data
    forbid_lockbox(data)
    for row in drawn(data):
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
