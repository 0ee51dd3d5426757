"""`ultron init`: the first hour. Find the logs of this machine's agents, read them, show what was learned."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ultron_core.access.clients.plan import CLIENTS
from ultron_core.cli.commands.connect import connect
from ultron_core.cli.learned import Lesson, lessons_of, print_lessons
from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import DONE, PARTLY, console, print_json, table
from ultron_core.cli.progress import progress_bar
from ultron_core.display import shown_bytes
from ultron_core.errors import NotFoundError
from ultron_core.sessions.homes import HOMES, AgentLogs, LogFile, find_logs
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.client import Ultron
    from ultron_core.steps.stages.process import ProcessReport

__all__ = ["COMMANDS"]

#: files that are read before their tasks are looked at: the newest give memories within a minute
_AT_ONCE = 25
#: offline, on one core: seconds a file, and bytes a second (benchmarks/pipeline.py and docs/faq.md)
_SECONDS_A_FILE, _BYTES_A_SECOND = 0.15, 500_000
#: memories that are shown at the end
_LESSONS = 5


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of the files."""

    read: int = 0
    unchanged: int = 0
    failed: tuple[str, ...] = ()
    segments: int = 0
    memories: int = 0
    #: tasks whose log may continue
    open: int = 0
    #: what waits for a model, or went wrong
    errors: tuple[str, ...] = ()


@click.command()
@click.option(
    "--only", multiple=True, type=click.Choice([one.agent for one in HOMES]), help="Only this agent's logs."
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only logs that changed since this day.")
@click.option("--yes", is_flag=True, help="Read what is found without asking. Connects nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; reads nothing without --yes.")
@click.pass_obj
def init(settings: Settings, only: tuple[str, ...], since: datetime | None, yes: bool, as_json: bool) -> None:
    """Find the logs of this machine's agents, read them, and show what was learned.

    Nothing is read before you agree. The newest sessions come first; after a stop the same command goes on.
    """
    from ultron_core.cli.model.choosing import is_person

    found = find_logs(os.environ, Path.home(), agents=only, since=since.timestamp() if since else 0.0)
    if not as_json:
        _print_found(found)
    if not any(one.files for one in found):
        if as_json:
            print_json({"found": _as_json(found), "done": None})
            return
        raise NotFoundError(_nothing(found, only))
    asks = is_person() and not as_json and not yes
    if not yes and not (asks and click.confirm("Read them?", default=True)):
        if as_json:
            print_json({"found": _as_json(found), "done": None})
        else:
            console().print("Nothing was read. `ultron init --yes` reads them without asking.")
        return
    if asks:
        settings = _offered(settings)
    with open_ultron(settings) as ultron:
        done = _read_all(ultron, found, asks=asks, quiet=as_json)
        lessons = lessons_of(ultron, _LESSONS)
    if as_json:
        print_json({"found": _as_json(found), "done": done, "learned": lessons})
    else:
        _print_done(settings, done, lessons)
        _offer_clients(found, asks=asks)
    raise click.exceptions.Exit(PARTLY if done.failed or done.errors else DONE)


def _nothing(found: Sequence[AgentLogs], only: Sequence[str]) -> str:
    if problems := [one.problem for one in found if one.problem]:
        return " ".join(problems)
    of = f" of {', '.join(only)}" if only else ""
    return (
        f"No logs{of} were found where agents keep them (docs/faq.md). `ultron ingest PATH --agent NAME` reads a "
        "folder of them."
    )


def _offered(settings: Settings) -> Settings:
    from ultron_core.cli.model.offer import offer_model  # loads the stages

    return offer_model(settings)


def _print_found(found: Sequence[AgentLogs]) -> None:
    if not found:
        return
    rows = [
        [one.agent, str(one.folder), len(one.files), shown_bytes(one.size), _day(one.files[0].changed_at)]
        for one in found
        if one.files
    ]
    out = console()
    if rows:
        out.print(table("", ["agent", "folder", "#logs", "#size", "newest"], rows))
        out.print(
            f"Offline that takes {_duration(found)} of one core's time, and nothing leaves this machine."
        )
    for one in found:
        if one.problem:
            out.print(f"{one.agent}: {one.problem}", soft_wrap=True)


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment):%Y-%m-%d}"


def _duration(found: Sequence[AgentLogs]) -> str:
    seconds = _seconds(found)
    return "less than a minute" if seconds < 60 else f"about {round(seconds / 60)} min"


def _seconds(found: Sequence[AgentLogs]) -> float:
    files = sum(len(one.files) for one in found)
    return files * _SECONDS_A_FILE + sum(one.size for one in found) / _BYTES_A_SECOND


