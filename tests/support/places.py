"""Everywhere the path leaves words outside the private log: tables, files, Dagster's events."""

import gzip
import json
import re
import sqlite3
import zlib
from pathlib import Path

import dagster as dg
import pyarrow.parquet as pq
from psycopg import sql

__all__ = ["events_text", "files_text", "places_of", "tables_text"]

PRIVATE = re.compile(r"raw_\w+|messages|message_windows|llm_cache")


def tables_text(database):
    """`table.column` to everything in it as text, of every column of every table of the schema but the private log."""
    found = {}
    with database.connection() as conn:
        columns = conn.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = 'ultron' AND data_type NOT IN ('integer', 'bigint', 'smallint', 'real',"
            " 'double precision', 'boolean', 'uuid', 'timestamp with time zone')"
            " AND udt_name NOT IN ('vector', 'halfvec', 'sparsevec', '_int4') ORDER BY 1, 2"
        ).fetchall()
        for row in columns:
            table, column = row["table_name"], row["column_name"]
            if PRIVATE.fullmatch(table) or (table, column) == ("source_files", "private_path"):
                continue
            kind = "encode({}, 'escape')" if row["data_type"] == "bytea" else "{}::text"
            query = sql.SQL("SELECT string_agg(" + kind + ", E'\\n') AS text FROM ultron.{}").format(
                sql.Identifier(column), sql.Identifier(table)
            )
            found[f"{table}.{column}"] = conn.execute(query).fetchone()["text"] or ""
    return found


def files_text(folder):
    """Every file below the folder by relative path: parquet as rows and metadata, packed files unpacked."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        data = path.read_bytes()
        parts = [str(path.relative_to(folder)), data.decode("utf-8", "replace")]
        if path.suffix == ".parquet":
            parts += [json.dumps(pq.read_table(path).to_pylist(), ensure_ascii=False, default=str)]
            parts += [str(pq.read_schema(path).metadata), str(pq.read_metadata(path).metadata)]
        if path.suffix == ".gz":
            parts.append(gzip.decompress(data).decode("utf-8", "replace"))
        if path.suffix == ".db" or data[:15] == b"SQLite format 3":
            parts += sqlite_text(path)
        found[parts[0]] = "\n".join(parts)
    return found


def sqlite_text(path):
    """All rows of all tables; what is packed (Dagster's snapshots) unpacked."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as conn:
        for (table,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in conn.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    if isinstance(value, bytes):
                        try:
                            yield zlib.decompress(value).decode("utf-8", "replace")
                        except zlib.error:
                            yield value.decode("utf-8", "replace")
                    elif value is not None:
                        yield str(value)


def events_text(instance):
    """Events, run configs, tags, asset metadata and partition keys as Dagster gives them back."""
    parts = [str(instance.get_dynamic_partitions("sessions"))]
    for record in instance.get_run_records():
        parts += [str(record.dagster_run.run_config), str(record.dagster_run.tags), str(record)]
        parts += [dg.serialize_value(entry) for entry in instance.all_logs(record.dagster_run.run_id)]
    return "\n".join(parts)


def places_of(database, settings, instance):
    """Place to its text, of all of them."""
    return {
        **tables_text(database),
        **{f"export {name}": text for name, text in files_text(settings.exports_dir).items()},
        **{f"home {n}": t for n, t in files_text(settings.store.home).items() if not n.startswith("pg")},
        **{f"dagster {n}": t for n, t in files_text(Path(instance.root_directory)).items()},
        "dagster events": events_text(instance),
    }
