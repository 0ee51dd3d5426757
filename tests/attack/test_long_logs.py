"""A log of any length: nothing is held as a whole or looked at again and again, and the same comes of it."""

import gc
import json
import random
import time
import tracemalloc
import weakref
from itertools import islice, zip_longest

import numpy as np
import pytest

from tests.support.memories import rows
from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.models import Message
from ultron_core.segments import WINDOW
from ultron_core.segments.offline.around import around_turns
from ultron_core.segments.offline.features import Running, describe
from ultron_core.segments.offline.turns import turns_of
from ultron_core.segments.offline.vectors import TurnVectors, unit
from ultron_core.sessions import SessionReader
from ultron_core.settings import LLMSettings, SessionSettings
from ultron_core.steps import long_logs
from ultron_core.steps.files import snapshot
from ultron_core.steps.files.parsed import parse_snapshot
from ultron_core.steps.files.snapshot import take_snapshot
from ultron_core.steps.search import windows
from ultron_core.steps.stages import segment
from ultron_core.store import content_digest
from ultron_core.store.queries import load_queries
from ultron_core.store.tables import sessions


@pytest.fixture
def ultron(settings):
    quiet = {"llm": LLMSettings(offline=True), "sessions": SessionSettings(quiet_minutes=0)}
    with Ultron(settings.model_copy(update=quiet)) as opened:
        yield opened


@pytest.fixture
def everything_is_long(monkeypatch):
    """Every limit from which on a log is taken in pieces is passed by a log of 30 lines."""
    for module, name, value in (
        (snapshot, "_HELD", 1000),
        (sessions, "_COPIED", 7),
        (long_logs, "_PIECE", 4),
        (segment, "WINDOW", 10),
        (windows, "_MOST_HELD", 10),
        (windows, "_PART", 2),
    ):
        monkeypatch.setattr(module, name, value)


def blocks(line):
    """What one line of OpenAI says, as Claude Code writes it."""
    if line["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": line["tool_call_id"], "content": line["content"]}]
    calls = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": "Bash",
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in line.get("tool_calls", ())
    ]
    return [{"type": "text", "text": line["content"]}, *calls] if calls else line["content"]


def claude_rows(*tasks):
    """Every second task is a sub-agent's, and its lines stand between those of the main thread."""
    made, last = [], {}
    pairs = [zip_longest(*tasks[number : number + 2]) for number in range(0, len(tasks), 2)]
    for number, pair in enumerate(pairs):
        for lines in pair:
            for aside, line in enumerate(lines):
                if line is None:
                    continue
                thread = f"side{number}" if aside else "main"
                kind = "assistant" if line["role"] == "assistant" else "user"
                row = {
                    "type": kind,
                    "uuid": f"row-{len(made)}",
                    "parentUuid": last.get(thread),
                    "cwd": "/srv/shop",
                }
                row |= {"isSidechain": True, "agentId": thread} if aside else {}
                made.append({**row, "sessionId": "s", "message": {"role": kind, "content": blocks(line)}})
                last[thread] = row["uuid"]
    return made


TASKS = [
    solved("alpha", "yaml"),
    task("beta"),
    task("gamma"),
    solved("delta", "lxml"),
    task("epsilon"),
    task("zeta"),
]


def after(ultron, path, made):
    """The digest once this log was read and processed."""
    write_log(path, made)
    assert ultron.ingest([path], "me", process=True)["successful"] == 1
    return content_digest(ultron.runtime.database, windows=True)


@pytest.mark.parametrize("shape", [claude_rows, lambda *tasks: [line for lines in tasks for line in lines]])
def test_a_log_taken_in_pieces_becomes_what_it_becomes_as_a_whole(ultron, tmp_path, request, shape):
    path = tmp_path / "logs" / "a.jsonl"
    first, grown, changed = shape(*TASKS[:3]), shape(*TASKS), shape(*TASKS[:2], *TASKS[3:])
    whole = [after(ultron, path, made) for made in (first, grown, changed)]
    assert rows(ultron, "SELECT id FROM memories") and rows(ultron, "SELECT place FROM message_windows")
    path.unlink()
    request.getfixturevalue("everything_is_long")
    with ultron.runtime.database.transaction() as conn:
        conn.execute(
            "TRUNCATE sessions, memories, source_files, raw_uploads, drops, lexical_df, lexical_stats CASCADE"
        )
    assert [after(ultron, path, made) for made in (first, grown, changed)] == whole


