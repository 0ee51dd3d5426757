"""How much room our tables take beside the raw bytes of the logs, by table.

    python benchmarks/storage.py [--data DIR] [--files 2000] [--rounds 1] [--natives] [--home DIR]

Files of about 3 kB (pipeline_parts/files.py) go through every stage, offline and without Dagster; with `--natives` the
session files in DIR go as they are, which are larger. Then VACUUM, and one line a table, the largest first: `rows`,
`heap`, `toast` (long values, stored beside the rows) and `indexes` in bytes, as PostgreSQL counts its pages. The line
`all` sets them beside the raw bytes: `own_times_raw` without vectors, `vectors_times_raw` the vectors and their
indexes, `empty` what the schema takes before the first file (the pages that every table and index begins with).
With `--rounds` the files come in so many parts with VACUUM after each, as they do where it runs by itself: what rows
leave behind when they are written again is used by those of the next part. `--home` keeps the store.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import psycopg
from inputs.places import arguments, kept_or_temporary, session_sets
from pipeline_parts.files import write_drop

from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings

AGENT = "made"

_TABLES = """
SELECT c.relname AS name, pg_relation_size(c.oid) AS heap,
    coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) AS toast, pg_indexes_size(c.oid) AS indexes,
    pg_total_relation_size(c.oid) AS total, greatest(c.reltuples, 0)::bigint AS rows
FROM pg_class c WHERE c.relnamespace = 'ultron'::regnamespace AND c.relkind = 'r' ORDER BY total DESC, name
"""
#: the columns that hold vectors, and the indexes over them; `exact` is the float32 of `embedding`
_VECTORS = """
SELECT coalesce((SELECT sum(pg_column_size(embedding)) FROM ultron.message_windows), 0)
    + coalesce((SELECT sum(pg_column_size(embedding) + pg_column_size(exact)) FROM ultron.memory_vectors), 0)
    + coalesce((SELECT sum(pg_column_size(centroid)) FROM ultron.clusters), 0)
    + coalesce((SELECT sum(pg_relation_size(i.indexrelid)) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'hnsw'), 0) AS bytes
"""


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--natives", action="store_true")
    parser.add_argument("--home", type=Path, help="keep the store here")
    args = parser.parse_args()
    with kept_or_temporary(args.home, "ultron-storage-") as folder:
        drop = folder / "drop"
        if args.natives:
            files, raw = _write_natives(drop / AGENT, args.data)
        else:
            files, raw = args.files, write_drop(drop, args.data, args.files, AGENT)
        name = ("natives" if args.natives else "drop") + (f"-{args.rounds}" if args.rounds > 1 else "")
        _measure(folder, name, args.rounds, files, raw)
    return 0


def _write_natives(folder: Path, data: Path) -> tuple[int, int]:
    """Every session file of the data folder; how many, and their bytes."""
    files = raw = 0
    for found in session_sets(data):
        for name, body in found.files():
            path = folder / found.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            files, raw = files + 1, raw + len(body)
    return files, raw


def _measure(folder: Path, name: str, rounds: int, files: int, raw: int) -> None:
    settings = Settings(
        store=StoreSettings(home=folder / "home"),
        llm=LLMSettings(offline=True),
        sessions=SessionSettings(sessions_dir=folder / "drop", quiet_minutes=0),
    )
    with Ultron(settings) as ultron:
        server = ultron.server  # the benchmark looks into the database itself
        assert server is not None
        with psycopg.connect(server.url(), autocommit=True) as conn:
            empty = sum(table["total"] for table in _tables(conn))
            paths = sorted(path for path in (folder / "drop" / AGENT).rglob("*") if path.is_file())
            for part in range(rounds):
                ultron.ingest(paths[part::rounds], agent_id=AGENT, process=True)
                conn.execute("VACUUM ANALYZE")
            conn.execute("CHECKPOINT")
            tables = _tables(conn)
            for table in tables:
                if table["rows"]:
                    _say(f"{name}:{table.pop('name')}", files, **table)
            ((vectors,),) = conn.execute(_VECTORS).fetchall()
            own = sum(table["total"] for table in tables) - int(vectors)
    parts = {part: sum(table[part] for table in tables) for part in ("heap", "toast", "indexes")}
    times = {"own_times_raw": round(own / raw, 2), "vectors_times_raw": round(int(vectors) / raw, 2)}
    _say(f"{name}:all", files, raw=raw, own=own, vectors=int(vectors), empty=empty, **parts, **times)


def _tables(conn: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    names = ("name", "heap", "toast", "indexes", "total", "rows")
    return [dict(zip(names, row, strict=True)) for row in conn.execute(_TABLES).fetchall()]


def _say(name: str, files: int, **figures: Any) -> None:
    print(json.dumps({"benchmark": "storage", "set": name, "n": files, **figures}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
