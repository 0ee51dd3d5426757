"""Erasing a session also takes its partition out of everything that Dagster keeps, and leaves the neighbour's there."""

import base64
import json
import os
import time
import zlib

import dagster as dg
import psycopg
import pytest
from psycopg import sql

from tests.pipelines.test_runs import run, tick
from tests.support.places import files_text
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import DatabaseUnreachableError
from ultron_core.settings import SessionSettings
from ultron_core.steps.stages.table import STAGES
from ultron_pipelines.build import build_defs
from ultron_pipelines.host.launch import dagster_environment
from ultron_pipelines.resources import UltronResource

GONE, KEPT = "quetzalite", "wyvernite"


@pytest.fixture
def settings(settings, new_database, tmp_path):
    sessions = SessionSettings(sessions_dir=tmp_path / "sessions", quiet_minutes=0)
    store = settings.store.model_copy(update={"dagster_database_url": new_database()})
    return settings.model_copy(update={"sessions": sessions, "store": store})


@pytest.fixture
def told(settings, tmp_path, monkeypatch):
    """Two logs that went through every stage of Dagster, one of which failed once; a cursor that names both."""
    for name in (GONE, KEPT, f"my-{GONE}"):
        path = write_log(tmp_path / "sessions" / "agent" / f"{name}.jsonl", solved("one", "numpy"))
        os.utime(path, (time.time() - 60,) * 2)
    broken = tmp_path / "sessions" / "agent" / f"{GONE}-broken.jsonl"
    broken.write_text("\x00\x01 no log", "utf-8")
    os.utime(broken, (time.time() - 60,) * 2)
    with dagster_environment(settings) as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        defs = build_defs(settings, resource=UltronResource.of(settings))
        with dg.DagsterInstance.get() as instance:
            (request,), _ = tick(defs, instance)
            run(defs, instance, "ingest_sessions", run_config=request.run_config)
            keys = [f"agent/{name}.jsonl" for name in (GONE, KEPT, f"my-{GONE}")]
            tags = {
                "dagster/asset_partition_range_start": keys[0],
                "dagster/asset_partition_range_end": keys[-1],
            }
            run(defs, instance, f"{STAGES[0].name}_job", tags=tags)
            packed = base64.b64encode(zlib.compress(json.dumps({"subset": keys}).encode())).decode()
            instance.run_storage.set_cursor_values({"cursor": "0" + packed})
            yield instance


def texts(url):
    """Every text of every table of Dagster's, packed ones unpacked."""
    found = []
    with psycopg.connect(url) as conn:
        tables = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            for row in conn.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))):
                for value in row:
                    if isinstance(value, bytes):
                        value = zlib.decompress(value).decode("utf-8", "replace")
                    if isinstance(value, str) and value.startswith("0eJ"):
                        value = zlib.decompress(base64.b64decode(value[1:])).decode()
                    found.append(f"{table}: {value}")
    return found


def holding(url, key):
    return sorted({text.partition(":")[0] for text in texts(url) if f"{key}.jsonl" in text})


def test_the_partition_goes_from_every_table_and_log_and_the_neighbours_stay(told, settings):
    url = settings.store.dagster_database_url
    before = holding(url, f"agent/{GONE}")
    assert {"event_logs", "dynamic_partitions", "runs", "kvs"} <= set(before)
    neighbours = [holding(url, f"agent/{name}") for name in (KEPT, f"my-{GONE}")]
    with Ultron(settings) as ultron:
        dry = ultron.erase(session=f"agent/{GONE}.jsonl", dry_run=True)
        assert dry.counts["dagster.dynamic_partitions"] == 1 and holding(url, f"agent/{GONE}") == before
        ultron.erase(session=f"agent/{GONE}.jsonl")
    assert holding(url, f"agent/{GONE}") == []
    assert [holding(url, f"agent/{name}") for name in (KEPT, f"my-{GONE}")] == neighbours
    logs = files_text(settings.store.home).items()
    assert not [name for name, text in logs if f"agent/{GONE}.jsonl" in text]
    partitions = set(told.get_dynamic_partitions("sessions"))
    assert {f"agent/{KEPT}.jsonl", f"agent/my-{GONE}.jsonl"} <= partitions


def test_the_whole_account_leaves_no_partition(told, settings):
    with Ultron(settings) as ultron:
        ultron.erase(account="default")
    url = settings.store.dagster_database_url
    assert holding(url, GONE) == [] == holding(url, KEPT)


def test_dagster_s_database_that_does_not_answer_is_named_and_the_rows_stay(settings, tmp_path):
    log = write_log(tmp_path / "sessions" / "agent" / "a.jsonl", solved("one", "numpy"))
    away = settings.store.model_copy(update={"dagster_database_url": "postgresql://127.0.0.1:1/away"})
    with Ultron(settings.model_copy(update={"store": away})) as ultron:
        ultron.ingest([log], "agent")
        with pytest.raises(DatabaseUnreachableError, match="same command again"):
            ultron.erase(session="agent/a.jsonl")
        assert log.exists() and ultron.browse.sessions(limit=5).rows