def _as_json(found: Sequence[AgentLogs]) -> dict[str, Any]:
    agents = [
        {
            "agent": one.agent,
            "folder": one.folder,
            "logs": len(one.files),
            "bytes": one.size,
            "problem": one.problem or None,
        }
        for one in found
    ]
    return {"agents": agents, "seconds_offline": round(_seconds(found))}


def _read_all(ultron: Ultron, found: Sequence[AgentLogs], *, asks: bool, quiet: bool) -> _Done:
    """Offline the tasks of some logs are worked on before the next are read; with a model all are read first, for
    then it is known what they cost."""
    from ultron_core.cli.model.pace import process_told
    from ultron_core.steps.stages.process import process_pending

    total = sum(len(one.files) for one in found)
    by_model = ultron.runtime.llm is not None
    done = _Done()
    with progress_bar("reading", quiet=quiet) as advance:
        for agent, paths in _batches(found):
            result = ultron.ingest(paths, agent)
            done = _with_files(done, result)
            advance(agent, done.read + done.unchanged + len(done.failed), total)
            if not by_model:
                done = _with_work(done, process_pending(ultron.runtime))
    if by_model and _agreed(ultron, asks=asks):
        with progress_bar("working", quiet=quiet) as advance:
            done = _with_work(done, process_told(ultron.runtime, advance))
    return done


def _batches(found: Sequence[AgentLogs]) -> Iterator[tuple[str, list[str | Path]]]:
    """All logs, the newest first, so many of one agent at once."""
    files: list[tuple[LogFile, str]] = [(file, one.agent) for one in found for file in one.files]
    files.sort(key=lambda pair: pair[0].changed_at, reverse=True)
    for start in range(0, len(files), _AT_ONCE):
        some = sorted(files[start : start + _AT_ONCE], key=lambda pair: pair[1])
        for agent, group in groupby(some, key=lambda pair: pair[1]):
            yield agent, [file.path for file, _ in group]


def _with_files(done: _Done, result: dict[str, Any]) -> _Done:
    unchanged = sum(one["status"] == "unchanged" for one in result["results"])
    failed = [f"{one['session_file']}: {one['error']}" for one in result["results"] if not one["success"]]
    return replace(
        done,
        read=done.read + result["successful"] - unchanged,
        unchanged=done.unchanged + unchanged,
        failed=(*done.failed, *failed),
    )


def _with_work(done: _Done, report: ProcessReport) -> _Done:
    return replace(
        done,
        segments=done.segments + report.new_segments,
        memories=done.memories + report.memories,
        open=report.open,
        errors=(*done.errors, *report.errors) if report.pending or report.failed else done.errors,
    )


def _agreed(ultron: Ultron, *, asks: bool) -> bool:
    """Whether the model may be asked, once its price is known."""
    from ultron_core.steps.stages.estimate import estimate_pending

    cost = estimate_pending(ultron.runtime)
    priced = f", {cost['cost']:.2f} in the currency of your prices" if cost["cost"] else ""
    click.echo(
        f"{cost['model']}: about {cost['calls']:,} calls, {cost['input_tokens']:,} tokens in and "
        f"{cost['output_tokens']:,} out{priced}.",
        err=True,
    )
    if not asks or not cost["calls"] or click.confirm("Ask it?", default=True):
        return True
    click.echo("The logs are stored; `ultron process` goes on.", err=True)
    return False


def _print_done(settings: Settings, done: _Done, lessons: Sequence[Lesson]) -> None:
    out = console()
    out.print(
        f"{done.read} logs read, {done.unchanged} unchanged, {len(done.failed)} failed; {done.segments} tasks, "
        f"{done.memories} new memories."
    )
    for line in (*done.failed[:5], *done.errors[:2]):
        out.print(line, soft_wrap=True)
    if done.open:
        out.print(
            f"{done.open} tasks wait until their log is quiet for {settings.sessions.quiet_minutes:g} minutes; then "
            "`ultron process` judges them."
        )
    print_lessons(lessons)
    out.print(
        "Next: `ultron search WORDS`, `ultron show ID`, `ultron handbook` in a project's folder, `ultron serve`."
    )


def _offer_clients(found: Sequence[AgentLogs], *, asks: bool) -> None:
    clients = [one.agent for one in found if one.files and one.agent in CLIENTS]
    for client in clients:
        if asks and click.confirm(
            f"Connect {client}, so that new sessions come in by themselves?", default=False
        ):
            click.get_current_context().invoke(
                connect, client=client, project=False, dry_run=False, remove=False
            )
        else:
            console().print(f"`ultron connect {client}` brings new sessions in by themselves.")


COMMANDS = [init]
