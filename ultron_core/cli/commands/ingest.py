"""Commands that ingest logs and text."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.options import project_option
from ultron_core.cli.output import DONE, FAILED, PARTLY, console, key_values, print_json, table
from ultron_core.cli.progress import progress_bar
from ultron_core.errors import InputError
from ultron_core.sessions.homes import home_of
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.client import Ultron
    from ultron_core.steps.stages.process import ProcessReport

__all__ = ["COMMANDS"]

#: rows of the table; the rest are counted
_SHOWN = 40
#: fates of a line as the ledger names them; skipped lines are shown apart, with their reasons
_FATES = ("total", "message", "part", "metadata")


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=str))
@click.option(
    "--agent", "agent_id", default="default", show_default=True, help="Agent whose sessions these are."
)
@click.option("--claude-code", is_flag=True, help="Read Claude Code's own logs (~/.claude/projects).")
@click.option("--codex", is_flag=True, help="Read Codex's own logs (~/.codex/sessions).")
@click.option("--process/--no-process", default=True, show_default=True, help="Run all stages right away.")
@click.option("--again", is_flag=True, help="Also what has not changed, and what was erased.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def ingest(
    settings: Settings,
    paths: tuple[str, ...],
    agent_id: str,
    claude_code: bool,
    codex: bool,
    process: bool,
    again: bool,
    as_json: bool,
) -> None:
    """Read session files (.jsonl, .jsonl.gz) and folders of them.

    The format is found out from the content; docs/formats.md lists all. A file of another name must be named
    itself. What has not changed, and what was erased, is not read again.
    """
    batches = _batches(paths, agent_id, claude_code, codex)
    if process and not as_json:
        settings = _offered(settings)
    with open_ultron(settings) as ultron:
        outcomes: list[dict[str, Any]] = []
        with progress_bar("reading", quiet=as_json) as advance:
            for batch, agent in batches:
                outcomes.append(ultron.ingest(batch, agent, again=again, progress=advance))
        result = _total(outcomes)
        report = _process(ultron, quiet=as_json) if process else None
    result |= {
        "new_segments": report.new_segments if report else 0,
        "total_memories": report.memories if report else 0,
    }
    if not result["total_files"]:
        places = ", ".join(str(path) for batch, _ in batches for path in batch)
        console(stderr=True).print(
            f"No .jsonl files in {places}. A file of another name is read when it is named itself."
        )
    if as_json:
        print_json({**result, "process": asdict(report) if report else None})
    else:
        console().print(f"agent: {', '.join(agent for _, agent in batches)}")
        _print_files(result["results"])
        if report:
            _print_report(settings, report)
    _leave(result["failed"], report)


def _offered(settings: Settings) -> Settings:
    """Before anything is stored, a model is offered once."""
    from ultron_core.store.server.place import has_data

    if settings.store.database_url is not None or has_data(settings.store.home):
        return settings
    from ultron_core.cli.model.offer import offer_model  # loads the stages

    return offer_model(settings)


def _batches(
    paths: Sequence[str], agent_id: str, claude_code: bool, codex: bool
) -> list[tuple[list[str | Path], str]]:
    batches: list[tuple[list[str | Path], str]] = []
    if paths:
        batches.append((list(paths), agent_id))
    for wanted, name in ((claude_code, "claude-code"), (codex, "codex")):
        if not wanted:
            continue
        place = home_of(name).folder(os.environ, Path.home())
        if not place.is_dir():
            raise InputError(
                f"{place} does not exist: no {name} logs there. Name the folder that has them: "
                f"`ultron ingest PATH --agent {name}`."
            )
        batches.append(([place], name if agent_id == "default" else agent_id))
    if not batches:
        raise click.UsageError("Name files or folders, or use --claude-code or --codex.")
    return batches


def _total(outcomes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "total_files": sum(o["total_files"] for o in outcomes),
        "successful": sum(o["successful"] for o in outcomes),
        "failed": sum(o["failed"] for o in outcomes),
        "results": [r for o in outcomes for r in o["results"]],
    }


def _process(ultron: Ultron, *, quiet: bool, project: str | None = None) -> ProcessReport:
    from ultron_core.cli.model.pace import process_told

    with progress_bar("working", quiet=quiet) as advance:
        return process_told(ultron.runtime, advance, project=project)


def _print_files(results: Sequence[dict[str, Any]]) -> None:
    out = console()
    rows = []
    # what needs attention comes first: failed files, unread ones, new ones, then unchanged ones
    order = {"failed": 0, "unchanged": 9}
    for r in sorted(results, key=lambda r: 1 if _unread(r) else order.get(r["status"], 2))[:_SHOWN]:
        fates = [r["lines"].get(name, 0) for name in _FATES]
        rows.append([r["session_file"], r["status"], r["format"], *fates, _reasons(r["lines"])])
    columns = ["file", "status", "format", *(f"#{name}" for name in _FATES), "skipped"]
    if rows:
        out.print(table("", columns, rows))
    for r in results:
        if r["error"]:
            out.print(f"{r['session_file']}: {r['error']}")
    unread = sum(_unread(r) for r in results)
    if unread:
        out.print(
            f"{unread} file(s) without a message: their lines are in no format that Ultron reads (docs/formats.md)."
        )
    if len(results) > _SHOWN:
        out.print(f"... and {len(results) - _SHOWN} more")
    counts = Counter(r["status"] for r in results)
    unchanged, failed, erased = (counts[status] for status in ("unchanged", "failed", "erased"))
    out.print(_fates_in_total(results))
    out.print(
        f"{len(results)} files: {len(results) - unchanged - failed - erased} new or changed, {unchanged} unchanged, "
        f"{failed} failed." + (f" {erased} erased before: --again reads them." if erased else "")
    )


def _unread(result: dict[str, Any]) -> bool:
    """No line of the file carried anything, and some were refused: its format is not supported."""
    lines = result["lines"]
    refused = lines.get("skipped", {}).keys() - {"blank", "nul_padding"}
    return bool(refused) and not lines.get("message") and not lines.get("metadata")


def _reasons(lines: dict[str, Any]) -> str:
    told = [f"{count} {reason}" for reason, count in sorted(lines.get("skipped", {}).items())]
    if damaged := lines.get("damaged"):
        told.append(f"{damaged} read with lost bytes")
    if clipped := lines.get("clipped"):
        told.append(f"{clipped} cut after 10 MB")
    return ", ".join(told)


def _fates_in_total(results: Sequence[dict[str, Any]]) -> str:
    """The fates of all lines over all files, including those the table leaves out."""
    total = {name: sum(r["lines"].get(name, 0) for r in results) for name in _FATES}
    skipped = Counter[str]()
    for r in results:
        skipped.update(r["lines"].get("skipped", {}))
    more = {name: sum(r["lines"].get(name, 0) for r in results) for name in ("damaged", "clipped")}
    reasons = _reasons({"skipped": skipped, **more})
    return (
        f"{total['total']:,} lines: {total['message']:,} message, {total['part']:,} part of one, "
        f"{total['metadata']:,} metadata, {skipped.total():,} skipped"
        + (f" ({reasons})." if reasons else ".")
    )


def _print_report(settings: Settings, report: ProcessReport) -> None:
    console().print(
        f"{report.new_segments} new segments, {report.labeled} labels, {report.memories} new memories, "
        f"{report.merged} merged, {report.refused} refused (`ultron drops`)."
    )
    if report.open:
        console().print(
            f"{report.open} task(s) still open: their log changed within the last "
            f"{settings.sessions.quiet_minutes:g} minutes and may continue. They are labelled once it is quiet "
            "(ULTRON_SESSION_QUIET_MINUTES)."
        )
    if report.pending:
        reasons = "; ".join(report.errors[:2])
        console().print(f"{report.pending} wait for the model: {reasons} `ultron process` continues.")
    if report.exhausted:
        console().print(
            f"{report.exhausted} used up their attempts (ULTRON_MAX_ATTEMPTS): `ultron retry` frees them."
        )
    if report.failed:
        console().print(f"{report.failed} failed: {'; '.join(report.errors[:2])}")


def _leave(failed_files: int, report: ProcessReport | None) -> None:
    if failed_files or (report and (report.failed or report.pending)):
        raise click.exceptions.Exit(PARTLY)
    raise click.exceptions.Exit(DONE)


@click.command()
@click.option(
    "--estimate", is_flag=True, help="Print model calls, tokens and cost of the pending work; call nothing."
)
@project_option("Only what waits of this project's sessions.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def process(settings: Settings, estimate: bool, project: str | None, as_json: bool) -> None:
    """Run all stages on what waits.

    Cut logs into tasks, judge them, take memories from them and from texts, add vectors that are missing.
    """
    from ultron_core.steps.stages.estimate import estimate_pending

    with open_ultron(settings) as ultron:
        if estimate:
            figures = estimate_pending(ultron.runtime)
            if as_json:
                print_json(figures)
            else:
                console().print(key_values("", figures))
                if figures["calls"] and not (
                    settings.llm.price_input_per_million or settings.llm.price_output_per_million
                ):
                    console().print("No prices are set (ULTRON_LLM_PRICE_INPUT, ULTRON_LLM_PRICE_OUTPUT).")
            return
        report = _process(ultron, quiet=as_json, project=project)
    if as_json:
        print_json(report)
    else:
        _print_report(settings, report)
    _leave(0, report)


@click.command("ingest-text")
@click.argument("text", required=False)
@click.option(
    "--file", "path", type=click.Path(path_type=Path), help="Read the text from a file; - is standard input."
)
@click.option("--agent", "agent_id", default="default", show_default=True, help="Agent whose note it is.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def ingest_text(
    settings: Settings, text: str | None, path: Path | None, agent_id: str, as_json: bool
) -> None:
    """Turn a note into memories: TEXT, --file, or standard input."""
    with open_ultron(settings) as ultron:
        result = ultron.ingest_text(_read(text, path), agent_id)
    if as_json:
        print_json(result)
    else:
        rows = [
            [str(m["id"])[:8], m["memory_type"], m["action"], m["summary_l0"]] for m in result["memories"]
        ]
        console().print(
            table("", ["id", "type", "stored as", "summary"], rows) if rows else "Nothing in it to remember."
        )
        if result["refused"]:
            console().print(f"Refused: {', '.join(result['refused'])}")
        if result["error"]:
            console().print(f"Pending: {result['error']}")
    raise click.exceptions.Exit({"done": DONE, "pending": PARTLY}.get(result["status"], FAILED))


def _read(text: str | None, path: Path | None) -> str:
    if text is not None:
        return text
    if path is None or str(path) == "-":
        return sys.stdin.read()
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text: {error}") from error


COMMANDS = [ingest, process, ingest_text]
