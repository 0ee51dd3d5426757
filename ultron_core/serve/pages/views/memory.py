"""One memory: what it says, the lines it rests on, its history; and every change a person may make to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from ultron_core.errors import ConflictError, InputError, NotFoundError
from ultron_core.serve.bodies import ChangeBody, VerdictBody
from ultron_core.serve.pages.forms import Form, checked
from ultron_core.serve.pages.quoting import ShownLine, excerpt
from ultron_core.serve.pages.render import moved, page
from ultron_core.serve.pages.visitors import Opens, Visitor
from ultron_core.steps.edit import get_memories
from ultron_core.steps.ids import as_id
from ultron_core.store.tables.memories import MemoryRecord, MemorySource

__all__ = ["router"]

router = APIRouter(prefix="/ui", include_in_schema=False)
Reader = Annotated[Visitor, Depends(Opens("read"))]
Writer = Annotated[Visitor, Depends(Opens("write"))]
Curator = Annotated[Visitor, Depends(Opens("curate"))]
MemoryId = Annotated[str, Path(max_length=64)]
#: sources shown with their lines; the others as links
_MOST_SHOWN = 5
#: messages of one source
_MOST_MESSAGES = 12
#: what a change says on the page that follows
_NOTICES = {
    "changed": "Saved. What it said before is in its history.",
    "confirmed": "Confirmed: agents are told it like what a person said.",
    "useful": "Useful: agents are told it like what a person said, unless it is held.",
    "junk": "Junk: archived, also when its words are found again. Unarchive it to take that back.",
    "archived": "Archived: searches leave it out.",
    "unarchived": "Back in searches.",
    "restored": "The merge is undone: this is the memory that came out of it.",
}


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message that a memory rests on, or the one before and after it."""

    row: dict[str, Any]
    lines: Sequence[ShownLine]
    is_source: bool


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source with its messages; without any when the log is gone, or is not the visitor's to read."""

    source: MemorySource
    messages: Sequence[ShownMessage]


@router.get("/memories/{memory_id}")
def one(memory_id: MemoryId, visitor: Reader, done: Annotated[str, Query(max_length=20)] = "") -> Response:
    """A memory with the lines it rests on, highlighted."""
    record = _memory(visitor, memory_id)
    sources = _places(visitor.ultron.get_memory_sources(record.id))
    return page(
        "memory.html",
        visitor,
        record=record,
        notice=_NOTICES.get(done, ""),
        verdicts=visitor.ultron.get_memory_history(record.id)["verdicts"],
        sources=[_shown(visitor, source) for source in sources[:_MOST_SHOWN]],
        further=sources[_MOST_SHOWN:],
    )


@router.get("/memories/{memory_id}/history")
def history(memory_id: MemoryId, visitor: Reader) -> Response:
    """What it said before, how it came to be, and what it is linked with; each merge can be undone."""
    record = _memory(visitor, memory_id)
    found = visitor.ultron.get_memory_history(record.id)
    return page(
        "history.html",
        visitor,
        record=record,
        version_now=found["version"],
        versions=found["versions"],
        decisions=found["decisions"],
        hits=found["hits"],
        links=found["links"],
    )


@router.get("/memories/{memory_id}/edit")
def edit(memory_id: MemoryId, visitor: Writer) -> Response:
    """The form of a correction."""
    record = _memory(visitor, memory_id)
    return page("edit.html", visitor, record=record, given=_fields(record), problem="")


@router.post("/memories/{memory_id}/edit")
def change(memory_id: MemoryId, visitor: Writer, form: Form) -> Response:
    """Correct a memory; when somebody else was faster, both versions are shown."""
    record = _memory(visitor, memory_id)
    given = {name: form.get(name, "") for name in _fields(record)}
    try:
        body = checked(ChangeBody, {"version": _number(form.get("version", ""))})
        visitor.ultron.update_memory(
            record.id,
            content=given["content"],
            context=given["context"],
            resolution=given["resolution"],
            tags=[tag.strip() for tag in given["tags"].split(",") if tag.strip()],
            changed_by=visitor.name,
            trust="human" if visitor.is_owner else "upload",
            if_version=body.version,
        )
    except ConflictError:
        problem = "Somebody changed this memory in the meantime: what it says now stands below your words."
        return page("edit.html", visitor, 409, record=record, given=given, problem=problem)
    except InputError as error:
        return page("edit.html", visitor, 422, record=record, given=given, problem=str(error))
    return moved(f"/ui/memories/{record.id}", done="changed")


