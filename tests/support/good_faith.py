"""Answers in good faith to any prompt about the sessions of tests/replay: from what the request shows alone.

What a careful reader keeps of each session lies in tests/replay/good.jsonl in the log's own lines and words. A
request is told apart by the words that it shows, never by its wording or its nonces: the session and the task whose
messages it holds most of. Of the list only that is answered whose quotes stand in the request, under the numbers that
the request gives to its messages.
"""

import json
import re
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.support import hostile
from tests.support.model_server import least
from tests.support.records import messages_in
from ultron_core.llm.tokens import count_tokens
from ultron_core.sessions import parse_session

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "tests" / "replay" / "good.jsonl"
#: the first line of a record names the mark of its headers: "Record bqcd, window 1 of 1."
_RECORD = re.compile(r"Record \w+, ")
#: normalised characters of a message that tell it from others; prompts cut messages, but never so near their beginning
_TELLING = 40
_KIND = {"correction": "correction", "preference": "preference", "security": "security", "pattern": "pattern"}
_PROBABILITY = {"success": 0.95, "failure": 0.05, "partial": 0.4, "unknown": 0.55}


def normal(text):
    """Letters and digits alone: escapes, white space and marks of a prompt do not count."""
    return re.sub(r"[\W_]+", "", text).lower()


@dataclass(frozen=True)
class Task:
    """One task of a session: its beginning, what is worth keeping of it, and words that tell it from others."""

    number: int
    first: dict
    opening: str
    memories: tuple
    tellings: frozenset


@dataclass(frozen=True)
class Session:
    name: str
    path: Path
    tasks: tuple
    success: int | None = None

    def __hash__(self):
        return hash(self.name)


@cache
def sessions():
    return tuple(_session(json.loads(line)) for line in GOOD.read_text("utf-8").splitlines())


def _session(row):
    messages = parse_session((ROOT / row["path"]).read_bytes()).messages
    tasks = []
    for number, first in enumerate(row["segments"]):
        later = [
            s["line"] for s in row["segments"] if s["thread"] == first["thread"] and s["line"] > first["line"]
        ]
        own = [
            m
            for m in messages
            if m.thread == first["thread"] and first["line"] <= m.start_line < min(later, default=10**9)
        ]
        memories = tuple(m for m in row["memories"] if m["segment"] == number)
        tellings = frozenset(t for m in own if len(t := normal(m.content)[:_TELLING]) >= 12)
        tasks.append(Task(number, first, normal(own[0].content)[:_TELLING], memories, tellings))
    return Session(row["session"], ROOT / row["path"], tuple(tasks), row["success"])


@dataclass(frozen=True)
class Shown:
    """The words of a request with the number of the message that each stands in."""

    text: str
    places: tuple  # (position in the normalised text, number) of each message

    @classmethod
    def of(cls, request):
        # the record alone: neither the instructions with their examples, nor a refused answer that is shown again
        raw = next(m["content"] for m in request["messages"] if m["role"] == "user")
        if not _RECORD.match(raw):
            return cls(normal(raw), ())
        parts, places, at = [], [], 0
        for message in messages_in(raw):
            places.append((at, message.number))
            parts.append(normal(message.body))
            at += len(parts[-1])
        return cls("".join(parts), tuple(places))

    def find(self, words):
        """The number of the message that shows the words, None when none does."""
        at = self.text.find(normal(words))
        if at < 0 or not self.places:
            return None
        return [number for begin, number in self.places if begin <= at][-1]

    @property
    def last(self):
        return max((number for _, number in self.places), default=0)


@dataclass
class GoodFaith:
    """The answerer of a `ModelServer`; `calls` says what each request was about and what it cost."""

    calls: list = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request):
        about, value = self.decide(request)
        text = json.dumps(value, ensure_ascii=False)
        with self._lock:
            self.calls.append(
                {
                    **about,
                    "input_tokens": sum(count_tokens(m["content"]) for m in request["messages"]),
                    "output_tokens": count_tokens(text),
                }
            )
        return text

    def behave(self, handler, request):
        """For `ModelServer.always`: the answer with the tokens that the request really has."""
        text = self(request)
        usage = {
            "prompt_tokens": self.calls[-1]["input_tokens"],
            "completion_tokens": self.calls[-1]["output_tokens"],
        }
        handler._send(200, hostile.said(text, usage=usage))

    def decide(self, request):
        """(what the request is about, the value to answer with)."""
        schema = schema_of(request)
        wanted = set(schema["properties"])
        shown = Shown.of(request)
        if "tasks" in wanted:
            session, task = best_match(shown)
            same_thread = [one for one in session.tasks if one.first["thread"] == task.first["thread"]]
            return _about("segment", session, task), {"tasks": _tasks(same_thread, shown)}
        if wanted & {"outcome", "memories"}:
            session, task = best_match(shown)
            value = {}
            if "outcome" in wanted:
                value |= _judgement(task, shown, schema)
            if "memories" in wanted:
                value["memories"] = _memories(task, shown)
            return _about("+".join(sorted(wanted & {"outcome", "memories"})), session, task), value
        return _about(schema["title"], None), _small(wanted, shown, schema)


