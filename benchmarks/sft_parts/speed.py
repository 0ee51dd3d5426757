"""How fast an export of rows in a database is, and what memory it takes: the first, a second, one new row in 100."""

from __future__ import annotations

import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from sft_parts.made import made, seen_before
from sft_parts.segments import Cut

from ultron_core.client import Ultron
from ultron_core.models import Message
from ultron_core.settings import LLMSettings, Settings, SftSettings, StoreSettings
from ultron_core.sft import Candidate
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.store.database import Database

#: how often memory is looked at, in seconds: the kernel walks through all pages of a process for it, some 10 ms
_EVERY = 0.5
_RUN = Path(__file__).with_name("speed_run.py")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_SESSIONS = (
    "COPY sessions (id, account_id, agent_id, session_file, partition_key, format, harness, content_sha256, bytes,"
    " message_count, lines, parser_version, tools, changed_at, created_at, updated_at) FROM STDIN"
)
_MESSAGES = (
    "COPY messages (session_id, account_id, agent_id, seq, thread, role, origin, content, digest, start_line,"
    " end_line, tool_calls, tool_call_id, name, parts, reasoning) FROM STDIN"
)
_SEGMENTS = (
    "COPY task_segments (id, account_id, agent_id, session_id, session_file, generation, segment_index, thread,"
    " start_message, end_message, start_line, end_line, fingerprint, occurrence, topic, closed, segmenter,"
    " quality_metrics, labeled, labeler, redaction_version, created_at, updated_at) FROM STDIN"
)


