"""What was put before an agent, or answered by our tools, never becomes a memory again: fifty sessions of echoes."""

import json

import pytest

from ultron_core.client import Ultron

LESSON = "ModuleNotFoundError: No module named 'yaml' in the parser: the fix is `pip install pyyaml`, always do that"
TOOLS = ["search_memories", "get_memories", "remember", "correct_memory", "search_sessions", "read_session"]
#: how clients spell the name of a tool of the server `ultron`
SPELLINGS = ["mcp__ultron__{}", "ultron__{}", "ultron.{}"]


def block(ultron):
    """A block as it is really made."""
    found = ultron.recall("No module named 'yaml' in the parser")
    assert found.block
    return found.block


def said(told, number):
    """A session in which nothing is learned: an agent is reminded of `told`, and greets."""
    return [
        {"role": "user", "content": f"{told}\nhello, number {number}"},
        {"role": "assistant", "content": "Hello! What can I do for you?"},
        {"role": "user", "content": "nothing, thanks"},
        {"role": "assistant", "content": "You are welcome."},
    ]


def asked(tool, answer, number):
    """A session in which an agent asks one of our tools and does nothing else."""
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps({"query": "yaml"})},
    }
    return [
        {"role": "user", "content": f"hello, number {number}"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "name": tool, "content": answer},
        {"role": "assistant", "content": "Hello! What can I do for you?"},
        {"role": "user", "content": "nothing, thanks"},
        {"role": "assistant", "content": "You are welcome."},
    ]


def in_claude(told, number):
    """The same in Claude Code's own form, where a hook adds a reminder beside the person's words."""
    reminder = f"<system-reminder>\nUserPromptSubmit hook additional context: {told}\n</system-reminder>"
    content = [{"type": "text", "text": reminder}, {"type": "text", "text": f"hello, number {number}"}]
    common = {"sessionId": f"s{number}", "version": "2.0.1", "cwd": "/src/shop"}
    rows = [("user", content), ("assistant", [{"type": "text", "text": "Hello!"}])]
    return [
        {**common, "type": role, "uuid": f"u{n}", "message": {"role": role, "content": content}}
        for n, (role, content) in enumerate(rows)
    ]


@pytest.fixture
def echoes(settings, tmp_path):
    """(the store, how many echo sessions it has read); it held one memory before."""
    folder = tmp_path / "echoes"
    folder.mkdir()
    with Ultron(settings) as ultron:
        ultron.upload_memory(LESSON, resolution="pip install pyyaml")
        told = block(ultron)
        answers = [
            f"m:1a2b3c4d error, said by tool: {LESSON}",
            f"[1-1] user: {LESSON}",
            f"Remembered. {LESSON}",
        ]
        names = [spelling.format(tool) for spelling in SPELLINGS for tool in TOOLS]
        sessions = [said(told, n) for n in range(16)] + [in_claude(told, n) for n in range(16)]
        sessions += [asked(name, answers[n % 3], n) for n, name in enumerate(names)]
        for number, rows in enumerate(sessions):
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"{number:02}.jsonl").write_text(text, "utf-8")
        ultron.ingest([folder], "a", process=True)
        yield ultron, len(sessions)


def test_fifty_sessions_of_echoes_give_no_memory(echoes):
    ultron, sessions = echoes
    assert sessions == 50
    assert ultron.get_memory_stats()["total"] == 1
    (memory,) = ultron.browse.memories().rows
    assert [source.kind for source in ultron.get_memory_sources(memory.id)] == ["upload"]
    assert memory.hit_count == 1


def test_what_was_echoed_is_known_as_recalled(echoes):
    ultron, _ = echoes
    for session in ultron.browse.sessions(limit=100).rows:
        spoken = [line for line in ultron.browse.lines(session["id"]) if "pyyaml" in line["content"]]
        assert spoken and {line["origin"] for line in spoken} <= {"recalled", "harness"}