def test_of_a_long_file_no_message_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "_HELD", 100_000)
    path = tmp_path / "long.jsonl"
    lines = 20_000
    with path.open("w") as out:
        for number in range(lines):
            out.write(
                json.dumps({"role": "assistant" if number % 2 else "user", "content": f"line {number}"})
                + "\n"
            )
    told = []
    tracemalloc.start()
    parsed = parse_snapshot(take_snapshot(path), 0, told.append)
    seen = [message.content for message in parsed.messages if message.content == "line 19999"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(parsed.messages) == len(parsed.digests) == lines and seen and told[0] < told[-1] == lines
    # a fingerprint is 65 bytes in a list of 8 more, a message some 600
    assert peak < 200 * lines


@pytest.mark.parametrize(
    "read", [lambda reader: list(reader), lambda reader: (list(islice(reader, 3_000)), reader.close())]
)
def test_what_a_reader_knew_of_its_rows_goes_when_it_is_done(read):
    body = "".join(json.dumps(row) + "\n" for row in claude_rows(*TASKS * 100)).encode()
    gc.disable()
    try:
        reader = SessionReader(body)
        read(reader)
        state = weakref.ref(reader)
        del reader
        assert state() is None
    finally:
        gc.enable()


def turns(count):
    """Turns in words of their own, each with its vectors."""
    chance, numbers = random.Random(3), np.random.default_rng(1)
    messages = []
    for _ in range(count):
        words = " ".join(f"w{chance.randrange(10**6)}" for _ in range(12))
        messages += [Message("user", f"and {words}?"), Message("assistant", f"yes {words}", origin="model")]
    made = turns_of(messages)
    units = [[unit(numbers.normal(size=8).astype(np.float32)) for _ in range(4)] for _ in made]
    return made, [TurnVectors(*four, 0.5, 0.5) for four in units]


def best(work, times=3):
    """Seconds of CPU, the least of some: what else the machine does slows down one of them."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def test_what_stands_around_turns_costs_no_more_the_more_of_them_there_are():
    short, long = turns(1_000), turns(8_000)
    # eight would be exact, 64 quadratic
    assert best(lambda: around_turns(*long)) < 16 * best(lambda: around_turns(*short))


def test_a_turn_costs_no_more_behind_many_turns_of_its_task():
    made, vectors = turns(8_000)
    near = around_turns(made[:9], vectors[:9])[8]

    def asked(before):
        running = Running()
        for turn, own in zip(made[:before], vectors[:before], strict=True):
            running.add(turn, own, 2)
        return lambda: [describe(made[-1], vectors[-1], near, running) for _ in range(50)]

    assert best(asked(8_000)) < 3 * best(asked(80))


def looked_at(plan):
    own = plan["Actual Rows"] * plan["Actual Loops"] + plan.get("Rows Removed by Filter", 0)
    return (own if "Scan" in plan["Node Type"] else 0) + sum(map(looked_at, plan.get("Plans", ())))


def test_the_last_task_of_a_long_thread_is_found_without_its_other_messages(ultron, tmp_path):
    path = tmp_path / "logs" / "long.jsonl"
    write_log(path, *(task(f"part{number}") for number in range(2_000)))
    ultron.ingest([path], "me")
    with ultron.runtime.database.transaction() as conn:
        ((session_id, count),) = (
            conn.execute("SELECT id, message_count FROM sessions").fetchall()[0].values(),
        )
        conn.execute("ANALYZE messages")
        where = {"session_id": session_id, "account_id": "default", "thread": "main"}
        asked = {**where, "seq": count - 8, "position": count - 8, "most": 8}
        query = "EXPLAIN (ANALYZE, FORMAT JSON) " + load_queries("log/sessions")["thread_messages"]
        plan = conn.execute(query, asked).fetchone()["QUERY PLAN"][0]["Plan"]
        own = [row["seq"] for row in conn.execute(load_queries("log/sessions")["thread_messages"], asked)]
        before = [
            row["seq"]
            for row in conn.execute(load_queries("log/sessions")["thread_messages"], {**asked, "seq": None})
        ]
    assert own == before == list(range(count - 8, count))
    assert looked_at(plan) < 100 < count < WINDOW
