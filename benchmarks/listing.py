"""Pages of a list of memories: every filter and every order, the first page and one far behind it.

    python benchmarks/listing.py [--sizes 100000] [--rounds 9] [--url URL]

Memories are synthetic (store_parts/listed.sql): eight agents, 400 sessions of 40 projects, 2,000 clusters, tags from
common to rare, a tenth archived. One line per filter and order: `rows`, `filter`, `sort`, `page` (first or later),
`p50_ms`, `worst_ms` of a page of 50 full records as `browse.list_memories` gives it, and `fits` (memories on the page).
The last line names the slowest. Without --url a server is started.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from inputs.lockbox import guarded
from inputs.places import arguments

from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, Settings, StoreSettings
from ultron_core.steps.browse import SORTS
from ultron_core.store.server import EmbeddedServer
from ultron_core.testing import FakeEmbedder

#: memories of one page
_PAGE = 50
_ROWS = Path(__file__).parent / "store_parts" / "listed.sql"


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument(
        "--sizes", default="100000", help="memories, separated by commas, each in an empty store"
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--url", help="an empty database with pgvector; default: a server of its own")
    args = parser.parse_args()
    with guarded("listing", args.data), ExitStack() as closing:
        if not args.url:
            home = closing.enter_context(tempfile.TemporaryDirectory(prefix="ultron-bench-"))
            args.url = closing.enter_context(EmbeddedServer.open(Path(home))).url("postgres")
        for size in [int(size) for size in args.sizes.split(",") if size]:
            measure(args, size)
    return 0


def measure(args: argparse.Namespace, size: int) -> None:
    """Fill an account of its own and time each kind of page."""
    settings = Settings(
        store=StoreSettings(database_url=args.url, account_id=f"listed-{size}"),
        llm=LLMSettings(offline=True),
    )
    with Ultron(settings, embedder=FakeEmbedder()) as ultron:
        fill(ultron, size)
        slowest = max(timed(ultron, size, args.rounds), key=lambda row: float(row["p50_ms"]))
        say(rows=size, slowest=f"{slowest['filter']} by {slowest['sort']}", p50_ms=slowest["p50_ms"])


def fill(ultron: Ultron, size: int) -> None:
    """Memories with their counters, sources, parts, clusters and verdicts, analysed as autovacuum would."""
    with ultron.runtime.database.direct() as conn:
        if conn.execute(
            "SELECT 1 FROM memories WHERE account_id = %(a)s", {"a": ultron.runtime.account_id}
        ).fetchone():
            return
        conn.execute("SET statement_timeout = 0")
        for statement in _ROWS.read_text("utf-8").split(";\n"):
            if statement.strip():
                conn.execute(statement, {"account_id": ultron.runtime.account_id, "size": size})  # type: ignore[call-overload]
        conn.execute("VACUUM ANALYZE")


def timed(ultron: Ultron, size: int, rounds: int) -> Iterator[dict[str, Any]]:
    """A line for each filter, order and page."""
    for name, filters in kinds(ultron, size).items():
        for sort in SORTS:
            later = _page_behind(ultron, filters, sort)
            for page, cursor in {"first": None, "later": later}.items():
                if page == "later" and later is None:
                    continue
                row = _time(ultron, {**filters, "sort": sort, "cursor": cursor}, rounds)
                yield say(rows=size, filter=name, sort=sort, page=page, **row)


def kinds(ultron: Ultron, size: int) -> dict[str, dict[str, Any]]:
    """Each filter with a common and a rare value, all together, and nothing."""
    with ultron.runtime.database.direct() as conn:
        account = {"a": ultron.runtime.account_id}
        session = conn.execute(
            "SELECT id FROM sessions WHERE account_id = %(a)s ORDER BY session_file LIMIT 1 OFFSET 9", account
        ).fetchone()
        cluster = conn.execute(
            "SELECT cluster_id AS id FROM clusters WHERE account_id = %(a)s ORDER BY 1 LIMIT 1", account
        ).fetchone()
    assert session is not None and cluster is not None
    middle = datetime(2026, 1, 1, tzinfo=UTC) + size // 2 * timedelta(seconds=150)
    one: dict[str, dict[str, Any]] = {
        "none": {},
        "project, common": {"project": "project-0"},
        "project, rare": {"project": "project-rare"},
        "type": {"memory_type": "error"},
        "type, rare": {"memory_type": "life"},
        "tier": {"tier": "HOT"},
        "status": {"status": "archived"},
        "agent, common": {"agent_id": "agent-0"},
        "agent, rare": {"agent_id": "agent-rare"},
        "tag, common": {"tag": "common"},
        "tag, rare": {"tag": "rare"},
        "cluster": {"cluster_id": cluster["id"]},
        "session": {"session": str(session["id"])},
        "since": {"since": middle},
        "until": {"until": middle},
        "proof, common": {"proof": "claimed"},
        "proof, rare": {"proof": "person"},
    }
    return {
        **one,
        "project, agent, tag and type": {
            "project": "project-0",
            "agent_id": "agent-0",
            "tag": "common",
            "memory_type": "error",
        },
    }


def _page_behind(ultron: Ultron, filters: dict[str, Any], sort: str) -> str | None:
    """The cursor behind two thousand memories, or behind all that fit but the last page."""
    cursor: str | None = None
    for _ in range(10):
        page = ultron.browse.memories(**filters, sort=sort, cursor=cursor, limit=200)
        if page.cursor is None:
            return cursor
        cursor = page.cursor
    return cursor


def _time(ultron: Ultron, asked: dict[str, Any], rounds: int) -> dict[str, Any]:
    taken, found = [], 0
    for _ in range(rounds):
        began = time.perf_counter()
        found = len(ultron.browse.memories(**asked, limit=_PAGE).rows)
        taken.append((time.perf_counter() - began) * 1000)
    return {"p50_ms": round(statistics.median(taken), 1), "worst_ms": round(max(taken), 1), "fits": found}


def say(**fields: Any) -> dict[str, Any]:
    print(json.dumps({"benchmark": "listing", **fields}, ensure_ascii=False), flush=True)
    return fields


if __name__ == "__main__":
    sys.exit(main())
