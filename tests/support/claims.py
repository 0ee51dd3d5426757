"""What sessions say, as the extractor hands it in: of a real segment, by whom the test says."""

from tests.support.memories import rows
from tests.support.worlds import task, write_log
from ultron_core.steps.upload.records import Source, Upload
from ultron_core.steps.upload.upload import upload_memories


def segments_of(ultron, name, *tasks):
    """(session, segment) of each task of a log that is read and cut just now."""
    path = ultron.settings.sessions_dir / "agent" / f"{name}.jsonl"
    write_log(path, *(task(one) for one in tasks or (name,)), cwd="/home/ana/src/shop")
    ultron.ingest([path], "agent", over=True)
    ultron.trajectory_service.segment_pending_sessions()
    query = (
        "SELECT t.session_id, t.id FROM task_segments t JOIN sessions s ON s.id = t.session_id"
        " WHERE s.session_file = %(file)s ORDER BY t.start_line"
    )
    return [(row["session_id"], row["id"]) for row in rows(ultron, query, file=path.name)]


def said(ultron, segment, content, *, trust="agent", proof=None, **more):
    """The memory that these words of a segment became."""
    source = Source("segment", segment[1], segment[0], None, 1, 2, 1, content, trust)
    upload = Upload(
        content, sources=(source,), agent_id="agent", proof=proof, **{"memory_type": "pattern", **more}
    )
    return upload_memories(ultron.runtime, [upload])[0].record


def again(ultron, record):
    """The memory as it is now."""
    return ultron.get_memory_details([record.id])[0]
