"""Every route with every scope: the table of expected statuses is made from the routes themselves."""

import pytest
from fastapi.routing import APIRoute

from ultron_core.access.keys import SCOPES
from ultron_core.serve.callers import Needs
from ultron_core.serve.pages.visitors import Opens

NOBODY = "00000000-0000-0000-0000-000000000000"
#: which scope each route asks for; None: no key at all. Pages: `tests/core/serve/pages/test_scopes.py`
EXPECTED = {
    "GET /health": None,
    "GET /stats": "read",
    "GET /cost": "read",
    "GET /keys": "admin",
    "POST /keys": "admin",
    "DELETE /keys/{which}": "admin",
    "POST /ingest": "ingest",
    "POST /ingest/session": "ingest",
    "POST /ingest/text": "ingest",
    "POST /memories/upload": "write",
    "POST /memory/upload": "write",
    "POST /memories/search": "read",
    "POST /memory/search": "read",
    "POST /memories/details": "read",
    "POST /memory/details": "read",
    "GET /memories/stats": "read",
    "GET /memory/stats": "read",
    "GET /memories": "read",
    "GET /memories/{memory_id}": "read",
    "PATCH /memories/{memory_id}": "write",
    "DELETE /memories/{memory_id}": "curate",
    "GET /memories/{memory_id}/sources": "read",
    "GET /memories/{memory_id}/history": "read",
    "POST /memories/{memory_id}/archive": "curate",
    "POST /memories/{memory_id}/confirm": "curate",
    "POST /memories/{memory_id}/unarchive": "curate",
    "POST /memories/{memory_id}/verdict": "curate",
    "GET /sessions": "read",
    "POST /sessions/search": "read",
    "GET /sessions/{session_id}/lines": "read",
    "POST /recall": "read",
}


def routes(app):
    """(`METHOD /path`, the scope that the route asks for)."""
    for route in every_route(app.routes):
        needs = [d.call.scope for d in route.dependant.dependencies if isinstance(d.call, Needs | Opens)]
        for method in route.methods:
            yield f"{method} {route.path}", needs[0] if needs else None


def every_route(found):
    """Routes, also those of routers that are included as a whole."""
    for route in found:
        if isinstance(route, APIRoute):
            yield route
        elif hasattr(route, "original_router"):
            yield from every_route(route.original_router.routes)


def test_no_route_is_missing_in_the_table(app):
    found = dict(routes(app))
    assert {name: scope for name, scope in found.items() if not name.split()[1].startswith("/ui")} == EXPECTED


def statuses(client, headers):
    """What each route answers to these headers, with a body that is wrong in no way but empty."""
    for name in EXPECTED:
        method, path = name.split()
        path = path.format(memory_id=NOBODY, session_id=NOBODY, which="none")
        body = {"json": {}} if method in ("POST", "PATCH") else {}
        yield name, client.request(method, path, headers=headers, **body).status_code


def test_without_a_key_only_health_answers(client):
    found = dict(statuses(client, {}))
    assert found.pop("GET /health") == 200
    assert set(found.values()) == {401}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_key_of_one_scope_opens_its_routes_and_no_other(client, key, scope):
    headers = key(scopes=[scope], agent_id="a")
    for name, status in statuses(client, headers):
        if EXPECTED[name] in (None, scope):
            assert status in (200, 404, 422), (name, status)
        else:
            assert status == 403, (name, status)


def test_the_answer_names_the_scope_that_is_missing(client, key):
    answer = client.post("/memories/upload", json={"content": "x"}, headers=key(scopes=["read"]))
    assert answer.status_code == 403 and "scope write" in answer.json()["error"]["message"]


def test_a_revoked_and_an_expired_key_end_at_once(client, ultron, key):
    headers = key("short")
    assert client.get("/stats", headers=headers).status_code == 200
    ultron.keys.revoke("short")
    assert client.get("/stats", headers=headers).status_code == 401


def test_a_key_of_one_agent_acts_for_no_other(client, key):
    headers = key(preset="agent", agent_id="a")
    answer = client.post("/memories/upload", json={"content": "x y z", "agent_id": "b"}, headers=headers)
    assert answer.status_code == 403 and "agent a" in answer.json()["error"]["message"]
