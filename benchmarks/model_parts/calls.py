"""What the path with a language model asks and pays for, and what comes of it, on the sixteen sessions of tests/replay.

    python benchmarks/model_parts/calls.py [--small]

A server on this machine gives the recorded answers (tests/replay/answers.jsonl) and counts: no key, no network. The
sessions go through the whole path: segments, labels, memories, their upload. Nothing is redacted, because an answer is
found by the text that it was written for; redaction changed the tokens by 0.02 % when both were counted.

One line: `calls` and `input_tokens` of all requests, by question in `by_question`, and a session of small (under
8 kB), medium and large (over 40 kB) logs in `by_size`; `estimated_calls` and
`estimated_tokens`, what `ultron process --estimate` said before; `segments`; `notes` of the recorded answers, of which
`missing` are not stored; `quotes` of the list that some request showed, of `quotes_of`, with
those `unseen`; `undone`, rows that are pending or failed, with their `errors`. With `--small` also one line a small
context: the same sessions on a server that keeps to it, answered by rule where less than a whole record is shown.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.places import ROOT

sys.path.insert(0, str(ROOT))

from tests.support.gold import sessions
from tests.support.model.recorded import Recorded, notes
from tests.support.model.server import model_server
from tests.support.model.small import SmallServer, recorded_or_sensible
from tests.support.walk import PlainRedactor, good_list, missing, unseen, walk, with_server
from ultron_core.settings import SessionSettings, Settings, StoreSettings

#: tokens
CONTEXTS = (4_096, 8_192, 16_384)
#: bytes of a log
SIZES = {"small": (0, 8_000), "medium": (8_000, 40_000), "large": (40_000, 10**9)}


def main():
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=about)
    parser.add_argument("--small", action="store_true", help="also with small contexts")
    small = parser.parse_args().small
    answers = Recorded()
    with tempfile.TemporaryDirectory() as home, model_server() as server:
        server.always = answers
        done = walk(with_server(settings_in(home), server), server, redactor=PlainRedactor())
    print(json.dumps({"benchmark": "model_calls", **figures(done, answers.calls)}, ensure_ascii=False))
    for context in CONTEXTS if small else ():
        print(json.dumps({"benchmark": "model_calls_small", **in_context(context)}, ensure_ascii=False))


def settings_in(home):
    return Settings(store=StoreSettings(home=Path(home)), sessions=SessionSettings(quiet_minutes=0))


def in_context(context):
    """What the sessions take on a model that reads no more."""
    small = SmallServer(context, recorded_or_sensible())
    with tempfile.TemporaryDirectory() as home, model_server() as server:
        server.always = small
        settings = with_server(settings_in(home), server, api_key=None, max_input_tokens=context)
        done = walk(settings, server, redactor=PlainRedactor())
    return {
        "context": context,
        "calls": small.calls,
        "input_tokens": small.read,
        "output_tokens": small.written,
        "refused": len(small.refused),
        "undone": done.report["pending"] + done.report["failed"],
    }


def by_size(asked):
    """Calls and tokens a session, by the size of its log in bytes."""
    rows = {}
    for name, (least, most) in SIZES.items():
        logs = {s.name for s in sessions() if least <= s.path.stat().st_size < most}
        own = [call for call in asked if call["session"] in logs]
        rows[name] = {
            "sessions": len(logs),
            "calls": round(len(own) / len(logs), 2),
            "input_tokens": round(sum(call["input_tokens"] for call in own) / len(logs)),
            "output_tokens": round(sum(call["output_tokens"] for call in own) / len(logs)),
        }
    return rows


def figures(done, asked):
    calls, tokens = Counter(), Counter()
    for call in asked:
        calls[call["question"]] += 1
        tokens[call["question"]] += call["input_tokens"]
    quotes = sum(len(memory["quotes"]) for _, memory in good_list())
    return {
        "sessions": len(sessions()),
        "calls": calls.total(),
        "input_tokens": tokens.total(),
        "output_tokens": sum(call["output_tokens"] for call in asked),
        "by_question": {name: {"calls": calls[name], "input_tokens": tokens[name]} for name in sorted(calls)},
        "by_size": by_size(asked),
        "estimated_calls": done.estimate["calls"],
        "estimated_tokens": done.estimate["input_tokens"],
        "segments": len(done.segments),
        "notes": len(notes()),
        "missing": missing(done.memories),
        "quotes": quotes - len(unseen(done.requests)),
        "quotes_of": quotes,
        "unseen": unseen(done.requests),
        "undone": done.report["pending"] + done.report["failed"],
        "errors": list(done.report["errors"]),
    }


if __name__ == "__main__":
    main()
