"""The whole path through the real client and a real endpoint: it works, it is down, it comes back."""

import hashlib
import json

import pytest

from tests.support.gold import schema_of
from tests.support.model.server import minimal_answer
from tests.support.records import messages_in
from tests.support.worlds import MARK, solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import EmbeddingError
from ultron_core.labels.judge import labeler_of
from ultron_core.memories import extractor_of
from ultron_core.segments.by_model.cut import segmenter_of
from ultron_core.settings import EmbeddingSettings, LLMSettings
from ultron_core.steps.stages.reprocess import reprocess

#: longer than a one-line summary may be, so that the model is asked for one
CONTENT = (
    "Running the tests failed because the package pandas was missing in the environment of the build. " * 5
)
#: longer than an overview may be
LONG = "It was a fresh clone on the build machine, and the branch was new. " * 20
QUOTE = "ModuleNotFoundError: No module named 'pandas'"


def answer(request):
    """What a sensible model would say to each stage, told apart by the schema it is asked to fill."""
    name = schema_of(request)["title"]
    text = request["messages"][1]["content"]
    if name == "TaskList":
        return json.dumps({"tasks": segmentation(text)})
    if name == "SessionReview":
        return json.dumps({"tasks": reviews(text, request)})
    if name in ("Judgement", "Review"):
        metrics = [{"name": n, "score": 0.9} for n in metric_names(request)]
        judged = {"outcome": "success", "task_type": "code", "success_probability": 0.9}
        judged |= {"metrics": metrics}
        return json.dumps(judged | ({"memories": extraction(messages_in(text))} if name == "Review" else {}))
    if name == "ExtractAnswer":
        return json.dumps({"memories": extraction(messages_in(text))})
    if name == "SummaryAnswer":
        return json.dumps({"summary_l0": "The model's one line.", "overview_l1": "The model's overview."})
    return minimal_answer(request)


def segmentation(text, first=1):
    lines = messages_in(text)
    asked = [n for n, who, body in lines if who == "user" and body.startswith(MARK)]
    starts = sorted({first, *asked[1:], *(n for n, who, _ in lines if who == "agent")})
    ends = [start - 1 for start in starts[1:]] + [lines[-1].number]
    return [{"start": s, "end": e, "topic": "a task"} for s, e in zip(starts, ends, strict=True)]


def reviews(text, request):
    """The tasks with a judgement of each and the note that its own messages hold."""
    judged = {"outcome": "success", "task_type": "code", "success_probability": 0.9}
    judged["metrics"] = [{"name": name, "score": 0.9} for name in metric_names(request)]
    found = []
    for cut in segmentation(text, messages_in(text)[0].number):
        own = [shown for shown in messages_in(text) if cut["start"] <= shown.number <= cut["end"]]
        notes = extraction(own)
        found.append({"start": cut["start"], "topic": cut["topic"], **judged, "memories": notes})
    return found


def metric_names(request):
    return schema_of(request)["$defs"]["MetricJudgement"]["properties"]["name"]["enum"]


def extraction(messages):
    numbers = {
        quote: next((shown.number for shown in messages if quote in shown.body), None)
        for quote in (QUOTE, "5 passed in 0.12s")
    }
    if numbers[QUOTE] is None:
        return []
    evidence, passed = [{"message": number, "quote": quote} for quote, number in numbers.items()]
    body = {"content": CONTENT, "summary": "The model's one line."}
    return [
        {
            **body,
            "resolution": "pip install pandas",
            "resolution_status": "verified",
            "verified_by": passed if passed["message"] else None,
            "confidence": 0.9,
            "memory_type": "error",
            "evidence": [evidence],
        }
    ]


def rows(ultron, query):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query).fetchall()


def made_by(ultron):
    return rows(
        ultron,
        "SELECT segmenter, labeler, memory_extracted, extractor FROM task_segments ORDER BY start_line",
    )


