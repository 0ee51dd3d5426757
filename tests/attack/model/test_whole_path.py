"""Odd, old and hostile model servers under the whole path: what waits is completed, or left with its reason; every
request is counted, and none is sent again that was answered."""

import time

import pytest

from tests.core.steps.stages.test_model_path import CONTENT, answer
from tests.support.model import hostile
from tests.support.model.server import model_server
from tests.support.walk import PlainRedactor
from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.llm.tokens import count_tokens
from ultron_core.settings import LLMSettings, SessionSettings
from ultron_core.testing import FakeEmbedder

#: seconds that a request may take; a slow server is given up after the second
DEADLINE, SHORT = 20.0, 1.0
#: nothing is looked for in texts, and vectors are made of words: what is tested is the server
PLUGGED = {"redactor": PlainRedactor(), "embedder": FakeEmbedder(64, model_id="words")}

ODD = {
    "no way to ask for JSON": hostile.refusing(answer, "response_format"),
    "JSON without schemas": hostile.without_schemas(answer),
    "no temperature": hostile.refusing(answer, "temperature"),
    "no limit of an answer": hostile.refusing(answer, "max_tokens", "max_completion_tokens"),
    "old in every way": hostile.refusing(answer, "response_format", "temperature", "max_tokens"),
    "a small context": hostile.small_context(answer, 16_000),
    "a context cut silently": hostile.cutting_silently(answer, 2_048, count_tokens),
    "content as a list": hostile.placed(answer, hostile.in_a_list),
    "a tool call": hostile.placed(answer, hostile.in_a_tool_call),
    "reasoning first": hostile.placed(answer, hostile.behind_reasoning),
    "slow, but in time": hostile.slow_but_in_time(answer),
}

#: with the attempts that one such answer costs its row: an endpoint that is out of order costs none
HOSTILE = {
    "a redirect": (hostile.redirect_to("http://127.0.0.1:9/v1"), 0),
    "a body without end": (hostile.endless, 1),
    "an error without end": (hostile.endless_error, 1),
    "a bomb": (hostile.bomb, 1),
    "a slow body": (hostile.slow_body, 0),
    "slow headers": (hostile.slow_headers, 0),
    "a nested body": (hostile.NESTED_BODY, 0),
    "a nested answer": (hostile.NESTED_TEXT, 1),
    "no message": (hostile.NO_MESSAGE, 0),
    "no choice": (hostile.NO_CHOICE, 0),
    "null": (b"null", 0),
    "null content": (hostile.said(None), 1),
    "a list without text": (hostile.said([{"type": "image_url"}]), 1),
    "a page": ("page", 0),
    "no answer at all": ("drop", 0),
    "an error of its own": (503, 0),
    "a wrong key": (401, 0),
}


def long_task(name):
    """A solved task with so much talk in it that a model of a small context needs windows."""
    lines = solved(name, "pandas")
    talk = [
        {
            "role": "assistant",
            "content": f"Step {n} of {name}: " + " ".join(f"word{n}x{i}" for i in range(300)),
        }
        for n in range(24)
    ]
    return [*lines[:-2], *talk, *lines[-2:]]


@pytest.fixture
def server():
    with model_server() as running:
        yield running


@pytest.fixture
def with_server(settings, server, request):
    is_slow = request.node.callspec.params["name"].startswith("slow ") or "slow body" in request.node.name
    llm = LLMSettings(
        api_key="k",
        base_url=server.url,
        model="m",
        timeout_seconds=SHORT if is_slow else DEADLINE,
        max_retries=0,
        max_concurrency=1,
        redact_input=False,
    )
    update = {"llm": llm, "sessions": SessionSettings(quiet_minutes=0)}
    return settings.model_copy(update=update)


def rows(ultron, query):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query).fetchall()


def counted(ultron):
    """Requests that the ledger holds."""
    return rows(ultron, "SELECT count(*) AS n FROM llm_calls WHERE NOT cached")[0]["n"]


def is_complete(ultron):
    left = rows(
        ultron,
        "SELECT error FROM sessions WHERE segmented = 0 UNION ALL"
        " SELECT label_error FROM task_segments WHERE labeled = 0 OR memory_extracted = 0",
    )
    return left == [] and rows(ultron, "SELECT 1 FROM memories WHERE status = 'active'") != []


@pytest.mark.parametrize("name", ODD)
def test_an_odd_or_old_server_completes_the_path(with_server, server, tmp_path, name):
    server.always = ODD[name]
    log = write_log(tmp_path / "log.jsonl", long_task("alpha"), task("beta"))
    with Ultron(with_server, **PLUGGED) as ultron:
        ultron.ingest([log], "agent")
        report = ultron.process_pending()
        assert (report["pending"], report["failed"], report["errors"]) == (0, 0, ())
        assert report["labeled"] == report["new_segments"] == 2
        assert is_complete(ultron)
        assert [m["content"] for m in rows(ultron, "SELECT content FROM memories")] == [CONTENT.strip()]
        asked = len(server.chats())
        refused = rows(ultron, "SELECT count(*) AS n FROM llm_calls WHERE error IS NOT NULL")[0]["n"]
        assert counted(ultron) - refused <= asked
        ultron.process_pending()
        assert len(server.chats()) == asked, "nothing is asked again"


@pytest.mark.parametrize("at", ["whole", "judgement"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_server_leaves_its_reason_and_the_next_cycle_completes(
    with_server, server, tmp_path, name, at
):
    behaviour, attempts = HOSTILE[name]
    blame = {
        "whole": "SELECT attempts, error FROM sessions WHERE segmented = 0",
        "judgement": "SELECT label_attempts AS attempts, label_error AS error FROM task_segments WHERE labeled = 0",
    }
    with Ultron(with_server, **PLUGGED) as ultron:
        # where only one task can begin nobody is asked for boundaries: its judgement is
        alpha = solved("alpha", "pandas")
        tasks = (alpha[:-4],) if at == "judgement" else (alpha, task("beta"))
        ultron.ingest([write_log(tmp_path / "log.jsonl", *tasks)], "agent")
        server.answer, server.always = answer, behaviour
        started = time.monotonic()
        report = ultron.process_pending()
        assert time.monotonic() - started < DEADLINE
        assert report["pending"] + report["failed"] >= 1
        waiting = [row for row in rows(ultron, blame[at]) if row["error"]]
        assert waiting and all(row["attempts"] == attempts for row in waiting)
        assert counted(ultron) == len(server.chats())
        answered, server.always = len(server.chats()), None
        ultron.process_pending()
        assert is_complete(ultron)
        kinds = [kind_of(request) for request in server.chats()[answered:]]
        # one that had both refused is asked for each alone
        apart = ["Judgement", "ExtractAnswer"] if attempts else ["Review"]
        assert kinds == (["SessionReview"] if at == "whole" else apart)


def kind_of(request):
    return request["response_format"]["json_schema"]["name"]
