"""A process keeps its connections to Dagster's storage open, however often that storage is opened."""

import multiprocessing

import dagster as dg
import psycopg
import pytest
import yaml
from dagster._core.events import AssetMaterializationPlannedData, DagsterEvent

from ultron_core.client import Ultron
from ultron_pipelines.host.launch import sqlalchemy_url
from ultron_pipelines.host.storage import VARIABLE
from ultron_pipelines.resources import UltronResource

STORAGE = {"module": "ultron_pipelines.host.storage", "class": "UltronStorage", "config": {}}


@pytest.fixture
def dagster_url(new_database, monkeypatch):
    url = new_database()
    monkeypatch.setenv(VARIABLE, sqlalchemy_url(url))
    return url


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Opens Dagster's storage, as the code server does for every look of a sensor, and tells it of a partition."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump({"storage": {"custom": STORAGE}}))

    def open_and_tell(key):
        with dg.DagsterInstance.get() as instance:
            instance.add_dynamic_partitions("sessions", [key])
            return set(instance.get_dynamic_partitions("sessions"))

    return open_and_tell


def connections(url):
    """The server's processes that serve this database, but for the one that answers."""
    query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(url) as conn:
        return {pid for (pid,) in conn.execute(query)}


def test_opening_the_storage_again_takes_no_new_connection(dagster_url, opened):
    opened("a/1")
    first = connections(dagster_url)
    assert opened("a/2") == {"a/1", "a/2"}
    assert connections(dagster_url) == first
    assert 1 <= len(first) <= 2


def test_what_a_run_plans_is_written_at_once_and_found_as_dagster_writes_it(
    dagster_url, tmp_path, monkeypatch
):
    """Two assets of two partitions, once by Dagster's own storage and once by ours."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump({"storage": {"custom": STORAGE}}))
    with dg.DagsterInstance.get() as instance:
        ours = instance.event_log_storage
        for asset, key in PLANNED:
            ours.store_event(planned("alone", asset, key))
        alone = {asset: shown(ours, asset) for asset in ("a", "b")}
        monkeypatch.setattr(ours, "store_event", pytest.fail)
        ours.store_event_batch([planned("together", asset, key) for asset, key in PLANNED])
        together = {asset: shown(ours, asset) for asset in ("a", "b")}
        assert partitions(ours, "alone") == partitions(ours, "together") == PLANNED
    assert alone == {"a": ("alone", "alone"), "b": ("alone", "alone")}
    assert together == {"a": ("together", "together"), "b": ("together", "together")}


#: sorted by asset, as Dagster hands them over
PLANNED = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]


def planned(run_id, asset, partition):
    data = AssetMaterializationPlannedData(dg.AssetKey(asset), partition=partition)
    event = DagsterEvent.build_asset_materialization_planned_event("stage", asset, data)
    return dg.EventLogEntry(
        error_info=None,
        level=10,
        user_message="",
        run_id=run_id,
        timestamp=1.0,
        job_name="stage",
        dagster_event=event,
    )


def shown(storage, asset):
    """The run that the asset's page shows last, and the one that is going to make it."""
    (record,) = storage.get_asset_records([dg.AssetKey(asset)])
    latest = storage.get_latest_planned_materialization_info(dg.AssetKey(asset))
    return record.asset_entry.last_run_id, latest.run_id


def partitions(storage, run_id):
    events = [record.dagster_event for record in storage.get_logs_for_run(run_id)]
    return [(event.asset_key.path[0], event.partition) for event in events]


def test_a_server_that_was_started_again_is_asked_anew(dagster_url, opened):
    opened("a/1")
    with psycopg.connect(dagster_url, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert opened("a/2") == {"a/1", "a/2"}


def test_a_forked_process_opens_connections_of_its_own(dagster_url, opened):
    opened("a/1")
    first = connections(dagster_url)
    context = multiprocessing.get_context("fork")
    seen = context.Queue()

    def in_child():
        opened("a/2")
        seen.put(connections(dagster_url))

    child = context.Process(target=in_child)
    child.start()
    assert seen.get(timeout=60) - first, "the child talks through its parent's connection"
    child.join()
    assert child.exitcode == 0
    assert opened("a/3") == {"a/1", "a/2", "a/3"}
    assert connections(dagster_url) == first


def test_another_database_is_another_storage(dagster_url, opened, new_database, monkeypatch):
    opened("a/1")
    monkeypatch.setenv(VARIABLE, sqlalchemy_url(new_database()))
    assert opened("b/1") == {"b/1"}


def test_nobody_needs_a_database_to_describe_definitions(opened, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert opened("a/1") == {"a/1"}


@pytest.fixture
def environment(monkeypatch, tmp_path, database_url, database):
    monkeypatch.setenv("ULTRON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ULTRON_DATABASE_URL", database_url)
    monkeypatch.setenv("ULTRON_OFFLINE", "1")


def test_a_look_leaves_ultron_open_for_the_next_one(environment):
    with UltronResource().look() as first:
        pass
    with UltronResource().look() as second:
        assert second is first
        assert second.get_memory_stats()["total"] == 0


def test_a_look_after_the_settings_changed_is_one_with_them(environment, monkeypatch):
    with UltronResource().look() as before:
        monkeypatch.setenv("ULTRON_RUN_FILES", "7")
        with UltronResource().look() as after:
            assert (before.settings.run_files, after.settings.run_files) == (500, 7)
            assert before.get_memory_stats() == after.get_memory_stats()


def test_a_look_with_settings_of_its_own_is_closed(settings):
    with UltronResource.of(settings).look() as first, UltronResource.of(settings).look() as second:
        assert isinstance(first, Ultron) and first is not second
