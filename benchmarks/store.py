"""The memory store beside the least that Postgres must do for the same work (benchmarks/floor/*.sql).

    python benchmarks/store.py [--data DIR] [--sizes 10000,100000] [--queries 200] [--url URL | --home DIR]

Memories are synthetic (store_parts/rows.py), vectors never seen before; redaction passes through and the embedder looks
vectors up, so what is measured is the store and its code. Product and floor take turns in one run on one server.
One line per operation: `rows`, `op`, `p50_ms`, `p95_ms`, `floor_p50_ms`, `floor_p95_ms` or `per_s`, `floor_per_s`,
`ratio` (time of the product over the floor), `recall10` of the ten nearest, measured against a full scan. The set
`original_workload` of DIR is uploaded as the original system was timed on it. Without --url a server is started;
--home keeps its data, so the next run measures what was loaded without loading it again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from inputs.lockbox import guarded
from inputs.places import arguments
from store_parts import floor as store_floor
from store_parts import original as store_original
from store_parts import product as store_product
from store_parts.rows import Generator

from ultron_core.store.server import EmbeddedServer


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--sizes", default="10000,100000", help="rows, ascending, separated by commas")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--url", help="an empty database with pgvector; default: a server of its own")
    parser.add_argument("--home", type=Path, help="keep the server's data here, and use what is there")
    parser.add_argument("--skip-original", action="store_true")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",") if size]
    with guarded("store", args.data), ExitStack() as closing:
        if not args.url:
            home = args.home or closing.enter_context(tempfile.TemporaryDirectory(prefix="ultron-bench-"))
            args.url = closing.enter_context(EmbeddedServer.open(Path(home))).url("postgres")
        _measure(args, args.url, sizes)
    return 0


def _measure(args: argparse.Namespace, url: str, sizes: list[int]) -> None:
    if not args.skip_original:
        path = args.data / "store" / "original_workload.jsonl.gz"
        if path.exists():
            store_original.measure(url, path, say)
        else:
            say(set="original_workload", skipped="not in the data folder")
    if not sizes:
        return
    data = Generator()
    with store_product.open_store(url) as product, store_floor.Floor(url, keep=bool(args.home)) as floor:
        stored = floor.rows
        for size in sizes:
            if size > stored:
                store_product.load(product, floor, data, stored, size - stored, say)
                stored = size
            store_product.measure(product, floor, data, size, args.queries, say)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "store", **fields}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    sys.exit(main())
