"""What HTTP and MCP add to a library call, at 10,000 memories in one run, and what the server's process holds.

`benchmark: access`; rows `library`, `http`, `mcp` with `p50_ms` and `p95_ms` of a search, `hook` with `cpu_s` of one
prompt, `server` with `rss_mb`. Searches of the three kinds are asked in turns, so that a busy machine is busy for all.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.places import arguments

from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, Settings, StoreSettings

ROWS = 10_000
ROUNDS = 150
HOOKS = 5
WORDS = [
    "parser",
    "cache",
    "queue",
    "lock",
    "shard",
    "token",
    "proxy",
    "index",
    "worker",
    "router",
    "buffer",
    "socket",
    "schema",
    "cursor",
    "ledger",
    "bucket",
    "docker",
    "redis",
    "kafka",
    "nginx",
    "pandas",
    "numpy",
    "yaml",
    "django",
    "flask",
    "celery",
    "pytest",
    "mypy",
    "postgres",
    "sqlite",
]


def say(row: dict[str, object]) -> None:
    print(json.dumps(row), flush=True)


def sentence(rng: random.Random) -> str:
    return " ".join(rng.sample(WORDS, 8)) + f" fails with code {rng.randrange(10_000)}"


def main() -> None:
    arguments(__doc__).parse_args()
    rng = random.Random(18)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        settings = Settings(store=StoreSettings(home=home), llm=LLMSettings(offline=True))
        with Ultron(settings) as ultron:
            ultron.load_memories(({"content": sentence(rng)} for _ in range(ROWS)), expected=ROWS)
            ultron.search_memories("warm", record_hits=False)
            server = start(home)
            try:
                measure(ultron, home, rng)
                measure_hook(home)
                pages = Path(f"/proc/{server.pid}/statm").read_text().split()[1]
                rss = int(pages) * resource.getpagesize() / 1e6
                say({"benchmark": "access", "set": "server", "n": ROWS, "rss_mb": round(rss)})
            finally:
                server.send_signal(signal.SIGTERM)
                server.wait(60)


def start(home: Path) -> subprocess.Popen[bytes]:
    """A server of the same home, with its models loaded."""
    env = {**os.environ, "ULTRON_OFFLINE": "1", "ULTRON_ACCESS_RATE": "0"}
    command = [sys.executable, "-m", "ultron_core.cli.main", "--home", str(home), "serve", "--port", "0"]
    server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    while not (home / "access.key").exists():
        time.sleep(0.2)
        if server.poll() is not None:
            raise SystemExit("the server did not start")
    return server


def measure(ultron: Ultron, home: Path, rng: random.Random) -> None:
    where = json.loads((home / "serve.json").read_text())["address"].rsplit(":", 1)
    connection = http.client.HTTPConnection("127.0.0.1", int(where[1]))
    key = (home / "access.key").read_text().strip()
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }

    def post(path: str, body: object) -> None:
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200 or b'"isError":true' in text:
            raise SystemExit(f"{path}: {answer.status} {text[:200]!r}")

    def tool(query: str) -> None:
        params = {"name": "search_memories", "arguments": {"query": query, "limit": 10}}
        post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    kinds: dict[str, Callable[[str], object]] = {
        "library": lambda query: ultron.search_memories(query),
        "http": lambda query: post("/memories/search", {"query": query}),
        "mcp": tool,
    }
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        query = sentence(rng)
        for name, ask in kinds.items():
            began = time.perf_counter()
            ask(query)
            taken[name].append((time.perf_counter() - began) * 1000)
    for name, times in taken.items():
        times = times[10:]
        p95 = statistics.quantiles(times, n=20)[-1]
        row = {"p50_ms": round(statistics.median(times), 2), "p95_ms": round(p95, 2)}
        say({"benchmark": "access", "set": name, "n": ROWS, **row})


def measure_hook(home: Path) -> None:
    hook = str(Path(sys.executable).parent / "ultron-hook")
    told = json.dumps({"prompt": "the parser cache fails", "session_id": "s"}).encode()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(HOOKS):
        subprocess.run([hook, "prompt", "--home", str(home)], input=told, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    say({"benchmark": "access", "set": "hook", "n": HOOKS, "cpu_s": round(used / HOOKS, 3)})


if __name__ == "__main__":
    main()
