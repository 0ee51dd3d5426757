"""The product beside the floor: load, upload, search, filters, clients, rebalance, size."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
from store_parts.floor import Floor
from store_parts.rows import Generator, Rows

from ultron_core.client import Ultron
from ultron_core.embeddings.protocol import Thresholds
from ultron_core.redaction.protocol import Redaction
from ultron_core.settings import LLMSettings, Settings, StoreSettings
from ultron_core.steps.upload.bulk import load_memories
from ultron_core.steps.upload.upload import Source, Upload, upload_memories
from ultron_core.store.tables import search as search_store

Say = Callable[..., None]
_Pair = tuple[Callable[[], Any], Callable[[], Any]]
#: numbers of rows that are uploaded one by one or in batches; far beyond the stored ones
NEVER_SEEN = 500_000_000
NEVER_SEEN_BATCHES = 700_000_000
BATCH = 500
#: types to filter by, with their share of the rows
FILTERS = (("preference", "10%"), ("life", "1%"))


class Lookup:
    """An embedder that knows the vectors of the generated texts."""

    model_id, dimension = "bench-512", 512
    thresholds = Thresholds(merge=0.90, soft=0.80, cluster=0.70)

    def __init__(self) -> None:
        self.known: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.known[text] for text in texts]).astype(np.float32)


class PassThrough:
    """Redaction is measured by itself (redaction.py)."""

    version = "none"

    def redact_text(self, text: str) -> Redaction:
        return Redaction(text, ())

    def redact_json(self, value: Any) -> tuple[Any, tuple[()]]:
        return value, ()


@contextmanager
def open_store(url: str) -> Iterator[Ultron]:
    """An Ultron on the database at `url`, no model, vectors by lookup."""
    settings = Settings(store=StoreSettings(database_url=url), llm=LLMSettings(offline=True))
    with Ultron(settings, embedder=Lookup(), redactor=PassThrough()) as ultron:  # type: ignore[arg-type]
        yield ultron


def _uploads(ultron: Ultron, rows: Rows) -> list[Upload]:
    from ultron_core.memories import embedding_text

    known = ultron.runtime.embedder.known  # type: ignore[attr-defined]
    uploads = []
    for text, vector, kind in zip(rows.texts, rows.vectors, rows.types, strict=True):
        known[embedding_text(kind, text, "", "")] = vector  # type: ignore[arg-type]
        uploads.append(Upload(text, memory_type=kind, sources=(Source("upload"),)))  # type: ignore[arg-type]
    return uploads


def load(ultron: Ultron, floor: Floor, data: Generator, start: int, count: int, say: Say) -> None:
    """Bulk load of rows start .. start + count - 1 into both."""
    known = ultron.runtime.embedder.known  # type: ignore[attr-defined]

    def chunked() -> Iterator[Upload]:
        # the loader takes more rows at once than a block holds: vectors stay known for the next blocks
        for number, rows in enumerate(data.blocks(start, count)):
            if number % 4 == 0:
                for old in list(known)[: max(0, len(known) - 4000)]:
                    del known[old]
            yield from _uploads(ultron, rows)

    begin = time.perf_counter()
    load_memories(ultron.runtime, chunked(), expected=count, progress=partial(_show, count))
    ours = time.perf_counter() - begin
    known.clear()
    with ultron.runtime.database.direct() as conn:
        conn.execute("ANALYZE")
    begin = time.perf_counter()
    floor.drop_indexes()
    for rows in data.blocks(start, count):
        floor.load([uuid4() for _ in rows.texts], rows)
    floor.index()
    base = time.perf_counter() - begin
    say(
        set="synthetic",
        op="bulk_load",
        rows=start + count,
        n=count,
        seconds=round(ours, 1),
        per_s=round(count / ours),
        floor_per_s=round(count / base),
        ratio=round(ours / base, 2),
    )


def _show(count: int, done: int) -> None:
    if sys.stderr.isatty() or done % 100_000 == 0:
        print(f"loaded {done:,} of {count:,}", file=sys.stderr)


def measure(ultron: Ultron, floor: Floor, data: Generator, rows: int, queries: int, say: Say) -> None:
    """Every operation at one size."""
    vectors, texts = data.queries(queries)
    known = ultron.runtime.embedder.known  # type: ignore[attr-defined]
    known.update(zip(texts, vectors, strict=True))
    asked = [floor.asked(text) for text in texts]
    pairs = list(zip(texts, vectors, asked, strict=True))
    report = _Report(rows, say)
    exact_of = _exact(data, rows, pairs[:100])

    def ours(text: str, **filters: Any) -> Any:
        return ultron.search_memories(text, **filters)

    report.pair(
        "search",
        [(lambda t=t: ours(t), lambda v=v, a=a: floor.search(floor.conn, v, a)) for t, v, a in pairs],
        recall10=_recall(ultron, pairs[:100], exact_of[None], None),
    )
    for kind, share in FILTERS:
        counted = floor.conn.execute("SELECT count(*) FROM floor.search WHERE type = %s", (kind,)).fetchone()
        exact = counted is not None and counted[0] < 4000
        report.pair(
            f"search_type_{share}",
            [
                (
                    lambda t=t, k=kind: ours(t, memory_types=[k], record_hits=False),
                    lambda v=v, a=a, k=kind, e=exact: floor.filtered(v, a, k, exact=e),
                )
                for t, v, a in pairs
            ],
            recall10=_recall(ultron, pairs[:100], exact_of[kind], kind),
            matching=counted[0] if counted else 0,
        )
    _clients(ultron, floor, pairs, report)
    _singles(ultron, floor, data, report)
    _batches(ultron, floor, data, report)
    _rebalance(ultron, floor, pairs, report)
    _size(ultron, floor, report)


class _Report:
    def __init__(self, rows: int, say: Say) -> None:
        self.rows, self.say = rows, say

    def pair(self, op: str, calls: Sequence[_Pair], **more: Any) -> None:
        """Both in turns, after a warm-up of a tenth."""
        times = _in_turns(calls, warm_up=calls[: max(len(calls) // 10, 5)])
        p50, p95 = (float(x) for x in np.percentile(times[0], (50, 95)))
        floor50, floor95 = (float(x) for x in np.percentile(times[1], (50, 95)))
        self.say(
            set="synthetic",
            op=op,
            rows=self.rows,
            n=len(calls),
            p50_ms=round(p50, 2),
            p95_ms=round(p95, 2),
            floor_p50_ms=round(floor50, 2),
            floor_p95_ms=round(floor95, 2),
            ratio=round(p50 / floor50, 2),
            ratio_p95=round(p95 / floor95, 2),
            **more,
        )

    def rate(self, op: str, n: int, ours: float, base: float, **more: Any) -> None:
        self.say(
            set="synthetic",
            op=op,
            rows=self.rows,
            n=n,
            seconds=round(ours, 3),
            per_s=round(n / ours, 1),
            floor_per_s=round(n / base, 1),
            ratio=round(ours / base, 2),
            **more,
        )


def _in_turns(calls: Sequence[_Pair], *, warm_up: Sequence[_Pair]) -> tuple[list[float], list[float]]:
    """Milliseconds of each call of the product and of the floor, one after the other."""
    for ours, base in warm_up:
        ours()
        base()
    times: tuple[list[float], list[float]] = ([], [])
    for ours, base in calls:
        for into, call in ((times[0], ours), (times[1], base)):
            begin = time.perf_counter()
            call()
            into.append((time.perf_counter() - begin) * 1000)
    return times


def _exact(data: Generator, rows: int, pairs: Sequence[Any]) -> dict[str | None, np.ndarray]:
    """The ten highest cosines of each query among all rows, by type of the filters (None: no filter)."""
    wanted = np.stack([vector for _, vector, _ in pairs])
    best: dict[str | None, np.ndarray] = {
        kind: np.full((len(pairs), 10), -2.0) for kind in (None, *(kind for kind, _ in FILTERS))
    }
    for block in data.blocks(0, rows):
        types = np.array(block.types)
        for kind in best:
            keep = np.ones(len(types), bool) if kind is None else types == kind
            scores = wanted @ block.vectors[keep].T
            best[kind] = -np.sort(-np.hstack([best[kind], scores]), axis=1)[:, :10]
    return best


def _recall(ultron: Ultron, pairs: Sequence[Any], exact: np.ndarray, kind: str | None) -> float:
    """Share of the ten nearest of all stored rows that the product's candidates hold as their ten nearest."""
    context = ultron.runtime
    hits = 0
    for (_, vector, _), best in zip(pairs, exact, strict=True):
        with context.database.transaction() as conn:
            found = search_store.candidates(
                conn,
                context.account_id,
                (context.embedder.model_id, context.embedder.dimension),
                [vector],
                [],
                [],
                filters={"types": [kind]} if kind else {},
            )
        cosines = sorted((one.cosine for one in found if one.cosine is not None), reverse=True)[:10]
        # half precision: a row is as good as another when both are within 0.001
        hits += sum(cosine >= best[9] - 1e-3 for cosine in cosines)
    return round(hits / (10 * len(pairs)), 4)


