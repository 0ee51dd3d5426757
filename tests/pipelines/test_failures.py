"""A failed run is told once, with its reason and without secrets: in the log, and at an address if one is set."""

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import dagster as dg
import pytest

from ultron_core.redaction import PresidioRedactor
from ultron_core.settings import RunSettings
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.triggers.failures import make_failure_sensor, notice_of
from ultron_pipelines.triggers.notify import Notice, NotifyError, tell_webhook

KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
NOTICE = Notice("it failed", "a_job", "0123", "because", "2026-01-01T00:00:00+00:00")


@pytest.fixture
def webhook():
    """A local server that answers with the codes it is given, then with 200; keeps what it was told."""

    class Told(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.told.append((self.headers["Content-Type"], json.loads(body)))
            self.send_response(server.codes.pop(0) if server.codes else 200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Told)
    server.told, server.codes = [], []
    server.url = f"http://127.0.0.1:{server.server_port}/hook/secret-path"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@dg.op
def fails_by_itself():
    raise dg.Failure(f"1 of 3 partition(s) failed: a.jsonl: bad key {KEY}", allow_retries=False)


@dg.op
def crashes():
    raise ValueError(f"no connection with password={KEY}")


def failed(op, instance):
    """The context of the sensor after a job of this op has failed."""

    @dg.job(name="ingest_sessions")
    def job():
        op()

    result = job.execute_in_process(instance=instance, raise_on_error=False)
    event = next(e for e in result.all_events if e.event_type == dg.DagsterEventType.RUN_FAILURE)
    return dg.build_run_status_sensor_context(
        "failure_sensor", event, instance, result.dagster_run
    ).for_run_failure()


@pytest.mark.parametrize("op", [fails_by_itself, crashes])
def test_the_notice_says_which_job_and_why_without_the_secret(op, instance):
    notice = notice_of(failed(op, instance), PresidioRedactor())
    assert notice.job == "ingest_sessions" and notice.run_id[:8] in notice.text
    assert notice.text.endswith(notice.reason)
    assert ("1 of 3" if op is fails_by_itself else "no connection") in notice.reason
    assert KEY not in str(notice)


def test_the_log_is_told_always_and_the_address_if_there_is_one(instance, settings, webhook, caplog):
    context = failed(fails_by_itself, instance)
    for url, told in ((None, 0), (webhook.url, 1)):
        runs = RunSettings(notify_url=url)
        resource = UltronResource.of(settings.model_copy(update={"runs": runs}))
        with caplog.at_level(logging.ERROR, "ultron.runs"):
            make_failure_sensor(dg.DefaultSensorStatus.STOPPED)(context, ultron=resource)
        assert len(webhook.told) == told
    assert caplog.text.count("of ingest_sessions failed: 1 of 3") == 2
    ((kind, body),) = webhook.told
    assert kind == "application/json" and body["text"].startswith("Ultron: run ")
    assert KEY not in json.dumps(body) and KEY not in caplog.text


def test_a_server_that_is_down_for_a_moment_is_asked_again(webhook):
    webhook.codes = [503, 429]
    waits = []
    tell_webhook(webhook.url, NOTICE, waits.append)
    assert len(webhook.told) == 3 and waits == [1, 2]


@pytest.mark.parametrize(("codes", "asked"), [([404], 1), ([500, 502, 503], 3)])
def test_one_that_refuses_is_an_error_that_does_not_name_the_address(webhook, codes, asked):
    webhook.codes = list(codes)
    with pytest.raises(NotifyError, match=f"HTTP {codes[-1]}") as error:
        tell_webhook(webhook.url, NOTICE, lambda _: None)
    assert len(webhook.told) == asked and "secret-path" not in str(error.value)


def test_nobody_there_is_an_error_too():
    with pytest.raises(NotifyError, match="run 0123"):
        tell_webhook("http://127.0.0.1:9/hook", NOTICE, lambda _: None)


@dg.op
def fails_at_length():
    raise dg.Failure("x " * 490 + f"key {KEY}", allow_retries=False)


def test_a_long_reason_is_redacted_before_it_is_cut(instance):
    """The cut falls into the key: half of one is no longer known as a key."""
    notice = notice_of(failed(fails_at_length, instance), PresidioRedactor())
    assert KEY[:12] not in notice.reason and len(notice.reason) <= 1000
