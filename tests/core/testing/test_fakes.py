"""The published fakes keep to the protocols and to what they promise."""

import hashlib
import json

import numpy as np
import pytest
from pydantic import BaseModel

from ultron_core.embeddings import Embedder
from ultron_core.errors import EmbeddingError, ModelAnswerError, ModelUnavailableError
from ultron_core.llm import LLM
from ultron_core.sessions import parse_session
from ultron_core.testing import FakeEmbedder, FakeLLM, session_lines

ASK = [{"role": "user", "content": "four words in here"}]


class Count(BaseModel):
    words: int


def test_a_list_is_used_up_and_a_function_answers_each_request():
    llm = FakeLLM(
        {"a": [{"words": 1}, Count(words=2)], "b": lambda m: {"words": len(m[0]["content"].split())}}
    )
    assert isinstance(llm, LLM)
    assert [llm.complete(ASK, Count, stage=stage).words for stage in "abab"] == [1, 4, 2, 4]
    assert (llm.count(), llm.count("a")) == (4, 2)
    with pytest.raises(AssertionError, match="stage 'a'"):
        llm.complete(ASK, Count, stage="a")


def test_it_fails_as_an_endpoint_would_and_comes_back():
    llm = FakeLLM({"": lambda m: {"words": 1}})
    for fail, error in (("unavailable", ModelUnavailableError), ("malformed", ModelAnswerError)):
        llm.fail = fail
        with pytest.raises(error):
            llm.complete(ASK, Count)
    llm.fail = None
    assert llm.complete(ASK, Count).words == 1
    assert llm.count() == 3


def test_an_answer_that_does_not_fit_is_the_answers_error():
    with pytest.raises(ModelAnswerError, match="Count"):
        FakeLLM({"": [{"words": "many"}]}).complete(ASK, Count)


def test_texts_that_share_words_are_near():
    fake = FakeEmbedder(256)
    rows = fake.embed(["Port 5432 refused", "port 5432  REFUSED", "port 5432 open", "lunch", ""])
    assert isinstance(fake, Embedder)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0] * 5)
    assert rows[0] @ rows[1] == pytest.approx(1.0)
    assert 0.4 < rows[0] @ rows[2] < 0.9
    assert abs(rows[0] @ rows[3]) < 0.3


def test_a_word_is_the_direction_its_hash_seeds():
    seed = int.from_bytes(hashlib.blake2b(b"lunch", digest_size=8).digest(), "big")
    expected = np.random.default_rng(seed).standard_normal(16)
    assert FakeEmbedder(16).embed(["lunch"])[0] == pytest.approx(expected / np.linalg.norm(expected))


def test_an_embedder_that_is_down_says_so():
    fake = FakeEmbedder()
    fake.down = True
    with pytest.raises(EmbeddingError):
        fake.embed(["a"])


MESSAGES = [
    {"role": "user", "content": "数一数 the files"},
    {
        "role": "assistant",
        "reasoning": "ls will do",
        "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a b"},
    {"role": "assistant", "content": "Two."},
]


@pytest.mark.parametrize("wire_format", ["openai", "anthropic"])
def test_session_lines_come_back_from_the_parser_as_the_same_messages(wire_format):
    session = parse_session(session_lines(MESSAGES, wire_format))
    seen = [(m.role, m.content, m.reasoning or "", m.tool_call_id or "") for m in session.messages]
    assert seen == [
        ("user", "数一数 the files", "", ""),
        ("assistant", "", "ls will do", ""),
        ("tool", "a b", "", "c1"),
        ("assistant", "Two.", "", ""),
    ]
    assert session.messages[1].tool_calls[0].arguments == {"command": "ls"}
    assert session.ledger.message == 4
    assert session.ledger.skipped == {}


def test_each_format_has_its_own_shape_of_a_tool_result():
    third = [json.loads(session_lines(MESSAGES, f).splitlines()[2]) for f in ("openai", "anthropic")]
    assert third == [
        {"role": "tool", "content": "a b", "tool_call_id": "c1"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a b"}]},
    ]
