"""What every window shows, and what becomes of rows when a prompt is edited."""

import importlib
from dataclasses import replace

import pytest

from tests.support.gold import Shown, normal, sessions
from tests.support.model.recorded import Recorded
from tests.support.model.server import model_server
from tests.support.walk import stored, with_server
from ultron_core.client import Ultron
from ultron_core.labels.judge import labeler_of
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories import extractor_of
from ultron_core.records.asking import requests
from ultron_core.records.record import Record
from ultron_core.segments.by_model.cut import segmenter_of
from ultron_core.sessions import parse_session
from ultron_core.steps import overview
from ultron_core.steps.stages import process
from ultron_core.steps.stages.process import STEPS
from ultron_core.steps.stages.reprocess import reprocess
from ultron_core.steps.stages.review import review_question
from ultron_core.testing import FakeLLM

#: so small that most of the sixteen sessions take several windows
WINDOW = 4_096


def windows_of(session):
    """The requests about each task of a session, with the request of the person that opened it."""
    messages = parse_session(session.path.read_bytes()).messages
    for task in session.tasks:
        own = [m for m in messages if m.thread == task.first["thread"] and m.start_line >= task.first["line"]]
        asked = next(m.content for m in own if m.role == "user" and m.origin in ("human", "model"))
        chats = list(requests(Record(own), review_question(task.first["topic"]), WINDOW))
        yield asked, [{"messages": chat} for chat in chats]


@pytest.mark.parametrize("session", sessions(), ids=lambda session: session.name)
def test_the_request_stands_in_every_window(session):
    for asked, chats in windows_of(session):
        assert all(normal(asked)[:60] in Shown.of(chat).text for chat in chats)
        assert all(count_tokens(chat["messages"][1]["content"]) <= WINDOW for chat in chats)


def test_a_long_session_takes_several_such_windows():
    counts = {s.name: sum(len(chats) for _, chats in windows_of(s)) for s in sessions()}
    assert counts["private-module"] > 3 and counts["railway-question"] == 1


EDITS = [
    ("ultron_core.segments.by_model.cut", "segment", segmenter_of),
    ("ultron_core.labels.judge", "label", labeler_of),
    ("ultron_core.labels.judge", "record", labeler_of),
    ("ultron_core.memories.by_model", "extract", extractor_of),
    ("ultron_core.memories.by_model", "both", extractor_of),
]


@pytest.mark.parametrize(("module", "prompt", "version"), EDITS, ids=[f"{m[12:]}/{p}" for m, p, _ in EDITS])
def test_an_edited_prompt_is_another_version(monkeypatch, module, prompt, version):
    llm = FakeLLM({}, model_id="recorded")
    before = version(llm)
    edit(monkeypatch, module, prompt)
    after = version(llm)
    assert before != after
    assert before.startswith("model:recorded#") and after.startswith("model:recorded#")


@pytest.mark.parametrize(("module", "prompt", "version"), EDITS, ids=[f"{m[12:]}/{p}" for m, p, _ in EDITS])
def test_an_edited_prompt_is_another_version_of_the_code_of_its_asset(monkeypatch, module, prompt, version):
    made = {segmenter_of: STEPS[0], labeler_of: STEPS[1], extractor_of: STEPS[2]}[version]
    before = made.code_version
    edit(monkeypatch, module, prompt)
    assert importlib.import_module(module).prompt_version() not in before
    assert before.startswith(f"{made.version}#")


def edit(monkeypatch, module, prompt):
    """The prompt of this name gets another sentence, for the rest of the test."""
    stage = importlib.import_module(module)
    read = stage.read_prompt
    monkeypatch.setattr(
        stage,
        "read_prompt",
        lambda package, name: read(package, name) + (" Be brief." if name == prompt else ""),
    )
    stage.prompt_version.cache_clear()
    monkeypatch.setattr(stage, "prompt_version", stage.prompt_version.__wrapped__)


@pytest.fixture
def small():
    return [s.path for s in sessions() if s.name in ("baby-encryption", "car-makers")]


