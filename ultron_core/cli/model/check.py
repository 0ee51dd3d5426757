"""Tries a model on five short made-up conversations: where tasks begin, how one went, what is to be remembered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ultron_core.errors import BudgetExceededError, ModelUnavailableError
from ultron_core.llm.protocol import LLM
from ultron_core.memories import drafts_from
from ultron_core.memories.by_model import usable
from ultron_core.memories.notes import Note
from ultron_core.models import Message
from ultron_core.steps.stages.whole import read_session

__all__ = ["QUESTIONS", "Checked", "check_model"]

#: of five answers to a question so many must do
_ENOUGH = 4
#: tokens of a conversation, far more than the made-up ones have
_ROOM = 2_000
STAGES = ("boundaries", "outcomes", "notes")
_ROLES: dict[str, dict[str, Any]] = {
    "user": {"role": "user"},
    "assistant": {"role": "assistant", "origin": "model"},
    "tool": {"role": "tool", "origin": "tool"},
    "tool error": {"role": "tool", "origin": "tool", "is_error": True},
}


@dataclass(frozen=True, slots=True)
class Checked:
    """How a model did: of each question the answers that could be used, and those that were right."""

    of: int
    usable: dict[str, int]
    right: dict[str, int]
    #: why it was not asked to the end
    problem: str = ""

    @property
    def misses(self) -> list[str]:
        """The questions that it mostly does not get right."""
        return [stage for stage in STAGES if self.right[stage] < min(_ENOUGH, self.of)]

    @property
    def verdict(self) -> str:
        """`works`, `works but misses ...`, `unfit`, or `no answer`."""
        if self.problem:
            return "no answer"
        enough = min(_ENOUGH, self.of)
        if min(self.usable.values()) < enough or len(self.misses) == len(STAGES):
            return "unfit"
        return f"works but misses {' and '.join(self.misses)}" if self.misses else "works"


@cache
def _cases() -> tuple[dict[str, Any], ...]:
    lines = files("ultron_core.cli.model").joinpath("cases.jsonl").read_text("utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


#: requests of one check, when no answer has to be asked for again
QUESTIONS = 5


def check_model(llm: LLM, told: Callable[[int], None] = lambda _: None) -> Checked:
    """Ask a model all questions; `told` gets how many were answered. Raises nothing of the model's."""
    used: Counter[str] = Counter(dict.fromkeys(STAGES, 0))
    right: Counter[str] = Counter(dict.fromkeys(STAGES, 0))
    problem, done = "", 0
    try:
        for case in _cases():
            for stage, is_right in _asked(llm, case).items():
                used[stage] += is_right is not None
                right[stage] += bool(is_right)
            done += 1
            told(done)
    except (ModelUnavailableError, BudgetExceededError) as error:
        problem = str(error)
    return Checked(len(_cases()), dict(used), dict(right), problem)


def _asked(llm: LLM, case: dict[str, Any]) -> dict[str, bool | None]:
    """Whether each part of the answer about a conversation is right; None where it cannot be used."""
    messages = _messages(case)
    read = read_session([messages], llm, "", _ROOM)
    if read is None:
        return dict.fromkeys(STAGES)
    tasks = read[0]
    first = case["task"][0]
    task = next((task for task in tasks if task.start + 1 == first), None)
    boundaries = [task.start + 1 for task in tasks] == case["starts"]
    if task is None:
        return {"boundaries": boundaries, "outcomes": False, "notes": False}
    own = messages[task.start : task.end]
    outcomes = task.judged[-1][1].outcome in case["outcomes"] if task.judged else None
    notes = None if task.notes is None else _is_told(usable(task.notes), own, case["note"])
    return {"boundaries": boundaries, "outcomes": outcomes, "notes": notes}


def _is_told(notes: Sequence[Note], messages: Sequence[Message], wanted: str | None) -> bool:
    """Whether a note that quotes the conversation tells what is wanted; where nothing is, there must be none."""
    drafts = drafts_from(notes, messages)
    quoted = [f"{draft.content} {draft.context} {draft.resolution}" for draft in drafts if draft.evidence]
    return not drafts if wanted is None else any(wanted in text for text in quoted)


def _messages(case: dict[str, Any]) -> Sequence[Message]:
    return [
        Message(content=content, start_line=at, end_line=at, **_ROLES[who])
        for at, (who, content) in enumerate(case["messages"], start=1)
    ]
