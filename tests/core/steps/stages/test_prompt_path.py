"""What a model is asked on the way from a log to memories: once, with one question, and again when a prompt changes."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.core.steps.stages.test_model_path import answer, rows
from tests.support.gold import sessions
from tests.support.records import messages_in
from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.labels.judge import labeler_of
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories import extractor_of
from ultron_core.settings import QualityLLMSettings, SessionSettings
from ultron_core.steps.stages.estimate import estimate_pending
from ultron_core.steps.stages.process import count_pending
from ultron_core.steps.stages.reprocess import reprocess


def asked(server):
    return [request["response_format"]["json_schema"]["name"] for request in server.chats()]


def paid(ultron):
    (found,) = rows(
        ultron,
        "SELECT count(*) AS calls, coalesce(sum(input_tokens), 0)::int AS tokens FROM llm_calls"
        " WHERE NOT cached AND stage IN ('segment', 'label', 'extract')",
    )
    return found


def counted(request):
    """What a server with our own tokenizer would report."""
    return sum(count_tokens(message["content"]) for message in request["messages"])


@pytest.fixture
def log(tmp_path):
    return write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"), task("beta"))


def test_where_one_model_judges_and_extracts_it_is_asked_once_a_session(with_model, server, log):
    with Ultron(with_model) as ultron:
        ultron.ingest([log], "agent", process=True)
        assert asked(server) == ["SessionReview"]
        made = rows(ultron, "SELECT labeler, extractor, model_notes FROM task_segments")
        assert {row["labeler"] for row in made} == {labeler_of(ultron.runtime.llm)}
        assert {row["extractor"] for row in made} == {extractor_of(ultron.runtime.llm)}
        assert not any("label" in (row["model_notes"] or ()) for row in made), "the judgement was taken"


def test_another_judge_is_asked_for_the_judgement_alone(with_model, server, log):
    two = with_model.model_copy(update={"quality_llm": QualityLLMSettings(model="judge-2")})
    with Ultron(two) as ultron:
        ultron.ingest([log], "agent", process=True)
        assert asked(server) == ["TaskList", "Judgement", "Judgement", "ExtractAnswer", "ExtractAnswer"]


def test_redoing_memories_asks_for_memories_alone(with_model, server, log):
    with Ultron(with_model) as ultron:
        ultron.ingest([log], "agent", process=True)
        before = len(server.chats())
        reprocess(ultron.runtime, "memories", made_by="model:judge-1")
        ultron.process_pending()
        assert set(asked(server)[before:]) == {"ExtractAnswer"}


def test_notes_of_a_segment_that_the_gate_refuses_are_dropped_with_its_reason(with_model, server, log):
    strict = with_model.labels.model_copy(update={"memory_score_threshold": 1.0})
    with Ultron(with_model.model_copy(update={"labels": strict})) as ultron:
        ultron.ingest([log], "agent", process=True)
        found = rows(ultron, "SELECT reason, payload FROM drops WHERE stage = 'extract'")
        assert {drop["reason"] for drop in found} == {"below_threshold"}
        assert [drop for drop in found if drop["payload"].get("resolution") == "pip install pandas"]
        assert rows(ultron, "SELECT 1 FROM memories") == []
    asked_before = len(server.chats())
    with Ultron(with_model) as ultron:  # the threshold is lower again: the notes are still there
        assert ultron.process_pending()["memories"] == 1
        assert asked(server)[asked_before:] == []


def test_with_a_model_a_log_that_grows_waits_until_it_is_quiet(with_model, server, log):
    now = datetime.fromtimestamp(log.stat().st_mtime, UTC) + timedelta(minutes=1)
    live = with_model.model_copy(update={"sessions": SessionSettings(quiet_minutes=30)})
    with Ultron(live, clock=lambda: now) as ultron:
        ultron.ingest([log], "agent", process=True)
        assert server.chats() == []
        waiting = count_pending(ultron.runtime)
        assert (waiting["segments"], waiting["open"]) == (0, 1)
    with Ultron(live, clock=lambda: now + timedelta(hours=1)) as ultron:
        assert ultron.process_pending()["new_segments"] == 2


def test_a_thread_that_stayed_as_it_was_is_not_asked_about_again(with_model, server, tmp_path):
    lines = next(s.path for s in sessions() if s.name == "update-notes").read_text("utf-8").splitlines()
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(lines) + "\n", "utf-8")
    quiet = with_model.model_copy(update={"sessions": SessionSettings(quiet_minutes=0)})
    with Ultron(quiet) as ultron:
        ultron.ingest([log], "agent", process=True)
        before = rows(ultron, "SELECT id, thread FROM task_segments WHERE thread <> 'main'")
        last = json.loads(lines[-1])
        more = {"type": "user", "uuid": "another", "parentUuid": last["uuid"], "isSidechain": False}
        more |= {
            "sessionId": last["sessionId"],
            "message": {"role": "user", "content": "次は README.md を更新して"},
        }
        log.write_text("\n".join([*lines, json.dumps(more)]) + "\n", "utf-8")
        ultron.ingest([log], "agent", process=True)
        assert rows(ultron, "SELECT id, thread FROM task_segments WHERE thread <> 'main'") == before
    assert asked(server) == ["SessionReview", "SessionReview"]
    who = [{shown.who for shown in messages_in(r["messages"][1]["content"])} for r in server.chats()]
    assert ["agent" in one for one in who] == [True, False]


@pytest.mark.parametrize("second", [None, "judge-2"])
def test_the_estimate_is_what_is_paid(with_model, server, tmp_path, second):
    # where the rules and the model cut alike; tests/replay measures it over sessions that they cut differently
    logs = [
        write_log(tmp_path / "a.jsonl", solved("alpha", "pandas")),
        write_log(tmp_path / "b.jsonl", task("beta")),
    ]

    def behave(handler, request):
        said = {"role": "assistant", "content": answer(request)}
        usage = {"prompt_tokens": counted(request), "completion_tokens": 10}
        handler._send(200, {"choices": [{"finish_reason": "stop", "message": said}], "usage": usage})

    server.always = behave
    given = with_model.model_copy(update={"quality_llm": QualityLLMSettings(model=second)})
    with Ultron(given) as ultron:
        ultron.ingest(logs, "agent")
        said = estimate_pending(ultron.runtime)
        assert server.chats() == []
        ultron.process_pending()
        really = paid(ultron)
        assert said["calls"] == pytest.approx(really["calls"], rel=0.25)
        assert said["input_tokens"] == pytest.approx(really["tokens"], rel=0.25)
        assert estimate_pending(ultron.runtime)["calls"] == 0


def test_no_request_is_longer_than_the_setting_allows(with_model, server, tmp_path):
    lines = [*solved("alpha", "pandas"), *task("beta")]
    lines[1]["content"] += " and so on" * 30_000
    llm = with_model.llm.model_copy(update={"max_input_tokens": 2_048, "prompt_reserve_tokens": 512})
    with Ultron(with_model.model_copy(update={"llm": llm})) as ultron:
        ultron.ingest([write_log(tmp_path / "long.jsonl", lines)], "agent")
        report = ultron.process_pending()
        assert (report["failed"], report["labeled"]) == (0, 2)
        ultron.ingest_text("A remark about wheels of trains. " * 2_000)
        ultron.upload_memory("The wheels of trains are made of steel. " * 2_000, "in the depot " * 1_000)
    assert len(server.chats()) > 10
    assert max(map(counted, server.chats())) <= 2_048, json.dumps(server.chats())[:200]
