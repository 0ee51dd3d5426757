"""The workload that the original system was timed on: its rows, its vectors, its merge rule."""

from __future__ import annotations

import gzip
import hashlib
import json
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from store_parts.product import PassThrough

from ultron_core.client import Ultron
from ultron_core.embeddings.protocol import Thresholds
from ultron_core.settings import DedupSettings, LLMSettings, Settings, StoreSettings
from ultron_core.steps.upload.upload import Source, Upload, upload_memories

MARKS = (500, 1000, 2000)
KEPT, MERGES = 1810, 190
#: the original: CPU of 2,000 uploads without and with clusters, and of a search at 2,000 rows
ORIGINAL_UPLOAD_CPU, WITH_CLUSTERS_CPU, ORIGINAL_SEARCH_CPU_MS = 68.0, 187.0, 187.0


class _Tokens:
    """Each token a fixed direction of 384 numbers, a text the unit-length sum of its tokens."""

    model_id, dimension = "original-384", 384
    thresholds = Thresholds(merge=0.85, soft=1.0, cluster=0.75)

    def __init__(self) -> None:
        self._known: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.stack([np.sum([self._of(t) for t in text.lower().split()], axis=0) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def _of(self, token: str) -> np.ndarray:
        if token not in self._known:
            seed = int.from_bytes(hashlib.blake2b(token.encode(), digest_size=8).digest(), "big")
            self._known[token] = np.random.default_rng(seed).standard_normal(384).astype(np.float32)
        return self._known[token]


def measure(url: str, path: Path, say: Callable[..., None]) -> None:
    """Uploads one by one; a line at each mark, with CPU of this process and of its database backends."""
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    uploads = [line for line in lines if "content" in line]
    queries = [line["query"] for line in lines if "query" in line]
    settings = Settings(
        store=StoreSettings(database_url=url, account_id="original"),
        llm=LLMSettings(offline=True),
        dedup=DedupSettings(similarity_threshold=0.85, soft_threshold=1.0, guard=False, extend_body=False),
    )
    with Ultron(settings, embedder=_Tokens(), redactor=PassThrough()) as ultron:  # type: ignore[arg-type]
        clock = _Clock(ultron)
        merges = done = 0
        spent = [0.0, 0.0]
        for mark in MARKS:
            before = clock.now()
            for line in uploads[done:mark]:
                merges += upload_memories(ultron.runtime, [_upload(line)])[0].action == "merge"
            after = clock.now()
            first, done = done, mark
            spent = [total + b - a for total, a, b in zip(spent, before, after, strict=True)]
            search = _searches(ultron, queries, clock)
            say(
                set="original_workload",
                op="upload",
                rows=mark,
                n=mark - first,
                cpu_seconds=round(spent[0], 2),
                wall_seconds=round(spent[1], 2),
                cpu_ms_each=round((after[0] - before[0]) / (mark - first) * 1000, 2),
                wall_ms_each=round((after[1] - before[1]) / (mark - first) * 1000, 2),
                kept=mark - merges,
                merges=merges,
                search_cpu_ms=round(search[0], 2),
                search_wall_ms=round(search[1], 2),
            )
        stored = ultron.get_memory_stats()["total"]
        say(
            set="original_workload",
            op="summary",
            rows=stored,
            merges=merges,
            exact=(stored, merges) == (KEPT, MERGES),
            upload_cpu_of_original=round(spent[0] / ORIGINAL_UPLOAD_CPU, 4),
            upload_cpu_of_original_with_clusters=round(spent[0] / WITH_CLUSTERS_CPU, 4),
            search_cpu_of_original=round(search[0] / ORIGINAL_SEARCH_CPU_MS, 4),
        )


def _upload(line: dict[str, Any]) -> Upload:
    return Upload(
        line["content"],
        line["context"],
        line["resolution"],
        tuple(line["tags"]),
        memory_type=line["memory_type"].lower(),
        sources=(Source("upload"),),
    )


def _searches(ultron: Ultron, queries: Sequence[str], clock: _Clock) -> tuple[float, float]:
    before = clock.now()
    for query in queries:
        ultron.search_memories(query)
    after = clock.now()
    cpu, wall = ((b - a) / len(queries) * 1000 for a, b in zip(before, after, strict=True))
    return cpu, wall


class _Clock:
    """CPU seconds of this process and of all backends of the database (Linux, same machine), and wall seconds."""

    def __init__(self, ultron: Ultron) -> None:
        self._database = ultron.runtime.database
        self._seen: dict[int, float] = {}

    def now(self) -> tuple[float, float]:
        own = resource.getrusage(resource.RUSAGE_SELF)
        with self._database.direct() as conn:
            pids = [
                row["pid"]
                for row in conn.execute(
                    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            ]
        for pid in pids:
            path = Path(f"/proc/{pid}/schedstat")
            if path.exists():
                self._seen[pid] = int(path.read_text().split()[0]) / 1e9
        return own.ru_utime + own.ru_stime + sum(self._seen.values()), time.perf_counter()
