"""Plain text: what is refused of it is stored, redacted, with its stage, reason and lines."""

import json

import pytest

from tests.support.model.server import minimal_answer, model_server
from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings
from ultron_core.steps import overview
from ultron_core.steps.stages import text
from ultron_core.steps.stages.process import count_pending

NOTE = """Error: the deploy to staging fails with "no route to host".
Fix: join the VPN first, then run make deploy.

My bank account is with the Example Bank and my salary is paid there, write to jane.roe@example.com about it.
"""


def refused(ultron):
    rows = overview.drops(ultron.runtime, "ingest_text", None, 50)
    return [(row["reason"], row["start_line"], row["payload"]["content"]) for row in rows]


def test_what_is_refused_of_a_text_is_stored_with_its_reason_and_lines(settings):
    with Ultron(settings) as ultron:
        result = ultron.ingest_text(NOTE, agent_id="agent")
        assert (result["memories_extracted"], result["memories_uploaded"]) == (2, 1)
        assert result["refused"] == ["private_not_shareable"]
        ((reason, line, content),) = refused(ultron)
        assert (reason, line) == ("private_not_shareable", 4)
        assert "my salary" in content and "jane.roe" not in content, "drops are redacted"
        assert overview.drop_counts(ultron.runtime) == [
            {"stage": "ingest_text", "reason": "private_not_shareable", "count": 1}
        ]


def test_a_text_that_waited_for_its_model_stores_its_refusals_once(settings):
    def answer(request):
        if request["response_format"]["json_schema"]["name"] != "ExtractAnswer":
            return minimal_answer(request)
        quote = "my salary is paid there"
        return json.dumps(
            {
                "memories": [
                    {
                        "content": "My salary is paid to the account at the Example Bank every month.",
                        "confidence": 0.9,
                        "memory_type": "life",
                        "evidence": [{"message": 4, "quote": quote}],
                    }
                ]
            }
        )

    with model_server(answer=answer) as server:
        llm = LLMSettings(api_key="sk-" + "local" * 5, base_url=server.url, max_retries=0)
        with Ultron(settings.model_copy(update={"llm": llm})) as ultron:
            server.stop()
            assert ultron.ingest_text(NOTE)["status"] == "pending"
            assert refused(ultron) == []
            server.start()
            assert ultron.process_pending()["texts"] == 1
            assert ultron.process_pending()["texts"] == 0
            assert [reason for reason, _, _ in refused(ultron)] == ["private_not_shareable"]


def archive_limit(settings, most):
    sessions = settings.sessions.model_copy(update={"archive_max_bytes": most})
    return settings.model_copy(update={"sessions": sessions})


def test_a_text_over_the_archive_s_limit_is_processed_and_its_bytes_are_not_kept(settings):
    with Ultron(archive_limit(settings, 0)) as ultron:
        assert ultron.ingest_text(NOTE)["memories_uploaded"] == 1
        with ultron.runtime.database.transaction() as conn:
            assert conn.execute("SELECT status, stored, bytes FROM raw_uploads").fetchall() == [
                {"status": "done", "stored": False, "bytes": len(NOTE.encode())}
            ]


def test_a_text_that_was_not_kept_cannot_wait_for_its_model(settings):
    with model_server() as server:
        llm = LLMSettings(api_key="sk-" + "local" * 5, base_url=server.url, max_retries=0)
        with Ultron(archive_limit(settings, 0).model_copy(update={"llm": llm})) as ultron:
            server.stop()
            result = ultron.ingest_text(NOTE)
            assert result["status"] == "failed" and "give it again" in result["error"]
            assert overview.stats(ultron.runtime)["waiting"]["texts"] == 0


@pytest.fixture
def failing_archive(database):
    """A database that takes no raw bytes."""
    with database.direct() as conn:
        conn.execute(
            "CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no space left'; END $$"
        )
        conn.execute("CREATE TRIGGER full_disk BEFORE INSERT ON raw_blobs EXECUTE FUNCTION no_space()")
        yield
        conn.execute("DROP FUNCTION no_space CASCADE")


def test_an_archive_that_fails_stops_no_ingest_and_is_told(settings, tmp_path, failing_archive):
    with Ultron(settings) as ultron:
        assert ultron.ingest_text(NOTE)["memories_uploaded"] == 1
        result = ultron.ingest([write_log(tmp_path / "log.jsonl", task("alpha"))], "agent", process=True)
        assert (result["successful"], result["new_segments"]) == (1, 1)
        drops = overview.drops(ultron.runtime, "archive", None, 10)
        assert {(d["reason"], d["detail"]) for d in drops} == {
            ("bytes_not_stored", "RaiseException: no space left")
        }
        assert len(drops) == 2
        with ultron.runtime.database.transaction() as conn:
            assert [r["stored"] for r in conn.execute("SELECT stored FROM raw_uploads")] == [False, False]


def test_a_text_whose_bytes_are_not_kept_never_waits_for_a_try_that_cannot_come(settings, monkeypatch):
    def killed(runtime, uploads):
        raise KeyboardInterrupt

    monkeypatch.setattr(text, "upload_memories", killed)
    with Ultron(archive_limit(settings, 0)) as ultron:
        with pytest.raises(KeyboardInterrupt):
            ultron.ingest_text(NOTE)
        assert count_pending(ultron.runtime)["texts"] == 0
        assert ultron.process_pending()["texts"] == 0
