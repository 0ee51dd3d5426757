"""Near-duplicates at the shipped threshold, with and without the divergence guard.

    python benchmarks/dedup.py [--data DIR]

Sets: pairs/stsb_en, stsb_zh, pawsx_zh of DIR, and benchmarks/data/memory_pairs.jsonl (written for this project
before the guard). One line per set, threshold and guard: `auc` of the cosine, `precision` and `recall` of merging
strictly above `threshold`, `false_merge` = share of the non-duplicates that would merge; for the memory pairs also
the merges by kind and, of the duplicates, `missed`.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from inputs.lockbox import guarded
from inputs.places import ROOT, arguments
from sklearn.metrics import roc_auc_score

from ultron_core.embeddings.local import local_embedder
from ultron_core.memories import diverges

SETS = ("stsb_en", "stsb_zh", "pawsx_zh")


def main() -> int:
    data = arguments(__doc__).parse_args().data
    with guarded("dedup", data):
        measure_all(data)
    return 0


def measure_all(data: Path) -> None:
    for name in SETS:
        path = data / "pairs" / f"{name}.jsonl.gz"
        if path.exists():
            measure(name, [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()])
        else:
            say(set=name, skipped="not in the data folder")
    own = ROOT / "benchmarks" / "data" / "memory_pairs.jsonl"
    measure("memory_pairs", [json.loads(line) for line in own.read_text("utf-8").splitlines()])


def say(**fields) -> None:
    print(json.dumps({"benchmark": "dedup", **fields}, ensure_ascii=False), flush=True)


def measure(name: str, rows: list[dict]) -> None:
    embedder = local_embedder()
    begin = time.perf_counter()
    left = embedder.embed([row["a"] for row in rows])
    right = embedder.embed([row["b"] for row in rows])
    cosine = (left * right).sum(axis=1)
    embed_seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    apart = np.array([diverges(row["a"], row["b"]) is not None for row in rows])
    guard_seconds = time.perf_counter() - begin
    same = np.array([row["label"] == 1 for row in rows])
    auc = round(float(roc_auc_score(same, cosine)), 3)
    for threshold in (embedder.thresholds.merge, 0.85):
        for guard in (False, True):
            merged = (cosine > threshold) & ~(apart & guard)
            more = kinds(rows, merged, same) if name == "memory_pairs" else {}
            say(
                set=name,
                n=len(rows),
                seconds=round(embed_seconds + guard_seconds * guard, 2),
                model=embedder.model_id,
                threshold=threshold,
                guard=guard,
                auc=auc,
                precision=round(float((merged & same).sum() / max(merged.sum(), 1)), 3),
                recall=round(float((merged & same).sum() / same.sum()), 3),
                false_merge=round(float((merged & ~same).sum() / (~same).sum()), 4),
                **more,
            )


def kinds(rows: list[dict], merged: np.ndarray, same: np.ndarray) -> dict:
    wrong = Counter(row["kind"] for row, m, s in zip(rows, merged, same, strict=True) if m and not s)
    return {"merged_wrongly": dict(wrong), "missed": int((same & ~merged).sum()), "equal": int(same.sum())}


if __name__ == "__main__":
    sys.exit(main())
