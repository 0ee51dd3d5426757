"""200 sessions that hold every supported form of a secret: after the whole path none stands outside the private log.

WHOLE_PATH names the ways that are gone: `offline`, `model` or both (`offline,model`).
"""

import json
import logging
import os
import re
import time

import pytest

from tests.attack.forms import forms, gone, sets
from tests.core.steps.stages.test_model_path import answer
from tests.pipelines.test_runs import over_all, run, tick
from tests.support.model.server import model_server
from tests.support.places import places_of
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings
from ultron_core.steps.stages.table import STAGES
from ultron_pipelines.build import build_defs
from ultron_pipelines.resources import UltronResource

pytestmark = pytest.mark.xdist_group("dagster")

SESSIONS, A_SESSION = 200, 15
WAYS = os.environ.get("WHOLE_PATH", "offline").split(",")
#: a shorter secret, or one of letters alone (`password`), is also a word of other texts
LEAST = 6


def planted():
    """Every form whose secret goes; what stays is counted by test_secret_forms."""
    every = [form for name in sets() for form in forms(name)]
    return [form for form in every if len(form.secret) >= LEAST and not form.secret.isalpha() and gone(form)]


def placed(number, words, text):
    """The form behind the words, before them, or where a prompt and a quote are cut."""
    if number % 3 == 0:
        return f"{words}\n{text}\n"
    if number % 3 == 1:
        return f"{text}\n{words}"
    head = 300 - len(text) // 2
    return f"{'word ' * (head // 5)}\n{text}\n{'more ' * 400}\n{words}"


def session(number, texts):
    """A solved error, a correction and a wish, with a form in every message."""
    package = ("pandas", "scipy", "torch", "lxml")[number % 4]
    said = [
        f"TASK {number}: please make the import work.",
        f"cat > run{number}.py",
        "The file is written.",
        f'Traceback (most recent call last):\n  File "run{number}.py", line 3, in <module>\n'
        f"    import {package}\nModuleNotFoundError: No module named '{package}'",
        f"The package {package} is missing. I install it.",
        f"pip install {package}",
        f"Successfully installed {package}",
        f"python run{number}.py",
        "5 passed in 0.12s",
        f"No, use uv instead of pip for {package}. From now on always run the tests before you answer.",
        f"Understood: uv for {package}. The import works and all tests pass.",
        "谢谢，很好。以后都用中文回答。",
        "好的，以后都用中文回答。",
    ]
    kinds = [
        "user",
        "call",
        "result",
        "result",
        "assistant",
        "call",
        "result",
        "call",
        "result",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    for at, (kind, words) in enumerate(zip(kinds, said, strict=True)):
        shown = placed(number, words, texts[at]) if at < len(texts) else words
        yield line(kind, shown, f"call_{number}_{at}")


def line(kind, words, call_id, last=[""]):  # noqa: B006 a result answers the last call
    if kind == "call":
        last[0] = call_id
        function = {"name": "bash", "arguments": json.dumps({"command": words})}
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        }
    if kind == "result":
        return {"role": "tool", "tool_call_id": last[0], "name": "bash", "content": words}
    return {"role": kind, "content": words}


def write_sessions(folder, chosen):
    for number in range(SESSIONS):
        texts = [form.text for form in chosen[number::SESSIONS]]
        assert len(texts) <= A_SESSION
        path = folder / f"agent{number % 3}" / f"session{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in session(number, texts)), "utf-8")
        os.utime(path, (time.time() - 60,) * 2)


def found_in(secrets, text):
    """Secrets that stand in the text, plain or with JSON escapes."""
    return sorted(s for s in secrets if s in text or ("\\" in (e := json.dumps(s)[1:-1]) and e in text))


def talkative(chosen):
    """A model that repeats a planted form in every answer."""
    asked = iter(range(10**9))

    def said(request):
        form = chosen[next(asked) % len(chosen)].text
        made = json.loads(answer(request))
        for memory in made.get("memories", ()):
            memory["resolution"] += f"\n{form}\n"
        for lesson in made.get("lessons", ()):
            lesson["note"] += f"\n{form}\n"
        if "summary_l0" in made:
            made["overview_l1"] += f"\n{form}\n"
        return json.dumps(made)

    return said


@pytest.fixture(params=WAYS)
def world(request, settings, tmp_path):
    """Settings, the forms and, with a model, its server."""
    sessions = SessionSettings(sessions_dir=tmp_path / "sessions", quiet_minutes=0)
    settings = settings.model_copy(update={"sessions": sessions})
    chosen = planted()
    if request.param == "offline":
        yield settings, chosen, None
        return
    with model_server(answer=talkative(chosen)) as server:
        llm = LLMSettings(api_key="k" * 8, base_url=server.url, model="judge-1", max_retries=0)
        yield settings.model_copy(update={"llm": llm}), chosen, server


def test_no_form_of_a_secret_leaves_the_private_log(world, instance, database, caplog, capfd):
    settings, chosen, server = world
    caplog.set_level(logging.DEBUG)
    assert len(chosen) > 2400
    write_sessions(settings.sessions_dir, chosen)
    defs = build_defs(settings, resource=UltronResource.of(settings))
    while requests := tick(defs, instance)[0]:
        for request in requests:
            assert run(defs, instance, "ingest_sessions", run_config=request.run_config).success
    for stage in (stage.name for stage in STAGES):
        assert run(defs, instance, f"{stage}_job", tags=over_all(instance)).success
    for job in ("rebalance_job", "sft_export_job", "checks_job"):
        run(defs, instance, job)
    with Ultron(settings) as ultron:
        assert ultron.trajectory_service.get_trajectory_stats()["sessions"]["total"] == SESSIONS
        shown = [str(hit) for hit in ultron.search_memories("export the token, key and password", limit=200)]
    printed = capfd.readouterr()
    places = {
        **places_of(database, settings, instance),
        "log lines": caplog.text,
        "printed": printed.out + printed.err,
        "search results": "\n".join(shown),
        "what the model was sent": "\n".join(json.dumps(r, ensure_ascii=False) for r in server.requests)
        if server
        else "",
    }
    secrets = {form.secret for form in chosen}
    assert sum(len(text) for name, text in places.items() if name.startswith("memories.")) > 5_000
    left = {name: found for name, text in places.items() if (found := found_in(secrets, text))}

    assert not left, {name: found[:10] for name, found in left.items()}
    assert not re.search(r"-----BEGIN [A-Z ]*PRIVATE KEY-----\n\w", "\n".join(places.values()))
