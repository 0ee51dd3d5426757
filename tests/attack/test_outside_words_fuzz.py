"""Requests whose every path, id and tag is odd, from the description of the interface, the headers, the tools of `/mcp`
and the keys: no file outside of the home is written or changed, and no word of another agent's log is answered.

ULTRON_FAULTS=1 asks for all requests; FUZZ_REQUESTS and FUZZ_SEED for more, or for another run.
"""

import json
import os
from collections import Counter
from urllib.parse import quote

import pytest

from tests.core.serve.conftest import app, client, key, ultron
from tests.core.serve.test_fuzz import Maker
from tests.support.memories import rows
from tests.support.watched import Watched
from tests.support.worlds import solved, task, write_log
from ultron_core.serve.backend import Backend

__all__ = ["app", "client", "key", "ultron"]

REQUESTS = int(
    os.environ.get("FUZZ_REQUESTS") or ("3000" if os.environ.get("ULTRON_FAULTS") == "1" else "400")
)
SEED = int(os.environ.get("FUZZ_SEED", "32"))
#: each stands in one log that the callers may not read: one that was read, one in the drop folder, one of the owner's
CANARIES = ("quetzalcoatlus", "xenoceratops", "archaeopteryx")
JSON = {"Content-Type": "application/json"}
ACCEPT = {"Accept": "application/json, text/event-stream"}
LOG = b'{"role": "user", "content": "please look at the parser"}\n' * 2
#: fields whose words become a path, an id, a key or a tag
NAMED = {
    "agent_id",
    "cursor",
    "id",
    "idempotency_key",
    "ids",
    "memory_ids",
    "name",
    "paths",
    "project",
    "session_id",
}
NAMED |= {"tag", "tags"}
#: routes that make or read files: asked for more often
WRITING = {"/ingest", "/ingest/session"}
FILES = ("victim.jsonl", "one.jsonl", "shop/one.jsonl", "x.jsonl.gz")
LISTED = {"ids", "memory_ids", "paths", "tags"}


@pytest.fixture
def backend(ultron):
    backend = Backend(lambda: ultron, requests_per_minute=1_000_000)
    backend.load()
    return backend


@pytest.fixture
def around(tmp_path, monkeypatch, ultron):
    """What lies around the home: the owner's files, a log of Claude Code, links in the drop folder that lead out."""
    owner = tmp_path / "owner"
    monkeypatch.setenv("HOME", str(owner))
    write_log(owner / ".claude/projects/shop/one.jsonl", task(CANARIES[2]))
    write_log(owner / "victim.jsonl", task(CANARIES[2]))
    (owner / ".ssh").mkdir()
    (owner / ".ssh" / "config").write_text("Host *\n")
    drop = ultron.runtime.settings.sessions_dir
    write_log(drop / "other" / "waits.jsonl", task(CANARIES[1]))
    write_log(drop / "eve" / "own.jsonl", solved("parser", "yaml"))
    (drop / "linked").symlink_to(owner)
    (drop / "eve" / "out").symlink_to(owner)
    (drop / "eve" / "out.jsonl").symlink_to(owner / "victim.jsonl")
    said = [
        {"role": "user", "content": f"by the way, {CANARIES[0]} {n} is what I read about"} for n in range(3)
    ]
    ultron.ingest([write_log(drop / "other" / "read.jsonl", said, task("engine"))], "other", process=True)
    ultron.ingest([drop / "eve"], "eve", process=True)
    for table in (
        "memories",
        "memory_contributions",
    ):  # what is shared must not hold it, or nothing is shown here
        assert CANARIES[0] not in str(rows(ultron, f"SELECT * FROM {table}"))
    return owner


class Words(Maker):
    """Values that fit the description, but for odd words where one becomes a path, an id or a tag."""

    def __init__(self, api, seed, odd):
        super().__init__(api, seed)
        self.odd = odd

    def word(self):
        found = self.random.choice(self.odd)
        if self.random.random() < 0.2:
            found = self.random.choice(["", "/", "./", "../", "~/", " ", "\0", "\u2025/", "a/../"]) + found
        if self.random.random() < 0.3:
            found += self.random.choice(
                ["/victim.jsonl", "/../victim.jsonl", ".jsonl", "/", "\0.jsonl", " ", "::x"]
            )
        return found

    def value(self, schema, depth=0, name=""):
        if name in NAMED and self.random.random() < 0.8:
            # a log is kept under a good name alone, and then its agent or a folder may be odd
            word = self.random.choice(FILES) if name == "name" and self.random.random() < 0.5 else self.word()
            return [word] if name in LISTED else word
        if "$ref" in schema:
            schema = self.api["components"]["schemas"][schema["$ref"].split("/")[-1]]
        if schema.get("type") == "object" and "properties" in schema:
            required = schema.get("required", [])
            fields = schema["properties"].items()
            chosen = {k: v for k, v in fields if k in required or self.random.random() < 0.6}
            return {k: self.value(v, depth + 1, k) for k, v in chosen.items()}
        return super().value(schema, depth)

    def request(self, path, method, operation, ids):
        parts = [p for p in operation.get("parameters", ()) if p["in"] == "path"]
        for part in parts:
            given = self.random.choice(ids) if self.random.random() < 0.6 else self.word()
            path = path.replace("{" + part["name"] + "}", _quoted(given))
        query = {
            p["name"]: _sendable(self.value(p["schema"], name=p["name"]))
            for p in operation.get("parameters", ())
            if p["in"] == "query" and (p.get("required") or self.random.random() < 0.6)
        }
        body, kind = None, None
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            body = LOG if kind != "application/json" else json.dumps(self.value(content["schema"])).encode()
        return method.upper(), path, query, body, {"Content-Type": kind} if kind else {}


