"""The good list of tests/replay: what a careful reader keeps of each session, and what a request shows of it."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.records import messages_in

ROOT = Path(__file__).resolve().parents[2]
GOOD = ROOT / "tests" / "replay" / "good.jsonl"
#: the first line of a record names the mark of its headers: "Record bqcd, window 1 of 1."
_RECORD = re.compile(r"Record \w+, ")


def normal(text):
    """Letters and digits alone: escapes, white space and marks of a prompt do not count."""
    return re.sub(r"[\W_]+", "", text).lower()


@dataclass(frozen=True)
class Task:
    """One task of a session: its beginning, and what is worth keeping of it."""

    first: dict
    memories: tuple


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
    tasks = [
        Task(first, tuple(m for m in row["memories"] if m["segment"] == number))
        for number, first in enumerate(row["segments"])
    ]
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


def schema_of(request):
    """The schema asked for, also where an old server got it in words."""
    way = request.get("response_format", {})
    if given := way.get("schema") or way.get("json_schema", {}).get("schema"):
        return given
    return json.loads(request["messages"][-1]["content"].rpartition("\n")[2])
