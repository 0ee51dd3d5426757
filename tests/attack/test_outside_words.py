"""Words of callers that become a path, a key or a name: nothing outside of the sender's own folder is touched."""

import gzip
import json
from pathlib import Path

import pytest

from tests.core.serve.conftest import app, client, key, ultron
from tests.support.memories import rows
from tests.support.watched import Watched
from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError
from ultron_core.serve.backend import Backend
from ultron_core.steps.files.bucket import put_object, read_object

__all__ = ["app", "client", "key", "ultron"]

LINES = b'{"role": "user", "content": "please run the tests"}\n' * 3
SECRET_WORD = "quetzalcoatlus"


@pytest.fixture
def user_home(tmp_path, monkeypatch):
    """The owner's own home: a log of Claude Code, a file that nobody may change, links that lead there."""
    home = tmp_path / "owner"
    write_log(home / ".claude/projects/shop/one.jsonl", task(SECRET_WORD))
    write_log(home / "victim.jsonl", task("victim"))
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def backend(ultron):
    """With the roots of the settings: the drop folder, and the log folders of known agents."""
    backend = Backend(lambda: ultron)
    backend.load()
    return backend


@pytest.fixture
def watched(tmp_path, user_home, ultron):
    return Watched(tmp_path, [ultron.runtime.settings.store.home])


def outside_agents(user_home):
    """Names that lead to the victim's folder, as a path or by climbing, and names that are no folder's."""
    return [
        str(user_home),
        "../../owner",
        "../../../../../../.." + str(user_home),
        "a/../../../owner",
        "..",
        ".",
        ".claude",
        "~/",
        "a/b",
        "/",
        "a\nb",
        "\u202eb",
        "名" * 100,
    ]


def test_no_agent_id_leads_out_of_the_drop_folder(client, key, user_home, watched, ultron):
    team = key(preset="agent")
    for agent in outside_agents(user_home):
        for name in ("victim.jsonl", "projects/shop/one.jsonl", ".claude/projects/shop/one.jsonl"):
            sent = client.post(
                "/ingest/session", params={"agent_id": agent, "name": name}, content=LINES, headers=team
            )
            assert sent.status_code == 422, (agent, name)
            assert "agent_id" in sent.json()["error"]["message"]
    assert watched.changes() == []
    assert rows(ultron, "SELECT 1 FROM sessions") == []


def test_the_agent_header_is_checked_like_a_field(client, key, user_home, watched):
    team = key(preset="person")
    for agent in outside_agents(user_home):
        if "\n" in agent:
            continue  # no header holds a line end
        headers = [*team.items(), ("X-Ultron-Agent", agent.encode())]
        asked = [
            client.post("/ingest/session?name=victim.jsonl", content=LINES, headers=headers),
            client.post("/memories/upload", json={"content": "tabs are used here"}, headers=headers),
            client.post("/ingest/text", json={"text": "pip fails"}, headers=headers),
            client.get("/sessions", headers=headers),
            client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=headers),
        ]
        assert {answer.status_code for answer in asked} == {422}, agent
        assert all("X-Ultron-Agent" in answer.json()["error"]["message"] for answer in asked)
    assert watched.changes() == []


def test_an_agent_of_any_script_may_send_its_log(client, key, ultron):
    for agent in ("构建 代理", "Ünïcode", "ana@laptop", "team:ana", "v1.2", "a\\b"):
        headers = [*key(agent, preset="agent").items(), ("X-Ultron-Agent", agent.encode())]
        sent = client.post("/ingest/session?name=shop/one.jsonl", content=LINES, headers=headers)
        assert (sent.status_code, sent.json()["data"]["agent_id"]) == (200, agent)
        assert (ultron.runtime.settings.sessions_dir / agent / "shop" / "one.jsonl").read_bytes() == LINES


def test_every_way_in_of_the_library_refuses_them(ultron: Ultron, user_home, watched):
    log = user_home / "victim.jsonl"
    ways = (
        lambda agent: ultron.ingest([log], agent),
        lambda agent: ultron.ingest_log(LINES, agent, "victim.jsonl"),
        lambda agent: ultron.ingest_text("pip fails", agent),
        lambda agent: ultron.upload_memory("pip fails", agent_id=agent),
        lambda agent: ultron.upload_memories([{"content": "pip fails", "agent_id": agent}]),
        lambda agent: ultron.keys.add("k", preset="agent", agent_id=agent),
        lambda agent: ultron.search_memories("pip", agent_id=agent),
        lambda agent: ultron.search_sessions("pip", agent_id=agent),
        lambda agent: ultron.recall("pip", agent_id=agent),
        lambda agent: ultron.wake_up(agent),
        lambda agent: ultron.browse.sessions(agent_id=agent),
        lambda agent: ultron.browse.memories(agent_id=agent),
        lambda agent: ultron.browse.lines("0" * 8, agent_id=agent),
    )
    for number, way in enumerate(ways):
        for agent in outside_agents(user_home):
            with pytest.raises(InputError, match="agent_id"):
                way(agent)
                pytest.fail(f"way {number} took {agent!r}")
    assert watched.changes() == []


def test_a_link_in_the_drop_folder_leads_nowhere(client, key, user_home, watched, ultron):
    drop = ultron.runtime.settings.sessions_dir
    (drop / "a").mkdir(parents=True)
    (drop / "eve").symlink_to(user_home)
    (drop / "a" / "out").symlink_to(user_home)
    (drop / "a" / "x.jsonl").symlink_to(user_home / "victim.jsonl")
    team = key(preset="agent")
    for agent, name in (("eve", "victim.jsonl"), ("a", "out/victim.jsonl"), ("a", "x.jsonl")):
        sent = client.post(
            "/ingest/session", params={"agent_id": agent, "name": name}, content=LINES, headers=team
        )
        assert sent.status_code == 422, (agent, name)
        path = str(drop / agent / name)
        read = client.post("/ingest", json={"paths": [path], "agent_id": agent}, headers=team)
        assert read.status_code == 422, (agent, name)
    assert watched.changes() == []


