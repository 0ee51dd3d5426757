"""The public interface by name and signature: what scripts and other tools are written against."""

import inspect
from dataclasses import fields

import pytest

from ultron_core import labels, memories, models, redaction, segments, sessions
from ultron_core.client import Ultron
from ultron_core.embeddings import Embedder
from ultron_core.embeddings.local import local_embedder
from ultron_core.facade.services import ClusterService, TrajectoryService
from ultron_core.llm import LLM


def parameters(function):
    """`name`, `name=default`, `*` where keyword-only ones begin; without self."""
    shown, star = [], False
    for p in inspect.signature(function).parameters.values():
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        shown.append(p.name if p.default is p.empty else f"{p.name}={p.default!r}")
    return ", ".join(shown)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (sessions.read_session, "path_or_bytes, session_format='auto'"),
        (sessions.parse_session, "path_or_bytes, session_format='auto'"),
        (segments.segment_messages, "messages, llm=None, *, window_tokens=None, count_tokens=None"),
        (labels.label_segment, "messages, llm=None, *, topic='', project='', following=None"),
        (memories.extract_memories, "messages, llm=None, *, project=''"),
        (redaction.redact_text, "text"),
        (redaction.redact_json, "value"),
        (Ultron, "settings=None, *, llm=None, quality_llm=None, embedder=None, redactor=None, clock=None"),
        (Ultron.ingest_text, "text, agent_id='default'"),
        (Ultron.process_pending, "*, project=None"),
        (Ultron.get_memory_details, "ids"),
        (Ultron.get_memory_stats, "*, project=None"),
        (Ultron.run_tier_rebalance, ""),
        (Ultron.archive_memories_by_tag, "tag"),
        (Ultron.close, ""),
        (
            Ultron.search_sessions,
            "query, limit=10, *, agent_id=None, all_agents=False, since=None, until=None, project=None,"
            " all_projects=False",
        ),
        (TrajectoryService.segment_pending_sessions, "batch_size=50"),
        (TrajectoryService.label_pending_segments, "batch_size=50"),
        (TrajectoryService.extract_memories_from_segments, "batch_size=50"),
        (TrajectoryService.get_trajectory_stats, ""),
        (TrajectoryService.export_sft, "task_type=None, min_quality_score=None, limit=5000, *, project=None"),
        (ClusterService.assign_memory_to_cluster, "memory"),
        (ClusterService.get_clusters_ready_to_crystallize, ""),
        (ClusterService.get_clusters_ready_to_recrystallize, ""),
        (ClusterService.get_cluster_memories, "cluster_id"),
        (ClusterService.run_initial_clustering, ""),
        (ClusterService.mark_crystallized, "cluster_id, skill_slug"),
    ],
)
def test_signature(function, expected):
    assert parameters(function) == expected


@pytest.mark.parametrize(
    ("function", "start"),
    [
        (Ultron.ingest, "paths, agent_id, process=False"),
        (Ultron.upload_memory, "content, context='', resolution='', tags=(), idempotency_key=None"),
        (Ultron.upload_memories, "memories"),
        (Ultron.search_memories, "query, detail_level='l1', limit=10, *"),
        (Ultron.update_memory, "memory_id"),
        (Ultron.delete_memory, "memory_id"),
    ],
)
def test_signature_begins_with(function, start):
    assert parameters(function).startswith(start)


def test_search_options_are_keywords():
    shown = parameters(Ultron.search_memories)
    for option in ("agent_id=None", "record_hits=True", "explain=False"):
        assert option in shown.split("*, ", 1)[1]


def test_records_have_the_agreed_fields():
    def names(record):
        return [f.name for f in fields(record)]

    assert names(models.Message)[:12] == [
        *("role", "content", "tool_calls", "tool_call_id", "name", "is_error", "reasoning"),
        *("origin", "thread", "start_line", "end_line", "timestamp"),
    ]
    assert names(models.Segment)[:8] == [
        *("start", "end", "topic", "fingerprint", "thread", "start_line", "end_line", "segmenter"),
    ]
    assert names(models.QualityLabel) == ["summary", "metrics", "labeler"]
    assert names(models.MemoryDraft)[:7] == [
        *("content", "context", "resolution", "tags", "confidence", "memory_type", "evidence"),
    ]
    assert names(models.Evidence) == ["start_line", "end_line", "quote"]
    assert names(models.Redaction) == ["text", "findings"]
    assert names(models.Finding) == ["start", "end", "entity", "placeholder"]


def test_records_are_frozen():
    with pytest.raises(AttributeError):
        models.Message("user", "x").content = "y"


def test_the_protocols_are_published_and_the_offline_embedder_follows_its_own():
    assert isinstance(local_embedder(), Embedder)
    assert parameters(LLM.complete) == "messages, schema, *, stage=''"
    assert parameters(Embedder.embed) == "texts"


def test_the_functions_take_plain_mappings_as_well():
    talk = [
        {"role": "user", "content": "What is 2 + 2?"},
        {"role": "assistant", "content": "4"},
    ]
    (segment,) = segments.segment_messages(talk)
    assert (segment.start, segment.end, segment.start_line, segment.end_line) == (0, 2, 1, 2)
    assert 0 <= labels.label_segment(talk).summary.overall_score <= 1
    assert memories.extract_memories(talk) == []


def test_what_ingest_and_the_services_return(settings, tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "hello"}\n', "utf-8")
    with Ultron(settings) as ultron:
        result = ultron.ingest([log], agent_id="a")
        assert set(result) == {
            *("total_files", "successful", "failed", "new_segments", "total_memories", "results"),
        }
        assert {"session_file", "success", "status", "lines", "error"} <= set(result["results"][0])
        assert (result["total_files"], result["successful"], result["new_segments"]) == (1, 1, 0)
        assert ultron.ingest([log], "a", True)["new_segments"] == 1
        stats = ultron.trajectory_service.get_trajectory_stats()
        assert {"total", "labeled", "memory_eligible", "sft_eligible", "memory_extracted"} <= set(
            stats["segments"]
        )
        assert set(ultron.get_memory_stats()) == {"total", "by_tier", "by_type", "by_status"}
        noted = ultron.ingest_text("Error: pip fails in docker. Cause: no network. Fix: use --network host.")
        assert [m["memory_type"] for m in noted["memories"]] == ["error"]
        assert noted["memories"][0]["content"]
