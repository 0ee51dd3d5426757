"""Keys and personal data planted in sessions: after the whole path they stand in the private log alone."""

import json
import logging
import os
import re
import time

import pytest
from detect_secrets.core.scan import scan_line
from detect_secrets.settings import transient_settings

from tests.core.redaction.test_second_scanner import PLUGINS
from tests.core.steps.stages.test_model_path import answer
from tests.pipelines.test_runs import over_all, run, tick
from tests.support.model.server import model_server
from tests.support.places import places_of
from tests.support.plants import ALL, leaks, texts, write_sessions
from tests.support.records import messages_in
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.steps.stages.table import STAGES
from ultron_pipelines.build import build_defs
from ultron_pipelines.resources import UltronResource

pytestmark = pytest.mark.xdist_group("dagster")


def private_text(database):
    with database.connection() as conn:
        return conn.execute("SELECT string_agg(m::text, E'\\n') AS text FROM ultron.messages m").fetchone()[
            "text"
        ]


def second_scanner(text):
    """What detect-secrets finds in the text, line by line; a placeholder is no secret."""
    plain = re.sub(r"<[A-Z_]+(?:_\d+)?>", "", text)
    with transient_settings({"plugins_used": PLUGINS}):
        return sorted({(s.type, line[:160]) for line in plain.splitlines() for s in scan_line(line[:20_000])})


def talkative(request):
    """A model that repeats planted values in every answer."""
    name = request["response_format"]["json_schema"]["name"]
    if name == "TaskList":
        lines = messages_in(request["messages"][-1]["content"])
        starts = [n for n, who, body in lines if who == "user" and body.startswith("TASK")] or [1]
        starts[0] = 1
        ends = [start - 1 for start in starts[1:]] + [lines[-1].number]
        topic = f"make the import work with {ALL['github']}"
        return json.dumps(
            {"tasks": [{"start": a, "end": b, "topic": topic} for a, b in zip(starts, ends, strict=True)]}
        )
    made = json.loads(answer(request))
    for part in made.get("tasks", [made]):
        if "topic" in part:
            part["topic"] = f"make the import work with {ALL['github']}"
        for metric in part.get("metrics", ()):
            metric["note"] = f"it rests on {ALL['stripe']}"
        for memory in part.get("memories", ()):
            memory["resolution"] += f" with {ALL['npm']} of {ALL['mail']}"
            memory["summary"] = f"The model's one line. Key: {ALL['dashscope']}."
    if "summary_l0" in made:
        made["summary_l0"] += f" Key: {ALL['dashscope']}."
    return json.dumps(made)


@pytest.fixture(params=["offline", "with a model"])
def run_settings(request, dagster_settings):
    if request.param == "offline":
        yield dagster_settings
        return
    with model_server(answer=talkative) as server:
        llm = LLMSettings(api_key="k" * 8, base_url=server.url, model="judge-1", max_retries=0)
        yield dagster_settings.model_copy(update={"llm": llm})


def test_planted_values_stand_in_the_private_log_alone(
    run_settings, instance, drop_folder, tmp_path, database, caplog, capfd
):
    caplog.set_level(logging.DEBUG)
    for path in write_sessions(drop_folder):
        os.utime(path, (time.time() - 60,) * 2)
    defs = build_defs(run_settings, resource=UltronResource.of(run_settings))
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    for stage in (stage.name for stage in STAGES):
        assert run(defs, instance, f"{stage}_job", tags=over_all(instance)).success
    for job in ("rebalance_job", "sft_export_job", "checks_job"):
        run(defs, instance, job)
    with Ultron(run_settings) as ultron:
        ultron.ingest_text(
            "\n".join(f"Remember this for the build. {text}" for text in texts()), agent_id="agent"
        )
        exported = export_dataset(ultron.runtime, ExportRequest("all", min_quality_score=0.0, evidence="any"))
        printed_by_hand = [str(x) for x in ultron.search_memories("密码 token export key", limit=50)]
    known = private_text(database)
    assert not set(ALL) - set(leaks(known)), "the private log must hold every planted value"
    printed = capfd.readouterr()
    places = {
        **places_of(database, run_settings, instance),
        "log lines": caplog.text,
        "printed": printed.out + printed.err,
        "search results": "\n".join(printed_by_hand),
    }
    assert sum(map(len, (v for k, v in places.items() if k.startswith("memories.")))) > 300
    assert exported.rows >= 1 and any(name.endswith(".parquet") for name in places)
    assert not {name: leaks(text) for name, text in places.items() if leaks(text)}
    assert second_scanner("\n".join(texts())), "the scanner must see the planted keys"
    swept = [n for n in places if not n.startswith("dagster ") or n == "dagster events"]
    assert not {name: hits for name in swept if (hits := second_scanner(places[name]))}
