"""A model server that is hostile, broken or old: every request ends in time, within its cap, and on its row alone."""

import json
import subprocess
import sys
import time

import pytest
from pydantic import BaseModel, Field

from tests.core.steps.stages.test_model_path import answer
from tests.support.model import hostile
from tests.support.model.server import model_server
from tests.support.peak import PEAK
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import ContextTooLongError, ModelAnswerError, ModelError, ModelUnavailableError
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.llm.ledger import MemoryLedger
from ultron_core.settings import LLMSettings

ASK = [{"role": "user", "content": "How many tasks?"}]
GOOD = '{"tasks": 3}'


#: asks in a process of its own, and tells the error and the most memory that it had
ASKING = f"""{PEAK}
import sys
from tests.attack.model.test_server import ASK, Count
from ultron_core.errors import ModelAnswerError
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.settings import LLMSettings
settings = LLMSettings(api_key="k", base_url=sys.argv[1], model="m", timeout_seconds=60, max_retries=0)
try:
    OpenAICompatibleLLM(settings).complete(ASK, Count)
except ModelAnswerError as error:
    print(error)
print(peak_megabytes())
"""


class Count(BaseModel):
    tasks: int = Field(ge=0, le=9)


@pytest.fixture
def server():
    with model_server(answer=lambda request: GOOD) as running:
        yield running


def client(server, **more):
    values = {"api_key": "k", "base_url": server.url, "model": "m", "timeout_seconds": 1.0, "max_retries": 0}
    ledger = more.pop("ledger", None)
    return OpenAICompatibleLLM(LLMSettings(**(values | more)), ledger=ledger, sleep=lambda _: None)


def test_a_redirect_does_not_carry_the_prompt_to_another_host(server):
    with model_server() as other:
        server.always = hostile.redirect_to(f"{other.url}/chat/completions")
        with pytest.raises(ModelUnavailableError, match="Redirects are not followed"):
            client(server).complete(ASK, Count)
        assert other.requests == []


@pytest.mark.parametrize("behaviour", [hostile.endless, hostile.endless_error, hostile.bomb])
def test_a_body_without_end_is_given_up_at_the_cap(server, behaviour):
    server.always = behaviour
    with pytest.raises(ModelAnswerError, match="more than 8,000,000 bytes"):
        client(server, timeout_seconds=30).complete(ASK, Count)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (hostile.long_text(15_000_000), "more than 8,000,000 bytes"),
        (hostile.long_text(7_900_000), "the limit is 4,000,000"),
        (hostile.many_lists(7_900_000), "no JSON value"),
        (hostile.said('{"a": [' + "[]," * 1_300_000 + "1]}"), "none of the fields"),
    ],
    ids=["over the cap", "text", "lists around it", "values inside of it"],
)
def test_a_large_answer_is_refused_with_a_sentence_in_bounded_memory(server, body, reason):
    server.always = body
    done = subprocess.run(
        [sys.executable, "-c", ASKING, server.url], text=True, capture_output=True, check=True
    )
    error, megabytes = done.stdout.rsplit("\n", 2)[:2]
    assert reason in error
    assert int(megabytes) < 700


@pytest.mark.parametrize("behaviour", [hostile.slow_body, hostile.slow_headers])
def test_a_slow_answer_ends_at_the_deadline(server, behaviour):
    server.always = behaviour
    started = time.monotonic()
    with pytest.raises(ModelUnavailableError, match="did not answer within 1 s"):
        client(server).complete(ASK, Count)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    "body",
    [hostile.NESTED_BODY, hostile.NO_MESSAGE, hostile.NO_CHOICE, hostile.NOT_AN_OBJECT, b"null", b'{"a'],
)
def test_a_body_that_is_not_a_completion_is_unavailable(server, body):
    server.always = body
    with pytest.raises(ModelUnavailableError, match="not a chat completion"):
        client(server).complete(ASK, Count)


@pytest.mark.parametrize(
    "body",
    [
        hostile.NESTED_TEXT,
        hostile.said(None),
        hostile.said(None, refusal="I cannot help with that."),
        hostile.said('{"tasks": 3}', finish_reason="length"),
        hostile.said('{"tasks": 3}', finish_reason="content_filter"),
    ],
)
def test_an_answer_that_cannot_be_used_is_an_error_of_the_answer(server, body):
    server.always = body
    with pytest.raises(ModelAnswerError):
        client(server).complete(ASK, Count)
    assert len(server.requests) <= 2


TOOL_CALL = {"id": "1", "type": "function", "function": {"name": "Count", "arguments": GOOD}}