def _quoted(text):
    """As one part of an address; a slash in it stays one, as many clients send it."""
    return quote(_sendable(text), safe="/.~")


def _sendable(value):
    return str(value).encode("utf-8", "replace").decode()


def outside(tmp_path, owner):
    """Words that lead elsewhere, and names of others."""
    climbing = [
        "..",
        "../..",
        "../../owner",
        "../other",
        "a/../../other",
        "../../../../../../../.." + str(owner),
    ]
    places = [
        str(owner),
        str(tmp_path),
        "~",
        "~/.claude/projects",
        "~root",
        "/etc/passwd",
        "/proc/self/environ",
    ]
    drop = tmp_path / "home" / "sessions"
    lent = [
        str(drop),
        str(drop / "other"),
        str(drop / "other/waits.jsonl"),
        str(drop / "eve"),
        str(drop / "linked"),
    ]
    links = ["out/victim.jsonl", "out.jsonl", "linked", "out", "own.jsonl"]
    names = [
        "eve",
        "other",
        "default",
        "claude-code",
        ".claude",
        ".",
        "a\\b",
        "名字",
        "a" * 250,
        "segment:0",
        "*",
        "%",
    ]
    files = [
        "victim.jsonl",
        "one.jsonl",
        "x/one.jsonl",
        "x.jsonl.gz",
        "C:\\victim.jsonl",
        "file:///tmp/x.jsonl",
    ]
    return [*climbing, *places, *lent, *links, *names, *files]


def tools_of(client, headers):
    """What `/mcp` says that its tools take."""
    answer = client.post("/mcp", json=_call("tools/list"), headers={**headers, **ACCEPT})
    return answer.json()["result"]["tools"]


def _call(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def requests_of(words, operations, tools, ids):
    """(method, path, query, body, headers) without end: each route in turn, now and then a tool."""
    while True:
        for path, method, operation in operations:
            for _ in range(5 if path in WRITING else 1):
                yield words.request(path, method, operation, ids)
            if words.random.random() < 0.2:
                tool = words.random.choice(tools)
                given = words.value({**tool["inputSchema"], "type": "object"})
                call = _call("tools/call", name=tool["name"], arguments=given)
                yield "POST", "/mcp", {}, json.dumps(call).encode(), JSON | ACCEPT


def agents_who_said(ultron, canary):
    """Whose logs hold this word, as they are stored."""
    query = """
        SELECT DISTINCT s.agent_id FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE position(%(canary)s IN m.content) > 0"""
    return {row["agent_id"] for row in rows(ultron, query, canary=canary)}


@pytest.mark.slow
def test_odd_words_touch_nothing_outside_and_read_no_other_log(client, key, ultron, around, tmp_path):
    callers = {
        "an agent's": key("eve", preset="agent", agent_id="eve"),
        "a team's": key("team", preset="agent"),
        "who makes keys": key("maker", scopes=["admin"]),
    }
    own = client.post(
        "/sessions/search", json={"query": CANARIES[0]}, headers=key("o", preset="agent", agent_id="other")
    )
    assert CANARIES[0] in own.text, "nobody can read it: that others cannot shows nothing"
    watched = Watched(tmp_path, [ultron.runtime.settings.store.home])
    drop = ultron.runtime.settings.sessions_dir
    words = Words(client.get("/openapi.json").json(), SEED, outside(tmp_path, around))
    operations = [
        (path, method, operation)
        for path, methods in words.api["paths"].items()
        for method, operation in methods.items()
    ]
    ids = [str(row["id"]) for row in rows(ultron, "SELECT id FROM sessions UNION SELECT id FROM memories")]
    ids += [one[:8] for one in ids]
    asked = requests_of(words, operations, tools_of(client, callers["an agent's"]), ids)
    seen = Counter()
    for _ in range(REQUESTS):
        method, path, query, body, more = next(asked)
        who = words.random.choices(list(callers), [6, 3, 1])[0]
        headers = [(name.encode(), value.encode()) for name, value in {**callers[who], **more}.items()]
        if words.random.random() < 0.3:
            headers.append((b"X-Ultron-Agent", words.word().encode("utf-8", "replace")))
        of_others = Watched(drop / "other")
        sent = {"params": query, "content": body, "headers": headers, "follow_redirects": False}
        answer = client.request(method, path, **sent)
        told = (who, method, path, sent, answer.status_code, answer.text)
        assert answer.status_code < 500, told
        assert not [canary for canary in CANARIES if canary in answer.text], told
        assert who != "an agent's" or of_others.changes() == [], told
        seen[who, answer.status_code] += 1
    print(f"{REQUESTS} requests, seed {SEED}: {dict(sorted(seen.items()))}")
    assert watched.changes() == []
    # a team's key may hand in what lies in the folder of the agent that it names, as that agent's
    assert [agents_who_said(ultron, canary) - {"other"} for canary in CANARIES[:2]] == [set(), set()]
    assert agents_who_said(ultron, CANARIES[2]) == set()
    assert {200, 403, 422} <= {status for _, status in seen}
