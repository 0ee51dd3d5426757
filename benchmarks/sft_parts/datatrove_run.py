"""Gopher's filters and MinHash of datatrove over FOLDER/rows.jsonl; runs in an environment of its own.

    python datatrove_run.py FOLDER

Prints milliseconds of CPU a row of the filters and of the four stages, and how many rows each keeps.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any


def main(folder: str) -> None:
    from datatrove.data import Document
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.filters import GopherQualityFilter, GopherRepetitionFilter
    from loguru import logger

    logger.remove()
    config = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
    lines = (Path(folder) / "rows.jsonl").read_text("utf-8").splitlines()
    documents = [Document(**json.loads(line)) for line in lines]
    places = {name: f"{folder}/{name}" for name in ("signatures", "buckets", "removed")}
    signature = MinhashDedupSignature(places["signatures"], config)
    signature.get_shingles("Its tokenizer is loaded with the first text that it sees.")

    def stage(step: Any, *, of: Any = None) -> None:
        for _ in step.run(of) or ():
            pass

    start = time.process_time()
    kept = sum(
        GopherQualityFilter().filter(one) is True and GopherRepetitionFilter().filter(one) is True
        for one in documents
    )
    filtered = time.process_time()
    stage(signature, of=iter(documents))
    for bucket in range(config.num_buckets):
        buckets = MinhashDedupBuckets(places["signatures"], places["buckets"], config=config)
        for _ in buckets.run(None, bucket, config.num_buckets) or ():
            pass
    stage(MinhashDedupCluster(places["buckets"], places["removed"], config=config))
    left = sum(1 for _ in MinhashDedupFilter(places["removed"]).run(iter(documents)))
    end = time.process_time()
    per_row = 1000 / len(documents)
    told = {
        "cpu_ms": round((end - start) * per_row, 2),
        "filter_ms": round((filtered - start) * per_row, 2),
        "filter_kept": kept,
        "kept": left,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
