"""A backfill of chosen partitions on Dagster's own page does these again and no others: by rows and model calls."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import dagster as dg
import pytest

from tests.core.steps.stages.test_model_path import answer
from tests.pipelines.test_runs import over_all, run, tick
from tests.support.model.server import model_server
from tests.support.page_of_dagster import STALE
from tests.support.worlds import solved, write_log
from ultron_core.settings import LLMSettings, QualityLLMSettings
from ultron_core.steps.stages.table import STAGES
from ultron_pipelines.build import build_defs
from ultron_pipelines.host.launch import dagster_environment
from ultron_pipelines.resources import UltronResource

pytestmark = pytest.mark.xdist_group("dagster")

NAMES = ("alpha", "beta", "gamma", "delta")
KEYS = [f"agent/{name}.jsonl" for name in NAMES]
CHOSEN = ("beta", "delta")


@pytest.fixture
def model():
    with model_server(answer=answer) as server:
        yield server


@pytest.fixture
def whole(settings, new_database, tmp_path, model, monkeypatch):
    """Settings of four logs that went through every stage, judged by `judge-1`, with Dagster's history of it."""
    for name in NAMES:
        path = write_log(tmp_path / "sessions" / "agent" / f"{name}.jsonl", solved(name, f"lib{name}"))
        os.utime(path, (time.time() - 60,) * 2)
    key, url = "k" * 8, model.url
    llm = LLMSettings(api_key=key, base_url=url, model="writer-1", max_retries=0)
    settings = settings.model_copy(
        update={
            "llm": llm,
            "quality_llm": QualityLLMSettings(api_key=key, base_url=url, model="judge-1"),
            "sessions": settings.sessions.model_copy(update={"sessions_dir": tmp_path / "sessions"}),
            "store": settings.store.model_copy(update={"dagster_database_url": new_database()}),
        }
    )
    with dagster_environment(settings) as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        defs = build_defs(settings, resource=UltronResource.of(settings))
        with dg.DagsterInstance.get() as instance:
            (request,), _ = tick(defs, instance)
            assert run(defs, instance, "ingest_sessions", run_config=request.run_config).success
            for stage in STAGES:
                assert run(defs, instance, f"{stage.name}_job", tags=over_all(instance)).success
    return settings


@pytest.fixture
def page_address(whole):
    """`ultron dev` on these settings, but with another judge."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    store, llm = whole.store, whole.llm
    environment = {
        **os.environ,
        "ULTRON_HOME": str(store.home),
        "ULTRON_DATABASE_URL": store.database_url,
        "ULTRON_DAGSTER_DATABASE_URL": store.dagster_database_url,
        "ULTRON_SESSIONS_DIR": str(whole.sessions_dir),
        "ULTRON_SESSION_QUIET_MINUTES": "0",
        "ULTRON_LLM_API_KEY": llm.api_key,
        "ULTRON_LLM_BASE_URL": llm.base_url,
        "ULTRON_LLM_MODEL": llm.model,
        "ULTRON_LLM_MAX_RETRIES": "0",
        "ULTRON_QUALITY_LLM_API_KEY": llm.api_key,
        "ULTRON_QUALITY_LLM_BASE_URL": llm.base_url,
        "ULTRON_QUALITY_LLM_MODEL": "judge-2",
    }
    dev = subprocess.Popen(
        [sys.executable, "-m", "ultron_pipelines.host.launch", "--port", str(port)],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT,
    )  # fmt: skip
    yield f"http://127.0.0.1:{port}"
    dev.send_signal(signal.SIGTERM)
    dev.wait(60)


def stale(address):
    """Stale partitions by asset; nothing as long as the page does not answer."""
    wanted = [{"path": [stage.name]} for stage in STAGES]
    body = json.dumps({"query": STALE, "variables": {"assets": wanted, "keys": KEYS}}).encode()
    request = urllib.request.Request(f"{address}/graphql", body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as told:
            nodes = json.load(told)["data"]["assetNodes"]
    except OSError:
        return {}
    return {
        node["assetKey"]["path"][-1]: {
            key for key, status in zip(KEYS, node["staleStatusByPartition"], strict=True) if status == "STALE"
        }
        for node in nodes
    }


def until(condition, seconds=240):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    return found


def labels(database):
    with database.connection() as conn:
        rows = conn.execute("SELECT session_file, labeler, updated_at FROM ultron.task_segments").fetchall()
    return {row["session_file"]: (row["labeler"], row["updated_at"]) for row in rows}


def test_a_backfill_from_the_page_redoes_the_chosen_partitions(page_address, model, chromium, database):
    told = until(lambda: stale(page_address))
    assert told["quality_labels"] == told["extracted_memories"] == set(KEYS)
    assert told["segments"] == told["message_windows"] == set()
    before, asked = labels(database), len(model.requests)
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(30_000)
    page.goto(f"{page_address}/assets/quality_labels?view=partitions")
    page.get_by_role("button", name="Materialize").first.click()
    dialog = page.get_by_role("dialog").first
    dialog.get_by_text("Select a partition or create one").click()
    for name in CHOSEN:
        page.locator("li").filter(has=page.get_by_title(f"agent/{name}.jsonl")).click()
    page.keyboard.press("Escape")
    dialog.get_by_role("button", name="Launch backfill").click()
    chosen = {f"agent/{name}.jsonl" for name in CHOSEN}
    until(lambda: stale(page_address).get("quality_labels") == set(KEYS) - chosen)
    after = labels(database)
    again = {file for file in after if after[file] != before[file]}
    assert again == {f"{name}.jsonl" for name in CHOSEN}
    assert all("judge-2" in after[file][0] for file in again)
    paid = [json.dumps(request) for request in model.requests[asked:]]
    judged = [request for request in paid if "judge-2" in request]
    assert len(judged) == len(CHOSEN) and all(any(name in one for name in CHOSEN) for one in judged)
    assert not any(name in one for one in judged for name in NAMES if name not in CHOSEN)
