"""Which memories of a project stand in its handbook: what a person said for good, and what its logs prove."""

from __future__ import annotations

from ultron_core.errors import InputError
from ultron_core.recall.handbook import Handbook, HandbookLine, Section, make_handbook, shown_line
from ultron_core.steps.browse import known_of_project
from ultron_core.steps.projects import checked_project, scope_of
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["handbook", "section_of"]

#: memories looked at, the most used first: a budget of 800 tokens holds some twenty lines
_LOOKED_AT = 400
#: where a person decides something for later ("" is what its owner confirmed)
_DECIDED = ("turn", "choice", "refusal", "")


def handbook(runtime: Runtime, project: str | None, budget_tokens: int) -> Handbook:
    """What is known for certain of one project, None for that of the working folder. Raises UnknownNameError for one
    that is not stored, InputError where the folder has none."""
    name = checked_project(runtime, project) if project is not None else scope_of(runtime).first
    if name is None:
        raise InputError("The working folder belongs to no project that is stored: name one with --project.")
    found = [(section_of(record), record) for record in known_of_project(runtime, name, _LOOKED_AT)]
    lines = [
        HandbookLine(section, str(record.id)[:8], shown_line(_text(record), name))
        for section, record in found
        # what was seen in several projects belongs to none alone
        if section is not None and record.project == name
    ]
    return make_handbook(name, lines, budget_tokens)


def _text(record: MemoryRecord) -> str:
    """The summary, with the cure where it was too long for that."""
    summary = record.summary_l0 or record.content
    told = summary if record.resolution in summary else f"{summary} {record.resolution}"
    return f"{told}{record.doubt}"


def section_of(record: MemoryRecord) -> Section | None:
    """Where a memory stands in a handbook; None for what no person said and nothing proves, and for what is held."""
    if record.held:
        return None
    kind, proof = record.memory_type, record.proven
    if proof == "person" and (kind == "preference" or (kind == "pattern" and record.lesson in _DECIDED)):
        return "conventions"
    if kind == "error" and record.resolution and proof in ("check", "person") and not record.doubt:
        return "cures"
    if kind == "security" and proof in ("result", "person"):
        return "warnings"
    return None
