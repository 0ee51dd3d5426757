"""What the retrieval benchmark asks: LoCoMo, LongMemEval, and items drawn from real agent sessions."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from inputs.places import session_sets

from ultron_core.models import Message
from ultron_core.sessions import parse_session


@dataclass(frozen=True)
class Question:
    """`gold`: names of the sessions that hold the evidence."""

    text: str
    gold: frozenset[str]
    group: str
    subsets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Haystack:
    """The sessions of one agent by name, as lines of an OpenAI log, and what is asked at `asked_at`."""

    agent: str
    sessions: dict[str, list[dict]]
    asked_at: datetime
    questions: list[Question]


def read_locomo(path: Path) -> Iterator[Haystack]:
    for line in gzip.decompress(path.read_bytes()).splitlines():
        talk = json.loads(line)
        sessions = {}
        for session in talk["sessions"]:
            begin = datetime.strptime(session["date"].upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)
            turns = ((t["speaker"], t["text"]) for t in session["turns"])
            sessions[session["session_id"]] = as_lines(turns, begin, talk["speakers"][0])
            last = begin
        questions = [
            Question(q["question"], frozenset(q["evidence_sessions"]), f"category {q['category']}")
            for q in talk["queries"]
        ]
        yield Haystack(talk["id"], sessions, last + timedelta(days=1), questions)


def as_lines(turns: Iterable[tuple[str, str]], begin: datetime, first: str) -> list[dict]:
    """Turns (speaker, text) as log lines ten seconds apart; `first` speaks as the user."""
    return [
        {
            "role": "user" if speaker == first else "assistant",
            "name": speaker,
            "content": text,
            "timestamp": (begin + timedelta(seconds=10 * n)).isoformat(),
        }
        for n, (speaker, text) in enumerate(turns)
    ]


def find_longmemeval(folders: Sequence[Path], size: str) -> Path | None:
    names = (f"longmemeval_{size}.json", f"longmemeval_{size}_cleaned.json")
    return next((folder / name for folder in folders for name in names if (folder / name).exists()), None)


def read_longmemeval(path: Path) -> Iterator[Haystack]:
    for row in json.loads(path.read_text("utf-8")):
        sessions, answered = {}, False
        ids, dates = row["haystack_session_ids"], row["haystack_dates"]
        for name, date, turns in zip(ids, dates, row["haystack_sessions"], strict=True):
            pairs = [(turn["role"], turn["content"]) for turn in turns if turn["content"].strip()]
            if not pairs:
                continue
            sessions[safe(name)] = as_lines(pairs, as_time(date), "user")
            if name in row["answer_session_ids"]:
                answered |= any(turn["role"] == "user" and turn.get("has_answer") for turn in turns)
        abstention = row["question_id"].endswith("_abs")
        subsets = ("all",) if abstention else ("all", "no_abstention", *(("official",) if answered else ()))
        gold = frozenset(safe(name) for name in row["answer_session_ids"])
        question = Question(row["question"], gold, row["question_type"], subsets)
        yield Haystack(safe(row["question_id"]), sessions, as_time(row["question_date"]), [question])


def safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", str(name))


def as_time(date: str) -> datetime:
    """`2023/05/30 (Tue) 23:40`."""
    return datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


# --- agent sessions ---------------------------------------------------------------------------------------

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.(?:py|ts|tsx|js|rs|go|md|json|ya?ml|toml|sql|sh)\b")
_FAULT = re.compile(r"^\s*[\w.]*(?:Error|Exception)\b.{10,120}$", re.MULTILINE)
_CHINESE = re.compile(r"[\u4e00-\u9fff，。、]{8,14}")
_WORDS = re.compile(r"[A-Za-z'-]+")


@dataclass(frozen=True)
class AgentSession:
    """A session file as stored, and the messages in which items are found."""

    source: str
    name: str
    body: bytes
    messages: list[Message]

    @property
    def text(self) -> str:
        calls = [str(call.arguments) for m in self.messages for call in m.tool_calls]
        return "\n".join([m.content for m in self.messages] + calls)


def read_agent_sessions(data: Path, per_source: int, seed: int) -> list[AgentSession]:
    """Up to `per_source` sessions of each set, drawn at random."""
    read = []
    for found in session_sets(data):
        logs = sorted(
            item for item in found.files() if item[0].endswith(".jsonl") and "labels" not in item[0]
        )
        for file, body in random.Random(seed).sample(logs, min(per_source, len(logs))):
            name = safe(f"{found.name}-{Path(file).stem}")
            read.append(AgentSession(found.name, name, body, parse_session(body).messages))
    return read


def draw_items(sessions: Sequence[AgentSession], seed: int) -> list[Question]:
    """One item of each kind per session, if it has one that no other session contains. Kinds: an error line of a
    tool, a path in a call, seven words of a message, a Chinese phrase, seven words far into a long message."""
    texts = {session.name: session.text for session in sessions}
    questions = []
    for session in sessions:
        messages = [m.content for m in session.messages if m.origin in ("human", "model")]
        tools = "\n".join(m.content for m in session.messages if m.role == "tool")
        calls = "\n".join(str(call.arguments) for m in session.messages for call in m.tool_calls)
        kinds = {
            "error line": [match.strip() for match in _FAULT.findall(tools)],
            "path": _PATH.findall(calls),
            "words": [run for text in messages for run in _runs(text[:1200])],
            "chinese": [match for text in messages for match in _CHINESE.findall(text)],
            "words far in": [run for text in messages for run in _runs(text[1500:30_000])],
        }
        for kind, items in kinds.items():
            choices = sorted(set(items))
            random.Random(f"{seed}{kind}{session.name}").shuffle(choices)
            unique = (
                item for item in choices if not any(item in t for n, t in texts.items() if n != session.name)
            )
            item = next(unique, None)
            if item:
                questions.append(Question(item, frozenset([session.name]), kind))
    return questions


def _runs(text: str) -> list[str]:
    words = list(_WORDS.finditer(text))
    runs = (text[words[i].start() : words[i + 6].end()] for i in range(0, len(words) - 6, 7))
    return [run for run in runs if "\n" not in run]