def test_every_stage_is_made_by_the_model_and_paid_for_once(with_model, server, tmp_path):
    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"), task("beta"))
    with Ultron(with_model) as ultron:
        result = ultron.ingest([log], "agent", process=True)
        assert (result["new_segments"], result["total_memories"]) == (2, 1)
        assert {row["segmenter"] for row in made_by(ultron)} == {segmenter_of(ultron.runtime.llm)}
        assert {row["labeler"] for row in made_by(ultron)} == {labeler_of(ultron.runtime.llm)}
        memory = rows(ultron, "SELECT extractor, summary_l0, needs_model FROM memories")
        assert memory == [
            {
                "extractor": extractor_of(ultron.runtime.llm),
                "summary_l0": "The model's one line.",
                "needs_model": False,
            }
        ]
        calls = rows(
            ultron, "SELECT stage, count(*) AS n FROM llm_calls WHERE error IS NULL GROUP BY 1 ORDER BY 1"
        )
        assert calls == [{"stage": "segment", "n": 1}], (
            "judgements, notes and their summaries come with the cuts"
        )
        asked = len(server.requests)
        assert ultron.process_pending()["pending"] == 0
        write_log(tmp_path / "copy.jsonl", solved("alpha", "pandas"), task("beta"))
        ultron.ingest([tmp_path / "copy.jsonl"], "agent", process=True)
        assert len(server.requests) == asked, "the same words are answered from the cache"


def test_reprocess_asks_the_model_again(with_model, server, tmp_path):
    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
    with Ultron(with_model) as ultron:
        ultron.ingest([log], "agent", process=True)
        asked = len(server.requests)
        reprocess(ultron.runtime, "labels", made_by="model:judge-1")
        assert ultron.process_pending()["labeled"] == 1
        assert len(server.requests) == asked + 1


def test_a_judgement_without_its_main_metric_blocks_nothing(with_model, server, tmp_path):
    """It is asked again with the reason, counted as an attempt, never cached, and judged in the next cycle."""

    def without_goal(request):
        judged = json.loads(answer(request))
        for part in judged.get("tasks", [judged]):
            part["metrics"] = [m for m in part["metrics"] if m["name"] != "goal_reached"]
        return json.dumps(judged)

    def first(request):
        name = request["response_format"]["json_schema"]["name"]
        return without_goal(request) if name in ("SessionReview", "Review") else answer(request)

    server.answer = first
    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
    with Ultron(with_model) as ultron:
        ultron.ingest([log], "agent", process=True)
        titles = [schema_of(request)["title"] for request in server.chats()]
        assert titles == ["SessionReview"] * 2 + ["Review"] * 2, "its boundaries are used all the same"
        (row,) = rows(ultron, "SELECT labeler, label_attempts, label_error FROM task_segments")
        assert (row["labeler"], row["label_attempts"]) == (None, 1)
        assert "goal_reached" in row["label_error"]
        assert rows(ultron, "SELECT 1 FROM llm_cache WHERE stage = 'label'") == []
        server.answer = answer
        assert ultron.process_pending()["labeled"] == 1


def test_a_model_that_is_down_leaves_everything_pending_and_the_next_cycle_completes_it(
    with_model, server, tmp_path
):
    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"), task("beta"))
    with Ultron(with_model) as ultron:
        server.stop()
        result = ultron.ingest([log], "agent", process=True)
        assert result["successful"] == 1 and result["new_segments"] == 0
        assert made_by(ultron) == []
        waiting = rows(ultron, "SELECT segmented, attempts, error FROM sessions")
        assert (waiting[0]["segmented"], waiting[0]["attempts"]) == (0, 0)
        assert "cannot be reached" in waiting[0]["error"]
        note = ultron.ingest_text("Error: build failed. Cause: no cache. Fix: run make clean first.")
        assert (note["status"], note["memories_uploaded"]) == ("pending", 0)
        server.start()
        report = ultron.process_pending()
        assert (report["new_segments"], report["labeled"], report["memories"]) == (2, 2, 1)
        assert report["texts"] == 1 and report["pending"] == 0
        assert {row["labeler"] for row in made_by(ultron)} == {labeler_of(ultron.runtime.llm)}


