"""Logs as Claude Code writes them, as long as is asked for: many short lines of a person, an agent and its tools."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

__all__ = ["long_lines", "write_long_log"]

_AREAS = (  # noqa: SIM905
    "billing login search report upload export invoice session profile basket coupon refund ledger payroll calendar"
    " mailer parser lexer router cache queue worker metrics alerts backup archive gateway webhook ticket survey"
).split()
_PARTS = (  # noqa: SIM905
    "reader writer table model view form index client store helper schema loader filter sorter merger planner runner"
    " checker printer counter"
).split()
_WISHES = (
    "Please add a {part} for {area} that skips rows without a name.",
    "Now write the {part} of {area}, with a test for an empty list.",
    "Can you explain how the {part} in src/{area}.py decides what comes first?",
    "Rename `{part}` to `{area}_{part}` everywhere and run the tests.",
    "The {area} page is slow. Find out why src/{area}/{part}.py takes so long.",
    "Next, the {area} command should print its {part} as JSON.",
    "Always use `uv run` to start the {area} checks, never plain python.",
    "请给 {area} 加一个 {part}，并且写一个测试。",
)
_REMARKS = (
    "no, keep the old name of the {part}",
    "ok",
    "that works, thanks",
    "and the same for {area}?",
    "still red",
)
_FAILURES = (
    "ModuleNotFoundError: No module named '{area}_{part}'",
    "AssertionError: {number} != {other} in test_{area}",
    "TypeError: {part}() missing 1 required positional argument: '{area}'",
    "KeyError: '{area}_{part}'",
)
#: of the lines stand in threads of sub-agents, each of which has so many
_ASIDE, _ASIDE_LINES = 0.5, 400


def write_long_log(path: Path, lines: int, *, one_thread: bool = False, seed: int = 7) -> int:
    """Write a log of so many lines; returns its bytes. Seeded: always the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        for row in long_lines(lines, one_thread=one_thread, seed=seed):
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path.stat().st_size


def long_lines(lines: int, *, one_thread: bool = False, seed: int = 7) -> Iterator[dict[str, Any]]:
    """The rows of one log: tasks of 8 to 40 lines, half of them in threads of sub-agents unless it is `one_thread`."""
    chance = random.Random(seed)
    log = _Log(chance)
    while log.written < lines:
        if not one_thread and log.aside < _ASIDE * log.written:
            yield from log.thread(min(_ASIDE_LINES, lines - log.written))
        else:
            log.pause()
            for message in _task(chance):
                if log.written == lines:
                    return
                yield log.row(*message)


class _Log:
    """Wraps messages into rows, each with the one before it as its parent."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._time = datetime(2026, 3, 2, 9, tzinfo=UTC)
        self._last: str | None = None
        self.written = self.aside = 0

    def pause(self) -> None:
        """What a person does between two tasks: nothing, a break, or sleep."""
        self._time += self._chance.choice((timedelta(0), timedelta(minutes=50), timedelta(hours=5)))

    def row(self, kind: str, content: Any, agent: str = "", parent: str | None = None) -> dict[str, Any]:
        self._time += timedelta(seconds=self._chance.randint(1, 40))
        own = str(UUID(int=self._chance.getrandbits(128)))
        self.written += 1
        row = {
            "type": kind,
            "uuid": own,
            "parentUuid": parent if agent else self._last,
            "sessionId": "0a1b2c3d-0000-4000-8000-000000000001",
            "cwd": "/srv/shop",
            "version": "2.0.14",
            "timestamp": self._time.isoformat().replace("+00:00", "Z"),
            "message": {"role": kind, "content": content},
        }
        if agent:
            self.aside += 1
            return {**row, "isSidechain": True, "agentId": agent}
        self._last = own
        return row

    def thread(self, lines: int) -> Iterator[dict[str, Any]]:
        """So many lines of a sub-agent of its own."""
        agent, parent, end = f"{self._chance.getrandbits(32):08x}", self._last, self.written + lines
        while self.written < end:
            self.pause()
            for message in _task(self._chance):
                if self.written == end:
                    return
                row = self.row(*message, agent, parent)
                parent = row["uuid"]
                yield row


def _task(chance: random.Random) -> Iterator[tuple[str, Any]]:
    """A wish, a few calls with their results, an answer; then now and then a remark with more of the same."""
    words = {"area": chance.choice(_AREAS), "part": chance.choice(_PARTS)}
    yield "user", chance.choice(_WISHES).format(**words)
    for _ in range(1 + (chance.random() < 0.3)):
        yield from _work(chance, words)
        yield "assistant", [_text(f"The {words['part']} of {words['area']} is in place and its tests pass.")]
        if chance.random() < 0.4:
            yield "user", chance.choice(_REMARKS).format(**words)


def _work(chance: random.Random, words: dict[str, str]) -> Iterator[tuple[str, Any]]:
    path = f"src/{words['area']}/{words['part']}.py"
    yield from _call(chance, "Read", {"file_path": path}, f"def {words['part']}(rows):\n    return rows")
    if chance.random() < 0.3:
        numbers = {"number": chance.randint(1, 9), "other": chance.randint(10, 99)}
        told = chance.choice(_FAILURES).format(**words, **numbers)
        yield from _call(
            chance, "Bash", {"command": f"pytest tests/test_{words['area']}.py"}, told, failed=True
        )
    for step in range(chance.randint(1, 9)):
        edit = {"file_path": path, "old_string": "return rows", "new_string": f"return rows[{step}:]"}
        yield from _call(chance, "Edit", edit, f"The file {path} has been updated.")
    passed = f"{chance.randint(2, 40)} passed in {chance.randint(1, 90) / 10}s"
    yield from _call(chance, "Bash", {"command": f"pytest tests/test_{words['area']}.py"}, passed)


def _call(
    chance: random.Random, name: str, arguments: dict[str, str], result: str, *, failed: bool = False
) -> Iterator[tuple[str, Any]]:
    own = f"toolu_{chance.getrandbits(48):012x}"
    yield "assistant", [{"type": "tool_use", "id": own, "name": name, "input": arguments}]
    told = {"type": "tool_result", "tool_use_id": own, "content": result}
    yield "user", [{**told, "is_error": True} if failed else told]


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
