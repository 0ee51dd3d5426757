"""A key as any argument of any call: in no error, no log line and no table beyond the private log."""

import inspect
import logging
import re
from pathlib import Path
from uuid import UUID

import pytest

from tests.core.cli.conftest import run
from tests.core.serve.conftest import app, backend, client, key, log, ultron
from tests.support.memories import rows
from tests.support.plants import SECRETS
from ultron_core.client import Ultron
from ultron_core.errors import UltronError

__all__ = ["app", "backend", "client", "key", "log", "run", "ultron"]

SECRET = SECRETS["openai"]
#: its letters alone, however it is quoted or cut
CORE = SECRET[8:28]
#: unredacted, and read by its owner alone; what a model answered
PRIVATE = {"raw_blobs", "raw_uploads", "messages", "message_windows", "llm_cache"}
#: values that a call takes where another argument is the one under test
PLAIN = {
    "content": "pip fails without wheel",
    "text": "pip fails without wheel",
    "query": "pip",
    "agent_id": "eve",
    "name": "run.jsonl",
    "body": b'{"role": "user", "content": "please run the tests"}\n',
    "memories": [{"content": "pip fails without wheel"}],
    "skill_slug": "a-skill",
    "preset": "agent",
}
#: neither given by a caller nor free of what takes minutes
LEFT_OUT = {"close", "reembed", "describe_server", "within"}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    """What is written under a relative path lands where nobody looks."""
    monkeypatch.chdir(tmp_path)


def calls(ultron):
    """(name, function, the argument that holds the key) of every public call that takes a text."""
    places = {
        "": ultron,
        **{name: getattr(ultron, name) for name in ("browse", "clusters", "keys", "trajectory_service")},
    }
    for place, held in places.items():
        for name, function in inspect.getmembers(held, inspect.ismethod):
            if name.startswith("_") or name in LEFT_OUT:
                continue
            for argument in inspect.signature(function).parameters.values():
                if re.search(r"str|Any|Path|bytes", str(argument.annotation)):
                    yield f"{place}.{name}({argument.name})", function, argument


def arguments(function, under_test):
    """As few as the call needs, the key as the one under test in the shape that this takes."""
    given = {}
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.VAR_KEYWORD:
            given |= {"agent_id": SECRET, "project": SECRET} if one.name == under_test.name else {}
        elif one.name == under_test.name:
            given[one.name] = held(one)
        elif one.default is one.empty:
            given[one.name] = PLAIN.get(one.name, str(UUID(int=7)))
    if function.__name__ == "ingest" and under_test.name != "paths":
        given["paths"] = [str(Path(__file__).parent / "forms")]
    if function.__name__ == "add":
        given.setdefault("preset", "agent")
    return given


def held(argument):
    if argument.name == "body":
        return PLAIN["body"].replace(b"tests", f"tests with {SECRET}".encode())
    if argument.name == "memories":
        fields = ("content", "context", "resolution", "idempotency_key", "agent_id", "project")
        return [{"content": f"pip fails {n}", name: SECRET} for n, name in enumerate(fields)]
    return [SECRET] if re.search("Sequence|Iterable", str(argument.annotation)) else SECRET


def tables_with_it(ultron):
    found = set()
    for row in rows(ultron, "SELECT tablename FROM pg_tables WHERE schemaname = 'ultron'"):
        name = row["tablename"]
        if name not in PRIVATE and rows(
            ultron,
            f"SELECT 1 FROM ultron.{name} t WHERE position(%(text)s in t::text) > 0 LIMIT 1",
            text=CORE,
        ):
            found.add(name)
    return found


def test_of_the_facade(ultron, caplog):
    caplog.set_level(logging.INFO)
    told, tried, leaking = {}, 0, set()
    for name, function, argument in calls(ultron):
        caplog.clear()
        tried += 1
        try:
            function(**arguments(function, argument))
        except UltronError as error:
            if CORE in f"{error!r} {error}":
                told[name] = f"the error says {error}"
        if CORE in caplog.text:
            told[f"{name}, logged"] = caplog.text[:300]
        for table in tables_with_it(ultron) - leaking:
            leaking.add(table)
            told[f"{name}, stored"] = table
    assert tried > 60
    assert not told, "\n".join(f"{name}: {what}" for name, what in told.items())


def requests(api):
    """(method, path, query, body) of every route, the key in one place of each."""
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            given = {p["name"]: p for p in operation.get("parameters", ()) if p["in"] in ("path", "query")}
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            fields = (
                api["components"]["schemas"]
                .get(schema.get("$ref", "").split("/")[-1], {})
                .get("properties", {})
            )
            needed = {
                name: PLAIN.get(name, "x")
                for name, p in given.items()
                if p["in"] == "query" and p.get("required")
            }
            for name, p in given.items():
                if p["in"] == "path":
                    yield method, re.sub(r"{\w+}", SECRET, path), needed, None
                else:
                    yield method, re.sub(r"{\w+}", str(UUID(int=7)), path), {**needed, name: SECRET}, None
            for name in fields:
                for value in (SECRET, [SECRET]):
                    body = {**{n: PLAIN[n] for n in fields if n in PLAIN}, name: value}
                    yield method, re.sub(r"{\w+}", str(UUID(int=7)), path), needed, body


@pytest.mark.parametrize("kind", ["pypi", "sendgrid", "openai"])
def test_a_key_is_taken_out_before_a_name_is_cut(ultron, kind):
    """Half a key has no form by which it could be known."""
    secret = SECRETS[kind]
    for call in (
        lambda: ultron.browse.memories(tier=secret),
        lambda: ultron.upload_memories([{"content": "pip fails", secret: 1}]),
    ):
        with pytest.raises(UltronError) as told:
            call()
        assert secret[:24] not in str(told.value) and "<" in str(told.value)


