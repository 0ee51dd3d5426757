"""Commands that only read: search, show, sessions, stats, drops."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from ultron_core.cli.opening import open_ultron, tell_store
from ultron_core.cli.options import all_projects_option, project_option, shown_project
from ultron_core.cli.output import console, key_values, print_json, print_rows, table
from ultron_core.display import one_line, plain
from ultron_core.errors import NotFoundError
from ultron_core.models import MemoryType, Proof
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.store.tables.memories import MemorySource

__all__ = ["COMMANDS", "lines_command"]


@click.command()
@click.argument("query")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    help="Maximum number of results; default ULTRON_MEMORY_SEARCH_LIMIT (10).",
)
@click.option(
    "--level",
    type=click.Choice(["l0", "l1"]),
    default="l1",
    show_default=True,
    help="What --json holds of each: the one-line summary, or the overview as well.",
)
@click.option(
    "--type", "types", multiple=True, type=click.Choice(get_args(MemoryType)), help="Only these types."
)
@click.option("--tag", "tags", multiple=True, help="Only memories with all of these tags.")
@click.option("--proof", multiple=True, type=click.Choice(get_args(Proof)), help="Only what is borne out so.")
@click.option("--claimed", is_flag=True, help="Also what only an agent said, below what something bears out.")
@click.option("--agent", "agent_id", help="Only what this agent contributed.")
@project_option("Only what was seen in this project.")
@all_projects_option
@click.option("--sessions", "in_sessions", is_flag=True, help="Search the verbatim logs instead.")
@click.option("--all-agents", is_flag=True, help="With --sessions: the logs of every agent.")
@click.option("--explain", is_flag=True, help="Show how each score was computed.")
@click.option(
    "--rerank/--no-rerank",
    default=None,
    help="Let the model reorder the best hits (default: as configured).",
)
@click.option("--no-hits", is_flag=True, help="Count no hits, whatever ULTRON_SEARCH_HITS says.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def search(
    settings: Settings,
    query: str,
    limit: int | None,
    level: str,
    types: tuple[str, ...],
    tags: tuple[str, ...],
    proof: tuple[str, ...],
    claimed: bool,
    agent_id: str | None,
    project: str | None,
    all_projects: bool,
    in_sessions: bool,
    all_agents: bool,
    explain: bool,
    rerank: bool | None,
    no_hits: bool,
    as_json: bool,
) -> None:
    """Find memories by meaning and by words."""
    limit = limit or settings.search.limit
    with open_ultron(settings, reading=True) as ultron:
        if in_sessions:
            found = ultron.search_sessions(
                query,
                limit,
                agent_id=agent_id,
                all_agents=all_agents,
                project=project,
                all_projects=all_projects,
            )
            if as_json:
                print_json(list(found))
            else:
                _print_sessions(found)
            if not found:
                tell_store(ultron)
            return
        hits = ultron.search_memories(
            query,
            level,
            limit,
            memory_types=types or None,
            tags=tags or None,
            proof=proof or None,
            claimed=claimed,
            agent_id=agent_id,
            record_hits=not no_hits,
            explain=explain,
            rerank=rerank,
            project=project,
            all_projects=all_projects,
        )
        if as_json:
            print_json(list(hits))
        else:
            _print_hits(hits, explain)
        if not hits:
            tell_store(ultron)


def _print_hits(hits: Sequence[Any], explain: bool) -> None:
    out = console()
    rows = []
    for hit in hits:
        record = hit.record
        rows.append(
            [
                str(record.id)[:8],
                f"{hit.score:.2f}{' weak' if hit.weak else ''}",
                record.memory_type,
                record.tier,
                record.trust,
                record.proven,
                shown_project(record.projects),
                _told(hit),
            ]
        )
    if rows:
        print_rows(["id", "#score", "type", "tier", "said by", "proof", "project", "memory"], rows)
        out.print("`ultron show ID` prints a memory with its source lines.", style="dim")
        if any(hit.weak for hit in hits):
            out.print("weak: probably not about the query.", style="dim")
    if explain:
        for hit in hits:
            out.print(f"{str(hit.record.id)[:8]}: {hit.explain}")
    for note in getattr(hits, "notes", ()):
        out.print(note, style="yellow")


def _told(hit: Any) -> str:
    differs = f" ({hit.differs})" if hit.differs else ""
    return f"{hit.record.claimant}{hit.record.summary_l0}{hit.record.doubt}{differs}{_alike(len(hit.same))}"


def _alike(count: int) -> str:
    return f" (and {count} of the same summary)" if count else ""


def _print_sessions(found: Sequence[Any]) -> None:
    out = console()
    for hit in found:
        out.print(
            f"{hit.score:.2f}  {hit.agent_id}/{hit.session_file}  lines {hit.start_line}-{hit.end_line}"
            + (f"  [{hit.project}]" if hit.project else "")
            + ("  (weak)" if hit.weak else ""),
            style="bold",
        )
        out.print("      " + one_line(hit.text)[:300])


@click.command()
@click.argument("memory_id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def show(settings: Settings, memory_id: str, as_json: bool) -> None:
    """Print a memory with the lines it rests on.

    The file, the lines, the words, and a command that opens them; counts two hits. MEMORY_ID may be its first
    characters.
    """
    from ultron_core.steps import overview
    from ultron_core.steps.names import find_memory

    with open_ultron(settings, reading=True) as ultron:
        full_id = find_memory(ultron.runtime, memory_id)
        records = ultron.get_memory_details([full_id])
        if not records:
            raise NotFoundError(f"No memory {memory_id}.")
        sources = ultron.get_memory_sources(full_id)
        known = ultron.get_memory_history(full_id)
        history = known["decisions"]
        places = overview.places(ultron.runtime, full_id)
    record = records[0]
    if as_json:
        opened = {str(source): path for source, path in places.items()}
        told = {"memory": record, "sources": sources, "places": opened, "decisions": history}
        print_json({**told, "verdicts": known["verdicts"]})
        return
    out = console()
    values = asdict(record)
    for name in (
        "id",
        "memory_type",
        "tier",
        "status",
        "hit_count",
        "confidence",
        "tags",
        "created_at",
        "extractor",
        "origin",
        "trust",
        "proof",
        "cure",
        "probability",
        "held",
        "projects",
    ):
        out.print(f"{name:12} {_field(values[name])}")
    for name in ("content", "context", "resolution"):
        if values[name]:
            doubt = record.doubt if name == "resolution" else ""
            out.print(f"\n{name}{doubt}", style="bold")
            out.print((record.claimant if name == "content" else "") + values[name])
    out.print("\nsources", style="bold")
    for source in sources:
        out.print(_source_line(source))
        if source.id in places and source.start_line:
            out.print(f"    {lines_command(places[source.id], source)}", soft_wrap=True)
        if source.quote:
            out.print(f"    “{source.quote}”", style="italic")
    for row in known["verdicts"]:
        stands = "" if row["holds"] else ", of other words than stand now"
        by = row["given_by"] or "the owner"
        out.print(f"{row['given_at']:%Y-%m-%d %H:%M} {row['verdict']} by {by}{stands}", style="dim")
    for row in history:
        out.print(
            f"{row['created_at']:%Y-%m-%d %H:%M} {row['decision']}: {row['reason']} ({row['id']})",
            style="dim",
        )


def _field(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}"
    return one_line(", ".join(value) if isinstance(value, list | tuple) else str(value))


def lines_command(path: Path, source: MemorySource) -> str:
    """A command that prints the lines of the log itself."""
    name = shlex.quote(str(path))
    lines = f"sed -n '{source.start_line},{source.end_line}p'"
    return f"gzip -dc {name} | {lines}" if path.suffix == ".gz" else f"{lines} {name}"


def _source_line(source: Any) -> str:
    if source.kind != "segment":
        return f"- {source.kind} by {source.agent_id}, {source.created_at:%Y-%m-%d %H:%M}"
    return f"- {source.agent_id}/{source.session_file} lines {source.start_line}-{source.end_line}"


@click.command()
@click.option("--agent", "agent_id", help="Only sessions of this agent.")
@project_option("Only sessions of this project.")
@all_projects_option
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def sessions(
    settings: Settings,
    agent_id: str | None,
    project: str | None,
    all_projects: bool,
    limit: int,
    as_json: bool,
) -> None:
    """List sessions with their counts, newest first. Those of the working folder's project come before others."""
    from ultron_core.steps import overview
    from ultron_core.steps.browse import remedy
    from ultron_core.steps.projects import scope_of

    with open_ultron(settings, reading=True) as ultron:
        scope = scope_of(ultron.runtime, project, all_projects)
        rows = overview.sessions(ultron.runtime, agent_id, limit, scope)
        if not rows:
            tell_store(ultron)
    if as_json:
        print_json(rows)
        return
    # few columns, so that a path stays on one line in a terminal of width 100; --json has all of them
    columns = ["session", "project", "format", "#messages", "#segments", "#memories", "changed"]
    cells = [
        [f"{r['agent_id']}/{r['session_file']}", r["project"], r["format"] if r["status"] == "ok" else r["status"],
         r["message_count"], r["segments"], r["memories"], f"{r['changed_at']:%m-%d %H:%M}"]
        for r in rows
    ]  # fmt: skip
    console().print(table("", columns, cells))
    for row in rows:
        if row["error"]:
            told = f"{row['agent_id']}/{row['session_file']}: {row['error']} {remedy(row)}"
            console().print(plain(told), soft_wrap=True)


