"""What endpoints refuse, and limits when requests run side by side."""

import threading
import time
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from tests.support.model.server import model_server
from ultron_core.errors import BudgetExceededError, ModelAnswerError, ModelUnavailableError
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.llm.factory import make_llm, make_quality_llm
from ultron_core.llm.ledger import LLMCall, MemoryCache, MemoryLedger
from ultron_core.llm.tokens import count_tokens
from ultron_core.settings import LLMSettings, QualityLLMSettings, Settings

ASK = [{"role": "user", "content": "How many tasks?"}]


class Count(BaseModel):
    tasks: int


@pytest.fixture
def server():
    with model_server(answer=lambda request: '{"tasks": 3}') as running:
        yield running


@pytest.fixture
def waits():
    return []


@pytest.fixture
def make(server, waits):
    def client(*, cache=None, ledger=None, **more):
        values = {"api_key": "k", "base_url": server.url, "model": "m", "timeout_seconds": 3.0}
        settings = LLMSettings(**(values | more))
        return OpenAICompatibleLLM(settings, cache=cache, ledger=ledger, sleep=waits.append)

    return client


def test_a_model_that_takes_no_temperature_is_asked_without_from_then_on(make, server):
    server.temperature = False
    client = make()
    for question in ("one", "two"):
        assert client.complete([{"role": "user", "content": question}], Count).tasks == 3
    assert ["temperature" in request for request in server.requests] == [True, False, False]
    assert {request["response_format"]["type"] for request in server.requests} == {"json_schema"}


def test_a_refused_request_is_an_error_of_the_request_and_changes_nothing_for_the_next(make, server):
    client = make()
    server.behaviours = [(400, "This model's maximum context length is 8192 tokens")]
    with pytest.raises(ModelAnswerError, match="ULTRON_LLM_MAX_INPUT_TOKENS"):
        client.complete(ASK, Count)
    assert client.complete(ASK, Count).tasks == 3
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "message", ["Arrearage", "nope/nope is not a valid model ID: model not found", "Invalid API-key provided"]
)
def test_a_refusal_about_account_or_model_leaves_the_rows_their_tries(make, server, message):
    server.always = (400, message)
    with pytest.raises(ModelUnavailableError, match="ULTRON_MODEL"):
        make().complete(ASK, Count)


@pytest.mark.parametrize(
    ("header", "expected"), [("3", 3.0), ("-5", 0.0), ("Fri, 31 Dec 1999 23:59:59 -0000", 0.0), ("1e9", 60.0)]
)
def test_retry_after_in_every_form(make, server, waits, header, expected):
    server.behaviours, server.retry_after = [429], header
    make().complete(ASK, Count)
    assert waits == [expected]


@pytest.mark.parametrize("header", ["nan", "soon"])
def test_an_unreadable_retry_after_counts_as_none(make, server, waits, header):
    server.behaviours, server.retry_after = [429], header
    make(retry_base_delay=0.0).complete(ASK, Count)
    assert waits == [0.0]


def test_text_that_is_no_valid_unicode_is_sent_all_the_same(make, server):
    make().complete([{"role": "user", "content": "a\ud800b"}], Count)
    assert server.requests[0]["messages"][0]["content"] == "a?b"


def test_a_kept_answer_that_fits_no_more_is_asked_for_again(make, server):
    cache = MemoryCache()
    client = make(cache=cache)
    client.complete(ASK, Count)
    (key,) = cache._answers
    cache.put(key, "", "m", '{"tasks": "many"}')
    assert client.complete(ASK, Count).tasks == 3
    assert len(server.requests) == 2
    assert cache.get(key) == '{"tasks": 3}'


def test_requests_side_by_side_share_what_is_left_of_the_budget(make, server):
    """About 23 tokens each: three at once would pass 50."""
    server.answer = lambda request: time.sleep(0.4) or '{"tasks": 3}'
    client, outcomes = make(budget_run_tokens=50), []

    def ask(number):
        try:
            client.complete([{"role": "user", "content": "word " * 20 + str(number)}], Count)
            outcomes.append("answered")
        except BudgetExceededError:
            outcomes.append("refused")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["answered", "answered", "refused", "refused"]
    assert len(server.requests) == 2


def test_no_more_requests_at_once_than_set(make, server):
    at_once, most, lock = [0], [0], threading.Lock()

    def answer(request):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.1)
        with lock:
            at_once[0] -= 1
        return '{"tasks": 3}'

    server.answer = answer
    client = make(max_concurrency=2)
    asks = [
        threading.Thread(target=client.complete, args=([{"role": "user", "content": str(n)}], Count))
        for n in range(5)
    ]
    for ask in asks:
        ask.start()
    for ask in asks:
        ask.join()
    assert len(server.requests) == 5
    assert most[0] == 2


