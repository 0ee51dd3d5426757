"""What a store learned, a few of the best: for somebody who sees it for the first time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from ultron_core.cli.output import console
from ultron_core.models import Proof
from ultron_core.steps.browse import list_memories
from ultron_core.steps.overview import places
from ultron_core.store.tables.memories import MemoryRecord, MemorySource

if TYPE_CHECKING:
    from ultron_core.client import Ultron

__all__ = ["Lesson", "lessons_of", "print_lessons"]

#: memories that the best are chosen of, the newest
_LOOKED_AT = 200
#: characters of one that are shown
_SHOWN = 280
_BY_PROOF = get_args(Proof)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A memory in a line, and the place that it is from."""

    id: str
    memory_type: str
    proof: str
    said_by: str
    text: str
    agent_id: str
    #: the log, while it is where it was read
    path: Path | None
    lines: tuple[int, int] | None


def lessons_of(ultron: Ultron, count: int) -> list[Lesson]:
    """Of the newest memories the best borne out, one of a session before a second of it; what only an agent said comes
    last."""
    records: list[MemoryRecord] = []
    for status in ("active", "claimed"):
        if len(records) < count:
            page = list_memories(ultron.runtime, status=status, limit=_LOOKED_AT)
            records += sorted(page.rows, key=_worth)
    looked_at = records[: 4 * count]
    pairs = [(record, source) for record in looked_at for source in ultron.get_memory_sources(record.id)[:1]]
    seen: set[object] = set()
    first: list[Lesson] = []
    more: list[Lesson] = []
    for record, source in pairs:
        (more if source.session_id in seen else first).append(_lesson(ultron, record, source))
        seen.add(source.session_id)
    return [*first, *more][:count]


def _worth(record: MemoryRecord) -> tuple[int, float]:
    return _BY_PROOF.index(record.proven), -(record.probability if record.probability is not None else 1.0)


def _lesson(ultron: Ultron, record: MemoryRecord, source: MemorySource) -> Lesson:
    text = f"{record.claimant}{record.summary_l0 or record.content}"
    lines = None
    if source.start_line is not None and source.end_line is not None:
        lines = (source.start_line, source.end_line)
    return Lesson(
        id=str(record.id)[:8],
        memory_type=record.memory_type,
        proof=record.proven,
        said_by=record.trust,
        text=text,
        agent_id=source.agent_id,
        path=places(ultron.runtime, record.id).get(source.id),
        lines=lines,
    )


def print_lessons(lessons: Sequence[Lesson]) -> None:
    """Print each with its place; says so when there are none."""
    out = console()
    if not lessons:
        out.print(
            "Nothing to remember was found: offline rules keep little, a model finds more (`ultron model`); "
            "`ultron drops` says what was refused and why."
        )
        return
    out.print("\nSome of what is known now:", style="bold")
    for one in lessons:
        shown = one.text if len(one.text) <= _SHOWN else one.text[: _SHOWN - 1] + "…"
        out.print(f"  {one.id}  {shown}", soft_wrap=True)
        place = str(one.path) if one.path else one.agent_id
        lines = f" lines {one.lines[0]}-{one.lines[1]}" if one.lines else ""
        out.print(
            f"            {one.memory_type}, said by {one.said_by}: {place}{lines}",
            style="dim",
            soft_wrap=True,
        )
