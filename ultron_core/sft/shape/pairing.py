"""Calls and their results: each result follows its call, in call order; what has lost its partner is repaired.

An orphan result becomes user text that says what it is. A call that was never answered, but for those of the last
turn, gets a stand-in for its result, and its turn is masked from loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ultron_core.sft.shape.turns import Turn

__all__ = ["NO_RESULT", "paired"]

NO_RESULT = "[the log holds no result of this call]"
_ORPHAN = "[output of {name}]\n{content}"


@dataclass
class _Open:
    """The calls of the turn that was read last, and what answered them so far."""

    turn: Turn
    calls: list[tuple[str, str, str]]
    answers: dict[str, Turn] = field(default_factory=dict)
    orphans: list[Turn] = field(default_factory=list)

    def take(self, row: Mapping[str, Any]) -> bool:
        """The result answers one of the calls: by id, in logs without ids by order."""
        free = [call for call in self.calls if call[1] not in self.answers]
        old = row["tool_call_id"]
        match = next((call for call in free if call[0] == old), None)
        if match is None and (not old or not any(call[0] for call in free)):
            match = next(iter(free), None)
        if match is None:
            return False
        self.answers[match[1]] = {**row, "tool_call_id": match[1], "name": match[2]}
        return True


def paired(rows: Sequence[Turn], repairs: Counter[str]) -> list[Turn]:
    """The same turns with new call ids in order, all pairs whole; the last turn's calls may stay open."""
    result: list[Turn] = []
    open_turn: _Open | None = None
    number = 0
    for row in rows:
        if row["role"] == "tool":
            if open_turn is None or not open_turn.take(row):
                repairs["orphan_result"] += 1
                orphan = _as_user(row)
                (open_turn.orphans if open_turn else result).append(orphan)
            continue
        if open_turn is not None:
            result += _closed(open_turn, repairs)
            open_turn = None
        turn = dict(row)
        if "tool_calls" in turn:
            calls = []
            turn["tool_calls"] = [dict(call) for call in turn["tool_calls"]]
            for call in turn["tool_calls"]:
                number += 1
                calls.append((call["id"], f"call_{number:05d}", call["function"]["name"]))
                call["id"] = calls[-1][1]
            open_turn = _Open(turn, calls)
        result.append(turn)
    return result


def _closed(done: _Open, repairs: Counter[str]) -> list[Turn]:
    rows = []
    for _, new, name in done.calls:
        answer = done.answers.get(new)
        if answer is None:
            repairs["interrupted_call"] += 1
            done.turn["loss"] = False
            answer = {"role": "tool", "content": NO_RESULT, "tool_call_id": new, "name": name}
        rows.append(answer)
    return rows + done.orphans


def _as_user(row: Mapping[str, Any]) -> Turn:
    return {"role": "user", "content": _ORPHAN.format(name=row["name"] or "a tool", content=row["content"])}