def test_it_may_go_down_between_any_two_stages(with_model, server, tmp_path):
    log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
    with Ultron(with_model) as ultron:
        ultron.ingest([log], "agent")
        ultron.trajectory_service.segment_pending_sessions()
        server.stop()
        assert [r.status for r in ultron.trajectory_service.label_pending_segments()] == ["done"]
        assert [r.status for r in ultron.trajectory_service.extract_memories_from_segments()] == ["done"]
        assert made_by(ultron)[0]["memory_extracted"] == 1, "all came with the boundaries"
        reprocess(ultron.runtime, "labels")
        assert [r.status for r in ultron.trajectory_service.label_pending_segments()] == ["pending"]
        server.start()
        assert [r.status for r in ultron.trajectory_service.label_pending_segments()] == ["done"]
        server.stop()
        extracted = ultron.trajectory_service.extract_memories_from_segments()
        assert [r.status for r in extracted] == ["done"], "the notes came with the judgement"
        reprocess(ultron.runtime, "memories")
        assert [r.status for r in ultron.trajectory_service.extract_memories_from_segments()] == ["pending"]
        assert made_by(ultron)[0]["memory_extracted"] == 0
        server.start()
        assert [r.status for r in ultron.trajectory_service.extract_memories_from_segments()] == ["done"]


def test_an_upload_is_stored_at_once_by_rules_and_finished_by_the_model_later(with_model, server):
    with Ultron(with_model) as ultron:
        server.stop()
        record = ultron.upload_memory(
            "git push failed: no upstream branch", LONG, resolution="git push -u origin main"
        )
        assert record.needs_model and record.summary_l0 and record.memory_type == "error"
        again = ultron.upload_memory(
            "git push failed: no upstream branch.",
            LONG,
            resolution="git push -u origin main, then set push.autoSetupRemote",
        )
        pending = rows(ultron, "SELECT memory_id FROM memory_contributions WHERE pending_merge")
        assert again.id == record.id and pending
        assert again.content == record.content, "the body stays untouched until the model is back"
        server.start()
        ultron.process_pending()
        assert rows(ultron, "SELECT 1 FROM memories WHERE needs_model") == []
        assert rows(ultron, "SELECT 1 FROM memory_contributions WHERE pending_merge") == []
        assert ultron.get_memory_details([record.id])[0].summary_l0 == "The model's one line."


def test_a_search_without_the_model_is_a_plain_search_that_says_so(with_model, server):
    with Ultron(with_model) as ultron:
        ultron.upload_memory("git push failed: no upstream branch", resolution="git push -u origin main")
        server.stop()
        hits = ultron.search_memories("git push upstream", record_hits=False)
        assert len(hits) == 1 and "plain query" in hits.notes[0]


def test_a_remote_embedder_that_fails_leaves_a_row_to_be_filled_in(settings, server):
    llm = LLMSettings(api_key="sk-" + "local" * 5, base_url=server.url, max_retries=0)
    remote = EmbeddingSettings(backend="openai", model="vec", dimension=8)
    from ultron_core.embeddings.factory import make_embedder

    embedder = make_embedder(settings.model_copy(update={"llm": llm, "embedding": remote}))
    with Ultron(settings, embedder=embedder) as ultron:
        server.always = 500
        with pytest.raises(EmbeddingError, match="status 500"):
            embedder.embed(["x"])
        record = ultron.upload_memory(
            "port 5432 is taken by another postgres", resolution="stop the other one"
        )
        assert rows(ultron, "SELECT 1 FROM memory_vectors") == []
        assert [h.record.id for h in ultron.search_memories("postgres port 5432", record_hits=False)] == [
            record.id
        ]
        server.always = None
        ultron.process_pending()
        assert rows(ultron, "SELECT model_id FROM memory_vectors") == [{"model_id": "vec@8"}]
        assert rows(ultron, "SELECT size FROM clusters") == [{"size": 1}]


def test_no_planted_key_reaches_the_endpoint(with_model, server, tmp_path):
    key = "sk-" + "proj-" + hashlib.sha256(b"any").hexdigest()[:48]
    lines = task("alpha")
    lines[0]["content"] += f" with the key {key}"
    with Ultron(with_model) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", lines)], "agent", process=True)
    sent = json.dumps(server.requests)
    assert "TASK alpha" in sent and key not in sent
