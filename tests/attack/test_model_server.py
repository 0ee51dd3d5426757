"""A model server that is hostile, broken or old: every request ends in time, within its cap, and on its row alone."""

import json
import time

import pytest
from pydantic import BaseModel, Field

from tests.support import hostile
from tests.support.model_server import model_server
from tests.support.records import messages_in
from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import ContextTooLongError, ModelAnswerError, ModelError, ModelUnavailableError
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.llm.ledger import MemoryLedger
from ultron_core.settings import LLMSettings

ASK = [{"role": "user", "content": "How many tasks?"}]
GOOD = '{"tasks": 3}'


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
    with pytest.raises(ModelAnswerError, match="more than 16,000,000 bytes"):
        client(server, timeout_seconds=30).complete(ASK, Count)


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


def test_an_old_server_is_asked_in_words_and_what_it_refuses_is_sent_once(server):
    server.always = hostile.old_server(lambda request: GOOD)
    model = client(server)
    assert model.complete(ASK, Count).tasks == 3
    assert model.complete([{"role": "user", "content": "And now?"}], Count).tasks == 3
    assert ["response_format" in request for request in server.requests].count(True) == 2
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


def path_answer(request):
    """A sensible answer to each stage; told apart by the system message, since an old server gets no schema."""
    asked = request["messages"][0]["content"]
    text = request["messages"][-1]["content"]
    if "You divide" in asked:
        last = messages_in(text)[-1].number
        return json.dumps({"tasks": [{"start": 1, "end": last, "topic": "a task"}]})
    if "# Judge" in asked:
        metrics = [{"name": name, "score": 0.9} for name in ("goal_reached", "completeness")]
        judged = {"outcome": "success", "task_type": "code", "success_probability": 0.9, "metrics": metrics}
        return json.dumps(judged | {"lessons": [{"kind": "pattern", "score": 0.9}], "memories": []})
    return '{"memories": []}'


@pytest.fixture
def with_server(settings, server):
    llm = LLMSettings(api_key="k", base_url=server.url, model="m", timeout_seconds=1, max_retries=0)
    return settings.model_copy(update={"llm": llm})


def test_an_old_server_and_a_small_context_complete_the_path(with_server, server, tmp_path):
    old = hostile.old_server(path_answer)
    small = hostile.small_context(path_answer, 24_000)

    def behave(handler, request):
        kind = "response_format" in request or "temperature" in request
        return old(handler, request) if kind else small(handler, request)

    server.always = behave
    long = task("alpha")
    long[1]["content"] += " word" * 9_000
    with Ultron(with_server) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", long, solved("beta", "pandas"))], "agent")
        report = ultron.process_pending()
        assert (report["pending"], report["failed"], report["errors"]) == (0, 0, ())
        assert report["labeled"] == report["new_segments"] >= 1


@pytest.mark.parametrize(
    ("behaviour", "attempts"),
    [  # an endpoint that is out of order costs no attempt; an answer that cannot be used costs one
        (hostile.redirect_to("http://127.0.0.1:9/v1"), 0),
        (hostile.bomb, 1),
        (hostile.slow_body, 0),
        (hostile.NESTED_BODY, 0),
        (hostile.NESTED_TEXT, 1),
        (hostile.NO_MESSAGE, 0),
        (hostile.said(None), 1),
    ],
    ids=["redirect", "bomb", "slow", "nested body", "nested text", "null message", "null content"],
)
def test_a_hostile_server_leaves_its_reason_and_the_next_cycle_completes(
    with_server, server, tmp_path, behaviour, attempts
):
    server.always = behaviour
    with Ultron(with_server) as ultron:
        result = ultron.ingest(
            [write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))], "agent", process=True
        )
        assert (result["successful"], result["new_segments"]) == (1, 0)
        with ultron.runtime.database.transaction() as conn:
            (row,) = conn.execute("SELECT attempts, error FROM sessions").fetchall()
        assert row["attempts"] == attempts and row["error"]
        server.always = lambda handler, request: handler._send(200, hostile.said(path_answer(request)))
        assert ultron.process_pending()["labeled"] == 1


def test_a_model_that_raises_anything_counts_against_its_row_alone(settings, tmp_path):
    class Odd:
        model_id = "odd"

        def complete(self, messages, schema, *, stage=""):
            if "alpha" in messages[-1]["content"]:
                raise RecursionError("maximum recursion depth exceeded")
            return schema.model_validate(json.loads(path_answer({"messages": list(messages)})))

    logs = [write_log(tmp_path / f"{name}.jsonl", solved(name, "pandas")) for name in ("alpha", "beta")]
    with Ultron(settings, llm=Odd()) as ultron:
        ultron.ingest(logs, "agent")
        report = ultron.process_pending()
        assert report["new_segments"] == report["labeled"] == 1
        assert any("RecursionError" in error for error in report["errors"])


def test_errors_of_models_are_one_family():
    assert issubclass(ContextTooLongError, ModelAnswerError) and issubclass(ModelAnswerError, ModelError)