def test_rows_of_an_older_prompt_are_found_and_made_again(settings, plain, small, monkeypatch):
    with model_server() as server:
        server.always = Recorded()
        with Ultron(with_server(settings, server), **plain) as ultron:
            ultron.ingest(small, "agent", process=True)
            old = {segment["labeler"] for segment in stored(ultron, server, {}, {}).segments}
            edit(monkeypatch, "ultron_core.labels.judge", "label")
            assert old != {labeler_of(ultron.runtime.llm)}, (
                "the rows do not carry the version that would make them now"
            )
            assert reprocess(ultron.runtime, "labels", made_by=old.pop()) == 2
            ultron.process_pending()
            made = {segment["labeler"] for segment in stored(ultron, server, {}, {}).segments}
            assert made == {labeler_of(ultron.runtime.llm)}


STALE = [
    ("segments", "ultron_core.segments.by_model.cut", "segment", "zh-questions", 5),
    ("labels", "ultron_core.labels.judge", "label", "car-makers", 1),
    ("memories", "ultron_core.memories.by_model", "extract", "car-makers", 1),
]


@pytest.mark.parametrize(("stage", "module", "prompt", "name", "rows"), STALE, ids=[one[0] for one in STALE])
def test_stats_show_what_an_older_prompt_made_until_it_is_made_again(
    settings, plain, monkeypatch, stage, module, prompt, name, rows
):
    path = next(s.path for s in sessions() if s.name == name)
    with model_server() as server:
        server.always = Recorded()
        with Ultron(with_server(settings, server), **plain) as ultron:
            ultron.ingest([path], "agent", process=True)
            assert overview.stats(ultron.runtime)["stale"] == []
            edit(monkeypatch, module, prompt)
            # the rules of a step are read when it is asked, so the edit reaches the steps as well
            monkeypatch.setattr(process, "STEPS", tuple(with_prompt(step, module, stage) for step in STEPS))
            (stale,) = overview.stats(ultron.runtime)["stale"]
            assert (stale["stage"], stale["rows"]) == (stage, rows)
            assert stale["made_by"] != stale["now_by"] and stale["made_by"].startswith("model:recorded#")
            assert reprocess(ultron.runtime, stage, made_by=stale["made_by"]) > 0
            ultron.process_pending()
            assert overview.stats(ultron.runtime)["stale"] == []


def with_prompt(step, module, stage):
    if step.stage.option != stage:
        return step
    return replace(step, prompt_version=importlib.import_module(module).prompt_version)


def test_what_the_rules_made_is_stale_once_there_is_a_model_and_not_the_other_way_round(
    settings, plain, small
):
    with Ultron(settings, **plain) as ultron:
        ultron.ingest(small[:1], "agent", process=True)
        assert overview.stats(ultron.runtime)["stale"] == []
    with model_server() as server:
        server.always = Recorded()
        with Ultron(with_server(settings, server), **plain) as ultron:
            stale = overview.stats(ultron.runtime)["stale"]
            assert {row["stage"]: row["made_by"][:8] for row in stale} == {
                "segments": "offline:",
                "labels": "offline:",
                "memories": "offline:",
            }
            for row in stale:
                reprocess(ultron.runtime, row["stage"], made_by=row["made_by"])
            ultron.process_pending()
            left = overview.stats(ultron.runtime)["stale"]
            assert left == []
    with Ultron(settings, **plain) as ultron:
        assert overview.stats(ultron.runtime)["stale"] == []


def test_reprocess_asks_anew_and_keeps_what_comes_again(settings, plain, small):
    with model_server() as server:
        server.always = Recorded()
        with Ultron(with_server(settings, server), **plain) as ultron:
            ultron.ingest(small, "agent", process=True)
            first, asked = stored(ultron, server, {}, {}), len(server.chats())
            assert reprocess(ultron.runtime, "labels", made_by="model:recorded") == 2
            ultron.process_pending()
            again = stored(ultron, server, {}, {})
    assert len(again.requests) == asked + 2, "one call for each of the two tasks, no answer from the cache"
    assert {m["id"] for m in again.memories} == {m["id"] for m in first.memories}
