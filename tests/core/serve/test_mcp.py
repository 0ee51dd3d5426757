"""Every tool by the SDK's own client over both transports, broken JSON-RPC, and what each scope may ask."""

import asyncio
import json

import httpx
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.core.serve.running import SCRIPTS, make_running
from tests.support.worlds import solved, write_log
from ultron_core.access.keys import SCOPES
from ultron_core.llm.tokens import count_tokens
from ultron_core.serve.mcp import Tools

TOOLS = [
    *("search_memories", "get_memories", "remember", "correct_memory", "judge_memory"),
    *("search_sessions", "read_session"),
]


@pytest.fixture(scope="module")
def running(server_url, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mcp")
    for server in make_running(server_url, folder):
        server.start()
        log = write_log(folder / "run.jsonl", solved("parser", "yaml"))
        named = {"agent_id": "a", "name": "run.jsonl", "over": True}
        sent = server.ask("POST", "/ingest/session", params=named, content=log.read_bytes())
        assert sent.status_code == 200, sent.text
        server.settle()
        yield server
        server.stop()


async def over_http(running, work, key=None, agent="a"):
    named = {"X-Ultron-Agent": agent} if agent else {}
    headers = {"Authorization": f"Bearer {key or running.key}", **named}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as client,
        streamable_http_client(running.address + "/mcp", http_client=client) as (reader, writer, *_),
        ClientSession(reader, writer) as session,
    ):
        await session.initialize()
        return await work(session)


async def over_stdio(running, work, key=None):
    given = StdioServerParameters(
        command=str(SCRIPTS / "ultron-mcp"),
        args=["--agent", "a"],
        env={**running.env, **({"ULTRON_ACCESS_KEY": key} if key else {})},
    )
    async with stdio_client(given) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        return await work(session)


async def call(session, name, **arguments):
    result = await session.call_tool(name, arguments)
    text = "\n".join(block.text for block in result.content)
    assert not result.is_error, text
    return text


@pytest.mark.parametrize("transport", [over_http, over_stdio])
def test_every_tool(running, transport):
    async def work(session):
        tools = (await session.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        said = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools])
        assert count_tokens(said) <= 1_500
        hints = {
            tool.name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in tools
        }
        assert hints["search_memories"] == (True, False) and hints["correct_memory"] == (False, True)
        lesson = f"the {transport.__name__} queue needs redis 7 before the worker starts"
        kept = await call(session, "remember", content=lesson, tags=["queue"])
        pointer = kept.split("m:")[1][:8]
        assert pointer in await call(session, "search_memories", query="which redis does the queue need?")
        assert lesson in await call(session, "get_memories", ids=[pointer])
        told = await call(session, "correct_memory", id=pointer, content=lesson.replace("7", "8"))
        assert "version 2" in told
        found = await call(session, "search_sessions", query="No module named 'yaml'")
        session_id = found.split("session ")[1].split()[0]
        lines = await call(session, "read_session", session_id=session_id, start=1, end=2, max_tokens=200)
        assert "TASK parser" in lines and count_tokens(lines) <= 200
        missing = await session.call_tool("get_memories", {"ids": ["ffffffff"]})
        assert missing.is_error and "ffffffff" in missing.content[0].text

    asyncio.run(transport(running, work))


@pytest.mark.parametrize("scope", SCOPES)
def test_tools_and_scopes(running, scope):
    """A key that lacks a tool's scope is told which one."""
    made = running_admin(running, scope)

    async def work(session):
        for name, needed in Tools.scopes.items():
            arguments = {
                "search_memories": {"query": "x"},
                "get_memories": {"ids": ["0" * 8]},
                "remember": {"content": "a lesson"},
                "correct_memory": {"id": "0" * 8, "content": "x"},
                "judge_memory": {"id": "0" * 8, "verdict": "junk"},
                "search_sessions": {"query": "x"},
                "read_session": {"session_id": "0" * 8},
            }[name]
            result = await session.call_tool(name, arguments)
            refused = result.is_error and "lacks the scope" in result.content[0].text
            assert refused == (scope != needed), (name, result.content)

    asyncio.run(over_http(running, work, made))


def test_a_person_judges_and_no_agent_does(running):
    async def by_person(session):
        kept = await call(session, "remember", content="the mail relay listens on port 2525")
        pointer = kept.split("m:")[1][:8]
        told = await call(session, "judge_memory", id=pointer, verdict="junk")
        assert told.startswith("Judged junk, now archived.")
        assert (await call(session, "judge_memory", id=pointer, verdict="useful")).startswith(
            "Judged useful, now active."
        )
        unknown = await session.call_tool("judge_memory", {"id": pointer, "verdict": "great"})
        assert unknown.is_error and "'useful' or 'junk'" in unknown.content[0].text
        missing = await session.call_tool("judge_memory", {"id": "ffffffff", "verdict": "junk"})
        assert missing.is_error and "ffffffff" in missing.content[0].text
        return pointer

    pointer = asyncio.run(over_http(running, by_person, agent=None))

    async def by_agent(session):
        refused = await session.call_tool("judge_memory", {"id": pointer, "verdict": "junk"})
        assert refused.is_error and "Only a person gives verdicts" in refused.content[0].text

    asyncio.run(over_http(running, by_agent))


def running_admin(running, scope):
    """A key with one scope, made as `ultron keys` does."""
    from tests.core.serve.running import PROGRAM

    name = f"only-{scope}"
    code = (
        "from ultron_core import Ultron\n"
        f"with Ultron() as u: print(u.keys.add({name!r}, scopes=[{scope!r}], agent_id='a')[1])"
    )
    done = running.run(PROGRAM[0], "-c", code, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


BROKEN = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"[1, 2]",
    b'"text"',
    b"\xff\xfe",
    b"{}",
    b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 5}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}',
    b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "no_such"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remember", "arguments": []}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remember", "arguments": {"content": 5}}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": "x"}',
    b'{"jsonrpc": "2.0", "result": {}, "id": 7}',
    b"[" * 5_000,
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 3}}',
]


def test_broken_requests_leave_the_server_answering(running):
    headers = {
        "Authorization": f"Bearer {running.key}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    for body in BROKEN:
        answer = httpx.post(running.address + "/mcp", content=body, headers=headers, timeout=30)
        assert answer.status_code < 500 and "Traceback" not in answer.text, (body[:60], answer.text)
    lines = b"\n".join(body for body in BROKEN if b"\n" not in body)
    last = b'{"jsonrpc": "2.0", "id": "last", "method": "ping"}\n'
    done = running.run(SCRIPTS / "ultron-mcp", input=lines + b"\n" + last)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and any(one.get("id") == "last" for one in told), done.stderr
    assert running.ask("GET", "/health").json()["data"]["status"] == "ready"


def test_without_a_key_the_tools_are_not_even_listed(running):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = httpx.post(running.address + "/mcp", json=body)
    assert answer.status_code == 401 and "search_memories" not in answer.text