def test_yesterdays_tokens_are_not_todays():
    days = [datetime(2026, 1, 1, 23, tzinfo=UTC), datetime(2026, 1, 2, 0, 5, tzinfo=UTC)]
    ledger = MemoryLedger(now=lambda: days[1])
    ledger.record(LLMCall("label", "m", "h", 900, 100, 0.0, 5.0, False, None, days[0]))
    assert ledger.tokens_today() == 0
    ledger.record(LLMCall("label", "m", "h", 9, 1, 0.0, 5.0, False, None, days[1]))
    assert ledger.tokens_today() == 10


def test_a_password_in_the_address_is_not_shown(make, server):
    server.always = 500
    address = server.url.replace("http://", "http://me:secretword@") + "?token=secretword"
    ledger = MemoryLedger()
    with pytest.raises(ModelUnavailableError) as caught:
        make(base_url=address, ledger=ledger, max_retries=0).complete(ASK, Count)
    assert "127.0.0.1" in str(caught.value)
    assert "secretword" not in str(caught.value) + str(ledger.calls)


def _models(**stages):
    settings = Settings(**stages)
    parts = {"cache": MemoryCache(), "ledger": MemoryLedger(), "redact": str}
    made = make_llm(settings, **parts), make_quality_llm(settings, **parts)
    return [model and model.model_id for model in made]


def test_without_a_key_or_offline_there_is_no_model():
    assert _models() == [None, None]
    assert _models(llm=LLMSettings(api_key="k", offline=True)) == [None, None]


def test_the_judge_is_the_main_model_unless_set_or_a_larger_one_is_known():
    assert _models(llm=LLMSettings(api_key="k")) == ["qwen3.6-flash", "qwen3.6-plus"]
    assert _models(llm=LLMSettings(api_key="k", model="own")) == ["own", None]
    assert _models(llm=LLMSettings(api_key="k"), quality_llm=QualityLLMSettings(model="judge"))[1] == "judge"
    assert _models(quality_llm=QualityLLMSettings(api_key="k")) == [None, "qwen3.6-plus"]


def test_a_server_on_this_machine_is_asked_in_the_way_of_llama_cpp_before_in_words(make, server):
    """What llama-cpp-python 0.3.36 answered to a JSON schema."""
    reason = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'input': 'json_schema'}]"
    server.behaviours = [(500, reason)]
    client = make()
    server.answer = lambda request: '{"tasks": 3}'
    for question in ("one", "two"):
        assert client.complete([{"role": "user", "content": question}], Count).tasks == 3
    asked = [request["response_format"] for request in server.requests]
    assert [way["type"] for way in asked] == ["json_schema", "json_object", "json_object"]
    assert asked[1]["schema"]["required"] == ["tasks"]
    assert "JSON schema" not in server.requests[1]["messages"][-1]["content"], "no words besides"


def test_a_server_that_loads_its_model_is_waited_for_and_no_try_is_counted(make, server, waits):
    loading = (503, "Loading model")
    server.behaviours = [loading] * 5
    assert make(max_retries=0).complete(ASK, Count).tasks == 3
    assert waits == [2.0] * 5


def test_a_server_that_never_ends_loading_is_said_to_be(server):
    now = iter(range(0, 10_000, 10))
    server.always = (503, "Loading model")
    settings = LLMSettings(api_key="k", base_url=server.url, model="m", max_retries=0)
    client = OpenAICompatibleLLM(settings, sleep=lambda _: None, monotonic=lambda: next(now))
    with pytest.raises(ModelUnavailableError, match="still loading its model"):
        client.complete(ASK, Count)
    assert 3 < len(server.requests) < 20


def test_the_second_question_shows_as_much_of_a_refused_answer_as_there_is_room_for(make, server):
    server.answer = lambda request: "word " * 2_000
    with pytest.raises(ModelAnswerError):
        make(max_input_tokens=1_200).complete([{"role": "user", "content": "a b c " * 250}], Count)
    second = server.requests[1]
    shown = "".join(message["content"] for message in second["messages"])
    assert count_tokens(shown) <= 900 and "cut…]" in second["messages"][1]["content"]


def test_the_pace_is_that_of_the_answers(make, server):
    client = make()
    client.complete(ASK, Count)
    assert client.pace.calls == 1
    assert client.pace.tokens_per_second > 0
    assert client.pace.left(3) == pytest.approx(2 * client.pace.left(2))
    assert client.pace.left(1) == 0
