"""Dagster on a temporary instance, for attacks on the whole path."""

import dagster as dg
import pytest


@pytest.fixture
def instance():
    with dg.instance_for_test() as made:
        yield made