def _clients(ultron: Ultron, floor: Floor, pairs: Sequence[Any], report: _Report) -> None:
    """Eight threads, all queries once: searches a second."""

    def run(work: Callable[[Any, Any], Any], make: Callable[[], Any]) -> float:
        parts = [pairs[number::8] for number in range(8)]

        def client(part: Sequence[Any]) -> None:
            mine = make()
            for pair in part:
                work(mine, pair)

        threads = [threading.Thread(target=client, args=(part,)) for part in parts]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - begin

    ours = run(lambda _, pair: ultron.search_memories(pair[0]), lambda: None)
    base = run(lambda conn, pair: floor.search(conn, pair[1], pair[2]), floor.connect)
    report.rate("search_8_clients", len(pairs), ours, base)


def _unseen(first: int, floor: Floor) -> int:
    """The number of a block that no earlier run on the same data has used."""
    return first + floor.rows // 1000 * 10_000


def _singles(ultron: Ultron, floor: Floor, data: Generator, report: _Report) -> None:
    (fresh,) = data.blocks(_unseen(NEVER_SEEN, floor), 200)
    calls = []
    for number, upload in enumerate(_uploads(ultron, fresh)):
        one = Rows(
            fresh.vectors[number : number + 1],
            fresh.texts[number : number + 1],
            fresh.types[number : number + 1],
            fresh.hits[number : number + 1],
        )
        calls.append(
            (
                lambda u=upload: upload_memories(ultron.runtime, [u]),
                lambda o=one: floor.upload([uuid4()], o),
            )
        )
    ours, base = _in_turns(calls[20:], warm_up=calls[:20])
    report.rate(
        "upload_single",
        len(ours),
        sum(ours) / 1000,
        sum(base) / 1000,
        p50_ms=round(float(np.median(ours)), 2),
        floor_p50_ms=round(float(np.median(base)), 2),
    )