@pytest.mark.parametrize(
    "body",
    [
        hostile.said([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": GOOD}]),
        hostile.said(["{", '"tasks": 3}']),
        hostile.said(None, tool_calls=[TOOL_CALL]),
        hostile.said("", tool_calls=[{"function": {"arguments": {"tasks": 3}}}]),
        hostile.said(None, function_call={"name": "Count", "arguments": GOOD}),
        hostile.said(GOOD, finish_reason=None, usage={"prompt_tokens": None}),
    ],
)
def test_an_answer_in_another_place_is_read(server, body):
    server.always = body
    assert client(server).complete(ASK, Count).tasks == 3


@pytest.mark.parametrize("tokens", [-1_000_000, 10**30, "many", True, None])
def test_usage_that_cannot_be_true_is_counted_here(server, tokens):
    server.always = hostile.said(GOOD, usage={"prompt_tokens": tokens, "completion_tokens": tokens})
    ledger = MemoryLedger()
    client(server, ledger=ledger).complete(ASK, Count)
    assert 0 < ledger.tokens_today() < 100


@pytest.mark.parametrize(("tokens", "counted"), [(1, 4_000), (1_500, 4_000), (2_500, 2_500)])
def test_usage_below_half_of_our_own_count_is_not_believed(server, tokens, counted):
    server.always = hostile.said(GOOD, usage={"prompt_tokens": tokens, "completion_tokens": 1})
    ledger = MemoryLedger()
    client(server, ledger=ledger).complete([{"role": "user", "content": "word " * 4_000}], Count)
    (call,) = ledger.calls
    assert (call.input_tokens, call.output_tokens) == (pytest.approx(counted, rel=0.01), 6)


def test_an_old_server_is_asked_in_words_and_what_it_refuses_is_sent_once(server):
    server.always = hostile.old_server(lambda request: GOOD)
    model = client(server)
    assert model.complete(ASK, Count).tasks == 3
    assert model.complete([{"role": "user", "content": "And now?"}], Count).tasks == 3
    assert ["response_format" in request for request in server.requests].count(True) == 3
    assert "temperature" not in server.requests[-1]


def test_the_length_of_an_answer_is_limited_under_the_name_that_the_server_takes(server):
    reason = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
    )
    server.behaviours = [(400, reason)]
    client(server).complete(ASK, Count)
    first, second = server.requests
    assert first["max_tokens"] == 8192 and "max_completion_tokens" not in first
    assert second["max_completion_tokens"] == 8192 and "max_tokens" not in second


def test_a_refusal_that_names_no_mode_is_sent_once(server):
    server.always = (400, "The content was filtered.")
    with pytest.raises(ModelAnswerError):
        client(server).complete(ASK, Count)
    assert len(server.requests) == 1


def test_a_context_that_is_too_small_is_learned_from_one_refusal(server):
    server.always = (400, "This model's maximum context length is 1024 tokens")
    model, long = client(server), [{"role": "user", "content": "word " * 2_000}]
    for _ in range(3):
        with pytest.raises(ContextTooLongError):
            model.complete(long, Count)
    assert len(server.requests) == 1


def test_a_server_that_cuts_requests_silently_is_found_out_by_its_usage(server):
    server.always = hostile.said(GOOD, usage={"prompt_tokens": 2048, "completion_tokens": 5})
    with pytest.raises(ContextTooLongError, match="cuts requests silently"):
        client(server).complete([{"role": "user", "content": "word " * 9_000}], Count)


def test_a_model_that_raises_anything_counts_against_its_row_alone(settings, tmp_path):
    class Odd:
        model_id = "odd"

        def complete(self, messages, schema, *, stage=""):
            if "alpha" in messages[-1]["content"]:
                raise RecursionError("maximum recursion depth exceeded")
            described = {"json_schema": {"name": schema.__name__, "schema": schema.model_json_schema()}}
            said = answer({"messages": list(messages), "response_format": described})
            return schema.model_validate(json.loads(said))

    logs = [write_log(tmp_path / f"{name}.jsonl", solved(name, "pandas")) for name in ("alpha", "beta")]
    with Ultron(settings, llm=Odd()) as ultron:
        ultron.ingest(logs, "agent")
        report = ultron.process_pending()
        assert report["new_segments"] == report["labeled"] == 1
        assert any("RecursionError" in error for error in report["errors"])


def test_errors_of_models_are_one_family():
    assert issubclass(ContextTooLongError, ModelAnswerError) and issubclass(ModelAnswerError, ModelError)
