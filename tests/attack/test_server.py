"""What was tried on a running server: headers that two readers take differently, logs under any name of a type."""

import pytest

from tests.core.serve.conftest import ADDRESS, app, backend, client, key, log, ultron
from ultron_core.client import Ultron

__all__ = ["app", "backend", "client", "key", "log", "ultron"]

LINES = b'{"role": "user", "content": "please run the tests"}\n' * 3


@pytest.mark.parametrize("origin", ["http://[::1", "http://[", "null", "//", "http://127.0.0.1:9999@other"])
def test_an_origin_that_is_no_address_is_refused(client, key, origin):
    sent = client.post("/memories/search", json={"query": "pip"}, headers={**key(), "Origin": origin})
    assert (sent.status_code, sent.json()["error"]["code"]) == (403, "foreign_site")


def test_two_host_names_are_none(client):
    host = ADDRESS.removeprefix("http://")
    for names in (["other.example", host], [host, "other.example"]):
        sent = client.get("/health", headers=[("Host", name) for name in names])
        assert sent.status_code == 421, names
    assert client.get("/health", headers=[("Host", host)]).status_code == 200


@pytest.mark.parametrize("before", ["localhost:9703", "localhost", "127.0.0.1:9999", "[::1]:9999"])
def test_a_host_name_with_more_behind_it_is_none(client, before):
    for after in (
        ", evil",
        ",evil",
        " evil",
        "/evil",
        "?evil",
        "#evil",
        "\\evil",
        ":evil",
        ":1:2",
        "\tevil",
        ";evil",
    ):
        assert client.get("/health", headers=[("Host", before + after)]).status_code == 421, before + after
    for odd in (
        f"evil@{before}",
        f"//{before}",
        f".{before}",
        f" {before}",
        "",
        ":9999",
        "[::1",
        "::1",
        "localhost.",
    ):
        assert client.get("/health", headers=[("Host", odd)]).status_code == 421, odd
    assert client.get("/health", headers=[("Host", before.upper())]).status_code == 200


@pytest.mark.parametrize(
    "kind", ["application/json", "application/x-ndjson", "text/plain", "a/b; charset=x", None]
)
def test_a_log_is_read_whatever_its_sender_calls_it(client, key, ultron: Ultron, kind):
    headers = key() if kind is None else {**key(), "Content-Type": kind}
    sent = client.post("/ingest/session?agent_id=eve&name=a.jsonl", content=LINES, headers=headers)
    assert (sent.status_code, sent.json()["data"]["messages"]) == (200, 3)


def test_the_log_stands_in_the_description_of_the_interface(client):
    told = client.get("/openapi.json").json()["paths"]["/ingest/session"]["post"]
    assert "application/x-ndjson" in told["requestBody"]["content"]