def test_a_name_where_a_folder_lies_and_the_reverse(client, key):
    team = key(preset="agent", agent_id="a")
    for name, status in (
        ("x.jsonl", 200),
        ("x.jsonl/y.jsonl", 422),
        ("b.jsonl/y.jsonl", 200),
        ("b.jsonl", 422),
    ):
        sent = client.post("/ingest/session", params={"name": name}, content=LINES, headers=team)
        assert sent.status_code == status, (name, sent.text)


def test_a_name_with_a_chain_of_file_systems_is_no_address(tmp_path):
    packed = gzip.compress(LINES)
    for name in ("a/x::memory:/y.jsonl", "a/gzip::file:/tmp/y.jsonl", "a::b/x.jsonl"):
        with pytest.raises(InputError, match="::"):
            put_object(f"file://{tmp_path}/bucket", name, packed)
    assert not (tmp_path / "bucket").exists()
    for name in ("a/x.jsonl", "a?b/x#1.jsonl", "a:b/[x]*.jsonl", "名/x.jsonl"):
        put = put_object("memory://bucket/logs/", name, packed)
        assert put.url.endswith(f"bucket/logs/{name}") and read_object(put)[0] == packed


# POST /ingest: the server reads a file of its machine


def read_as(client, headers, path, agent):
    return client.post("/ingest", json={"paths": [str(path)], "agent_id": agent}, headers=headers)


def words_of(client, headers):
    """Everything that the key's own log says."""
    sessions = client.get("/sessions", headers=headers).json()["data"]
    return "".join(client.get(f"/sessions/{one['id']}/lines", headers=headers).text for one in sessions)


@pytest.mark.parametrize("made", [{"preset": "agent"}, {"preset": "person"}, {"preset": "admin"}])
def test_a_key_of_one_agent_has_no_other_log_read(client, key, user_home, ultron, made):
    """The bypass of the scope `sessions`: other agents' logs read as one's own, and their lines asked for."""
    drop = ultron.runtime.settings.sessions_dir
    write_log(drop / "other" / "two.jsonl", task(SECRET_WORD))
    eve = key("eve", agent_id="eve", **made)
    (drop / "eve").mkdir()
    for path in (
        "~/.claude/projects",
        user_home / ".claude/projects/shop/one.jsonl",
        drop,
        drop / "other",
        drop / "other" / "two.jsonl",
        drop / "eve" / ".." / "other",
        "",
        "~nobody-of-this-name",
    ):
        answer = read_as(client, eve, path, "eve")
        assert answer.status_code == 422, path
    assert SECRET_WORD not in words_of(client, eve)
    assert rows(ultron, "SELECT 1 FROM sessions") == []


def test_a_team_key_without_sessions_has_its_agents_folder_alone(client, key, user_home, ultron):
    drop = ultron.runtime.settings.sessions_dir
    write_log(drop / "other" / "two.jsonl", task(SECRET_WORD))
    team = key(preset="agent")
    assert read_as(client, team, drop / "other" / "two.jsonl", "eve").status_code == 422
    assert read_as(client, team, "~/.claude/projects", "eve").status_code == 422
    assert client.get("/sessions", headers=team).status_code == 403


def test_a_key_has_what_is_in_its_own_folder_read_as_its_own(client, key, ultron):
    drop = ultron.runtime.settings.sessions_dir
    log = write_log(drop / "eve" / "shop" / "one.jsonl", task("parser"))
    eve = key("eve", preset="agent", agent_id="eve")
    for paths in ([str(log)], [str(drop / "eve")]):
        answer = client.post("/ingest", json={"paths": paths}, headers=eve).json()
        (result,) = answer["data"]["results"]
        assert (result["agent_id"], result["session_file"]) == ("eve", "shop/one.jsonl")
    assert (
        client.post("/ingest", json={"paths": [str(log)], "agent_id": "other"}, headers=eve).status_code
        == 403
    )


def test_the_owners_key_has_the_logs_of_known_agents_read(client, key, user_home):
    """What hooks do: they hold the owner's key, of the preset `person`."""
    owner = key("owner", preset="person")
    answer = read_as(client, owner, "~/.claude/projects/shop/one.jsonl", "claude-code")
    assert (answer.status_code, answer.json()["data"]["successful"]) == (200, 1)
    assert read_as(client, owner, user_home / "victim.jsonl", "claude-code").status_code == 422
    assert SECRET_WORD in words_of(client, owner)


def test_a_spool_note_is_checked_like_a_request(ultron, user_home, watched):
    from ultron_core.serve.roots import default_roots
    from ultron_core.serve.worker import deliver_spool

    home = ultron.runtime.settings.store.home
    (home / "spool").mkdir(parents=True)
    notes = [
        {"path": str(user_home / "victim.jsonl"), "agent_id": "a", "over": True},
        {"path": str(user_home / ".claude/projects/shop/one.jsonl"), "agent_id": "../a", "over": True},
    ]
    for number, note in enumerate(notes):
        (home / "spool" / f"{number}.json").write_text(json.dumps(note))
    assert deliver_spool(ultron, home, default_roots(ultron.runtime.settings, Path.home())) == 0
    assert len(list((home / "spool").glob("*.bad"))) == 2 and watched.changes() == []
