"""Memories one by one: list them, look back, archive, bring back, delete."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

import click

from ultron_core.cli.opening import open_ultron, tell_store
from ultron_core.cli.options import Moment, project_option, shown_project
from ultron_core.cli.output import console, print_json, print_rows
from ultron_core.display import one_line
from ultron_core.models import MemoryType, Proof, Status
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["COMMANDS"]

_COLUMNS = ("id", "stored", "type", "tier", "#hits", "#last hit", "said by", "proof", "project", "memory")
#: what a decision is called
_TOLD = {"insert": "made", "merge": "merged", "archive": "archived", "return": "came back"}


@click.command()
@project_option("Only what was seen in this project.")
@click.option("--type", "memory_type", type=click.Choice(get_args(MemoryType)), help="Only this type.")
@click.option(
    "--tier", type=click.Choice(["HOT", "WARM", "COLD"], case_sensitive=False), help="Only this tier."
)
@click.option(
    "--status",
    type=click.Choice(get_args(Status)),
    default="active",
    show_default=True,
    help="The shelf; claimed is what only an agent said.",
)
@click.option("--agent", "agent_id", help="Only what this agent contributed.")
@click.option("--tag", help="Only what carries this tag.")
@click.option("--cluster", "cluster_id", help="Only what is in this cluster: the first characters of its id.")
@click.option("--session", help="Only what this session gave: its file, its key, or its id.")
@click.option("--since", type=Moment(), help="Only what was stored from this day or time on.")
@click.option("--until", type=Moment(end_of_day=True), help="Only what was stored until then.")
@click.option("--proof", type=click.Choice(get_args(Proof)), help="Only what is borne out so.")
@click.option(
    "--sort",
    type=click.Choice(["time", "hits", "last-hit"]),
    default="time",
    show_default=True,
    help="The newest, the most used, or the last used first.",
)
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 200), help="Memories of a page."
)
@click.option("--cursor", help="The next page: what the last one printed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def memories(settings: Settings, /, sort: str, as_json: bool, **filters: Any) -> None:
    """List memories, page by page. It counts no hits."""
    with open_ultron(settings, reading=True) as ultron:
        page = ultron.browse.memories(sort=sort.replace("-", "_"), **filters)
        if as_json:
            print_json({"memories": page.rows, "cursor": page.cursor})
        elif page.rows:
            print_rows(_COLUMNS, [_row(record) for record in page.rows])
        if not page.rows:
            tell_store(ultron)
    if page.cursor and not as_json:
        console().print(f"There are more: the same with --cursor {page.cursor}", style="dim", soft_wrap=True)


def _row(record: MemoryRecord) -> list[Any]:
    return [
        str(record.id)[:8],
        _day(record.created_at),
        record.memory_type,
        record.tier,
        record.hit_count,
        _day(record.last_hit_at),
        record.trust,
        record.proven,
        shown_project(record.projects),
        one_line(record.claimant + record.summary_l0),
    ]


def _day(moment: datetime | None) -> str:
    return "-" if moment is None else f"{moment.astimezone():%Y-%m-%d}"


def _minute(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


@click.command()
@click.argument("memory_id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def history(settings: Settings, memory_id: str, as_json: bool) -> None:
    """Print how a memory came to be what it is.

    What it said before, what was merged into it, when it was archived and came back and why, verdicts, links, and how
    often it was used. MEMORY_ID may be its first characters.
    """
    from ultron_core.steps.names import find_memory

    with open_ultron(settings, reading=True) as ultron:
        full_id = find_memory(ultron.runtime, memory_id)
        known = ultron.get_memory_history(full_id)
    if as_json:
        print_json({"id": full_id, **known})
        return
    out = console()
    hits = known["hits"]
    last = f", the last one {_minute(hits['last'])}" if hits["last"] else ""
    out.print(f"{full_id}  version {known['version']}, {hits['count']:,} hits{last}", style="bold")
    events = [_decided(row) for row in known["decisions"]]
    events += [_judged(row) for row in known["verdicts"]]
    events += [_linked(row) for row in known["links"]]
    events += [_changed(row) for row in known["versions"]]
    for moment, told in sorted(events):
        out.print(f"{_minute(moment)}  {told}", soft_wrap=True)


def _decided(row: Mapping[str, Any]) -> tuple[datetime, str]:
    other = f" with {str(row['other_id'])[:8]}" if row["other_id"] and row["decision"] == "insert" else ""
    undone = f", undone {_minute(row['undone_at'])}" if row["undone_at"] else ""
    reason = f": {one_line(row['reason'])}" if row["reason"] else ""
    which = f" (decision {row['id']})" if row["decision"] == "merge" and not undone else ""
    told = (
        f"{_TOLD.get(row['decision'], row['decision'])}{other}{reason}, by {row['decided_by']}{undone}{which}"
    )
    return row["created_at"], told


def _judged(row: Mapping[str, Any]) -> tuple[datetime, str]:
    stands = "" if row["holds"] else ", of other words than stand now"
    return row["given_at"], f"{row['verdict']} by {row['given_by'] or 'the owner'}{stands}"


def _linked(row: Mapping[str, Any]) -> tuple[datetime, str]:
    kind = row["kind"].replace("_", " ")
    way = kind if row["newer"] or row["kind"] == "similar_to" else f"the other {kind} this"
    return row["created_at"], f"linked, {way}: {str(row['other_id'])[:8]} {one_line(row['summary'])}"


def _changed(row: Mapping[str, Any]) -> tuple[datetime, str]:
    by = f" by {row['changed_by']}" if row["changed_by"] else ""
    said = " / ".join(one_line(row[name]) for name in ("content", "context", "resolution") if row[name])
    return row["changed_at"], f"changed{by}; version {row['version']} said: {said or '(purged)'}"


@click.command()
@click.argument("memory_ids", nargs=-1, required=True)
@click.pass_obj
def archive(settings: Settings, memory_ids: tuple[str, ...]) -> None:
    """Leave memories out of searches, until `ultron unarchive`.

    MEMORY_IDS may be their first characters; all of them are archived, or none.
    """
    from ultron_core.steps.names import find_memories

    with open_ultron(settings) as ultron:
        done = ultron.archive_memories(find_memories(ultron.runtime, memory_ids))
    _tell("Archived", done)


@click.command()
@click.argument("memory_ids", nargs=-1, required=True)
@click.pass_obj
def unarchive(settings: Settings, memory_ids: tuple[str, ...]) -> None:
    """Bring archived memories back into searches.

    Also those that were archived by age, or judged junk, which is withdrawn then. MEMORY_IDS may be their first
    characters; all of them come back, or none.
    """
    from ultron_core.steps.names import find_memories

    with open_ultron(settings) as ultron:
        done = ultron.unarchive_memories(find_memories(ultron.runtime, memory_ids))
    _tell("Back", done)


@click.command()
@click.argument("memory_ids", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete(settings: Settings, memory_ids: tuple[str, ...], yes: bool) -> None:
    """Remove memories and everything derived from them.

    MEMORY_IDS may be their first characters; all of them are deleted, or none.
    """
    from ultron_core.steps.edit import get_memories
    from ultron_core.steps.names import find_memories

    with open_ultron(settings) as ultron:
        found = find_memories(ultron.runtime, memory_ids)
        if not yes:
            _tell("To be deleted", get_memories(ultron.runtime, found, record_hits=False))
            which = "this memory" if len(found) == 1 else f"these {len(found)} memories"
            if not click.confirm(f"Delete {which} permanently?"):
                console().print("Nothing was deleted.")
                return
        ultron.delete_memories(found)
    console().print("Deleted." if len(found) == 1 else f"Deleted {len(found)} memories.")


def _tell(what: str, records: Any) -> None:
    for record in records:
        console().print(f"{what}: {str(record.id)[:8]} {one_line(record.summary_l0)}", soft_wrap=True)


COMMANDS = [memories, history, archive, unarchive, delete]
