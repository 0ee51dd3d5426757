"""What the path with a language model asks and pays for, and what comes of it, on the sixteen sessions of tests/replay.

    python benchmarks/model_calls.py

A server on this machine answers each request in good faith from what it shows (tests/support/good_faith.py), and counts:
no key, no network. The sessions go through the whole path: segments, labels, memories, their upload.

One line: `calls` and `input_tokens` of all requests, by kind of question in `by_kind`; `estimated_calls` and
`estimated_tokens`, what `ultron process --estimate` said before; `cuts_f1` against the gold cuts; `good`, how many of the
memories of the good list are stored, of `of`; `quotes` of the list that some request showed, of `quotes_of`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.good_faith import GoodFaith, Shown, normal, sessions
from tests.support.model_server import model_server
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.stages.estimate import estimate_pending


@dataclass(frozen=True)
class Walk:
    """What one walk of all sessions through the path did."""

    requests: list
    calls: list
    estimate: dict
    report: dict
    starts: set
    memories: list


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print(json.dumps({"benchmark": "model_calls", **figures(walk())}))


def walk():
    good = GoodFaith()
    with tempfile.TemporaryDirectory() as home, model_server() as server:
        server.always = good.behave
        settings = Settings(
            store=StoreSettings(home=Path(home)),
            sessions=SessionSettings(quiet_minutes=0),
            llm=LLMSettings(api_key="k", base_url=server.url, model="good-faith", max_retries=0),
        )
        with Ultron(settings) as ultron:
            ultron.ingest([session.path for session in sessions()], "agent")
            estimate = estimate_pending(ultron.runtime)
            report = ultron.process_pending()
            starts, memories = _stored(ultron)
        return Walk(server.chats(), good.calls, estimate, report, starts, memories)


def _stored(ultron):
    with ultron.runtime.database.transaction() as conn:
        starts = conn.execute("SELECT session_file, thread, start_line FROM task_segments").fetchall()
        memories = conn.execute("SELECT content FROM memories").fetchall()
    return {(s["session_file"], s["thread"], s["start_line"]) for s in starts}, [
        m["content"] for m in memories
    ]


def figures(done):
    calls, tokens = Counter(), Counter()
    for call in done.calls:
        calls[call["kind"]] += 1
        tokens[call["kind"]] += call["input_tokens"]
    list_of = [m for session in sessions() for task in session.tasks for m in task.memories]
    stored = normal(" ".join(done.memories))
    quotes = [q["quote"] for m in list_of for q in m["quotes"]]
    shown = "\n".join(Shown.of(request).text for request in done.requests)
    return {
        "sessions": len(sessions()),
        "calls": calls.total(),
        "input_tokens": tokens.total(),
        "output_tokens": sum(call["output_tokens"] for call in done.calls),
        "by_kind": {kind: {"calls": calls[kind], "input_tokens": tokens[kind]} for kind in sorted(calls)},
        "estimated_calls": done.estimate["calls"],
        "estimated_tokens": done.estimate["input_tokens"],
        "segments": len(done.starts),
        "good": sum(normal(m["content"]) in stored for m in list_of),
        "missing": [m["content"][:60] for m in list_of if normal(m["content"]) not in stored],
        "of": len(list_of),
        "quotes": sum(normal(q) in shown for q in quotes),
        "quotes_of": len(quotes),
        "unseen": [q for q in quotes if normal(q) not in shown],
        "undone": done.report["pending"] + done.report["failed"],
        "errors": list(done.report["errors"]),
    }


if __name__ == "__main__":
    main()
