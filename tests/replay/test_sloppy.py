"""The same answers as sloppy models give them: nothing good is lost, nothing is blocked, nothing counts as empty."""

import itertools
import json
import threading

import pytest

from tests.support.gold import schema_of, sessions
from tests.support.model.recorded import Recorded, notes
from tests.support.model.server import model_server
from tests.support.model.sloppy import is_second_try, spoil, variants
from tests.support.walk import KEY, missing, walk, with_server
from ultron_core.labels import label_segment
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories.by_model import extract_with_model
from ultron_core.segments.by_model.cut import cut_by_model
from ultron_core.sessions import parse_session
from ultron_core.settings import LLMSettings, SessionSettings

VARIANTS = variants()


@pytest.fixture(scope="module")
def server():
    with model_server() as running:
        yield running


@pytest.fixture
def asked(server):
    """`asked(variant)` is a model that gives its first answers in this form, and the requests that it gets."""

    def make(variant):
        answers = Recorded()

        def answer(request):
            value = answers.value(request)
            title = schema_of(request)["title"]
            return json.dumps(value) if is_second_try(request) else spoil(variant, value, title)

        server.answer, server.requests = answer, []
        settings = LLMSettings(api_key=KEY, base_url=server.url, model="sloppy", max_retries=0)
        return OpenAICompatibleLLM(settings), server.requests

    return make


def messages_of(name):
    return parse_session(next(s for s in sessions() if s.name == name).path.read_bytes()).messages


def test_there_are_many_forms_each_with_its_name():
    assert len({variant["name"] for variant in VARIANTS}) == len(VARIANTS) >= 60


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant["name"] for variant in VARIANTS])
def test_notes_survive(asked, variant):
    model, requests = asked(variant)
    found = {draft.content for draft in extract_with_model(messages_of("baby-encryption"), model)}
    assert len(found & set(notes("baby-encryption"))) == 3
    assert len(requests) == (2 if variant["expect"] == "refused" else 1)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if "text" in v], ids=lambda v: v["name"])
def test_cuts_and_judgements_survive(asked, variant):
    model, requests = asked(variant)
    tasks = cut_by_model(messages_of("zh-questions"), model, 100_000, count_tokens)
    assert [(task.start, task.end) for task in tasks] == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    assert label_segment(messages_of("baby-encryption"), model).summary.outcome == "success"
    assert len(requests) == (4 if variant["expect"] == "refused" else 2)


def quiet(settings):
    return settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=0)})


@pytest.mark.parametrize("first", range(0, len(VARIANTS), 16))
def test_a_whole_path_of_sloppy_answers_loses_nothing(settings, plain, first):
    """Every request of sixteen sessions is answered in the next form of the list."""
    answers, lock = Recorded(), threading.Lock()
    turn = itertools.cycle([*VARIANTS[first:], *VARIANTS[:first]])
    used = set()

    def answer(request):
        value = answers.value(request)
        if is_second_try(request):
            return json.dumps(value, ensure_ascii=False)
        with lock:
            variant = next(turn)
        used.add(variant["name"])
        return spoil(variant, value, schema_of(request)["title"])

    with model_server(answer=answer) as running:
        done = walk(with_server(quiet(settings), running), running, **plain)
    assert len(used) >= 16
    assert (done.report["pending"], done.report["failed"], done.report["errors"]) == (0, 0, ())
    assert len(done.segments) == sum(len(session.tasks) for session in sessions())
    assert all(segment["labeler"] for segment in done.segments)
    assert missing(done.memories) == []
