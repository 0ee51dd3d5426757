"""`ultron edit`: other words or tags of a memory, by options or in an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import console, print_json
from ultron_core.display import one_line
from ultron_core.errors import InputError, UltronError
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.client import Ultron
    from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["COMMANDS", "fields_in", "form_of"]

_FIELDS = ("content", "context", "resolution", "tags")
_ABOUT = "#### Change what stands below these lines, which stay as they are; tags are one a line.\n"


@click.command()
@click.argument("memory_id")
@click.option("--content", help="What it says.")
@click.option("--context", help="Where that holds.")
@click.option("--resolution", help="What to do about it.")
@click.option(
    "--tag", "tags", multiple=True, help="Its tags, in the place of those that it has; an empty one: none."
)
@click.option(
    "--purge",
    is_flag=True,
    help="Keep no older words of it: not in versions, nor in what was merged or quoted. No merge can be undone then.",
)
@click.option("--yes", is_flag=True, help="With --purge: do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def edit(
    settings: Settings,
    /,
    memory_id: str,
    tags: tuple[str, ...],
    purge: bool,
    yes: bool,
    as_json: bool,
    **words: Any,
) -> None:
    """Change what a memory says; the words are yours then.

    Without an option for a field $EDITOR opens with all of them; with --purge alone no words are changed. What it said
    before stays in its history. MEMORY_ID may be its first characters.
    """
    from ultron_core.steps.edit import get_memories
    from ultron_core.steps.names import find_memory

    given = {name: text for name, text in words.items() if text is not None}
    changes: dict[str, Any] = {**given, **({"tags": [tag for tag in tags if tag.strip()]} if tags else {})}
    with open_ultron(settings) as ultron:
        full_id = find_memory(ultron.runtime, memory_id)
        (record,) = get_memories(ultron.runtime, [full_id], record_hits=False)
        form = None if changes or purge else _edited(record)
        wanted = bool(changes or purge or form)
        if wanted and purge and not yes:
            wanted = click.confirm("Its older words go for good, and no merge can be undone. Continue?")
        if not wanted:
            console().print("Nothing was changed.")
            return
        changed = _save(ultron, record, changes, purge) if form is None else _save_form(ultron, record, form)
    if as_json:
        print_json(changed)
    else:
        console().print(f"Saved: {_told(changed, record, purge)}", soft_wrap=True)


def _save(ultron: Ultron, record: MemoryRecord, changes: dict[str, Any], purge: bool) -> MemoryRecord:
    return ultron.update_memory(record.id, **changes, if_version=record.version, purge=purge)


def _save_form(ultron: Ultron, record: MemoryRecord, form: str) -> MemoryRecord:
    """What was typed is printed where it cannot be saved: the editor's file is gone."""
    try:
        return _save(ultron, record, fields_in(form, record.id), purge=False)
    except UltronError:
        console(stderr=True).print(f"These words were not saved:\n{form}", soft_wrap=True)
        raise


def _told(changed: MemoryRecord, before: MemoryRecord, purge: bool) -> str:
    state = f"version {changed.version}" if changed.version != before.version else "its words are as before"
    purged = "; no older words are kept" if purge else ""
    return f"{str(changed.id)[:8]}, {state}{purged}. {one_line(changed.summary_l0)}"


def _edited(record: MemoryRecord) -> str | None:
    """What somebody saved in an editor; None when it was left as it was."""
    before = form_of(record)
    after = click.edit(before, extension=".txt", require_save=True)
    return None if after is None or after.strip() == before.strip() else after


def form_of(record: MemoryRecord) -> str:
    """The fields of a memory under a line for each, which no memory holds: its own id is part of it."""
    values = {"content": record.content, "context": record.context, "resolution": record.resolution}
    values["tags"] = "\n".join(record.tags)
    return _ABOUT + "\n".join(f"{_heading(name, record.id)}\n{values[name]}\n" for name in _FIELDS)


def fields_in(form: str, memory_id: UUID) -> dict[str, Any]:
    """The fields of a form that somebody changed. Raises InputError when one of its lines is not there any more."""
    found: dict[str, str] = {}
    rest = form.replace("\r\n", "\n")
    for name in reversed(_FIELDS):
        rest, line, value = rest.rpartition(f"{_heading(name, memory_id)}\n")
        if not line:
            raise InputError(f"The line `{_heading(name, memory_id)}` is gone: nothing was changed.")
        found[name] = value.strip()
    return {**found, "tags": [tag.strip() for tag in found["tags"].splitlines() if tag.strip()]}


def _heading(name: str, memory_id: UUID) -> str:
    return f"#### {name} of {str(memory_id)[:8]}"


COMMANDS = [edit]
