"""Last tasks of logs are closed once these are quiet, however many finished ones there are."""

from tests.support.memories import one, rows
from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.settings import SessionSettings
from ultron_core.steps.stages.segment_rows import close_quiet_segments
from ultron_core.store.queries import NamedQueries

_SQL = NamedQueries("log/segments")


def test_open_tasks_are_found_without_reading_the_finished_ones(settings, tmp_path):
    growing = settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=30)})
    with Ultron(growing) as ultron:
        ultron.ingest([write_log(tmp_path / "a.jsonl", task("alpha"))], "me", process=True)
        assert one(ultron, "SELECT closed FROM task_segments") == {"closed": False}
        with ultron.runtime.database.transaction() as conn:
            conn.execute(
                "INSERT INTO task_segments SELECT (jsonb_populate_record(t, jsonb_build_object("
                " 'id', gen_random_uuid(), 'occurrence', n, 'closed', true))).*"
                " FROM task_segments t, generate_series(100, 3000) n"
            )
        with ultron.runtime.database.direct() as conn:
            conn.execute("ANALYZE task_segments")
            conn.execute("ANALYZE sessions")
            now = ultron.runtime.clock()
            params = {**ultron.runtime.account, "now": now, "quiet_since": now, "keys": None}
            plan = "\n".join(
                row["QUERY PLAN"] for row in conn.execute("EXPLAIN " + _SQL["close_quiet"], params)
            )
        assert "task_segments_open" in plan and "Seq Scan on task_segments" not in plan, plan
        rows(ultron, "UPDATE sessions SET changed_at = changed_at - interval '1 hour' RETURNING 1")
        assert len(close_quiet_segments(ultron.runtime)) == 1
        assert one(ultron, "SELECT count(*) AS n FROM task_segments WHERE NOT closed")["n"] == 0
