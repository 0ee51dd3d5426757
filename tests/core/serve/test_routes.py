"""Pages of lists, one memory's life, the log's lines, and what an agent is reminded of."""

import pytest

from tests.support.claims import said, segments_of
from tests.support.memories import rows


@pytest.fixture
def ask(client, key):
    headers = key()

    def ask(method, path, **more):
        answer = client.request(method, path, headers=headers, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


def test_pages_hold_every_memory_once(ask, ultron):
    words = ["alpha port", "beta cache", "gamma queue", "delta lock", "epsilon shard"]
    ultron.upload_memories([{"content": f"the {w} must be set before start"} for w in words])
    seen, cursor = [], None
    while True:
        page = ask("GET", "/memories", params={"limit": 2, **({"cursor": cursor} if cursor else {})})
        seen += [m["id"] for m in page["data"]]
        if (cursor := page["cursor"]) is None:
            break
    assert len(seen) == len(set(seen)) == ultron.get_memory_stats()["total"]


def test_a_list_is_filtered_and_ordered_as_asked(ask, client, key, ultron):
    for n, agent in enumerate(("ann", "ann", "bob")):
        ultron.upload_memory(f"port number {n} is closed", agent_id=agent)
    first, second, third = [m["id"] for m in reversed(ask("GET", "/memories")["data"])]
    ask("POST", "/memories/details", json={"ids": [second]})

    def listed(**filters):
        return [m["id"] for m in ask("GET", "/memories", params=filters)["data"]]

    assert listed(sort="hits")[0] == second == listed(sort="last_hit")[0]
    assert listed(agent_id="ann", sort="time") == [second, first]
    cluster = rows(ultron, "SELECT cluster_id FROM cluster_members WHERE memory_id = %(id)s", id=third)[0][
        "cluster_id"
    ]
    assert third in listed(cluster_id=str(cluster)[:8])
    assert listed(since="2020-01-01T00:00:00Z", until="2020-01-02T00:00:00+01:00") == []
    page = ask("GET", "/memories", params={"sort": "hits", "limit": 1})
    assert listed(sort="hits", cursor=page["cursor"], limit=1) != listed(sort="hits", limit=1)
    headers = key("another")
    for wrong, told in (
        ({"agent_id": "anna"}, "Did you mean ann?"),
        ({"session": "nope.jsonl"}, "No session is known yet."),
        ({"sort": "size"}, "sort"),
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-01-01T00:00:00"}, "since"),
        ({"cursor": page["cursor"]}, "cursor is not one"),
    ):
        answer = client.get("/memories", params=wrong, headers=headers)
        assert answer.status_code == 422 and told in answer.text, answer.text


def test_a_memory_is_corrected_archived_brought_back_and_deleted(ask, ultron):
    made = ask("POST", "/memories/upload", json={"content": "the port is 80", "tags": ["net"]})["data"]
    path = f"/memories/{made['id']}"
    assert ask("PATCH", path, json={"tags": ["net", "web"]})["data"]["version"] == 2
    assert ask("POST", f"{path}/archive")["data"]["status"] == "archived"
    assert ask("POST", "/memories/search", json={"query": "the port is 80"})["count"] == 0
    assert ask("POST", f"{path}/unarchive")["data"]["status"] == "active"
    before = ask("GET", path)["data"]["hit_count"]
    assert ask("GET", path)["data"]["hit_count"] == before
    known = ask("GET", f"{path}/history")["data"]
    assert (
        known["versions"][0]["tags"] == ["net"] and known["hits"]["count"] == before and known["links"] == []
    )
    assert [one["decision"] for one in known["decisions"]] == ["insert", "archive", "return"]
    ask("DELETE", path)
    assert ultron.get_memory_stats()["total"] == 0


def test_a_verdict_is_kept_with_whose_key_gave_it(ask, client, key, ultron):
    path = f"/memories/{ask('POST', '/memories/upload', json={'content': 'the port is 80'})['data']['id']}"
    junk = ask("POST", f"{path}/verdict", json={"verdict": "junk"})["data"]
    assert (junk["status"], junk["archive_reason"], junk["judged"]) == ("archived", "judged_junk", "junk")
    assert ask("POST", "/memories/upload", json={"content": "The port is 80"})["data"]["status"] == "archived"
    useful = ask("POST", f"{path}/verdict", json={"verdict": "useful"})["data"]
    assert (useful["status"], useful["judged"]) == ("active", "useful")
    (verdict,) = ask("GET", f"{path}/history")["data"]["verdicts"]
    assert (verdict["verdict"], verdict["given_by"], verdict["holds"]) == ("useful", "tester", True)
    headers = key("other")
    for body in ({"verdict": "great"}, {"verdict": "confirmed"}, {}, {"verdict": "junk", "given_by": "eve"}):
        answer = client.post(f"{path}/verdict", json=body, headers=headers)
        assert answer.status_code == 422, answer.text
    unknown = client.post(f"{path}/verdict", json={"verdict": "great"}, headers=headers)
    assert "'useful' or 'junk'" in unknown.json()["error"]["message"]
    nobody = "/memories/00000000-0000-0000-0000-000000000000/verdict"
    assert client.post(nobody, json={"verdict": "junk"}, headers=headers).status_code == 404


def test_a_log_that_is_sent_gives_a_memory_with_its_lines(ask, log, ultron):
    sent = ask(
        "POST",
        "/ingest/session",
        params={"name": "p/run.jsonl", "agent_id": "a", "over": True},
        content=log.read_bytes(),
    )
    assert sent["data"]["status"] == "new"
    ultron.process_pending()
    (memory,) = ask("GET", "/memories", params={"agent_id": "a"})["data"]
    (source, *_) = ask("GET", f"/memories/{memory['id']}/sources")["data"]
    (session,) = ask("GET", "/sessions", params={"agent_id": "a"})["data"]
    assert source["session_id"] == session["id"] and session["memories"] == 1
    lines = ask(
        "GET",
        f"/sessions/{session['id']}/lines",
        params={"start": source["start_line"], "end": source["end_line"]},
    )
    assert lines["data"] and all(line["start_line"] <= source["end_line"] for line in lines["data"])
    (hit, *_) = ask("POST", "/sessions/search", json={"query": "No module named yaml"})["data"]
    assert hit["session_id"] == session["id"]
    block = ask(
        "POST", "/recall", json={"query": "the parser tests fail with a ModuleNotFoundError", "agent_id": "a"}
    )
    assert (
        block["data"]["block"].startswith("<memory_context>")
        and f"m:{memory['id'][:8]}" in block["data"]["block"]
    )
    assert block["data"]["tokens"] <= 600
    assert ask("POST", "/recall", json={"query": "what shall we eat tonight?"})["data"]["block"] == ""


def test_a_block_does_not_repeat_itself_within_a_session(ask):
    ask(
        "POST",
        "/memories/upload",
        json={"content": "ModuleNotFoundError: No module named 'yaml'", "resolution": "pip install pyyaml"},
    )
    question = {"query": "No module named 'yaml'", "session_id": "s1"}
    assert ask("POST", "/recall", json=question)["count"] == 1
    assert ask("POST", "/recall", json=question)["count"] == 0
    assert ask("POST", "/recall", json={**question, "session_id": "s2"})["count"] == 1


def test_the_last_task_of_a_session_that_is_over_does_not_wait(settings, log):
    from ultron_core.client import Ultron

    patient = settings.model_copy(
        update={"sessions": settings.sessions.model_copy(update={"quiet_minutes": 30})}
    )
    with Ultron(patient) as ultron:
        ultron.ingest([log], "a")
        ultron.process_pending()
        assert ultron.get_memory_stats()["total"] == 0
        ultron.ingest([log], "a", over=True)
        ultron.process_pending()
        assert ultron.get_memory_stats()["total"] == 1


def test_claims_are_found_and_listed_where_they_are_asked_for(ask, ultron):
    (segment,) = segments_of(ultron, "first")
    claim = said(ultron, segment, "The proxy drops idle connections after thirty seconds.", probability=0.5)
    query = {"query": "proxy idle connections"}
    assert ask("POST", "/memories/search", json=query)["count"] == 0
    (hit,) = ask("POST", "/memories/search", json={**query, "claimed": True})["data"]
    assert (hit["id"], hit["status"], hit["proof"], hit["probability"]) == (
        str(claim.id),
        "claimed",
        "claimed",
        0.5,
    )
    assert ask("POST", "/memories/search", json={**query, "claimed": True, "proof": ["check"]})["count"] == 0
    (listed,) = ask("GET", "/memories", params={"status": "claimed", "proof": "claimed"})["data"]
    assert listed["id"] == str(claim.id)
    assert ask("GET", "/memories/stats")["data"]["by_status"] == {"active": 0, "claimed": 1}
    assert ask("POST", f"/memories/{claim.id}/confirm")["data"]["status"] == "active"
    assert ask("POST", "/memories/search", json={**query, "proof": ["person"]})["count"] == 1
