"""The asset and its schedule: off without a base, silent while too little is new, a run when enough is."""

from datetime import UTC, datetime

import dagster as dg
import pytest

from tests.support.learner import FakeLearner
from tests.support.worlds import task
from ultron_core.settings import TrainSettings
from ultron_core.steps.training import run as training
from ultron_pipelines.assets.training import TrainingConfig, sft_training
from ultron_pipelines.build import build_defs
from ultron_pipelines.resources import UltronResource


@pytest.fixture
def with_base(dagster_settings, tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "model.safetensors").write_bytes(b"weights")

    def make(rows):
        train = TrainSettings(base=tmp_path / "base", rows=rows, max_length=10_000)
        labels = dagster_settings.labels.model_copy(update={"sft_score_threshold": 0.5})
        return dagster_settings.model_copy(update={"train": train, "labels": labels})

    return make


def tick(settings):
    """What the schedule asks for."""
    defs = build_defs(settings, resource=UltronResource.of(settings))
    schedule = defs.get_repository_def().get_schedule_def("sft_training_schedule")
    context = dg.build_schedule_context(
        scheduled_execution_time=datetime(2026, 3, 1, tzinfo=UTC), resources=defs.resources
    )
    asked = schedule.evaluate_tick(context)
    return asked.skip_message or asked.run_requests[0].tags["ultron/new_rows"]


def materialized(settings, instance):
    done = dg.materialize(
        [sft_training],
        selection=[sft_training],
        instance=instance,
        resources={"ultron": UltronResource.of(settings)},
        run_config=dg.RunConfig({"sft_training": TrainingConfig()}),
    )
    (event,) = done.asset_materializations_for_node("sft_training")
    return {name: value.value for name, value in event.metadata.items()}


def test_without_a_base_it_is_off(dagster_settings, instance):
    assert tick(dagster_settings) == "ULTRON_TRAIN_BASE is not set."
    assert materialized(dagster_settings, instance)["reason"] == "ULTRON_TRAIN_BASE is not set"


def test_enough_new_rows_start_a_run_and_unchanged_data_none(with_base, drop, instance, monkeypatch):
    from ultron_core.client import Ultron
    from ultron_core.steps.sft.export import ExportRequest, export_dataset

    settings = with_base(rows=1)
    assert tick(settings) == "0 rows are new, 1 start a training."
    logs = [drop(f"me/{name}.jsonl", task(name)) for name in ("alpha", "beta")]
    with Ultron(settings) as ultron:
        ultron.ingest(logs, "me", process=True)
        rows = export_dataset(ultron.runtime, ExportRequest()).train_rows
    assert rows and tick(settings) == str(rows)
    assert tick(with_base_rows(settings, rows + 1)) == f"{rows} rows are new, {rows + 1} start a training."
    monkeypatch.setattr(
        training.train,
        "__kwdefaults__",
        {**training.train.__kwdefaults__, "make_learner": lambda _: FakeLearner()},
    )
    told = materialized(settings, instance)
    assert told["trained"] and told["new_rows"] == told["dagster/row_count"] == rows
    assert tick(settings) == "0 rows are new, 1 start a training."
    assert materialized(settings, instance)["reason"] == "0 rows are new"


def with_base_rows(settings, rows):
    return settings.model_copy(update={"train": settings.train.model_copy(update={"rows": rows})})
