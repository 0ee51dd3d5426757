"""Every page with every scope, made from the routes themselves; and forms that another page sent."""

import pytest

from tests.core.serve.conftest import ADDRESS
from tests.core.serve.pages.conftest import Browser
from tests.core.serve.test_scopes import NOBODY, routes
from ultron_core.access.keys import SCOPES
from ultron_core.serve.app import make_app
from ultron_core.serve.backend import Backend

#: which scope each page asks for; None: no session at all
EXPECTED = {
    "GET /ui/sign-in": None,
    "POST /ui/sign-in": None,
    "POST /ui/sign-out": "read",
    "GET /ui": "read",
    "GET /ui/memories/{memory_id}": "read",
    "GET /ui/memories/{memory_id}/history": "read",
    "GET /ui/memories/{memory_id}/edit": "write",
    "POST /ui/memories/{memory_id}/edit": "write",
    "POST /ui/memories/{memory_id}/archive": "curate",
    "POST /ui/memories/{memory_id}/confirm": "curate",
    "POST /ui/memories/{memory_id}/unarchive": "curate",
    "POST /ui/memories/{memory_id}/verdict": "curate",
    "GET /ui/memories/{memory_id}/delete": "curate",
    "POST /ui/memories/{memory_id}/delete": "curate",
    "POST /ui/decisions/{decision_id}/undo": "curate",
    "GET /ui/log": "read",
    "GET /ui/sessions": "read",
    "GET /ui/sessions/{session_id}": "read",
    "GET /ui/sessions/{session_id}/lines": "read",
    "GET /ui/sessions/{session_id}/lines/{line}": "read",
    "GET /ui/tasks/{segment_id}": "read",
    "GET /ui/clusters": "read",
    "GET /ui/clusters/{cluster_id}": "read",
    "GET /ui/refusals": "sessions",
    "GET /ui/statistics": "read",
    "GET /ui/keys": "admin",
    "POST /ui/keys": "admin",
    "POST /ui/keys/{key_id}/revoke": "admin",
}
CHANGES = [name for name, scope in EXPECTED.items() if name.startswith("POST") and scope]


def place(name):
    method, path = name.split()
    ids = ("memory_id", "decision_id", "session_id", "segment_id", "cluster_id")
    return method, path.format(**dict.fromkeys(ids, NOBODY), key_id="none", line=1)


def ask(browser, name, token):
    method, path = place(name)
    body = {"data": {"form_token": token}, "headers": {"Origin": ADDRESS}} if method == "POST" else {}
    return browser.request(method, path, **body)


def test_no_page_is_missing_in_the_table(app):
    found = {name: scope for name, scope in routes(app) if name.split()[1].startswith("/ui")}
    assert found == EXPECTED


def test_without_a_session_every_page_asks_to_sign_in(app):
    found = {name: ask(Browser(app), name, "x").status_code for name, scope in EXPECTED.items() if scope}
    assert set(found.values()) == {401}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_session_of_one_scope_opens_its_pages_and_no_other(visit, app, scope):
    browser = visit(scopes=[scope], agent_id="a")
    token = form_token(app)
    for name, wanted in EXPECTED.items():
        if wanted is None or name == "POST /ui/sign-out":
            continue
        answer = ask(browser, name, token)
        if wanted == scope:
            # of what does not exist, or of an agent that has nothing, every page says 404; an empty form 422
            assert answer.status_code in (200, 303, 404, 422), (name, answer.status_code)
        else:
            assert answer.status_code == 403 and f"scope {wanted}" in answer.text, (name, answer.status_code)


def form_token(app):
    """Of the only session, also where its key may open no page to read it from."""
    (held,) = app.state.page_sessions._held.values()
    return held.form_token


@pytest.mark.parametrize("name", CHANGES)
def test_a_form_without_the_token_of_the_session_changes_nothing(owner, visit, name):
    _, path = place(name)
    foreign = visit(preset="admin").token()
    for fields in (
        {},
        {"form_token": ""},
        {"form_token": "made-up"},
        {"form_token": foreign},
        {"form_token": "é"},
    ):
        answer = owner.post(path, data=fields, headers={"Origin": ADDRESS})
        assert answer.status_code == 403 and "page of your session" in answer.text
    origins = ("https://evil.example", "null", "http://127.0.0.1:1")
    for origin in origins:
        answer = owner.post(path, data={"form_token": owner.token()}, headers={"Origin": origin})
        assert answer.status_code == 403
    assert owner.post(path, json={"form_token": owner.token()}).status_code == 415


def test_an_agents_key_sees_its_own_log_alone(visit, world):
    own, other = visit(preset="agent", agent_id="coder"), visit(preset="agent", agent_id="writer")
    keyless = visit(preset="agent")
    paths = [
        f"/ui/sessions/{world.session}",
        f"/ui/sessions/{world.session}/lines",
        f"/ui/tasks/{world.task}",
    ]
    for path in [*paths, f"/ui/sessions/{world.session}/lines/1"]:
        assert own.get(path).status_code == 200
        assert other.get(path).status_code == 404
        assert keyless.get(path).status_code == 403
    assert "writer" not in own.get("/ui/log").text.replace("writer</span>", "")
    assert other.get("/ui/log?agent=coder").status_code == 403
    # the memory is the account's; the lines that it rests on are the agent's
    line = "ModuleNotFoundError"
    assert "verbatim" in own.get(f"/ui/memories/{world.learned}").text
    assert line in own.get(f"/ui/memories/{world.learned}").text
    for browser in (other, keyless):
        shown = browser.get(f"/ui/memories/{world.learned}")
        assert shown.status_code == 200 and "verbatim" not in shown.text


def test_buttons_that_a_key_does_not_open_are_not_shown(visit, world):
    page = visit(scopes=["read"]).get(f"/ui/memories/{world.merged}").text
    assert "Edit" not in page and "Archive" not in page and "Delete" not in page and ">Keys<" not in page


def test_many_requests_of_one_session_are_too_many(ultron):
    backend = Backend(lambda: ultron, requests_per_minute=3)
    backend.load()
    browser = Browser(make_app(backend))
    _, text = ultron.keys.add("k", preset="person")
    browser.post("/ui/sign-in", data={"key": text})
    assert [browser.get("/ui").status_code for _ in range(3)] == [200, 200, 429]
