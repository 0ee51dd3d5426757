"""Where a candidate stands in its log, as numbers: its source, what ran before and behind it, the next turn."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from ultron_core.lessons.candidates.candidate import Candidate, Source
from ultron_core.lessons.candidates.told import plain
from ultron_core.lessons.describe import EDIT, names_in
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.people import is_human

__all__ = ["STRUCTURE", "Placed", "place"]

_SOURCES: Final = get_args(Source)
#: an item of a list, e.g. `- first`, `2. second`
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、])\s")
STRUCTURE: Final = (
    *(f"source_{source}" for source in _SOURCES),
    "first_message",
    "log_length",
    "log_left",
    "turns_left",
    "last_turn",
    "message_length",
    "passage_length",
    "has_head",
    "names",
    "digits",
    "is_item",
    "is_whole",
    "begins_with_code",
    "asks",
    "ends_open",
    "files",
    "changes",
    "times",
    "said",
    "calls_follow",
    "ends_message",
    "begins_message",
    "acted_before",
    "failed_before",
    "failed_behind",
    "edited_behind",
    "lines",
    "items",
    "code",
    "called_behind",
    "failing_behind",
    "edited_before",
    "passed_before",
    "passed_behind",
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate with what stands around it."""

    candidate: Candidate
    #: the numbers of STRUCTURE
    structure: tuple[float, ...]
    #: (asked, answered, said) of the turn that holds the passage, or of the next one behind an agent's words
    turn: tuple[str, str, str] | None


def place(
    candidates: Sequence[Candidate], messages: Sequence[Message], actions: Sequence[Action]
) -> list[Placed]:
    """The candidates of `messages` with what stands around them."""
    around = _Around(messages, actions)
    return [_placed(one, messages, around) for one in candidates]


class _Mentions:
    """Texts by the position of their call, and which of them hold a name: each name is looked for once a log."""

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        self._texts = sorted(texts)
        self._holding: dict[str, list[int]] = {}

    def behind(self, at: int, names: Collection[str]) -> int:
        """How many texts of calls behind `at` hold any of the names."""
        found: set[int] = set()
        for name in names:
            places = self._places(name)
            found.update(places[bisect_right(places, at, key=lambda place: self._texts[place][0]) :])
        return len(found)

    def _places(self, name: str) -> list[int]:
        if name not in self._holding:
            self._holding[name] = [place for place, (_, text) in enumerate(self._texts) if name in text]
        return self._holding[name]


class _Around:
    """What is asked of a log for each of its candidates, worked out once."""

    def __init__(self, messages: Sequence[Message], actions: Sequence[Action]) -> None:
        self.turns = [at for at, message in enumerate(messages) if is_human(message)]
        self.calls = sorted(action.call for action in actions)
        failed = [action for action in actions if action.failure is not None]
        self.failures = sorted(action.call for action in failed)
        self.edits = sorted(a.call for a in actions if a.failure is None and EDIT.search(a.tool))
        self.passes = sorted(action.call for action in actions if action.checks == "passed")
        self.failed = _Mentions((action.call, action.output) for action in failed)
        self.ran = _Mentions((action.call, action.text) for action in actions if action.failure is None)


def _between(positions: Sequence[int], begin: int, end: int) -> int:
    """How many positions lie between two others."""
    return max(0, bisect_left(positions, end) - bisect_right(positions, begin))


def _placed(one: Candidate, messages: Sequence[Message], around: _Around) -> Placed:
    at, total, turns = one.position, len(messages), around.turns
    passed, came = bisect_left(turns, at), bisect_right(turns, at)
    later = len(turns) - came
    message = messages[at]
    begin = turns[passed - 1] if passed else -1
    end = turns[came] if later else total
    bare = names_in(one.text)
    text = plain(one.text)
    lines = [line for line in one.text.splitlines() if line.strip()]
    structure = (
        *(float(one.source == source) for source in _SOURCES),
        float(at == 0 or at == (turns[0] if turns else 0)),
        math.log1p(total),
        (total - at) / max(1, total),
        math.log1p(later),
        float(not later),
        math.log1p(len(message.content)),
        math.log1p(len(text.encode())),
        float(bool(one.head)),
        math.log1p(len(bare)),
        sum(char.isdigit() for char in text) / max(1, len(text)),
        float(_ITEM.match(one.text) is not None),
        float(text.endswith((".", "!", "。", "！", ".)", "`."))),
        float(one.text.lstrip("-*• ").startswith("`")),
        float(text.endswith(("?", "？"))),
        float(text.endswith((":", "：", "…", ","))),
        math.log1p(len(one.files)),
        math.log1p(len(one.changes)),
        math.log1p(one.times),
        float(bool(one.said)),
        float(bool(message.tool_calls) or (at + 1 < total and messages[at + 1].role == "tool")),
        float(message.content.rstrip().endswith(one.text.rstrip())),
        float(message.content.lstrip().startswith(one.text.lstrip())),
        math.log1p(_between(around.calls, begin, at)),
        math.log1p(_between(around.failures, begin, at)),
        math.log1p(around.failed.behind(at, bare)),
        math.log1p(around.ran.behind(at, bare)),
        math.log1p(len(lines)),
        sum(_ITEM.match(line) is not None for line in lines) / max(1, len(lines)),
        sum(map(len, bare)) / max(1, len(one.text)),
        math.log1p(_between(around.calls, at, end)),
        math.log1p(_between(around.failures, at, end)),
        math.log1p(_between(around.edits, begin, at)),
        math.log1p(_between(around.passes, begin, at)),
        math.log1p(_between(around.passes, at, end)),
    )
    follows = (
        one.author == "agent"
        and later
        and not any(
            message.role == "assistant" and message.content.strip() for message in messages[at + 1 : end]
        )
    )
    asked = messages[begin].content if begin >= 0 else ""
    if one.source == "guide":  # read as if a person said it
        return Placed(one, structure, ("", "", text))
    if one.source in ("turn", "refusal"):
        return Placed(one, structure, (asked, one.answers, one.text))
    turn = (asked, message.content, messages[end].content) if follows and end < total else None
    return Placed(one, structure, turn)
