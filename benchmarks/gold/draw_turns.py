"""The human turns that `turns.jsonl` labels: a fixed draw from the session and dialogue sets.

    python benchmarks/gold/draw_turns.py [--data DIR] [--second N]

Session sets give turns of the half outside the reserve alone (`inputs/reserve.py`). Within a set turns go by the
SHA-256 of seed and id, at most so many a dialogue. One JSON object a turn: id, repository, set, file, line, lang,
interrupted, text (cut at 700 characters), before (the agent's act before, cut at 300). --second N: those of a
second reading.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inputs.lockbox import forbid_lockbox
from inputs.places import arguments
from inputs.reserve import sessions

from ultron_core.sessions import parse_session

SEED = "turns-1"
LONGEST, LONGEST_BEFORE = 700, 300
Turn = dict[str, Any]
#: session set -> (repository, most turns, most of one session); None = all
SESSION_SETS: dict[str, tuple[str, int | None, int | None]] = {
    "human_claude_specstory": ("specstory", None, None),
    "human_copilot_destyler_zh": ("destyler", None, None),
    "human_aider": ("aider", None, None),
    "claude_code_spotter": ("claude_code_spotter", None, None),
    "claude_code_viewer": ("claude_code_viewer", None, None),
    "claude_code_misc": ("claude_code_misc", None, None),
    "pi_coding_agent": ("pi", None, None),
    "tau_airline_openai": ("tau", 120, 5),
    "glaive_toolcall_en": ("glaive", 80, 3),
    "glaive_toolcall_zh": ("glaive", 90, 3),
}
#: dialogue file -> (repository, most turns, most of one dialogue, only turns after an answer come first)
DIALOGUE_SETS: dict[str, tuple[str, int, int, bool]] = {
    "segmentation/crosswoz_switch_zh": ("crosswoz", 140, 3, False),
    "segmentation/tiage": ("tiage", 80, 2, False),
    "retrieval/memory_bank_en": ("memory_bank", 100, 40, False),
    "retrieval/memory_bank_zh": ("memory_bank", 100, 50, False),
    "quality/kto_en": ("kto", 60, 4, True),
    "quality/dpo_pairs_zh": ("dpo", 40, 4, True),
}
#: user rows that a harness writes without a mark of its own
_HARNESS = re.compile(
    r"Read the output file to retrieve the result: |\[Request interrupted|\[Image: source"
    r"|Full transcript available at: |## Context\n\n- Current (?:pull request|git) status: |\d+\Z"
)
_INTERRUPTED = "[Request interrupted by user"
_HAN, _KANA = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[\u3040-\u30ff]")
#: ends of runs that a benchmark's driver writes behind what is said
_DRIVER = re.compile(r"###(?:STOP|TRANSFER)###")
_MARKUP = re.compile(r"</?div[^<>]*>")
_PRIVATE = (
    (re.compile(r"(?!git@)\b[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}\b"), "someone@example.org"),
    (re.compile(r"(/(?:Users|home)/|-Users-|-home-|[A-Z]:\\Users\\)(?!dev\b|USER\b)[\w.]+"), r"\1dev"),
    (re.compile(r"(?<![\d.])\+\d{1,3}[ -]?\d{2,4}[ -]?\d{3,4}[ -]?\d{3,5}(?!\d)"), "+1 555 0100"),
)


def cut(text: str, most: int, head: float = 0.7) -> str:
    """Head and tail of a long text."""
    if len(text) <= most:
        return text
    first = int(most * head)
    return text[:first] + " … " + text[len(text) - (most - first - 3) :]


def clean(text: str) -> str:
    """Without addresses, numbers and account names of people, and without marks of a driver."""
    text = _DRIVER.sub("", text)
    for pattern, instead in _PRIVATE:
        text = pattern.sub(instead, text)
    return text.strip()


def act(texts: Sequence[str], calls: Sequence[str]) -> str:
    """The end of what the agent said last and the names of its last calls."""
    texts = [text for text in (_MARKUP.sub("", text).strip() for text in texts) if text]
    tail = f" [calls: {', '.join(calls[-5:])}]" if calls else ""
    said = clean(texts[-1]) if texts else ""
    return said[max(0, len(said) - (LONGEST_BEFORE - len(tail))) :] + tail


def rank(name: str, seed: str = SEED) -> str:
    return hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()


def session_turns(data: Path, source: str, repository: str) -> Iterator[Turn]:
    """The turns people wrote in the main thread of each session outside the reserve."""
    rows = [r for r in sessions(data) if r["set"] == source and not r["reserve"]]
    path = data / "sessions" / f"{source}.tar.gz"
    if not path.exists():
        skip(source)
        return
    with tarfile.open(path) as archive:
        for row in rows:
            name = str(row["file"])
            member = archive.extractfile(name)
            if member is None:
                continue
            seen: Counter[str] = Counter()
            expanded = 0  # a line that a slash command was spread into; what stands there is not typed
            texts: list[str] = []
            calls: list[str] = []
            interrupted = False
            for message in parse_session(member.read()).messages:
                if message.thread != "main":
                    continue
                if message.role == "assistant":
                    if message.content.strip():
                        texts.append(message.content)
                    calls += [call.name for call in message.tool_calls]
                if message.role != "user":
                    continue
                if message.content.startswith(_INTERRUPTED):
                    interrupted = True
                if message.origin != "human" or message.start_line == expanded:
                    continue
                if _HARNESS.match(message.content.strip()):
                    expanded = message.start_line
                    continue
                key = f"{source}/{Path(name).stem}/{message.start_line}"
                seen[key] += 1
                yield {
                    "id": key + (f"#{seen[key]}" if seen[key] > 1 else ""),
                    "repository": repository,
                    "set": source,
                    "file": name,
                    "line": message.start_line,
                    "interrupted": interrupted,
                    "text": message.content,
                    "before": act(texts, calls),
                }
                texts, calls, interrupted = [], [], False


def dialogues(row: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(index below the row, turns) of one row of a dialogue file."""
    if "sessions" in row:
        for i, day in enumerate(row["sessions"]):
            yield f"/{i}", [(t["role"], t["text"]) for t in day["turns"]]
    else:
        turns = row.get("utterances") or row.get("messages") or row.get("context") or []
        yield "", [(t["role"], t["content"]) for t in turns]


