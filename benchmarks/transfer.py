"""Memories out of a store and into another one, and whole stores, beside the plain tools of PostgreSQL.

    python benchmarks/transfer.py [--rows 100000] [--folder DIR]

Memories are synthetic (store_parts/rows.py). A store is loaded once, exported with vectors, imported into a new one by
the same model, backed up, and restored into a third; `pg_dump` and `pg_restore` of the same database stand beside the
last two, all in one run on one machine. One line per operation: `rows`, `op`, `seconds`, `per_s`, `mb`, and for backup
and restore `plain_seconds` and `ratio`; of an import also when all rows were in, before index and clusters. `digest`
says whether the copies hold what the store holds. --folder is where all of it is written (some 2 GB for 100,000 rows),
and emptied again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inputs.lockbox import guarded
from inputs.places import arguments
from inputs.store import offline_settings
from store_parts.product import Lookup, PassThrough
from store_parts.rows import Generator

from ultron_core.client import Ultron
from ultron_core.facade.transferring import restore_backup
from ultron_core.memories import embedding_text
from ultron_core.steps.upload.bulk import load_memories
from ultron_core.steps.upload.upload import Source, Upload
from ultron_core.store import content_digest
from ultron_core.store.database import ensure_database, sibling_url
from ultron_core.store.server import EmbeddedServer
from ultron_core.store.server.place import binaries


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument(
        "--folder", type=Path, help="a folder on the disk to be measured; default: a temporary one"
    )
    args = parser.parse_args()
    with guarded("transfer", args.data), tempfile.TemporaryDirectory(dir=args.folder) as folder:
        Path(folder).chmod(0o755)  # as root, the server's account has to get in
        measure(Path(folder), args.rows)
    return 0


def measure(folder: Path, rows: int) -> None:
    """Every operation at one size; the loaded store is held open, so that its server runs throughout."""
    with _store(folder / "one") as one:
        load_memories(one.runtime, _uploads(one, rows), expected=rows)
        digest = content_digest(one.runtime.database)
        out = folder / "out"
        done, seconds = _timed(lambda: one.export_memories(out, vectors=True))
        say(
            op="export",
            rows=rows,
            seconds=seconds,
            per_s=round(rows / max(seconds, 0.001)),
            mb=round(done.bytes / 1e6, 1),
        )
        with _store(folder / "two") as two:
            told = [time.perf_counter()]
            _, seconds = _timed(
                lambda: two.import_memories(out, progress=lambda n, of: told.append(time.perf_counter()))
            )
            rows_in = told[-1] - told[0]
            same = content_digest(two.runtime.database) == digest
            say(
                op="import",
                rows=rows,
                seconds=seconds,
                per_s=round(rows / max(seconds, 0.001)),
                rows_in_seconds=round(rows_in, 1),
                rows_in_per_s=round(rows / max(rows_in, 0.001)),
                digest=same,
            )
            _, seconds = _timed(lambda: two.import_memories(out))
            say(op="import again", rows=rows, seconds=seconds, per_s=round(rows / max(seconds, 0.001)))
        _whole(folder, one, rows, digest)


def _whole(folder: Path, one: Ultron, rows: int, digest: str) -> None:
    url, plain = one.runtime.database.url, folder / "plain.dump"
    dump = [
        binaries() / "pg_dump",
        "--format=custom",
        "--schema=ultron",
        f"--file={plain}",
        f"--dbname={url}",
    ]
    done, seconds = _timed(lambda: one.back_up(folder / "store.backup"))
    _, base = _timed(lambda: subprocess.run(dump, check=True))
    beside = {"plain_seconds": base, "ratio": round(seconds / base, 2)}
    say(op="backup", rows=rows, seconds=seconds, mb=round(done.bytes / 1e6, 1), **beside)
    three = offline_settings(folder / "three")
    with EmbeddedServer.open(three.store.home) as server:
        told, seconds = _timed(lambda: restore_backup(folder / "store.backup", three))
        target = sibling_url(server.url(), "plain")
        _, base = _timed(lambda: _plain_restore(target, plain))
    beside = {"plain_seconds": base, "ratio": round(seconds / base, 2)}
    say(op="restore", rows=rows, seconds=seconds, digest=told.digests == {"default": digest}, **beside)


def _plain_restore(url: str, dump: Path) -> None:
    ensure_database(url)
    subprocess.run(
        [binaries() / "psql", "--quiet", f"--dbname={url}", "-c", "CREATE EXTENSION vector"], check=True
    )
    subprocess.run([binaries() / "pg_restore", f"--dbname={url}", str(dump)], check=True)


def _store(home: Path) -> Ultron:
    return Ultron(offline_settings(home), embedder=Lookup(), redactor=PassThrough())  # type: ignore[arg-type]


def _uploads(ultron: Ultron, rows: int) -> Iterator[Upload]:
    """The loader takes two blocks at once: older vectors are forgotten."""
    known = ultron.runtime.embedder.known  # type: ignore[attr-defined]
    for number, block in enumerate(Generator().blocks(0, rows)):
        if number % 4 == 0:
            for old in list(known)[: max(0, len(known) - 4000)]:
                del known[old]
        for text, vector, kind in zip(block.texts, block.vectors, block.types, strict=True):
            known[embedding_text(kind, text, "", "")] = vector  # type: ignore[arg-type]
            yield Upload(text, memory_type=kind, sources=(Source("upload"),))  # type: ignore[arg-type]


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    done = work()
    return done, round(time.perf_counter() - begin, 1)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "transfer", **fields}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
