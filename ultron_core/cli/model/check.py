"""Tries a model on five short made-up conversations: where tasks begin, how one went, what is to be remembered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ultron_core.errors import BudgetExceededError, ModelAnswerError, ModelUnavailableError
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories import drafts_from
from ultron_core.models import Message
from ultron_core.segments.by_model.cut import cut_by_model
from ultron_core.steps.stages.review import review_segment

__all__ = ["QUESTIONS", "Checked", "check_model"]

#: of five answers to a question so many must do
_ENOUGH = 4
#: tokens of a conversation, far more than the made-up ones have
_ROOM = 1_000
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
QUESTIONS = 10


def check_model(llm: LLM, told: Callable[[int], None] = lambda _: None) -> Checked:
    """Ask a model all questions; `told` gets how many were answered. Raises nothing of the model's."""
    usable: Counter[str] = Counter(dict.fromkeys(STAGES, 0))
    right: Counter[str] = Counter(dict.fromkeys(STAGES, 0))
    problem, done = "", 0
    try:
        for case in _cases():
            for ask in (_boundaries, _review):
                for stage, is_right in ask(llm, case).items():
                    usable[stage] += is_right is not None
                    right[stage] += bool(is_right)
                done += 1
                told(done)
    except (ModelUnavailableError, BudgetExceededError) as error:
        problem = str(error)
    return Checked(len(_cases()), dict(usable), dict(right), problem)


def _boundaries(llm: LLM, case: dict[str, Any]) -> dict[str, bool | None]:
    try:
        tasks = cut_by_model(_messages(case), llm, _ROOM, count_tokens)
    except ModelAnswerError:
        return {"boundaries": None}
    if any(task.repair for task in tasks):
        return {"boundaries": None}
    return {"boundaries": [task.start + 1 for task in tasks] == case["starts"]}


def _review(llm: LLM, case: dict[str, Any]) -> dict[str, bool | None]:
    first, last = case["task"]
    messages = _messages(case)[first - 1 : last]
    try:
        label, notes = review_segment(messages, llm, "", "", _ROOM)
    except ModelAnswerError:
        return {"outcomes": None, "notes": None}
    drafts = drafts_from(notes, messages)
    quoted = [f"{draft.content} {draft.context} {draft.resolution}" for draft in drafts if draft.evidence]
    is_told = not drafts if case["note"] is None else any(case["note"] in text for text in quoted)
    return {"outcomes": label.summary.outcome in case["outcomes"], "notes": is_told}


def _messages(case: dict[str, Any]) -> Sequence[Message]:
    return [
        Message(content=content, start_line=at, end_line=at, **_ROLES[who])
        for at, (who, content) in enumerate(case["messages"], start=1)
    ]
