"""The topics of `topic_verdicts.jsonl`: a fixed draw of segments from the sessions outside the reserve.

    python benchmarks/gold/draw_topics.py [--data DIR] [--count 60]

Half from native sessions (of people with coding agents, and their sub-agents), half from benchmark sets, in the order
of the SHA-256 of seed and place, at most so many of a set and of a session; `inputs/reserve.py` says which sessions are
left out. One JSON object a segment: set, file, thread, first and last line, topic, and what was said in it: each turn
of a person and the first and last words of the agent.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inputs.draws import spread
from inputs.lockbox import forbid_lockbox
from inputs.places import arguments, session_sets
from inputs.reserve import TWINS, sessions

from ultron_core.models import Message
from ultron_core.segments import segment_messages
from ultron_core.sessions import parse_session

SEED = "topics-1"
NATIVE = frozenset(
    {
        "claude_code_spotter",
        "claude_code_viewer",
        "human_aider",
        "human_claude_specstory",
        "human_copilot_destyler_zh",
        "pi_coding_agent",
    }
)
#: native and other: most of a set, most of a session
MOST = {True: (11, 3), False: (4, 2)}


def segments(data: Path) -> Iterator[dict[str, Any]]:
    reserve = {(r["set"], Path(str(r["file"])).name) for r in sessions(data) if r["reserve"]}
    for found in session_sets(data):
        if found.name in TWINS:  # the same runs in another wire format
            continue
        for name, body in found.files():
            if (found.name, Path(name).name) in reserve or not name.endswith(".jsonl"):
                continue
            threads: dict[str, list[Message]] = {}
            messages = list(parse_session(body).messages)
            for message in messages:
                threads.setdefault(message.thread, []).append(message)
            for segment in segment_messages(messages):
                own = threads[segment.thread][segment.start : segment.end]
                yield {
                    "set": found.name,
                    "file": Path(name).name,
                    "thread": segment.thread,
                    "lines": [own[0].start_line, own[-1].end_line],
                    "topic": segment.topic,
                    "said": [m.content[:600] for m in own if m.role == "user" and m.origin == "human"],
                    "answered": [m.content[:300] for m in own if m.role == "assistant" and m.content.strip()],
                }


def rank(row: dict[str, Any]) -> str:
    place = f"{SEED}/{row['set']}/{row['file']}/{row['thread']}/{row['lines'][0]}"
    return hashlib.sha256(place.encode()).hexdigest()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=60)
    args = parser.parse_args()
    forbid_lockbox(args.data)
    rows = sorted(segments(args.data), key=rank)
    for native in (True, False):
        of_part = [row for row in rows if (row["set"] in NATIVE) == native]
        of_set, of_session = MOST[native]
        for row in spread(of_part, args.count // 2, of_set=of_set, of_session=of_session):
            row["answered"] = row["answered"][:1] + row["answered"][1:][-1:]
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
