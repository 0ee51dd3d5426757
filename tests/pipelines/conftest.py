"""Dagster on a temporary instance, Ultron on the test's database."""

import os
import time

import dagster as dg
import pytest

from tests.support.worlds import write_log
from ultron_core.settings import SessionSettings
from ultron_pipelines.build import build_defs
from ultron_pipelines.resources import UltronResource


@pytest.fixture
def drop_folder(tmp_path):
    folder = tmp_path / "sessions"
    folder.mkdir()
    return folder


@pytest.fixture
def dagster_settings(settings, drop_folder):
    sessions = SessionSettings(sessions_dir=drop_folder, quiet_minutes=0)
    return settings.model_copy(update={"sessions": sessions})


@pytest.fixture
def resource(dagster_settings):
    return UltronResource.of(dagster_settings)


@pytest.fixture
def defs(dagster_settings, resource):
    return build_defs(dagster_settings, resource=resource)


@pytest.fixture
def instance():
    with dg.instance_for_test() as made:
        yield made


@pytest.fixture
def drop(drop_folder):
    """Puts finished logs into the folder, old enough to be read at once."""

    def put(name, *tasks):
        path = write_log(drop_folder / name, *tasks)
        os.utime(path, (time.time() - 60,) * 2)
        return path

    return put