def schema_of(request):
    """The schema asked for, also where an old server got it in words."""
    given = request.get("response_format", {}).get("json_schema")
    if given:
        return given["schema"]
    return json.loads(request["messages"][-1]["content"].rpartition("\n")[2])


def _about(kind, session, task=None):
    return {
        "kind": kind,
        "session": session.name if session else "",
        "task": task.number if task is not None else None,
    }


def best_match(shown):
    """The session and task that the request shows most messages of."""
    found = [
        (sum(telling in shown.text for telling in task.tellings), session, task)
        for session in sessions()
        for task in session.tasks
    ]
    _, session, task = max(found, key=lambda one: one[0])
    return session, task


def _tasks(tasks, shown):
    """The gold cuts of a thread that the request shows, as its numbers; the first task begins where the record does."""
    starts = {1: tasks[0].first["topic"]}
    starts |= {number: task.first["topic"] for task in tasks if (number := shown.find(task.opening))}
    order = sorted(starts)
    ends = [*(start - 1 for start in order[1:]), shown.last]
    return [
        {"start": start, "end": end, "topic": starts[start]} for start, end in zip(order, ends, strict=True)
    ]


def _judgement(task, shown, schema):
    """Success only where its proof is in sight; a failure is told by what the notes quote."""
    first = task.first
    outcome = first["outcome"]
    proof = first["proof"] and shown.find(first["proof"]["quote"])
    if outcome == "success" and proof is None:
        outcome = "unknown"
    likely = _PROBABILITY[outcome]
    at = [proof] if proof else []
    metrics = [
        {"name": "goal_reached", "score": likely, "messages": at},
        {"name": "completeness", "score": max(likely, 0.3), "messages": at},
    ]
    lessons = [
        {"kind": kind_of(memory), "score": 0.85, "messages": [number]}
        for memory in task.memories
        if (number := _number(memory, shown))
    ]
    value = {
        "outcome": outcome,
        "task_type": first["task_type"],
        "success_probability": likely,
        "metrics": metrics,
        "lessons": lessons,
        "notes": "",
    }
    return {name: part for name, part in value.items() if name in schema["properties"]}


def kind_of(memory):
    if memory["type"] == "error":
        return "failure" if memory["status"] == "none" else "solved_error"
    return _KIND[memory["type"]]


def _number(memory, shown):
    return next((number for quote in memory["quotes"] if (number := shown.find(quote["quote"]))), None)


def _memories(task, shown):
    """The notes whose quotes are in sight; a quote that was left out of the request is not given."""
    notes = []
    for memory in task.memories:
        seen = [_quote(quote, shown) for quote in memory["quotes"] if shown.find(quote["quote"])]
        if not seen:
            continue
        names = ("content", "context", "resolution", "tags")
        note = {name: memory[name] for name in names} | {"memory_type": memory["type"], "confidence": 0.9}
        proof = memory["proof"] if memory["proof"] and shown.find(memory["proof"]["quote"]) else None
        status = "claimed" if memory["status"] == "verified" and proof is None else memory["status"]
        note |= {"resolution_status": status, "evidence": seen}
        notes.append(note | {"verified_by": _quote(proof, shown)} if proof else note)
    return notes


def _quote(quote, shown):
    return {"message": shown.find(quote["quote"]), "quote": quote["quote"]}


def _small(wanted, shown, schema):
    """Summaries, types, merges, topics and searches."""
    memories = [m for session in sessions() for task in session.tasks for m in task.memories]
    known = [m for m in memories if normal(m["content"])[:_TELLING] in shown.text]
    memory = known[0] if known else {"content": "A note.", "context": "", "resolution": "", "type": "pattern"}
    values = {
        "summary_l0": memory["content"].split(". ")[0][:200],
        "overview_l1": f"{memory['content']} {memory['resolution']}".strip(),
        "memory_type": memory["type"],
        "content": " ".join(m["content"] for m in known) or memory["content"],
        "context": memory["context"],
        "resolution": " ".join(m["resolution"] for m in known),
        "same": False,
        "name": " ".join(memory["content"].split()[:5]),
        "topic": " ".join(memory["content"].split()[:5]),
    }
    return {
        name: values[name] if name in values else least(schema["properties"][name], schema, None)
        for name in wanted
    }