def _batches(ultron: Ultron, floor: Floor, data: Generator, report: _Report) -> None:
    ours = base = 0.0
    start = _unseen(NEVER_SEEN_BATCHES, floor)
    for number in range(2):
        (fresh,) = data.blocks(start + number * 1000, BATCH)
        uploads = _uploads(ultron, fresh)
        begin = time.perf_counter()
        upload_memories(ultron.runtime, uploads)
        ours += time.perf_counter() - begin
        ids = [uuid4() for _ in fresh.texts]
        begin = time.perf_counter()
        floor.upload(ids, fresh)
        base += time.perf_counter() - begin
    report.rate("upload_batch_500", 2 * BATCH, ours, base)


def _rebalance(ultron: Ultron, floor: Floor, pairs: Sequence[Any], report: _Report) -> None:
    """First run (all tiers change), a steady one, and search while one runs."""
    with ultron.runtime.database.direct() as conn:
        for table in ("memory_usage", "floor.usage"):  # kept data has been ranked before
            if conn.execute(f"UPDATE {table} SET tier = 'WARM' WHERE tier <> 'WARM'").rowcount:
                conn.execute(f"VACUUM {table}")
    for op in ("rebalance_first", "rebalance_steady"):
        begin = time.perf_counter()
        ultron.run_tier_rebalance()
        ours = time.perf_counter() - begin
        begin = time.perf_counter()
        floor.rebalance()
        report.rate(op, report.rows, ours, time.perf_counter() - begin)
    quiet = _search_times(ultron, pairs)
    with ultron.runtime.database.direct() as conn:
        conn.execute("UPDATE memory_usage SET tier = 'COLD'")
    worker = threading.Thread(target=ultron.run_tier_rebalance)
    worker.start()
    busy = []
    while worker.is_alive() or len(busy) < 50:
        busy += _search_times(ultron, pairs[:25])
    worker.join()
    p95 = [float(np.percentile(times, 95)) for times in (quiet, busy)]
    report.say(
        set="synthetic",
        op="search_during_rebalance",
        rows=report.rows,
        n=len(busy),
        p95_ms=round(p95[1], 2),
        quiet_p95_ms=round(p95[0], 2),
        ratio=round(p95[1] / p95[0], 2),
    )


def _search_times(ultron: Ultron, pairs: Sequence[Any]) -> list[float]:
    times = []
    for text, _, _ in pairs:
        begin = time.perf_counter()
        ultron.search_memories(text)
        times.append((time.perf_counter() - begin) * 1000)
    return times


def _size(ultron: Ultron, floor: Floor, report: _Report) -> None:
    with ultron.runtime.database.direct() as conn:
        row = conn.execute(
            "SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname = 'ultron' AND relkind = 'r'"
        ).fetchone()
    ours, base = int(row["bytes"]) if row else 0, floor.bytes()
    report.say(
        set="synthetic",
        op="size",
        rows=report.rows,
        mb=round(ours / 2**20),
        floor_mb=round(base / 2**20),
        ratio=round(ours / base, 2),
    )
