"""A candidate as numbers: what the network makes of its words, and where it stands in its log."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.candidates.candidate import Candidate, Source
from ultron_core.lessons.candidates.told import plain
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.people import is_human
from ultron_core.transcript.sense.nature import NATURES
from ultron_core.transcript.sense.reader import OUTPUTS, Question, Sense

__all__ = ["feature_names", "features", "place", "standing"]

Matrix = npt.NDArray[np.float64]

#: numbers of the network's vector
WIDTH: Final = 384
#: sources whose words are a person's: the network reads them as such
_PERSONS: Final = ("turn", "refusal", "choice")
_SOURCES: Final = get_args(Source)
#: a name in code, a path, a version or a number, e.g. `user_id`, `src/a.py`, `--force`, `3.11`
_NAME = re.compile(
    r"`[^`\n]{1,200}`|(?<![\w./\\-])[\w.-]{0,80}[/\\][\w./\\-]{1,200}|(?<!\w)[^\W_]{1,40}(?:_[^\W_]{1,40}){1,8}|"
    r"(?<![\w-])--?[a-z][\w-]{1,40}|\b[a-z]{1,40}[A-Z]\w{0,60}|(?<![\w.])\d{1,8}(?:\.\d{1,8}){1,4}"
)
#: an item of a list, e.g. `- first`, `2. second`
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、])\s")
#: probability of "keep" below which a rule is of the moment; by hand, as low as what readers call junk allows
_PASSES: Final = 0.35
#: what a person's turn does, by the network: the next one behind an agent's words, or the one that holds the passage
_REACTIONS: Final = ("opens", "done", "failed", "keep", "objection", "rule", "fact", "acceptance")
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
    *(f"turn_{name}" for name in _REACTIONS),
    "no_turn",
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate with what stands around it."""

    candidate: Candidate
    #: the numbers of STRUCTURE but what the next turn does
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
    names = set(_NAME.findall(one.text))
    bare = {name.strip("`") for name in names}
    text = plain(one.text)
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
        math.log1p(len(names)),
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
    )
    follows = (
        one.author == "agent"
        and later
        and not any(
            message.role == "assistant" and message.content.strip() for message in messages[at + 1 : end]
        )
    )
    asked = messages[begin].content if begin >= 0 else ""
    if one.source == "turn":
        return Placed(one, structure, (asked, one.answers, one.text))
    turn = (asked, message.content, messages[end].content) if follows and end < total else None
    return Placed(one, structure, turn)


def feature_names() -> list[str]:
    """What each column of `features` holds."""
    told = [
        f"{question}_{name}"
        for question in ("answer", "sentence")
        for name in (*OUTPUTS[question], *NATURES[question])
    ]
    return [*STRUCTURE, *told, *(f"v{number}" for number in range(WIDTH))]


def features(placed: Sequence[Placed], sense: Sense) -> Matrix:
    """A row per candidate, a column per name of `feature_names`."""
    if not placed:
        return np.zeros((0, len(feature_names())))
    persons = np.array([one.candidate.source in _PERSONS for one in placed])
    passages = [_passage(one.candidate) for one in placed]
    vectors = np.zeros((len(placed), WIDTH))
    blocks = []
    for question, rows in (("answer", np.flatnonzero(~persons)), ("sentence", np.flatnonzero(persons))):
        blocks.append(_told(question, rows, passages, sense))  # type: ignore[arg-type]
        vectors[rows] = sense.vectors(question, [passages[row] for row in rows])  # type: ignore[arg-type]
    structure = np.array([one.structure for one in placed])
    return np.hstack([structure, _reactions(placed, sense), *blocks, vectors])


def standing(rows: Matrix, *, at_work: bool = True) -> Matrix:
    """How likely each row's turn lays down, tells or puts right something for good, by the network alone.

    Readers found few such turns worth keeping, too few to fit it anew; the network was fitted on thousands of turns.
    A rule holds for good by itself, unless the network is rather sure that it passes. What a customer tells a service
    holds for their one matter: unless it is `at_work`, a turn must lay down a rule.
    """
    keep, objection, rule, fact = (
        1.0 / (1.0 + np.exp(-rows[:, STRUCTURE.index(f"turn_{name}")]))
        for name in ("keep", "objection", "rule", "fact")
    )
    told = np.max([objection, rule, fact], axis=0) if at_work else rule
    found: Matrix = np.maximum(keep * told, np.where(keep >= _PASSES, rule, 0.0))
    return found


def _told(
    question: Question, rows: npt.NDArray[np.intp], passages: Sequence[tuple[str, ...]], sense: Sense
) -> Matrix:
    found = np.zeros((len(passages), len(OUTPUTS[question]) + len(NATURES[question])))
    asked = [passages[row] for row in rows]
    found[rows] = np.hstack([sense.odds(question, asked), sense.natures(question, asked)])
    return found


def _reactions(placed: Sequence[Placed], sense: Sense) -> Matrix:
    columns = [OUTPUTS["turn"].index(name) for name in _REACTIONS]
    rows = [row for row, one in enumerate(placed) if one.turn is not None]
    found = np.zeros((len(placed), len(_REACTIONS) + 1))
    found[:, -1] = 1.0
    if rows:
        asked = [turn for row in rows if (turn := placed[row].turn) is not None]
        found[rows, :-1] = sense.odds("turn", asked)[:, columns]
        found[rows, -1] = 0.0
    return found


def _passage(one: Candidate) -> tuple[str, str]:
    """The candidate's words behind what leads to them."""
    lead = one.head or (one.answers if one.source in (*_PERSONS, "failure", "cure") else "")
    said = f"{plain(one.text)} {plain(one.said)}" if one.said else plain(one.text)
    return plain(lead), said.strip()
