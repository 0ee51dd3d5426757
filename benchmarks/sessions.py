"""Session parsing: messages read, broken files recovered, speed and memory.

    python benchmarks/sessions.py [--data DIR]

One JSON object a line. `recovered` is the share of recoverable messages read; `ratio_orjson` is the best of
five runs over the best of five plain `orjson.loads` passes over the same lines in the same process;
`peak_mb` is what reading allocates at most, by tracemalloc, in a run of its own.
"""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
from pathlib import Path

import orjson
from inputs.lockbox import guarded
from inputs.places import SessionSet, arguments, session_sets

from ultron_core.errors import SessionFileError
from ultron_core.sessions import read_session


def timed(run) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def read_all(files: dict[str, bytes]) -> int:
    return sum(1 for body in files.values() for _ in read_session(body))


def loads_all(lines: list[bytes]) -> None:
    for line in lines:
        orjson.loads(line)


def good_lines(files: dict[str, bytes]) -> list[bytes]:
    lines = []
    for body in files.values():
        for line in body.split(b"\n"):
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            lines.append(line)
    return lines


def measure(name: str, files: dict[str, bytes]) -> dict:
    lines = good_lines(files)
    seconds = plain = float("inf")
    for _ in range(5):  # in turns, so that other load on the machine meets both
        seconds = min(seconds, timed(lambda: read_all(files)))
        plain = min(plain, timed(lambda: loads_all(lines)))
    tracemalloc.start()
    messages = read_all(files)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = sum(map(len, files.values()))
    row = {"benchmark": "sessions", "set": name, "n": len(files), "seconds": round(seconds, 4)}
    row |= {"messages": messages, "mb_per_s": round(size / 1e6 / seconds, 1), "peak_mb": round(peak / 1e6, 1)}
    # a set mostly of other lines (pretty-printed, broken) has no plain pass to compare with
    if sum(map(len, lines)) > 0.9 * size:
        row["ratio_orjson"] = round(seconds / plain, 2)
    return row


def malformed(data: Path, files: dict[str, bytes]) -> dict:
    labels = (data / "malformed" / "malformed.labels.jsonl").read_text("utf-8").splitlines()
    wanted = {Path(row["file"]).name: row["recoverable_messages"] for row in map(json.loads, labels)}
    read = 0
    for name, body in files.items():
        try:
            count = sum(1 for _ in read_session(body))
        except SessionFileError:
            count = 0
        read += min(count, wanted[Path(name).name])
    return measure("malformed", files) | {"recovered": round(read / sum(wanted.values()), 4)}


def main() -> None:
    data = arguments(__doc__).parse_args().data
    with guarded("sessions", data):
        measure_all(data)


def measure_all(data: Path) -> None:
    for found in session_sets(data):
        say(measure(found.name, dict(found.files())))
    if not session_sets(data):
        skip("sessions")
    broken, huge = (data / "malformed" / name for name in ("malformed.tar.gz", "huge_session.jsonl.gz"))
    if huge.exists():
        say(measure("huge_session", {"huge_session.jsonl": gzip.decompress(huge.read_bytes())}))
    else:
        skip("huge_session")
    if broken.exists():
        say(malformed(data, dict(SessionSet("malformed", broken).files())))
    else:
        skip("malformed")


def say(row: dict) -> None:
    print(json.dumps(row), flush=True)


def skip(name: str) -> None:
    say({"benchmark": "sessions", "set": name, "skipped": "not in the data folder"})


if __name__ == "__main__":
    main()
