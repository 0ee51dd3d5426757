"""Answers of agents with what a note-taker would keep of them, from a file of their own.

One JSON object a line: `id`, `repository` (`id NNN` where it is not known), `path`, `licence`, `lang`, `request` (what
the person wrote before it), `calls` (names of the calls between the two), `text` (the answer), `closing` (false for a
remark with which the agent went on working), `next` (how the person went on), `drawn` (`natural`, or `sought` for its
words), and `keep`: a list of `{"kind": "error" | "fact" | "decision" | "pattern" | "preference", "sentences": [...],
"memory": "..."}`, the sentences verbatim from `text`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ultron_core.models import Message, Origin, ToolCall

__all__ = ["GOLD_ANSWERS", "KINDS", "Answer", "Item", "as_messages", "load_answers", "project_of", "terms"]

KINDS = ("error", "fact", "decision", "pattern", "preference")
#: those whose licence allows to hand them on
GOLD_ANSWERS = Path(__file__).resolve().parents[1] / "gold" / "answers.jsonl"
#: names in code, e.g. `` `getUser` ``
_CODE = re.compile(r"`([^`\n]{2,80})`")
#: what two texts share when one tells the other, e.g. `refresh_token`, `缓存`
_TERM = re.compile(r"[a-z0-9_][\w./-]{2,}|(?=([\u3400-\u9fff]{2}))")
#: words that say nothing about what is told
_COMMON_WORDS = "the and for are was were that this with from into not has have had but its can will"
_COMMON = frozenset(_COMMON_WORDS.split())
#: a turn further down than the first
_FIRST_LINE = 20


@dataclass(frozen=True)
class Item:
    kind: str
    sentences: tuple[str, ...]
    memory: str


@dataclass(frozen=True)
class Answer:
    id: str
    repository: str
    licence: str
    lang: str
    drawn: str
    request: str
    calls: tuple[str, ...]
    text: str
    closing: bool
    next: str
    keep: tuple[Item, ...]


def load_answers(*paths: Path) -> list[Answer]:
    """The answers of all files; the first of those whose text is the same."""
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines() if line]
    found: dict[str, Answer] = {}
    for row in rows:
        found.setdefault(" ".join(row["text"].split()), _answer(row))
    return list(found.values())


def _answer(row: dict) -> Answer:
    keep = tuple(Item(one["kind"], tuple(one["sentences"]), one["memory"]) for one in row["keep"])
    return Answer(
        row["id"],
        row["repository"],
        row.get("licence") or "",
        row["lang"],
        row["drawn"],
        row["request"],
        tuple(row["calls"]),
        row["text"],
        bool(row["closing"]),
        row["next"],
        keep,
    )


def project_of(answer: Answer) -> str:
    """The repository's own name, empty where it is not known."""
    return answer.repository.rpartition("/")[2] if "/" in answer.repository else ""


def as_messages(answer: Answer) -> list[Message]:
    """The answer as a session of its own: the request, the calls, the answer, the next turn.

    The file does not hold what the calls gave: each result shows the names of the answer, as the log would.
    """
    shown = "\n".join(dict.fromkeys(_CODE.findall(answer.text))) or "ok"
    messages: list[tuple[Origin, str, tuple[ToolCall, ...], str]] = []
    if answer.request:
        messages.append(("human", answer.request, (), ""))
    for number, name in enumerate(name for name in answer.calls if name):
        call = ToolCall(f"c{number}", name.split("(")[0].split(" ")[0], "{}")
        messages += [("model", "", (call,), ""), ("tool", shown, (), call.id)]
    after = () if answer.closing else (ToolCall("after", "call", "{}"),)
    messages.append(("model", answer.text, after, ""))
    if after:
        messages.append(("tool", "ok", (), "after"))
    if answer.next:
        messages.append(("human", answer.next, (), ""))
    return [_at(*parts, line) for line, parts in enumerate(messages, _FIRST_LINE)]


def _at(origin: Origin, content: str, calls: tuple[ToolCall, ...], result_of: str, line: int) -> Message:
    role = {"human": "user", "model": "assistant", "tool": "tool"}[origin]
    return Message(role, content, calls, result_of or None, origin=origin, start_line=line, end_line=line)


def terms(texts: Sequence[str]) -> set[str]:
    """Names and words of some texts, of Chinese each two characters in a row."""
    found = set()
    for text in texts:
        for match in _TERM.finditer(text.casefold()):
            found.add(match[1] or match[0].strip("./-"))
    return found - _COMMON - {""}
