"""Many agents at once on real Postgres, while connections are killed under them.

    python benchmarks/load/concurrency.py [--seconds 60] [--writers 16] [--readers 16] [--kills-per-second 5]

Writers upload new facts, facts that others upload too, and repeats of requests that were already answered, each
request under an idempotency key of its own. Readers search and count hits. One thread runs tiers and clusters. A
random backend is ended with pg_terminate_backend again and again. Finally, what is stored is compared with what was
requested. The embedder and the redactor cost nothing here, so that the database is what is measured.

One line: `lost` (answered requests without their memory), `duplicates` (facts with more than one memory),
`wrong_hits` (memories whose counter is below requests plus answered searches), `extra_hits` (counted more than
answered: searches whose connection died after the commit), `errors` (exceptions that callers saw, by class),
`deadlocks` (resolved by the server, all retried), `left_open` (transactions still open at the end). Exit code 1
when a promise is broken.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from ultron_core.client import Ultron
from ultron_core.models import Redaction
from ultron_core.settings import LLMSettings, SearchSettings, Settings, StoreSettings
from ultron_core.steps.audit import rows as audit
from ultron_core.steps.clusters.read import cluster_report
from ultron_core.store.server import EmbeddedServer
from ultron_core.testing import FakeEmbedder

CLIENTS = 4
SHARED_FACTS = 200
#: a reader waits between searches; without it sixteen threads of one process leave the writers no turn
THINK_SECONDS = 0.1


class PlainRedactor:
    """Finds nothing, so that the database is what is measured."""

    version = "none"

    def redact_text(self, text):
        return Redaction(text, [])

    def redact_json(self, value):
        return value, []


@dataclass
class World:
    """What the threads did, for the comparison at the end."""

    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    #: key -> (fact, id of the memory that was answered)
    answered: dict = field(default_factory=dict)
    found: Counter = field(default_factory=Counter)
    errors: Counter = field(default_factory=Counter)
    latencies: dict = field(default_factory=lambda: {"upload": [], "search": []})
    changed_ids: int = 0
    kills: int = 0
    rebalances: int = 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--readers", type=int, default=16)
    parser.add_argument("--kills-per-second", type=float, default=5)
    parser.add_argument("--data", type=Path, help="not used: the facts are made up")
    args = parser.parse_args()
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    with ExitStack() as closing:
        home = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="ultron-concurrency-")))
        server = EmbeddedServer.open(home)
        closing.callback(server.close)
        row = run(server.url(), home, args.seconds, args.writers, args.readers, args.kills_per_second)
    print(json.dumps(row))
    return 0 if kept(row) else 1


def kept(row):
    """Whether every promise was kept."""
    broken = ("lost", "duplicates", "wrong_hits", "changed_ids", "left_open")
    return not any(row[name] for name in broken) and not row["errors"] and not row["findings"]


def run(url, home, seconds, writers, readers, kills_per_second):
    """Run all threads for some seconds on an empty database, then compare; one row of the benchmark."""
    world = World()
    with ExitStack() as closing:
        clients = [closing.enter_context(opened(url, home)) for _ in range(CLIENTS)]
        work = [(write, clients[n % CLIENTS], n) for n in range(writers)]
        work += [(read, clients[n % CLIENTS], n) for n in range(readers)]
        work.append((maintain, clients[0], 0))
        threads = [
            threading.Thread(target=guarded, args=(world, task, client, n)) for task, client, n in work
        ]
        killer = threading.Thread(target=kill, args=(world, url, kills_per_second))
        began = time.perf_counter()
        for thread in (*threads, killer):
            thread.start()
        time.sleep(seconds)
        world.stop.set()
        for thread in (*threads, killer):
            thread.join()
        took = time.perf_counter() - began
        return count(world, clients[0], took)


def opened(url, home):
    settings = Settings(
        store=StoreSettings(home=home, database_url=url, pool_size=8),
        llm=LLMSettings(offline=True),
        search=SearchSettings(hits=1),  # a listing counts here, so that hits too can be compared at the end
    )
    return Ultron(settings, embedder=FakeEmbedder(256, model_id="words"), redactor=PlainRedactor())


def guarded(world, task, client, number):
    """A thread must not die silently: whatever a caller would see is counted."""
    dice = random.Random(number)
    while not world.stop.is_set():
        try:
            task(world, client, number, dice)
        except Exception as error:  # noqa: BLE001  # whatever a caller would have seen
            with world.lock:
                world.errors[f"{task.__name__}: {type(error).__name__}: {str(error)[:80]}"] += 1


def write(world, client, number, dice):
    """One fact under a new key; sometimes the same request again, like an agent that lost the answer."""
    with world.lock:
        key = f"{number}-{len(world.answered)}-{dice.random()}"
    shared = dice.random() < 0.4
    fact = f"shared{dice.randrange(SHARED_FACTS)}" if shared else f"own{key.replace('.', 'd')}"
    content = f"{fact}alpha {fact}beta {fact}gamma {fact}delta"
    began = time.perf_counter()
    memory_id = client.upload_memory(content, idempotency_key=key).id
    took = time.perf_counter() - began
    again = client.upload_memory(content, idempotency_key=key).id if dice.random() < 0.2 else memory_id
    with world.lock:
        world.latencies["upload"].append(took)
        world.answered[key] = (fact, memory_id)
        world.changed_ids += again != memory_id


def read(world, client, number, dice):
    fact = f"shared{dice.randrange(SHARED_FACTS)}"
    began = time.perf_counter()
    hits = client.search_memories(f"{fact}alpha {fact}gamma", limit=3)
    with world.lock:
        world.latencies["search"].append(time.perf_counter() - began)
        world.found.update(hit.record.id for hit in hits if not hit.weak)
    world.stop.wait(THINK_SECONDS)


def maintain(world, client, number, dice):
    client.run_tier_rebalance()
    cluster_report(client.runtime)
    with world.lock:
        world.rebalances += 1
    world.stop.wait(1)


def kill(world, url, per_second):
    """End a random backend of this database again and again."""
    with psycopg.connect(url, autocommit=True) as conn:
        while per_second and not world.stop.wait(1 / per_second):
            row = conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY random() LIMIT 1"
            ).fetchone()
            world.kills += bool(row and row[0])


def count(world, client, took):
    """Compare what is stored with what was requested."""
    context = client.runtime

    def rows(query):
        return context.database.run(lambda conn: conn.execute(query).fetchall())

    keys = {row["key"]: row["memory_id"] for row in rows("SELECT key, memory_id FROM idempotency_keys")}
    stored = {row["memory_id"]: row for row in rows(
        "SELECT u.memory_id, u.hit_count, split_part(m.content, 'alpha', 1) AS fact, m.status"
        " FROM memory_usage u JOIN memories m ON m.id = u.memory_id")}  # fmt: skip
    lost = [
        key for key, (fact, memory_id) in world.answered.items()
        if keys.get(stored_key(key)) != memory_id or memory_id not in stored or stored[memory_id]["fact"] != fact
    ]  # fmt: skip
    facts = Counter(row["fact"] for row in stored.values())
    given = Counter(keys.values())
    over = {i: row["hit_count"] - given[i] - world.found[i] for i, row in stored.items()}
    parts = rows("SELECT count(*) AS n FROM memory_contributions")[0]["n"]
    server = rows("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")[0]
    left = rows("SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND xact_start < now() - interval '1 second'")  # fmt: skip
    finding = audit.clusters_consistent(context)
    return {
        "benchmark": "concurrency",
        "set": "made up",
        "n": len(world.answered),
        "seconds": round(took, 1),
        "uploads_per_s": round(len(world.answered) / took, 1),
        "searches": len(world.latencies["search"]),
        "searches_per_s": round(len(world.latencies["search"]) / took, 1),
        **figures("upload", world.latencies["upload"]),
        **figures("search", world.latencies["search"]),
        "kills": world.kills,
        "rebalances": world.rebalances,
        "memories": len(stored),
        "facts": len(facts),
        "lost": len(lost),
        "duplicates": sum(n > 1 for n in facts.values()),
        "changed_ids": world.changed_ids,
        "unanswered_keys": len(keys) - len(world.answered),
        "contributions_off": parts - len(keys),
        "wrong_hits": sum(n < 0 for n in over.values()),
        "extra_hits": sum(n for n in over.values() if n > 0),
        "errors": dict(world.errors.most_common(5)),
        "deadlocks": server["deadlocks"],
        "left_open": left[0]["n"],
        "findings": list(finding.sample),
    }


def stored_key(key):
    """An idempotency key as the store keeps it: its hash."""
    return hashlib.sha256(key.encode()).hexdigest()


def figures(name, latencies):
    """p50 and p95 in ms."""
    ordered = sorted(latencies) or [0.0]
    at = {"p50": ordered[len(ordered) // 2], "p95": ordered[int(len(ordered) * 0.95) - 1]}
    return {f"{name}_{quantile}_ms": round(value * 1000, 1) for quantile, value in at.items()}


if __name__ == "__main__":
    sys.exit(main())