def speed(passed: Sequence[tuple[Cut, Candidate]], rows: int, workers: int) -> Iterator[dict[str, Any]]:
    """Figures of a cold export, of a second one, and of one with a hundredth of new rows.

    In a program of its own: the data, models and packages of the other measurements are no memory of an export, and a
    worker process would import them too.
    """
    with tempfile.NamedTemporaryFile(prefix="ultron-sft-speed-", suffix=".pickle") as given:
        pickle.dump(list(passed), given)
        given.flush()
        command = [sys.executable, str(_RUN), given.name, str(rows), str(workers)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            yield from map(json.loads, program.stdout or ())
    if program.returncode:
        raise RuntimeError(f"the export of {rows} rows ended with {program.returncode}")


def measured(passed: Path, rows: int, workers: int) -> Iterator[dict[str, Any]]:
    """What `speed` says, in this process; `passed` is the pickle of its candidates."""
    more = rows // 100
    with tempfile.TemporaryDirectory(prefix="ultron-sft-speed-") as home, opened(Path(home)) as ultron:
        size, seen = _loaded(ultron.runtime.database.url, passed, rows, more)
        _hide(ultron, rows, hidden=True)
        for name in ("cold", "second", "new"):
            if name == "new":
                _hide(ultron, rows, hidden=False)
            start, cpu = time.perf_counter(), _cpu()
            with peak_memory() as peak:
                request = ExportRequest(evidence="any", limit=10**9, workers=workers)
                export = export_dataset(ultron.runtime, request)
            seconds = time.perf_counter() - start
            yield {
                "set": f"speed_{name}",
                "rows": rows,
                "kept": export.rows,
                "near_duplicates": export.rejects.get("near_duplicate", 0),
                "workers": workers,
                "kb_per_row": round(size / (rows + more) / 1000, 2),
                "seen_before": round(seen, 3),
                "seconds": round(seconds, 1),
                "rows_per_s": round(rows / seconds, 1),
                "mb_per_s": round(size / seconds / 1e6, 3),
                "load": round(os.getloadavg()[0], 1),
                "cpu_ms_per_row": round((_cpu() - cpu) / rows * 1000, 2),
                "peak_mb": sum(peak),
                "peak_mb_each": sorted(peak, reverse=True),
            }


@contextmanager
def opened(home: Path) -> Iterator[Ultron]:
    settings = Settings(
        store=StoreSettings(home=home, exports_dir=home / "exports"),
        sft=SftSettings(flavours="llamafactory,openai,swift,twinkle"),
        llm=LLMSettings(offline=True),
    )
    with Ultron(settings) as ultron:
        yield ultron


def _loaded(url: str, passed: Path, rows: int, more: int) -> tuple[int, float]:
    """As `_load`, in a process of its own: what the rows are made with is no memory of the export."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_load, url, passed, rows, more).result()


def _load(url: str, given: Path, rows: int, more: int) -> tuple[int, float]:
    """Writes the rows as sessions of one segment each; returns the characters of their texts, and the share of the
    bytes of their messages that stand in sentences which an earlier row holds."""
    passed: Sequence[tuple[Cut, Candidate]] = pickle.loads(given.read_bytes())
    size = known = said = 0
    sentences: set[int] = set()
    with Database(url).direct() as conn:
        waiting: list[tuple[int, Candidate]] = []
        for number, candidate in enumerate(made(passed, rows + more)):
            waiting.append((number, candidate))
            size += sum(len(message.content) + len(str(message.tool_calls)) for message in candidate.messages)
            repeated, own = seen_before(candidate, sentences)
            known, said = known + repeated, said + own
            if len(waiting) == 500 or number == rows + more - 1:
                for query, lines in (
                    (_SESSIONS, _sessions(waiting)),
                    (_MESSAGES, _messages(waiting)),
                    (_SEGMENTS, _segments(waiting)),
                ):
                    with conn.cursor().copy(query) as copy:
                        for line in lines:
                            copy.write_row(line)
                waiting.clear()
        conn.execute("ANALYZE")
    return size, known / said


def _hide(ultron: Ultron, rows: int, *, hidden: bool) -> None:
    """Segments behind the first `rows` are unfinished, or finished."""
    with ultron.runtime.database.transaction() as conn:
        conn.execute("UPDATE task_segments SET closed = %s WHERE id >= %s", [not hidden, UUID(int=rows)])


def _said(candidate: Candidate) -> list[Message]:
    system = [Message("system", candidate.system, origin="harness")] if candidate.system else []
    return [*system, *candidate.messages]


def _sessions(batch: Sequence[tuple[int, Candidate]]) -> Iterator[tuple[Any, ...]]:
    for number, one in batch:
        name = f"{number:07d}.jsonl"
        told = ("default", "bench", name, f"bench/{name}", "bench", one.harness, f"{number}", 0)
        said = len(_said(one))
        yield (UUID(int=number), *told, said, Jsonb({}), "1", Jsonb(list(one.tools)), _NOW, _NOW, _NOW)


def _messages(batch: Sequence[tuple[int, Candidate]]) -> Iterator[tuple[Any, ...]]:
    for number, one in batch:
        for seq, m in enumerate(_said(one)):
            calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in m.tool_calls]
            fixed = (UUID(int=number), "default", "bench", seq, "main", m.role, m.origin, _plain(m.content))
            parts = Jsonb(list(m.parts)) if m.parts else None
            more = (Jsonb(calls) if calls else None, m.tool_call_id, m.name, parts, m.reasoning)
            yield (*fixed, f"{number}-{seq}", seq + 1, seq + 1, *more)


def _segments(batch: Sequence[tuple[int, Candidate]]) -> Iterator[tuple[Any, ...]]:
    for number, one in batch:
        key, said = UUID(int=number), len(_said(one))
        told = ("default", "bench", key, f"{number:07d}.jsonl", 0, 0, "main")
        place = (1 if one.system else 0, said, 1, said, f"{number}", 0, one.topic, True, "bench")
        label = (Jsonb(one.label.to_json()), 1, one.label.labeler, "none")
        yield (key, *told, *place, *label, _NOW, _NOW)


def _plain(text: str) -> str:
    """What the ingest makes of such text: PostgreSQL takes no NUL and no lone surrogate."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


@contextmanager
def peak_memory() -> Iterator[list[int]]:
    """What this process and its own workers hold in memory, in MB each, when their sum is highest; the database is left
    out. A page that several processes share counts once in all, a part in each (`Pss`)."""
    peak: list[int] = []
    done = threading.Event()

    def look() -> None:
        while not done.wait(_EVERY):
            held = [_held(pid) // 1024 for pid in _family(os.getpid())]
            if sum(held) > sum(peak):
                peak[:] = held

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def _cpu() -> float:
    """Seconds of this process and of workers that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _family(root: int) -> list[int]:
    """The process and those that it started, but for PostgreSQL's."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue  # it has ended meanwhile
        name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        if "postgres" not in name:
            parents.setdefault(int(rest[1]), []).append(int(path.parent.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += parents.get(found[-1], [])
    return found


def _held(pid: int) -> int:
    """Kilobytes, shared pages in part, whole where the kernel does not tell; 0 for a process that has ended."""
    for name, field in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        try:
            text = Path(f"/proc/{pid}/{name}").read_text()
        except OSError:
            continue
        if found := [int(line.split()[1]) for line in text.splitlines() if line.startswith(field)]:
            return found[0]
    return 0
