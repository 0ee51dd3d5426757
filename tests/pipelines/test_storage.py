"""A process keeps its connections to Dagster's storage open, however often that storage is opened."""

import multiprocessing

import dagster as dg
import psycopg
import pytest
import yaml

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
