"""Answers of a model kept in a file, and given again from it: one line a request, with all that was sent and said.

    {"key": ..., "schema": "Review", "messages": [...], "answer": "...", "cut_off": false, "input_tokens": 1200, ...}

The lines hold text of the sessions (redacted as it was sent): such a file is as private as they are.
"""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path

from ultron_core.errors import ModelUnavailableError
from ultron_core.llm.wire.completion import Completion


def key_of(chat, schema):
    """The same request has the same key: prompts hold no clock and no chance."""
    asked = json.dumps([list(chat), schema.__name__], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


class Recording:
    """An endpoint whose answers go into a file as they come; each that arrived is kept, used or refused."""

    def __init__(self, endpoint, path):
        self._endpoint, self._path, self._lock = endpoint, Path(path), threading.Lock()
        self._path.write_text("", "utf-8")

    def told(self, schema):
        return self._endpoint.told(schema)

    def send(self, chat, schema):
        completion = self._endpoint.send(chat, schema)
        row = {
            "key": key_of(chat, schema),
            "schema": schema.__name__,
            "messages": list(chat),
            "answer": completion.text,
            "cut_off": completion.cut_off,
            "input_tokens": completion.input_tokens,
            "output_tokens": completion.output_tokens,
        }
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return completion


class Replayed:
    """An endpoint that answers from such a file, and nothing else."""

    def __init__(self, path):
        rows = (json.loads(line) for line in Path(path).read_text("utf-8").splitlines())
        self._rows = {row["key"]: row for row in rows}

    def told(self, schema):
        return ""

    def send(self, chat, schema):
        row = self._rows.get(key_of(chat, schema))
        if row is None:
            raise ModelUnavailableError(
                "the record holds no answer to this request: was it made by other prompts?"
            )
        return Completion(row["answer"], row["cut_off"], row["input_tokens"], row["output_tokens"])