def test_of_the_server(client, key, ultron, caplog):
    caplog.set_level(logging.INFO)
    headers = key()
    told, statuses, leaking = {}, set(), set()
    for method, path, query, body in requests(client.get("/openapi.json").json()):
        caplog.clear()
        fields = [k for k, v in (body or {}).items() if SECRET in v]
        name = f"{method} {path.replace(SECRET, 'KEY')} {[*query]} {fields}"
        answer = client.request(method, path, params=query, json=body, headers=headers)
        statuses.add(answer.status_code)
        if CORE in answer.text:
            told[name] = f"{answer.status_code} {answer.text[:200]}"
        # the client of the test logs the address that it asks for
        logged = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("httpx"))
        if CORE in logged:
            told[f"{name}, logged"] = logged[:300]
        for table in tables_with_it(ultron) - leaking:
            leaking.add(table)
            told[f"{name}, stored"] = table
    assert {200, 404, 422} <= statuses and not any(status >= 500 for status in statuses), statuses
    assert not told, "\n".join(f"{name}: {what}" for name, what in told.items())


def tool_calls(tools):
    """(tool, arguments) of every tool, the key as one of them in each shape that its schema might be given."""
    for tool in tools:
        fields = tool["inputSchema"]["properties"]
        needed = {name: TOLD.get(name, "x") for name in tool["inputSchema"].get("required", ())}
        for name in (*fields, "no_such_argument"):
            for value in (SECRET, [SECRET], {SECRET: SECRET}):
                yield tool["name"], {**needed, name: value}
    yield SECRET, {}


#: what a tool takes where another argument is the one under test
TOLD = {**PLAIN, "ids": [str(UUID(int=7))], "id": str(UUID(int=7)), "session_id": str(UUID(int=7))}
#: broken requests that a client may send beside the calls of tools
BROKEN = [
    {"method": SECRET},
    {"method": "resources/read", "params": {"uri": f"file:///{SECRET}"}},
    {"method": "prompts/get", "params": {"name": SECRET}},
    {"method": "tools/call", "params": {"name": SECRET, "arguments": SECRET}},
    {"method": "tools/call", "params": {SECRET: SECRET}},
    {"method": "tools/call", "params": SECRET},
    {"method": "initialize", "params": {"protocolVersion": SECRET}},
]


def test_of_the_tools_of_agents(client, key, ultron, caplog):
    caplog.set_level(logging.INFO)
    headers = {**key(), "Accept": "application/json, text/event-stream"}
    told, tried, leaking, answered = {}, 0, set(), set()

    def ask(method, params=None):
        request = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            **({} if params is None else {"params": params}),
        }
        return client.post("/mcp", json=request, headers=headers)

    tools = ask("tools/list").json()["result"]["tools"]
    asked = [("tools/call", {"name": name, "arguments": given}) for name, given in tool_calls(tools)]
    asked += [(one["method"], one.get("params")) for one in BROKEN]
    for method, params in asked:
        caplog.clear()
        tried += 1
        answer = ask(method, params)
        name = f"{method} {params}".replace(SECRET, "KEY")
        answered.add("result" if answer.is_success and "result" in answer.json() else "error")
        if CORE in answer.text:
            told[name] = f"{answer.status_code} {answer.text[:300]}"
        if CORE in caplog.text:
            told[f"{name}, logged"] = caplog.text[:300]
        for table in tables_with_it(ultron) - leaking:
            leaking.add(table)
            told[f"{name}, stored"] = table
    assert tried > 90 and answered == {"result", "error"}
    assert not told, "\n".join(f"{name}: {what}" for name, what in told.items())


def test_of_a_tool_that_fails_as_nobody_foresaw(client, key, monkeypatch, caplog):
    caplog.set_level(logging.INFO)

    def fail(*_, **__):
        raise RuntimeError(f"no room for {SECRET}")

    monkeypatch.setattr(Ultron, "search_memories", fail)
    params = {"name": "search_memories", "arguments": {"query": "pip"}}
    headers = {**key(), "Accept": "application/json, text/event-stream"}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post("/mcp", json=asked, headers=headers)
    assert answer.json()["result"]["isError"] and "RuntimeError" in caplog.text
    assert CORE not in answer.text + caplog.text


COMMANDS = [
    ["search", SECRET],
    ["search", "pip", "--project", SECRET],
    ["search", "pip", "--limit", SECRET],
    ["show", SECRET],
    ["sessions", "--project", SECRET],
    ["stats", "--project", SECRET],
    ["process", "--project", SECRET],
    ["ingest", SECRET, "--agent", "eve"],
    ["ingest", ".", "--agent", f"eve/{SECRET}"],
    ["erase", "--session", SECRET],
    ["reprocess", "--stage", SECRET],
    ["export-sft", "--task-type", SECRET],
    ["drops", "--reason", SECRET],
    ["keys", "revoke", SECRET],
    ["keys", "add", "me", "--preset", SECRET],
    ["no-such-command-" + SECRET],
    ["search", "pip", "--no-such-option-" + SECRET],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: " ".join(words).replace(SECRET, "KEY"))
def test_of_the_command_line(run, arguments, caplog):
    caplog.set_level(logging.INFO)
    run("stats")
    _, told, errors = run(*arguments)
    assert CORE not in "".join((told + errors + caplog.text).split())
