"""What a newer version or another model makes stale, and what a backfill by hand does again: by rows and calls."""

import importlib
import json

import dagster as dg
import pytest

from tests.core.steps.stages.test_model_path import answer
from tests.pipelines.test_runs import over_all, run, tick
from tests.support.model.server import model_server
from tests.support.page_of_dagster import stale_partitions
from tests.support.worlds import solved, task
from ultron_core.client import Ultron
from ultron_core.settings import EmbeddingSettings, LLMSettings
from ultron_core.steps.stages import standing
from ultron_core.steps.stages.process import list_stale
from ultron_core.steps.stages.table import STAGES
from ultron_pipelines.build import build_defs
from ultron_pipelines.resources import UltronResource

pytestmark = pytest.mark.xdist_group("dagster")

ASSETS = ("session_files", *(stage.name for stage in STAGES))
KEYS = ("agent/one.jsonl", "agent/two.jsonl")


@pytest.fixture
def whole(defs, instance, drop):
    """Two logs that went through every stage."""
    drop("agent/one.jsonl", solved("alpha", "pandas"))
    drop("agent/two.jsonl", task("beta"))
    everything(defs, instance)
    return defs


def everything(defs, instance):
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    for stage in STAGES:
        assert run(defs, instance, f"{stage.name}_job", tags=over_all(instance)).success


def stale(defs, instance):
    """Stale partitions by asset, as `staleStatusByPartition` tells the UI; Missing ones are none."""
    return stale_partitions(defs, instance, ASSETS, KEYS)


def newer(monkeypatch, name):
    monkeypatch.setattr(standing, name, f"{getattr(standing, name)}.newer")


def test_what_went_through_is_fresh(whole, instance):
    assert stale(whole, instance) == {}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("PARSER_VERSION", set(ASSETS)),
        ("SEGMENTER_VERSION", {"segments", "quality_labels", "extracted_memories"}),
        ("LABELER_VERSION", {"quality_labels", "extracted_memories"}),
        ("EXTRACTOR_VERSION", {"extracted_memories"}),
        ("LAYOUT", {"message_windows"}),
    ],
)
def test_a_newer_version_makes_its_asset_and_what_is_made_from_it_stale(
    whole, instance, dagster_settings, resource, monkeypatch, name, expected
):
    newer(monkeypatch, name)
    now = build_defs(dagster_settings, resource=resource)
    assert stale(now, instance) == {asset: set(KEYS) for asset in expected}


def test_a_model_makes_what_it_would_make_stale(whole, instance, dagster_settings, resource):
    with_model = dagster_settings.model_copy(update={"llm": LLMSettings(api_key="k" * 8, model="judge-1")})
    now = build_defs(with_model, resource=resource)
    assert set(stale(now, instance)) == {"segments", "quality_labels", "extracted_memories"}


#: what a prompt is made of, and the assets that it asks for, with what is made from them
PROMPTS = (
    (
        "ultron_core.segments.by_model.cut.segment_prompt",
        "segments",
        {"segments", "quality_labels", "extracted_memories"},
    ),
    ("ultron_core.labels.judge.judge_rules", "labels", {"quality_labels", "extracted_memories"}),
    ("ultron_core.memories.by_model.extract_rules", "memories", {"extracted_memories"}),
)


def test_another_model_prompt_or_embedder_makes_exactly_its_assets_stale(
    dagster_settings, instance, drop, monkeypatch
):
    def stale_with(**changed):
        now = settings.model_copy(update=changed)
        return set(stale(build_defs(now, resource=UltronResource.of(now)), instance))

    with model_server(answer=answer) as server:
        llm = LLMSettings(api_key="k" * 8, base_url=server.url, model="judge-1", max_retries=0)
        settings = dagster_settings.model_copy(update={"llm": llm})
        drop("agent/one.jsonl", solved("alpha", "pandas"))
        drop("agent/two.jsonl", solved("beta", "requests"))
        everything(build_defs(settings, resource=UltronResource.of(settings)), instance)
    assert stale_with() == set()
    assert stale_with(llm=llm.model_copy(update={"model": "judge-2"})) == PROMPTS[0][2]
    other = EmbeddingSettings(backend="openai", model="other", dimension=512, api_key="k" * 8)
    assert stale_with(embedding=other) == {"message_windows"}
    for name, stage, expected in PROMPTS:
        with monkeypatch.context() as patched:
            module, _, function = name.rpartition(".")
            prompts = importlib.import_module(module)
            words = getattr(prompts, function)()
            more = f"{words} Be strict." if isinstance(words, str) else (*words, "Be strict.")
            patched.setattr(prompts, function, lambda more=more: more)
            prompts.prompt_version.cache_clear()
            assert stale_with() == expected, name
            with Ultron(settings) as ultron:
                assert {row["stage"] for row in list_stale(ultron.runtime)} == {stage}
        prompts.prompt_version.cache_clear()


