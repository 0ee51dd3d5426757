"""Does being listed make a memory HOT? A simulation of searches, openings and rebalances, without a database.

    python benchmarks/usage.py

2,000 memories on 100 subjects, each useful with a chance of its own. A search takes a subject, lists the ten best by
the product's own `score` (relevance is noise: what is listed says little about what is useful), and its reader opens
the ones that are useful, or a tenth of them: a summary is often enough. After every 200 searches tiers are assigned by
the product's own rule. `hot_useful` is the mean
usefulness of HOT memories at the end, `all_useful` that of all; `kept_hot` is the share of the first HOT memories that
are still HOT after 30 rebalances, against what their usefulness alone would keep (`kept_by_use`).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from statistics import mean

from ultron_core.memories.tiers import TierRow, assign_tiers
from ultron_core.search.ranking import score

MEMORIES, SUBJECTS, LISTED = 2_000, 100, 10
ROUNDS, SEARCHES = 30, 200
#: what opening counts (docs/memory-store.md, Tiers)
OPENED = 2
SEED = 17


def run(listed_hits: int, opens: float, seed: int) -> dict[str, float]:
    """One history: what HOT holds at its end when being listed counts `listed_hits`."""
    rng = random.Random(seed)
    useful = [rng.random() ** 2 for _ in range(MEMORIES)]
    hits = [1] * MEMORIES
    # before anybody searched, what is HOT says nothing
    drawn = rng.sample(range(MEMORIES), MEMORIES // 10)
    tiers = ["hot" if memory in set(drawn) else "warm" for memory in range(MEMORIES)]
    for memory in drawn:
        hits[memory] += OPENED
    opened = [opens * chance for chance in useful]
    for _ in range(ROUNDS):
        for _ in range(SEARCHES):
            search(rng, hits, tiers, opened, listed_hits)
        assigned = assign_tiers(TierRow(memory, hits[memory]) for memory in range(MEMORIES))
        tiers = [assigned[memory] for memory in range(MEMORIES)]
    hot = [memory for memory in range(MEMORIES) if tiers[memory] == "hot"]
    best = set(sorted(range(MEMORIES), key=lambda memory: -useful[memory])[: len(hot)])
    return {
        "hot_useful": mean(useful[memory] for memory in hot),
        "all_useful": mean(useful),
        "kept_hot": len(set(hot) & set(drawn)) / len(drawn),
        "kept_by_use": len(best & set(drawn)) / len(drawn),
    }


def search(
    rng: random.Random, hits: list[int], tiers: Sequence[str], opened: Sequence[float], listed_hits: int
) -> None:
    """Ten memories of a subject are listed, and each opened with its chance."""
    subject = rng.randrange(SUBJECTS)
    scored = [(score(rng.random(), tiers[one], 0.0), one) for one in range(subject, MEMORIES, SUBJECTS)]
    for _, memory in sorted(scored, reverse=True)[:LISTED]:
        hits[memory] += listed_hits + (OPENED if rng.random() < opened[memory] else 0)


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    for opens in (1.0, 0.1):
        for listed_hits in (0, 1, 2):
            runs = [run(listed_hits, opens, SEED + number) for number in range(5)]
            figures = {name: round(mean(one[name] for one in runs), 3) for name in runs[0]}
            about = {"benchmark": "usage", "set": f"opens={opens} search_hits={listed_hits}", "n": len(runs)}
            print(json.dumps({**about, **figures}))


if __name__ == "__main__":
    main()
