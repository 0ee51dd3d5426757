"""The recorded answers of tests/replay/answers.jsonl, given again to the records that they were written for."""

import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.support.gold import schema_of
from tests.support.model import hostile
from ultron_core.llm.tokens import count_tokens

FILE = Path(__file__).resolve().parents[2] / "replay" / "answers.jsonl"
#: the messages of a record, from its first header to its end; lines about the task as a whole stand before them
_MESSAGES = re.compile(
    r"\ARecord (?P<mark>\w+), .*?\n\n(?P<shown>.*^\[(?P=mark) end\])", re.DOTALL | re.MULTILINE
)


def key_of(request):
    """Of what a request shows of a log; its wording, and a refused answer that is shown again, do not count."""
    text = next(m["content"] for m in request["messages"] if m["role"] == "user")
    record = _MESSAGES.match(text)
    return _digest(record["shown"] if record else text)


def rules_of(request):
    """Of the instructions."""
    return _digest(request["messages"][0]["content"])


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def recorded():
    """Every row of the file by what was shown."""
    rows = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    found = {row["shown"]: row for row in rows}
    assert len(found) == len(rows), "two answers to one record"
    return found


def notes(*names):
    """Contents of all notes in the recorded answers, of these sessions or of all."""
    rows = [row for row in recorded().values() if not names or row["session"] in names]
    return list(dict.fromkeys(note["content"] for row in rows for note in notes_in(row)))


def notes_in(row):
    """All notes of a recorded answer, whichever of its tasks they are about."""
    answer = row["answer"]
    return [note for part in (answer, *answer.get("tasks", ())) for note in part.get("memories", ())]


def said(answer, asked):
    """A recorded answer as far as a schema with these fields asks for it: of a session that is one task the answer
    about all of it is the one about that task, and the other way round."""
    tasks = answer.get("tasks", ())
    if "tasks" in asked and not tasks:
        answer = {"tasks": [{"start": 1, "topic": "", **answer}]}
    elif "tasks" not in asked and len(tasks) == 1:
        answer = tasks[0]
    return {name: value for name, value in answer.items() if name in asked}


@dataclass
class Recorded:
    """For `ModelServer.always`: the recorded answer, with the tokens that the request really has.

    `calls` says what was asked and what it cost; `unanswered` are requests about records that the file does not know
    (they get an error), `outdated` the answers that were written under other rules than those they were asked by.
    """

    calls: list = field(default_factory=list)
    unanswered: list = field(default_factory=list)
    outdated: list = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def value(self, request):
        """The answer, as far as the schema of this request asks for it; None when none is recorded."""
        row = recorded().get(key_of(request))
        with self._lock:
            if row is None:
                self.unanswered.append(request)
                return None
            if row["rules"] != rules_of(request):
                self.outdated.append(row["session"])
        return said(row["answer"], schema_of(request)["properties"])

    def __call__(self, handler, request):
        value = self.value(request)
        if value is None:
            reason = f"{FILE.name} holds no answer about the record {key_of(request)}"
            return handler._send(400, {"error": {"message": reason}})
        text = json.dumps(value, ensure_ascii=False)
        asked = sum(count_tokens(m["content"]) for m in request["messages"])
        call = {"session": recorded()[key_of(request)]["session"], "question": schema_of(request)["title"]}
        call |= {"input_tokens": asked, "output_tokens": count_tokens(text)}
        with self._lock:
            self.calls.append(call)
        usage = {"prompt_tokens": asked, "completion_tokens": call["output_tokens"]}
        return handler._send(200, hostile.said(text, usage=usage))

    def complaint(self, folder):
        """What to do about requests without an answer; each is written whole into a file of the folder."""
        lines = []
        for request in self.unanswered:
            path = Path(folder) / f"{key_of(request)}.txt"
            path.write_text("\n\n".join(m["content"] for m in request["messages"]), "utf-8")
            row = {"session": "", "shown": key_of(request), "rules": rules_of(request), "answer": {}}
            lines.append(f"Read {path}, and write an answer from it into {FILE.name}: {json.dumps(row)}")
        return "\n".join(lines)