@router.post("/memories/{memory_id}/confirm")
def confirm(memory_id: MemoryId, visitor: Curator) -> Response:
    """The owner's verdict that it holds as it stands."""
    confirmed = visitor.ultron.confirm_memory(memory_id, given_by=visitor.name)
    return moved(f"/ui/memories/{confirmed.id}", done="confirmed")


@router.post("/memories/{memory_id}/verdict")
def judge(memory_id: MemoryId, visitor: Curator, form: Form) -> Response:
    """A person's verdict that it is useful, or junk."""
    given = checked(VerdictBody, {"verdict": form.get("verdict", "")})
    judged = visitor.ultron.judge_memory(memory_id, given.verdict, given_by=visitor.name)
    return moved(f"/ui/memories/{judged.id}", done=given.verdict)


@router.post("/memories/{memory_id}/archive")
def archive(memory_id: MemoryId, visitor: Curator) -> Response:
    """Leave it out of searches."""
    return moved(f"/ui/memories/{visitor.ultron.archive_memory(memory_id).id}", done="archived")


@router.post("/memories/{memory_id}/unarchive")
def unarchive(memory_id: MemoryId, visitor: Curator) -> Response:
    """Bring it back."""
    return moved(f"/ui/memories/{visitor.ultron.unarchive_memory(memory_id).id}", done="unarchived")


@router.get("/memories/{memory_id}/delete")
def ask_to_delete(memory_id: MemoryId, visitor: Curator) -> Response:
    """What would go."""
    record = _memory(visitor, memory_id)
    sources = visitor.ultron.get_memory_sources(record.id)
    return page("delete.html", visitor, record=record, sources=sources)


@router.post("/memories/{memory_id}/delete")
def delete(memory_id: MemoryId, visitor: Curator) -> Response:
    """Remove a memory with everything derived from it."""
    visitor.ultron.delete_memory(memory_id)
    return moved("/ui", deleted="1")


@router.post("/decisions/{decision_id}/undo")
def undo(decision_id: MemoryId, visitor: Curator) -> Response:
    """Undo a merge; shows the memory that came out of it."""
    return moved(f"/ui/memories/{visitor.ultron.unmerge(decision_id).id}", done="restored")


def _memory(visitor: Visitor, memory_id: str) -> MemoryRecord:
    found = get_memories(visitor.ultron.runtime, [as_id(memory_id)], record_hits=False)
    if not found:
        raise NotFoundError(f"No memory {as_id(memory_id)}.")
    return found[0]


def _fields(record: MemoryRecord) -> dict[str, str]:
    return {
        "content": record.content,
        "context": record.context,
        "resolution": record.resolution,
        "tags": ", ".join(record.tags),
    }


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _places(sources: Sequence[MemorySource]) -> list[MemorySource]:
    """One of those that stand on the same lines; what was handed in stays, each for itself."""
    told = {(s.session_id or s.id, s.start_line, s.end_line): s for s in reversed(sources)}
    return list(reversed(told.values()))


def _shown(visitor: Visitor, source: MemorySource) -> ShownSource:
    if source.session_id is None or source.start_line is None or not visitor.may_read_logs:
        return ShownSource(source, ())
    first, last = source.start_line, source.end_line or source.start_line
    try:
        rows = visitor.ultron.browse.lines(
            source.session_id, max(1, first - 1), last + 1, agent_id=visitor.log_of()
        )
    except NotFoundError:
        return ShownSource(source, ())  # another agent's log
    shown = []
    for row in rows[:_MOST_MESSAGES]:
        is_source = row["start_line"] <= last and row["end_line"] >= first
        lines = excerpt(row["content"], source.quote, is_source=is_source)
        shown.append(ShownMessage(row, lines, is_source))
    return ShownSource(source, shown)
