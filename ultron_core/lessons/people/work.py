"""Whether people and an agent speak of work on a project, or of a journey, a recipe or a question of general knowledge.

Calls tell it where there are any, and code, unless nobody names a file and the words are rather those of an exercise;
a plan that is only talked over has neither, and its words tell it. The coefficients in work.json are made by
benchmarks/training/work.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any, Final

import numpy as np

from ultron_core.lessons.describe import path_of
from ultron_core.lessons.linear import LinearModel
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.files import CODE_FILE
from ultron_core.transcript.language import CJK

__all__ = ["OUTPUTS", "WorkModel", "is_work", "load_work_model", "spoken", "words"]

#: what the model answers
OUTPUTS: Final = ("work",)
#: a name in code or the beginning of a fenced block, e.g. `` `getRootProps()` ``
_CODE = re.compile(r"`[^`\n\w(./]*+[\w(./][^`\n]*+`|^```", re.MULTILINE)
#: a fence, a call, a path, a file, an identifier; `anna_smith_1905` may be an account, e.g. `getUser`, `app.py`
_SURELY_CODE = re.compile(r"```|[(./\\]|[a-z][A-Z]")
#: different words set as code with which an answer is about code, whatever they are
_FEWEST_CODES = 3
#: code and addresses, which the rules above see: they say little of what is talked about, e.g. `` `x` ``
_NOT_WORDS = re.compile(r"```[\s\S]*?(?:```|\Z)|`[^`\n]*`|https?://\S+")
#: of a path or an identifier, which are no words either
_MARKS = frozenset("/\\_")
#: words, and Chinese in a row, e.g. `don't`, `数据库表`
_WORD = re.compile(r"[a-z][a-z'’]{2,20}|[\u3400-\u9fff]+")
#: below it talks with code, in which no file is named, are exercises: of 40 such segments in 271 sessions of people one
#: lies below (a question about statistics in general), of 15 of Glaive all but one
_AN_EXERCISE = 0.5
#: messages and characters of each that are read: what a talk is about shows early
_MOST, _MOST_OF_ONE = 20, 1_500


@dataclass(frozen=True, eq=False)
class WorkModel:
    """From `bound` on the words are those of work."""

    linear: LinearModel
    bound: float

    def says_so(self, text: str) -> bool:
        return self.probability(text) >= self.bound

    def probability(self, text: str) -> float:
        """That of work, of the words of a talk."""
        return float(self.linear.probabilities(np.zeros((1, 0)), [words(text)])[0, 0])

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> WorkModel:
        """Raises ValueError when the file was made for other answers than this version knows."""
        return cls(LinearModel.from_json(raw, OUTPUTS, []), float(raw["bound"]))


@lru_cache(maxsize=1)
def load_work_model() -> WorkModel:
    """The coefficients that ship with this version."""
    text = files("ultron_core.lessons.people").joinpath("work.json").read_text("utf-8")
    return WorkModel.from_json(json.loads(text))


def is_work(messages: Sequence[Message], actions: Sequence[Action], project: str = "") -> bool:
    """True when the agent ran commands, was given files, or wrote about code, or when the words are those of work: not
    a talk with a customer, whose account the agent may set in code, too, and not an exercise: code for a task in which
    nobody names a file, of no `project`, put in words that are rather not those of work."""
    if any(command_of(action) is not None or path_of(action.arguments) for action in actions):
        return True
    model = load_work_model()
    if not _has_code(messages):
        return model.says_so(spoken(messages))
    if project or any(CODE_FILE.search(message.content) for message in messages):
        return True
    return model.probability(spoken(messages)) >= _AN_EXERCISE


def _has_code(messages: Sequence[Message]) -> bool:
    """Whether the agent wrote about code."""
    written = {
        code for message in messages if message.role == "assistant" for code in _CODE.findall(message.content)
    }
    return len(written) >= _FEWEST_CODES or any(map(_SURELY_CODE.search, written))


def spoken(messages: Sequence[Message]) -> str:
    """What people and the agent say, a paragraph each."""
    said = (
        message.content[:_MOST_OF_ONE]
        for message in messages
        if message.content.strip() and (message.origin == "human" or message.role == "assistant")
    )
    return "\n".join(islice(said, _MOST))


def words(text: str) -> frozenset[str]:
    """The words of a talk without its code, and pairs of Chinese characters."""
    found: set[str] = set()
    said = (one for one in _NOT_WORDS.sub(" ", text.casefold()).split() if _MARKS.isdisjoint(one))
    for word in _WORD.findall(" ".join(said)):
        if CJK.search(word):
            found.update(word[at : at + 2] for at in range(len(word) - 1))
        else:
            found.add(word)
    return frozenset(found)
