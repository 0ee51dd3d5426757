"""A run waits for the pool of its stage in the queue, and leaves it when it is over, however it ends."""

from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.execution.plan.instance_concurrency_context import InstanceConcurrencyContext
from dagster._core.op_concurrency_limits_counter import GlobalOpConcurrencyLimitsCounter
from dagster._core.storage.dagster_run import RunOpConcurrency

ROOT = Path(__file__).resolve().parents[2]
POOL = "llm_segment"
#: of a run with one step, of this pool
ONE_STEP = RunOpConcurrency(root_key_counts={POOL: 1}, has_unconstrained_root_nodes=False, all_pools={POOL})


@pytest.fixture
def instance():
    """One with the pools of `ultron dev`."""
    shipped = yaml.safe_load((ROOT / "dagster.yaml").read_text("utf-8"))
    with dg.instance_for_test(overrides={"concurrency": shipped["concurrency"]}) as made:
        made.event_log_storage.initialize_concurrency_limit_to_default(POOL)
        yield made


def next_waits(instance):
    """Whether the daemon would leave another run of the pool in the queue."""
    another = dg.DagsterRun("segments", run_op_concurrency=ONE_STEP)
    counter = GlobalOpConcurrencyLimitsCounter(
        instance,
        [another],
        instance.get_run_records(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])),
        concurrency_keys={POOL},
        pool_limits=instance.event_log_storage.get_pool_limits(),
        pool_granularity=instance.get_concurrency_config().pool_config.pool_granularity,
    )
    return counter.is_blocked(another)


@pytest.fixture
def at_work(instance):
    """A run in its only step."""
    started = dg.DagsterRun("segments", status=dg.DagsterRunStatus.STARTED, run_op_concurrency=ONE_STEP)
    return instance.add_run(started)


def test_a_run_waits_in_the_queue_and_not_as_a_process(instance, at_work):
    assert next_waits(instance)


def test_a_run_that_was_killed_leaves_its_pool_to_the_next(instance, at_work):
    instance.report_run_failed(at_work)
    assert not next_waits(instance)


def test_a_step_asks_for_no_place_of_its_own(instance, at_work):
    """One that waits for it asks again without a pause, on a whole core."""
    instance.event_log_storage.claim_concurrency_slot(POOL, "killed before pools were of runs", "segments")
    with InstanceConcurrencyContext(instance, at_work) as context:
        assert context.claim(POOL, "segments")


def test_so_it_is_on_several_machines():
    for path in ("deploy/celery/dagster.yaml", "deploy/kubernetes/values.yaml"):
        assert (
            yaml.safe_load((ROOT / path).read_text("utf-8"))["concurrency"]["pools"]["granularity"] == "run"
        )
    manifests = yaml.safe_load_all((ROOT / "deploy/kubernetes/manifests/config.yaml").read_text("utf-8"))
    shipped = next(one["data"]["dagster.yaml"] for one in manifests if "dagster.yaml" in one.get("data", {}))
    assert yaml.safe_load(shipped)["concurrency"]["pools"]["granularity"] == "run"