@click.command()
@project_option("Count only what this project has.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def stats(settings: Settings, project: str | None, as_json: bool) -> None:
    """Count what is stored and what waits, and sum up costs."""
    from ultron_core.steps import overview
    from ultron_core.steps.projects import scope_of

    with open_ultron(settings, reading=True) as ultron:
        only = scope_of(ultron.runtime, project, project is None).only
        figures = overview.stats(ultron.runtime, only)
    if as_json:
        print_json(figures)
        return
    out = console()
    for title, values in figures.items():
        if isinstance(values, list):
            if values:
                out.print(table(title, list(values[0]), [list(v.values()) for v in values]))
        else:
            out.print(key_values(title, values))
        out.print()


@click.command()
@click.option("--stage", help="sessions, extract or ingest_text.")
@click.option("--reason", help="Only this reason, as the table of counts names it.")
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 100_000), help="Maximum number listed."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def drops(settings: Settings, stage: str | None, reason: str | None, limit: int, as_json: bool) -> None:
    """List what was refused, and why."""
    from ultron_core.steps import overview

    with open_ultron(settings, reading=True) as ultron:
        rows = overview.drops(ultron.runtime, stage, reason, limit)
        counts = [
            count
            for count in overview.drop_counts(ultron.runtime)
            if stage in (None, count["stage"]) and reason in (None, count["reason"])
        ]
    if as_json:
        print_json({"counts": counts, "drops": rows})
        return
    out = console()
    if not counts:
        out.print("Nothing was refused." if stage is None is reason else "Nothing was refused there.")
        return
    out.print(
        table("", ["stage", "reason", "#count"], [[c["stage"], c["reason"], c["count"]] for c in counts])
    )
    cells = [
        [r["stage"], r["reason"], f"{r['partition_key'] or '-'}:{r['start_line'] or ''}",
         (r["payload"].get("content") or r["detail"])[:120]]
        for r in rows
    ]  # fmt: skip
    out.print(table("", ["stage", "reason", "where", "what"], cells))


COMMANDS = [search, show, sessions, stats, drops]