def test_automation_offline_does_what_is_stale_again_and_nothing_else(
    whole, instance, dagster_settings, resource, monkeypatch, database
):
    before = labelled(database)
    monkeypatch.setattr("ultron_core.labels.offline.LABELER_VERSION", "offline:newer")
    monkeypatch.setattr(standing, "LABELER_VERSION", "offline:newer")
    now = build_defs(dagster_settings, resource=resource)
    assert run(now, instance, "quality_labels_job", tags=over_all(instance)).success
    assert {row["labeler"] for row in labelled(database).values()} == {"offline:newer"}
    assert before.keys() == labelled(database).keys()
    assert stale(now, instance) == {"extracted_memories": set(KEYS)}
    assert run(now, instance, "extracted_memories_job", tags=over_all(instance)).success
    assert stale(now, instance) == {}


def labelled(database):
    with database.connection() as conn:
        rows = conn.execute(
            "SELECT id, labeler, updated_at, session_file FROM ultron.task_segments"
        ).fetchall()
    return {row["id"]: row for row in rows}


def test_a_backfill_by_hand_does_the_chosen_partitions_again_and_leaves_the_others(whole, instance, database):
    before = labelled(database)
    chosen = {"dagster/backfill": "by-hand", "dagster/partition": "agent/one.jsonl"}
    done = run(whole, instance, "quality_labels_job", tags=chosen, partition_key="agent/one.jsonl")
    assert done.success
    after = labelled(database)
    again = {
        row["session_file"] for key, row in after.items() if row["updated_at"] > before[key]["updated_at"]
    }
    assert again == {"one.jsonl"}


def test_a_backfill_asks_the_model_again_for_the_chosen_ones_only(dagster_settings, instance, drop):
    with model_server(answer=answer) as server:
        llm = LLMSettings(api_key="k" * 8, base_url=server.url, model="judge-1", max_retries=0)
        settings = dagster_settings.model_copy(update={"llm": llm})
        defs = build_defs(settings, resource=UltronResource.of(settings))
        drop("agent/one.jsonl", solved("alpha", "pandas"))
        drop("agent/two.jsonl", solved("beta", "requests"))
        everything(defs, instance)
        asked = len(server.requests)
        for stage in STAGES:
            assert run(defs, instance, f"{stage.name}_job", tags=over_all(instance)).success
        assert len(server.requests) == asked, "nothing is paid twice by itself"
        chosen = {"dagster/backfill": "by-hand", "dagster/partition": "agent/two.jsonl"}
        assert run(defs, instance, "quality_labels_job", tags=chosen, partition_key="agent/two.jsonl").success
        paid = [json.dumps(request) for request in server.requests[asked:]]
        assert paid and all("beta" in request and "alpha" not in request for request in paid)


def test_events_that_a_killed_run_did_not_write_are_written_in_the_next_cycle(
    whole, instance, drop, drop_folder, resource
):
    drop("agent/three.jsonl", solved("gamma", "lxml"))
    # the work of the runs, without any of their events: killed late
    with resource.open() as ultron:
        ultron.ingest([drop_folder / "agent" / "three.jsonl"], "agent", process=True)
    assert run(whole, instance, "reconcile_events").success
    for asset in ASSETS:
        assert instance.get_materialized_partitions(dg.AssetKey(asset)) == {*KEYS, "agent/three.jsonl"}, asset
    events = len(instance.get_event_records(dg.EventRecordsFilter(dg.DagsterEventType.ASSET_MATERIALIZATION)))
    assert run(whole, instance, "reconcile_events").success
    assert events == len(
        instance.get_event_records(dg.EventRecordsFilter(dg.DagsterEventType.ASSET_MATERIALIZATION))
    ), "nothing is told twice"
