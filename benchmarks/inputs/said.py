"""Turns of people with what a note-taker would keep of them, from a file of their own.

One JSON object a line: `id`, `repository` (and `likely_same_project`, which counts where it is given), `lang`, `text`
(what the person wrote), `before` (the end of the agent's last answer, with the names of its calls as `agent_act` writes
them), `after` (how its answer begins), `interrupted`, `drawn` (`random`, or `sought` for its words), and `keep`:
null, or `{"kind": "preference" | "correction" | "decision" | "fact", "memory": "..."}`. Some files also say what the
turn does (`labels`, as benchmarks/gold/turns.jsonl), whether it opens another task (`new_task`), whether it tells that
what the agent did before is right (`previous_done`: yes, no or unknown), the turn before it (`asked`), and the
`licence` of its repository (SPDX).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from inputs.places import session_sets

from ultron_core.lessons.people.turns import read_turns
from ultron_core.models import Message, ToolCall
from ultron_core.sessions import parse_session
from ultron_core.transcript.acts.features import HumanTurn
from ultron_core.transcript.language import language

__all__ = ["KINDS", "NATIVE_TURNS", "WRITTEN_TURNS", "Told", "as_messages", "load_native", "load_told"]

KINDS = ("preference", "correction", "decision", "fact")
#: turns that the project wrote, in the same form
WRITTEN_TURNS = Path(__file__).resolve().parents[1] / "gold" / "said_written.jsonl"
#: turns of the shared sessions, by file and line
NATIVE_TURNS = WRITTEN_TURNS.with_name("said_native.jsonl")
#: e.g. `Fixed it. [calls: Edit, Bash]`
_CALLS = re.compile(r"\s*\[calls: ([^\[\]]*)\]\s*$")


@dataclass(frozen=True)
class Told:
    """One turn; `kind` and `memory` are empty where nothing of it is worth a note."""

    id: str
    repository: str
    lang: str
    turn: HumanTurn
    after: str
    kind: str
    memory: str
    labels: tuple[str, ...]
    #: how the turn was drawn: at random, or sought for its words
    drawn: str
    #: whether the turn opens another task; None where nobody said
    new_task: bool | None = None
    #: whether the turn tells that what went before is right: yes, no, unknown; empty where nobody said
    previous_done: str = ""


def load_told(path: Path) -> list[Told]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [_told(number, row) for number, row in enumerate(rows)]


def load_native(data: Path) -> list[Told]:
    """The turns of the shared sessions of people with coding agents that benchmarks/gold/said_native.jsonl labels."""
    wanted: dict[tuple[str, str], dict[int, dict | None]] = {}
    for line in NATIVE_TURNS.read_text("utf-8").splitlines():
        row = json.loads(line)
        wanted.setdefault((row["set"], row["file"]), {})[row["line"]] = row["keep"]
    found = []
    for part in session_sets(data):
        for file, body in part.files():
            name = Path(file).name
            labels = wanted.get((part.name, name))
            for turn in read_turns(parse_session(body).messages) if labels else ():
                line = turn.message.start_line
                if labels is not None and line in labels:
                    row = {"repository": part.name, "text": turn.message.content, "keep": labels.pop(line)}
                    row |= {"before": turn.described.before, "interrupted": turn.stopped}
                    row |= {"lang": language(turn.message.content), "id": f"{part.name}/{name}#{line}"}
                    found.append(_told(0, row))
    return found


def _told(number: int, row: dict) -> Told:
    keep = row.get("keep") or {}
    return Told(
        id=row.get("id", f"{row['repository']}#{number}"),
        repository=row.get("likely_same_project") or row["repository"],
        lang=row["lang"],
        turn=HumanTurn(
            row["text"], row.get("before") or "", bool(row.get("interrupted")), row.get("asked") or ""
        ),
        after=row.get("after") or "",
        kind=keep.get("kind", ""),
        memory=keep.get("memory", ""),
        labels=tuple(row.get("labels") or ()),
        drawn=row.get("drawn", ""),
        new_task=row.get("new_task"),
        previous_done=row.get("previous_done") or "",
    )


def as_messages(told: Told) -> list[Message]:
    """The turn as a session of its own: what the agent had said and called, the turn, and how it was answered."""
    messages: list[Message] = []
    if told.turn.before:
        listed = _CALLS.search(told.turn.before)
        names = listed.group(1).split(", ") if listed else []
        said = told.turn.before[: listed.start()] if listed else told.turn.before
        calls = tuple(ToolCall(f"c{i}", name, "{}") for i, name in enumerate(names) if name)
        if calls:
            messages.append(Message("assistant", "", calls, origin="model"))
            messages += [Message("tool", "ok", tool_call_id=call.id, origin="tool") for call in calls]
        messages.append(Message("assistant", said, origin="model"))
    if told.turn.interrupted:
        messages.append(Message("user", "[Request interrupted by user]", origin="harness"))
    messages.append(Message("user", told.turn.text, origin="human"))
    if told.after:
        messages.append(Message("assistant", told.after, origin="model"))
    lines = range(1 if not told.turn.before else 20, 99)
    return [_at(message, line) for message, line in zip(messages, lines, strict=False)]


def _at(message: Message, line: int) -> Message:
    return Message(
        message.role,
        message.content,
        message.tool_calls,
        message.tool_call_id,
        origin=message.origin,
        start_line=line,
        end_line=line,
    )
