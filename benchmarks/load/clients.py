"""Many clients of one running server, mixed reads and writes, beside the library with eight threads doing the same.

    python benchmarks/load/clients.py [--seconds 60] [--clients 16] [--rows 2000]

`benchmark: clients`; rows `library` and `http` with operations a second (`per_s`), `errors` by kind, `lost` (answered
uploads that the store does not hold), p50 and p95 of a search; `server` with the ratio of the rates (aim 0.7) and the
resident memory of its process after the load (aim 700 MB). Each works on a home of its own. Exit code 1 when something
was lost or failed.
"""

from __future__ import annotations

import http.client
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.places import arguments

from benchmarks.load.access import say, sentence, start
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, Settings, StoreSettings

THREADS = 8
#: of ten operations, one writes, as coding agents do: they ask before each task, and remember what cost time
WRITES = 0.1

#: search and upload, by one connection
Search = Callable[[str], object]
Upload = Callable[[str], str]


@dataclass
class Done:
    """What one side did."""

    seconds: float = 0.0
    searches: list[float] = field(default_factory=list)
    #: what was sent -> id of the memory that was answered
    uploads: dict[str, str] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def per_second(self) -> float:
        return (len(self.searches) + len(self.uploads)) / self.seconds


def work(connect: Callable[[], tuple[Search, Upload]], clients: int, seconds: float) -> Done:
    """`clients` threads, each with a connection of its own, until the time is over."""
    done = Done()
    until = time.monotonic() + seconds

    def client(number: int) -> None:
        rng = random.Random(number)
        search, upload = connect()
        while time.monotonic() < until:
            text = sentence(rng)
            began = time.perf_counter()
            try:
                if rng.random() < WRITES:
                    text = f"{text} client{number}n{rng.getrandbits(40)}"
                    memory = upload(text)
                    with done.lock:
                        done.uploads[text] = memory
                else:
                    search(text)
                    with done.lock:
                        done.searches.append((time.perf_counter() - began) * 1000)
            except Exception as error:  # noqa: BLE001  # whatever a client would have seen
                with done.lock:
                    done.errors[f"{type(error).__name__}: {str(error)[:80]}"] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done.seconds = time.monotonic() - began
    return done


def over_http(home: Path) -> Callable[[], tuple[Search, Upload]]:
    """A connection to the running server of a home."""
    port = int(json.loads((home / "serve.json").read_text())["address"].rsplit(":", 1)[1])
    key = (home / "access.key").read_text().strip()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def connect() -> tuple[Search, Upload]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

        def post(path: str, body: object) -> dict:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{path}: {answer.status} {text[:100]!r}")
            return json.loads(text)

        return (
            lambda text: post("/memories/search", {"query": text}),
            lambda text: post("/memories/upload", {"content": text})["data"]["id"],
        )

    return connect


def by_library(ultron: Ultron) -> Callable[[], tuple[Search, Upload]]:
    """The same two calls in this process."""
    return lambda: (ultron.search_memories, lambda text: str(ultron.upload_memory(text).id))


def lost(ultron: Ultron, uploads: Mapping[str, str]) -> int:
    """Answered uploads whose text, with the word that no other has, is not among what its memory is made of."""
    with ultron.runtime.database.connection() as conn:
        rows = conn.execute("SELECT memory_id, content FROM memory_contributions").fetchall()
    stored = {(row["content"], str(row["memory_id"])) for row in rows}
    return sum((text, memory) not in stored for text, memory in uploads.items())


def figures(name: str, done: Done, missing: int) -> dict[str, object]:
    p95 = statistics.quantiles(done.searches, n=20)[-1]
    return {
        "benchmark": "clients",
        "set": name,
        "n": len(done.searches) + len(done.uploads),
        "uploads": len(done.uploads),
        "per_s": round(done.per_second, 1),
        "p50_ms": round(statistics.median(done.searches), 1),
        "p95_ms": round(p95, 1),
        "errors": dict(done.errors),
        "lost": missing,
    }


def opened(home: Path, rows: int) -> Ultron:
    """A home of its own with that many memories."""
    rng = random.Random(18)
    ultron = Ultron(Settings(store=StoreSettings(home=home), llm=LLMSettings(offline=True)))
    ultron.load_memories(({"content": sentence(rng)} for _ in range(rows)), expected=rows)
    ultron.search_memories("warm", record_hits=False)
    return ultron


def stop(server: subprocess.Popen[bytes]) -> float:
    """Ends it; the megabytes that it held."""
    pages = Path(f"/proc/{server.pid}/statm").read_text().split()[1]
    server.terminate()
    server.wait(60)
    return int(pages) * resource.getpagesize() / 1e6


def main(argv: Sequence[str] | None = None) -> int:
    parser = arguments(__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--rows", type=int, default=2_000)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="ultron-clients-") as folder:
        with opened(Path(folder) / "library", args.rows) as ultron:
            library = work(by_library(ultron), THREADS, args.seconds)
            say(figures("library", library, lost(ultron, library.uploads)))
        home = Path(folder) / "served"
        with opened(home, args.rows) as ultron:
            server = start(home)
            served = work(over_http(home), args.clients, args.seconds)
            megabytes = stop(server)
            missing = lost(ultron, served.uploads)
            say(figures("http", served, missing))
    ratio = round(served.per_second / library.per_second, 2)
    say(
        {
            "benchmark": "clients",
            "set": "server",
            "n": args.clients,
            "ratio": ratio,
            "rss_mb": round(megabytes),
        }
    )
    return 1 if served.errors or missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
