"""The client against a real HTTP server: every way an endpoint can fail, and what a caller sees of it."""

from datetime import UTC, datetime

import pytest
from pydantic import BaseModel, Field

from tests.support.model.server import model_server
from ultron_core.errors import BudgetExceededError, ModelAnswerError, ModelUnavailableError
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.llm.ledger import MemoryCache, MemoryLedger
from ultron_core.settings import LLMSettings

KEY = "sk-" + "test" * 6
ASK = [{"role": "user", "content": "How many tasks?"}]


class Count(BaseModel):
    tasks: int = Field(ge=0, le=9)


@pytest.fixture
def server():
    with model_server(answer=lambda request: '{"tasks": 3}') as running:
        yield running


@pytest.fixture
def waits():
    return []


@pytest.fixture
def make(server, waits):
    def client(**more):
        parts = {name: more.pop(name) for name in ("cache", "ledger", "redact") if name in more}
        base = {
            "api_key": KEY,
            "base_url": server.url,
            "model": "m",
            "timeout_seconds": 1.0,
            "retry_base_delay": 0.01,
        }
        settings = LLMSettings(**(base | more))
        return OpenAICompatibleLLM(settings, sleep=waits.append, jitter=lambda: 0.5, **parts)

    return client


def test_an_answer_comes_back_as_the_schema(make, server):
    assert make().complete(ASK, Count, stage="segment") == Count(tasks=3)
    assert (
        server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]["tasks"]["maximum"] == 9
    )


@pytest.mark.parametrize("text", ['```json\n{"tasks": 3}\n```', 'Sure! {"tasks": 3} Anything else?'])
def test_json_is_found_inside_talk(make, server, text):
    server.answer = lambda request: text
    assert make().complete(ASK, Count) == Count(tasks=3)


def test_a_malformed_answer_is_asked_for_once_more(make, server):
    server.behaviours = ["malformed"]
    assert make().complete(ASK, Count) == Count(tasks=3)
    assert len(server.requests) == 2
    assert "no JSON" in server.requests[1]["messages"][-1]["content"]


def test_two_malformed_answers_are_an_error_of_the_answer(make, server):
    server.always = "malformed"
    with pytest.raises(ModelAnswerError, match="two attempts"):
        make().complete(ASK, Count)
    assert len(server.requests) == 2


def test_an_answer_outside_the_bounds_does_not_pass(make, server):
    server.answer = lambda request: '{"tasks": 70}'
    with pytest.raises(ModelAnswerError):
        make().complete(ASK, Count)


def test_a_rate_limit_is_waited_for_as_told(make, server, waits):
    server.behaviours, server.retry_after = [429], "7"
    assert make().complete(ASK, Count) == Count(tasks=3)
    assert waits == [7.0]


def test_a_rate_limit_given_as_a_date_is_capped(make, server, waits):
    server.behaviours, server.retry_after = [429], "Fri, 31 Dec 2099 23:59:59 GMT"
    make().complete(ASK, Count)
    assert waits == [60.0]


@pytest.mark.parametrize("trouble", [500, 503, "drop", "slow", "broken"])
def test_what_may_pass_is_tried_again_with_growing_waits(make, server, waits, trouble):
    server.behaviours = [trouble, trouble]
    assert make().complete(ASK, Count) == Count(tasks=3)
    assert waits == [0.01, 0.02]


@pytest.mark.parametrize("trouble", [500, "drop", 429])
def test_what_does_not_pass_is_unavailable_after_the_last_try(make, server, trouble):
    server.always = trouble
    with pytest.raises(ModelUnavailableError, match="3 attempts") as caught:
        make().complete(ASK, Count)
    assert KEY not in str(caught.value)
    assert len(server.requests) == 3


def test_nobody_listening_is_unavailable(make, server):
    server.stop()
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        make().complete(ASK, Count)


@pytest.mark.parametrize(("status", "help"), [(401, "ULTRON_LLM_API_KEY"), (404, "ULTRON_MODEL")])
def test_a_wrong_key_or_model_is_said_at_once(make, server, status, help):
    server.always = status
    with pytest.raises(ModelUnavailableError, match=help):
        make().complete(ASK, Count)
    assert len(server.requests) == 1


def test_an_endpoint_without_json_schema_gets_the_schema_in_words_from_then_on(make, server):
    server.behaviours = [
        (400, "response_format json_schema is not supported"),
        (400, "Unknown parameter: response_format.schema"),
    ]
    client = make()
    client.complete(ASK, Count)
    client.complete([{"role": "user", "content": "And now?"}], Count)
    kinds = [r.get("response_format", {}).get("type") for r in server.requests]
    assert kinds == ["json_schema", "json_object", "json_object", "json_object"]
    assert '"maximum": 9' in server.requests[-1]["messages"][-1]["content"]


def test_the_same_question_is_paid_for_once(make, server):
    cache, ledger = MemoryCache(), MemoryLedger()
    client = make(cache=cache, ledger=ledger, price_input_per_million=2.0, price_output_per_million=10.0)
    assert client.complete(ASK, Count, stage="label") == client.complete(ASK, Count, stage="label")
    assert len(server.requests) == 1
    assert [(c.stage, c.cached, c.input_tokens, c.output_tokens) for c in ledger.calls] == [
        ("label", False, 100, 10),
        ("label", True, 0, 0),
    ]
    assert ledger.calls[0].cost == pytest.approx(300e-6)
    assert ledger.tokens_today() == 110


def test_failed_tries_are_in_the_ledger_without_the_key(make, server):
    ledger = MemoryLedger()
    server.behaviours = [500]
    make(ledger=ledger).complete(ASK, Count)
    assert [bool(c.error) for c in ledger.calls] == [True, False]
    assert KEY not in str(ledger.calls)


def test_a_budget_of_the_run_stops_before_the_request(make, server):
    client = make(budget_run_tokens=120)
    client.complete(ASK, Count)
    with pytest.raises(BudgetExceededError, match="ULTRON_LLM_BUDGET_RUN_TOKENS"):
        client.complete([{"role": "user", "content": "word " * 50}], Count)
    assert len(server.requests) == 1


def test_a_budget_of_the_day_counts_what_others_used(make, server):
    class Spent(MemoryLedger):
        def tokens_today(self):
            return 990

    with pytest.raises(BudgetExceededError, match="990 of today's 1,000"):
        make(ledger=Spent(), budget_day_tokens=1000).complete(
            [{"role": "user", "content": "word " * 50}], Count
        )
    assert server.requests == []


def test_what_is_sent_is_redacted_unless_switched_off(make, server):
    def redact(text):
        return text.replace("tasks", "<THING>")

    make(redact=redact).complete(ASK, Count)
    make(redact=redact, redact_input=False).complete(ASK, Count)
    assert [r["messages"][0]["content"] for r in server.requests] == ["How many <THING>?", "How many tasks?"]


def test_requests_keep_to_the_rate(server, waits):
    settings = LLMSettings(api_key=KEY, base_url=server.url, model="m", requests_per_minute=60)
    client = OpenAICompatibleLLM(
        settings, sleep=waits.append, monotonic=lambda: 0.0, now=lambda: datetime(2026, 1, 1, tzinfo=UTC)
    )
    for number in range(3):
        client.complete([{"role": "user", "content": f"question {number}"}], Count)
    assert waits == [1.0, 2.0]
