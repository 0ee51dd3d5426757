"""How well the two readings of turns agree: Cohen's kappa of `main` and of every label.

    python benchmarks/gold/turns_agreement.py

One JSON object a line: what, n, same (share of equal judgements), kappa, first and second (how often each reading
gave the label). Then one line per turn whose `main` differs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LABELS = ("objection", "instruction", "rule", "fact", "praise", "acceptance", "other")


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement beyond chance; None where both readings gave one and the same value throughout."""
    n = len(first)
    same = sum(a == b for a, b in zip(first, second, strict=True)) / n
    one, two = Counter(first), Counter(second)
    chance = sum(one[value] * two[value] for value in one) / n**2
    return None if chance == 1 else round((same - chance) / (1 - chance), 3)


def main() -> None:
    rows = [json.loads(line) for line in (FOLDER / "turns.jsonl").read_text("utf-8").splitlines()]
    known = {row["id"]: row for row in rows}
    again = [json.loads(line) for line in (FOLDER / "turns_second.jsonl").read_text("utf-8").splitlines()]
    pairs = [(known[row["id"]], row) for row in again]
    judged: dict[str, tuple[list[Hashable], list[Hashable]]] = {
        "main": ([a["main"] for a, _ in pairs], [b["main"] for _, b in pairs])
    }
    for label in LABELS:
        judged[label] = ([label in a["labels"] for a, _ in pairs], [label in b["labels"] for _, b in pairs])
    for what, (first, second) in judged.items():
        same = sum(a == b for a, b in zip(first, second, strict=True)) / len(pairs)
        row = {"what": what, "n": len(pairs), "same": round(same, 3), "kappa": kappa(first, second)}
        if what != "main":
            row |= {"first": sum(map(bool, first)), "second": sum(map(bool, second))}
        print(json.dumps(row))
    for a, b in pairs:
        if a["main"] != b["main"]:
            differs = {"id": a["id"], "first": a["main"], "second": b["main"], "text": a["text"][:80]}
            print(json.dumps(differs, ensure_ascii=False))


if __name__ == "__main__":
    main()