def dialogue_turns(data: Path, source: str, repository: str) -> Iterator[Turn]:
    path = data / f"{source}.jsonl.gz"
    name = source.split("/")[1]
    if not path.exists():
        skip(name)
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if source == "quality/dpo_pairs_zh":  # only contexts of several turns
        rows = [r if any(t["role"] == "assistant" for t in r["context"]) else {} for r in rows]
    for index, row in enumerate(rows):
        for below, turns in dialogues(row):
            for i, (role, text) in enumerate(turns):
                if role != "user":
                    continue
                said = [text for who, text in turns[max(0, i - 1) : i] if who == "assistant"]
                yield {
                    "id": f"{name}/{index}{below}/{i}",
                    "repository": repository,
                    "set": name,
                    "file": f"{source}.jsonl.gz",
                    "line": f"{index}{below}/{i}",
                    "interrupted": False,
                    "text": text,
                    "before": act(said, []),
                }


def draw(
    turns: Iterator[Turn], most: int | None, most_each: int | None, later_first: bool = False
) -> list[Turn]:
    """The turns in the order of their hashes, in English or Chinese, no text with the same act before twice."""
    found: list[Turn] = []
    each: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for turn in sorted(turns, key=lambda t: (later_first and not t["before"], rank(t["id"]))):
        text = clean(turn["text"])
        group = turn["id"].rsplit("/", 1)[0].rsplit("#")[0]
        if turn["set"].startswith("memory_bank"):
            group = group.split("/")[1]
        if not text or _KANA.search(text) or (text, turn["before"]) in seen:
            continue
        if most is not None and len(found) >= most:
            break
        if most_each is not None and each[group] >= most_each:
            continue
        each[group] += 1
        seen.add((text, turn["before"]))
        turn["lang"] = "zh" if len(_HAN.findall(text)) >= 2 else "en"
        turn["text"] = cut(text, LONGEST)
        found.append(turn)
    return found


def place(turn: Turn) -> tuple[Any, ...]:
    line = turn["line"]
    return (
        turn["file"],
        [line] if isinstance(line, int) else [int(part) for part in line.split("/")],
        turn["id"],
    )


def drawn(data: Path) -> list[Turn]:
    """All turns of the gold set, set by set, in the order they were said."""
    result: list[Turn] = []
    for source, (repository, most, most_each) in SESSION_SETS.items():
        result += sorted(draw(session_turns(data, source, repository), most, most_each), key=place)
    for source, (repository, most, most_each, later) in DIALOGUE_SETS.items():
        result += sorted(draw(dialogue_turns(data, source, repository), most, most_each, later), key=place)
    return result


def second(turns: list[Turn], count: int) -> list[Turn]:
    """Those of a second reading, mixed."""
    return sorted(turns, key=lambda t: rank(t["id"], SEED + "-second"))[:count]


def skip(name: str) -> None:
    print(json.dumps({"set": name, "skipped": "not in the data folder"}))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--second", type=int, metavar="N")
    args = parser.parse_args()
    forbid_lockbox(args.data)
    turns = drawn(args.data)
    keys = ("id", "repository", "set", "file", "line", "lang", "interrupted", "text", "before")
    for turn in second(turns, args.second) if args.second else turns:
        print(json.dumps({key: turn[key] for key in keys}, ensure_ascii=False))


if __name__ == "__main__":
    main()
