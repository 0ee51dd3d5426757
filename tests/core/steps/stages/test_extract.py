"""The extract step: its settings hold, and a model that reads redacted text may quote it."""

import json

import pytest

from tests.support.model.server import minimal_answer, model_server
from tests.support.records import messages_in
from tests.support.worlds import call, solved, write_log
from ultron_core.client import Ultron
from ultron_core.settings import ExtractSettings, LLMSettings
from ultron_core.steps.stages import extract
from ultron_core.steps.stages.process import process_pending

KEY = "sk-proj-" + "Q7h2" * 12


def memory(number, quote, line):
    return {
        "content": f"The upload to bucket number {number} failed because the key of the account had expired.",
        "resolution": "Renew the key in the settings page.",
        "confidence": 0.9,
        "memory_type": "error",
        "evidence": [{"message": line, "quote": quote}],
    }


def judged(request):
    names = request["response_format"]["json_schema"]["schema"]["$defs"]["MetricJudgement"]
    return {
        "outcome": "success",
        "task_type": "code",
        "success_probability": 0.9,
        "metrics": [{"name": n, "score": 0.9} for n in names["properties"]["name"]["enum"]],
    }


def answering(memories):
    def answer(request):
        name = request["response_format"]["json_schema"]["name"]
        text = request["messages"][-1]["content"]
        if name == "Judgement":
            return json.dumps(judged(request))
        if name == "ExtractAnswer":
            return json.dumps({"memories": memories(text)})
        if name == "Review":
            return json.dumps(judged(request) | {"memories": memories(text)})
        if name == "TaskList":
            last = messages_in(text)[-1].number
            return json.dumps({"tasks": [{"start": 1, "end": last, "topic": "a task"}]})
        return minimal_answer(request)

    return answer


def opened(settings, server, **extract):
    llm = LLMSettings(
        api_key="sk-" + "local" * 5, base_url=server.url, model="judge-1", max_retries=0, retry_base_delay=0
    )
    return Ultron(settings.model_copy(update={"llm": llm, "extract": ExtractSettings(**extract)}))


def rows(ultron, query):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query).fetchall()


def upload_log(tmp_path):
    failed = f"403 Forbidden: key {KEY} was refused by the storage service"
    lines = [
        {"role": "user", "content": "upload the report"},
        {"role": "assistant", "content": "", "tool_calls": [call("1", "upload report.pdf")]},
        {"role": "tool", "tool_call_id": "1", "name": "bash", "content": failed},
        {"role": "assistant", "content": "The key was refused by the storage service."},
    ]
    return write_log(tmp_path / "log.jsonl", lines)


def test_a_quote_with_a_placeholder_is_matched_and_stays_redacted(settings, tmp_path):
    quote = "key <LLM_API_KEY> was refused by the storage service"

    def quoting(text):
        assert KEY not in text and quote in text
        return [memory(1, quote, 3)]

    with model_server(answer=answering(quoting)) as server, opened(settings, server) as ultron:
        assert ultron.ingest([upload_log(tmp_path)], "agent", process=True)["total_memories"] == 1
        assert [row["quote"] for row in rows(ultron, "SELECT quote FROM memory_sources")] == [quote]
        assert rows(ultron, "SELECT 1 FROM drops WHERE reason = 'quote_not_in_lines'") == []


def test_the_setting_alone_decides_how_many_memories_a_segment_has(settings, tmp_path):
    def many(text):
        return [memory(n, "was refused by the storage service", 3) for n in range(25)]

    with (
        model_server(answer=answering(many)) as server,
        opened(settings, server, max_per_segment=23) as ultron,
    ):
        ultron.ingest([upload_log(tmp_path)], "agent", process=True)
        assert len(rows(ultron, "SELECT 1 FROM memory_contributions")) == 23
        assert len(rows(ultron, "SELECT 1 FROM drops WHERE reason = 'too_many'")) == 2


@pytest.mark.parametrize(("window", "least", "most"), [(256, 2, 50), (65_536, 1, 1)])
def test_a_model_reads_as_many_tokens_at_once_as_the_setting_says(settings, tmp_path, window, least, most):
    asked = []

    def counting(text):
        asked.append(text)
        return []

    long = [*solved("alpha", "pandas"), {"role": "assistant", "content": "A remark about wheels. " * 100}]
    log = write_log(tmp_path / "log.jsonl", long)
    with (
        model_server(answer=answering(counting)) as server,
        opened(settings, server, window_tokens=window) as ultron,
    ):
        ultron.ingest([log], "agent", process=True)
    assert least <= len(asked) <= most


def test_a_task_that_is_cut_again_during_its_model_call_is_left_to_the_next_cycle(
    settings, tmp_path, monkeypatch
):
    """Its log grew meanwhile, and another process segmented it: the row that the memories would name is gone."""
    real = extract.upload_memories

    def after_another_cut(runtime, uploads):
        with runtime.database.transaction() as conn:
            conn.execute("DELETE FROM task_segments WHERE id = %s", [uploads[0].sources[0].segment_id])
        return real(runtime, uploads)

    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "a.jsonl", solved("alpha", "pandas"))], "agent")
        ultron.ingest([write_log(tmp_path / "b.jsonl", solved("beta", "numpy"))], "agent")
        monkeypatch.setattr(extract, "upload_memories", after_another_cut)
        report = process_pending(ultron.runtime)
        assert (report.failed, report.memories) == (0, 0)
        assert any("cut again" in error for error in report.errors)
        assert rows(ultron, "SELECT 1 FROM memories") == []


def test_a_refused_call_with_its_reason_is_a_person_s_message_to_the_model(settings, tmp_path):
    said = "Use uv here, never pip."

    def corrected(text):
        (shown,) = [shown for shown in messages_in(text) if said in shown.body]
        assert shown.who == "user"
        quote = {"message": shown.number, "quote": said}
        return [memory(1, said, shown.number) | {"memory_type": "correction", "evidence": [quote]}]

    refusal = f"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n{said}"
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pip install flask"}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "content": refusal, "is_error": True}
    turns = [("user", "Install flask."), ("assistant", [use]), ("user", [failed])]
    log = tmp_path / "refused.jsonl"
    rows_of = (
        {"type": who, "sessionId": "s", "message": {"role": who, "content": body}} for who, body in turns
    )
    log.write_text("\n".join(map(json.dumps, rows_of)), "utf-8")
    with model_server(answer=answering(corrected)) as server, opened(settings, server) as ultron:
        ultron.ingest([log], "agent", process=True)
        kept = rows(ultron, "SELECT memory_type, trust, proof FROM memories")
        assert kept == [{"memory_type": "correction", "trust": "human", "proof": "person"}]
