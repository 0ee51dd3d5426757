"""What the offline rules make of single turns of people, beside what a note-taker would keep of them.

    python benchmarks/audits/said.py --data FILE [--rules] [--show kept|lost|junk]

FILE holds turns as benchmarks/inputs/said.py describes them. Each turn is read as a session of its own, with the
agent's act before it, taken for work on code; only memories that rest on the person's words count, after the gate.
One JSON object a line: for each kind how many turns it is to be kept of (`keep`), how many of these give a memory of
any kind (`any`) and of that kind (`same`), how many memories of the kind are made in all (`made`) and how many of those
turns hold something to keep (`right`). `--show` prints the turns themselves instead. Models that were fitted on FILE
do better there than elsewhere. `--rules` leaves the model of plain statements out.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.said import KINDS, Told, as_messages, load_told

from ultron_core.lessons.people.plain.reader import PlainModel, load_model
from ultron_core.lessons.reading import read_segment
from ultron_core.lessons.registry import lessons_of
from ultron_core.memories import gate_draft
from ultron_core.models import MemoryDraft


def made_of(told: Told, plain: PlainModel | None) -> list[tuple[str, MemoryDraft]]:
    """Kind and draft of what passes the gate and rests on the person's turn."""
    messages = as_messages(told)
    person = {m.start_line for m in messages if m.role == "user"}
    reading = dataclasses.replace(read_segment(messages, "unknown"), work=True)
    return [
        (lesson.kind, lesson.draft)
        for lesson in lessons_of(reading, plain, None)
        if lesson.draft.evidence
        and lesson.draft.evidence[0].start_line in person
        and gate_draft(lesson.draft, messages) is None
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--show", choices=["kept", "lost", "junk"])
    args = parser.parse_args()
    rows = load_told(args.data)
    plain = None if args.rules else load_model()
    made = [made_of(told, plain) for told in rows]
    if args.show:
        show(rows, made, args.show)
        return
    for part in ("all", "en", "zh", "random"):
        own = [i for i, told in enumerate(rows) if part in ("all", told.lang, told.drawn)]
        report([rows[i] for i in own], [made[i] for i in own], part)


def report(rows: list[Told], made: list[list[tuple[str, MemoryDraft]]], part: str) -> None:
    kept = [i for i, told in enumerate(rows) if told.kind]
    said = [i for i, found in enumerate(made) if found]
    both = sum(bool(made[i]) for i in kept)
    say(
        part=part,
        turns=len(rows),
        keep=len(kept),
        stored=both,
        recall=share(both, len(kept)),
        turns_with_memory=len(said),
        precision=share(both, len(said)),
    )
    kinds = Counter(kind for found in made for kind in {k for k, _ in found})
    for kind in sorted({*KINDS, *kinds}):
        own = [i for i in kept if rows[i].kind == kind]
        with_kind = [i for i in said if kind in {k for k, _ in made[i]}]
        say(
            part=part,
            kind=kind,
            keep=len(own),
            any=sum(bool(made[i]) for i in own),
            same=sum(kind in {k for k, _ in made[i]} for i in own),
            made=len(with_kind),
            right=sum(bool(rows[i].kind) for i in with_kind),
        )


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def show(rows: list[Told], made: list[list[tuple[str, MemoryDraft]]], what: str) -> None:
    for told, found in zip(rows, made, strict=True):
        side = "junk" if found and not told.kind else "kept" if found else "lost" if told.kind else ""
        if side == what:
            memories = [{"kind": k, "content": d.content, "context": d.context} for k, d in found]
            say(id=told.id, text=told.turn.text, kind=told.kind, memory=told.memory, made=memories)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "said", **fields}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
