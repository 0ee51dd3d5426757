"""A run that was killed in a step leaves its place in the stage's pool to the next."""

import logging
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.test_utils import create_run_for_test
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import EmptyWorkspaceTarget
from dagster._daemon.monitoring.concurrency import execute_concurrency_slots_iteration
from dagster._time import get_current_datetime

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def monitored():
    """An instance with the run monitoring of `ultron dev`."""
    shipped = yaml.safe_load((ROOT / "dagster.yaml").read_text("utf-8"))
    kept = {name: shipped[name] for name in ("run_monitoring", "concurrency")}
    with dg.instance_for_test(overrides=kept) as made:
        yield made


def looks_later(instance, monkeypatch, seconds):
    """What the daemon does with the slots, so many seconds from now."""
    module = "dagster._daemon.monitoring.concurrency.get_current_datetime"
    now = get_current_datetime() + timedelta(seconds=seconds)
    monkeypatch.setattr(module, lambda: now)
    with WorkspaceProcessContext(instance, EmptyWorkspaceTarget()) as workspace:
        list(execute_concurrency_slots_iteration(workspace, logging.getLogger("monitor")))


def test_the_pool_of_a_run_that_was_killed_is_free_again(monitored, monkeypatch):
    storage = monitored.event_log_storage
    storage.initialize_concurrency_limit_to_default("llm_segment")
    dead = create_run_for_test(monitored, status=dg.DagsterRunStatus.STARTED)
    storage.claim_concurrency_slot("llm_segment", dead.run_id, "segments")
    assert not storage.claim_concurrency_slot("llm_segment", "next", "segments").is_claimed
    looks_later(monitored, monkeypatch, 60)  # it still runs
    assert storage.get_concurrency_info("llm_segment").active_run_ids == {dead.run_id}
    monitored.report_run_failed(dead)
    looks_later(monitored, monkeypatch, 60)
    assert dead.run_id not in storage.get_concurrency_info("llm_segment").active_run_ids
    assert storage.claim_concurrency_slot("llm_segment", "next", "segments").is_claimed
