"""Bad input gets the status that says what is wrong, and never a stack, a key or what was sent."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from starlette.testclient import TestClient

from ultron_core.serve.app import make_app
from ultron_core.serve.backend import Backend
from ultron_core.steps.upload import upload

SECRET = "sk-proj-0123456789abcdefghijABCDEFGHIJ"


def error(answer, status):
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["success"] is False and set(body["error"]) == {"code", "message"}
    assert (
        "Traceback" not in answer.text
        and SECRET not in answer.text
        and "ult_" not in answer.text.replace("`ult_` key", "")
    )
    return body["error"]["message"]


@pytest.fixture
def admin(key):
    return key()


def test_a_wrong_key(client):
    for value in ("", "Bearer", f"Bearer {SECRET}", "Basic YTpi", "Bearer ult_0123456789ab_" + "x" * 43):
        answer = client.get("/stats", headers={"Authorization": value})
        error(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"


def test_unknown_ids_and_foreign_ones_are_not_told_apart(client, key, ultron, log):
    ultron.ingest([log], "a")
    (mine,) = ultron.browse.sessions().rows
    unknown = client.get(
        f"/sessions/{'0' * 8}-0000-0000-0000-{'0' * 12}/lines", headers=key("b", preset="agent", agent_id="b")
    )
    foreign = client.get(f"/sessions/{mine['id']}/lines", headers=key("b2", preset="agent", agent_id="b"))
    own = client.get(f"/sessions/{mine['id']}/lines", headers=key("a", preset="agent", agent_id="a"))
    error(unknown, 404), error(foreign, 404)
    assert own.status_code == 200 and own.json()["data"][0]["content"].startswith("TASK parser")


def test_two_who_correct_at_once(client, admin):
    made = client.post("/memories/upload", json={"content": "port is 80"}, headers=admin).json()["data"]
    path = f"/memories/{made['id']}"
    first = client.patch(path, json={"content": "port is 8080", "version": 1}, headers=admin)
    assert first.json()["data"]["version"] == 2
    assert "version 2" in error(
        client.patch(path, json={"content": "port is 81", "version": 1}, headers=admin), 409
    )
    history = client.get(f"{path}/history", headers=admin).json()["data"]
    assert [v["content"] for v in history["versions"]] == ["port is 80"]
    assert history["versions"][0]["changed_by"] == "tester"


def test_an_idempotency_key_of_other_words(client, admin):
    one = {"content": "the build needs make", "idempotency_key": "k1"}
    assert client.post("/memories/upload", json=one, headers=admin).status_code == 200
    again = client.post("/memories/upload", json=one, headers=admin)
    assert again.status_code == 200
    error(client.post("/memories/upload", json={**one, "content": "other words"}, headers=admin), 409)


def test_one_key_at_once_for_words_of_two_types(client, admin, monkeypatch):
    both_found_nothing = threading.Barrier(2, timeout=1.5)
    write = upload._written

    def written_by_both(*given):
        with suppress(threading.BrokenBarrierError):
            both_found_nothing.wait()
        return write(*given)

    monkeypatch.setattr(upload, "_written", written_by_both)
    bodies = [
        {"content": text, "idempotency_key": "k1"}
        for text in (
            "ModuleNotFoundError: pandas is missing; pip install pandas",
            "I prefer tabs over spaces.",
        )
    ]
    with ThreadPoolExecutor(2) as pool:
        answers = list(
            pool.map(lambda body: client.post("/memories/upload", json=body, headers=admin), bodies)
        )
    (kept, refused) = sorted(answers, key=lambda answer: answer.status_code)
    assert kept.status_code == 200
    assert "was used for another memory" in error(refused, 409)


def test_a_body_that_is_too_large_or_of_another_kind(client, admin):
    error(
        client.post("/ingest/session?name=a.jsonl&agent_id=a", content=b"x" * 10_000_001, headers=admin), 413
    )

    def parts():
        yield from (b"x" * 1_000_000 for _ in range(11))

    error(client.post("/ingest/session?name=a.jsonl&agent_id=a", content=parts(), headers=admin), 413)
    error(
        client.post(
            "/memories/search", content=b'{"query": "x"}', headers={**admin, "Content-Type": "text/plain"}
        ),
        415,
    )


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/memories/search", {"query": SECRET, "limit": 0}, "limit"),
        ("/memories/search", {"query": "x", "limit": True}, "limit"),
        ("/memories/search", {"query": " "}, "query"),
        ("/memories/search", {"query": "x", "tier": "LUKEWARM"}, "tier"),
        ("/memories/search", {"query": "x", "unknown": 1}, "unknown"),
        ("/memories/upload", {"content": ""}, "content"),
        ("/memories/upload", {"content": "x", "tags": "not a list"}, "tags"),
        ("/memories/upload", {"content": "a\x00b"}, "content"),
        ("/memories/details", {"ids": ["no id"]}, "id"),
        ("/ingest", {"paths": []}, "paths"),
        ("/ingest/text", {"text": "\ud800"}, "text"),
    ],
)
def test_a_wrong_field_is_named(client, admin, path, body, field):
    answer = client.post(
        path, content=json.dumps(body), headers={**admin, "Content-Type": "application/json"}
    )
    assert field in error(answer, 422)


def test_what_is_no_json_at_all(client, admin):
    for body in (b"", b"{", b"[]", b"\xff\xfe", b'"text"', b"null"):
        error(
            client.post(
                "/memories/search", content=body, headers={**admin, "Content-Type": "application/json"}
            ),
            422,
        )


def test_a_path_outside_of_the_roots(client, admin, tmp_path, log):
    outside = tmp_path / "secret.jsonl"
    outside.write_text(log.read_text())
    (tmp_path / "logs" / "link.jsonl").symlink_to(outside)
    for path in (
        "/etc/passwd",
        str(outside),
        str(tmp_path / "logs" / ".." / "secret.jsonl"),
        str(tmp_path / "logs" / "link.jsonl"),
    ):
        message = error(client.post("/ingest", json={"paths": [path], "agent_id": "a"}, headers=admin), 422)
        assert "paths" in message and path not in message
    for name in ("../x.jsonl", "/x.jsonl", "a/../../x.jsonl", ".hidden.jsonl", "x.txt", "a\\b.jsonl"):
        error(
            client.post(
                "/ingest/session", params={"name": name, "agent_id": "a"}, content=b"{}", headers=admin
            ),
            422,
        )


def test_another_host_name_and_another_sites_page(client, admin):
    error(client.get("/health", headers={"Host": "evil.example"}), 421)
    error(client.get("/health", headers={"Host": "127.0.0.1.evil.example:9999"}), 421)
    for origin in ("https://evil.example", "null", "http://127.0.0.1:8080"):
        answer = client.post("/memories/search", json={"query": "x"}, headers={**admin, "Origin": origin})
        error(answer, 403)
        assert "access-control-allow-origin" not in answer.headers
    assert client.options("/memories/search", headers={"Origin": "http://127.0.0.1:9999"}).status_code == 405


def test_too_many_requests(ultron, key):
    backend = Backend(lambda: ultron, requests_per_minute=3)
    backend.load()
    client = TestClient(make_app(backend), base_url="http://127.0.0.1:9999")
    headers = key()
    answers = [client.get("/memories/stats", headers=headers) for _ in range(4)]
    assert [a.status_code for a in answers] == [200, 200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_a_server_that_loads_says_so(ultron):
    client = TestClient(make_app(Backend(lambda: ultron)), base_url="http://127.0.0.1:9999")
    assert client.get("/health").json()["data"]["status"] == "loading"
    answer = client.get("/stats", headers={"Authorization": "Bearer x"})
    error(answer, 503)
    assert answer.headers["retry-after"]


def test_a_database_that_went_away(client, admin, ultron, monkeypatch):
    def gone(*_, **__):
        raise psycopg.OperationalError("password=hunter2 went away")

    monkeypatch.setattr(ultron.runtime.database, "run", gone)
    answer = client.get("/stats", headers=admin)
    assert "hunter2" not in answer.text and answer.headers["retry-after"]
    error(answer, 503)


def test_a_failure_that_nobody_foresaw_shows_nothing(client, admin, monkeypatch, caplog):
    monkeypatch.setattr("ultron_core.client.Ultron.get_memory_stats", lambda *_, **__: 1 / 0)
    error(client.get("/memories/stats", headers=admin), 500)
    assert "ZeroDivisionError" in caplog.text and "division by" not in caplog.text


def test_keys_are_listed_without_their_secret(client, admin):
    soon = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    made = client.post(
        "/keys", json={"name": "ci", "preset": "agent", "expires_at": soon}, headers=admin
    ).json()["data"]
    headers = {"Authorization": f"Bearer {made['key']}"}
    assert client.get("/memories/stats", headers=headers).status_code == 200
    listed = client.get("/keys", headers=admin)
    assert made["key"] not in listed.text and "hash" not in listed.text
    assert client.delete("/keys/ci", headers=admin).json()["count"] == 1
    assert client.get("/memories/stats", headers=headers).status_code == 401
