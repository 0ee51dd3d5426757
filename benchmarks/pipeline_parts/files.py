"""Session files of about 3 kB: stretches of the example sessions, each with a number of its own in its first line."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from inputs.places import session_sets

from ultron_core.sessions import parse_session

__all__ = ["write_drop"]

_BYTES = 3000
#: characters of one message: a file of 3 kB with one message would have nothing to cut
_LONGEST = 900
#: settled at once: the drop folder leaves files alone that changed a moment ago
_AGE_SECONDS = 120


def write_drop(folder: Path, data: Path, count: int, agent: str = "made") -> int:
    """Write `count` files below `folder`/`agent`; returns their bytes in all. Seeded: always the same ones."""
    stretches = list(_stretches(data))
    random.Random(7).shuffle(stretches)
    (folder / agent).mkdir(parents=True, exist_ok=True)
    total, then = 0, time.time() - _AGE_SECONDS
    for number in range(count):
        path = folder / agent / f"{number // 1000:03}" / f"{number:06}.jsonl"
        path.parent.mkdir(exist_ok=True)
        lines = [dict(line) for line in stretches[number % len(stretches)]]
        lines[0]["content"] = f"Ticket {number}: {lines[0]['content']}"
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        path.write_text(text, "utf-8")
        os.utime(path, (then, then))
        total += len(text.encode())
    return total


def _stretches(data: Path) -> Iterator[list[dict[str, str]]]:
    """From a person's turn on as many messages as fit, of every example session that can be read."""
    for found in session_sets(data):
        for name, body in found.files():
            if not name.endswith(".jsonl") or "malformed" in name:
                continue
            messages = [
                m for m in parse_session(body).messages if m.content and m.role in ("user", "assistant")
            ]
            lines = [{"role": m.role, "content": m.content[:_LONGEST]} for m in messages]
            for begin, line in enumerate(lines):
                if line["role"] == "user" and len(taken := _fitting(lines[begin:])) > 2:
                    yield taken


def _fitting(lines: list[dict[str, str]]) -> list[dict[str, str]]:
    taken: list[dict[str, str]] = []
    for line in lines:
        if sum(len(before["content"]) for before in taken) >= _BYTES - 300:
            break
        taken.append(line)
    return taken
