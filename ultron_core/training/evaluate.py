"""What is measured before and after: loss on the validation rows, valid calls, answers to prompts that never change."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ultron_core.display import plain
from ultron_core.errors import InputError
from ultron_core.training.calls import is_valid_call
from ultron_core.training.learner import Learner
from ultron_core.training.progress import Tell
from ultron_core.training.records import Calls, Encoded, Evaluation, Losses, TypeLoss

__all__ = ["Prompt", "evaluate", "fixed_prompts", "losses", "prompt_of"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages after which the model speaks; `wants_call`: it has to call one of the tools."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    wants_call: bool
    #: shown in the card
    fixed: bool = False


@cache
def fixed_prompts() -> tuple[Prompt, ...]:
    """The prompts of `fixed_prompts.json`: the same for every base and dataset."""
    told = json.loads(Path(__file__).with_name("fixed_prompts.json").read_text("utf-8"))
    return tuple(Prompt(one["messages"], one["tools"], one["wants_call"], fixed=True) for one in told)


def prompt_of(row: Mapping[str, Any]) -> Prompt | None:
    """What stands before the first call of a row; None for a row without one."""
    for place, message in enumerate(row["messages"]):
        if message.get("tool_calls") and message.get("loss", True):
            return Prompt(row["messages"][:place], row["tools"], wants_call=True)
    return None


def losses(learner: Learner, rows: Sequence[Encoded], tell: Tell) -> Losses:
    """Mean loss of a trained token, over all rows and over those of each task type.

    Raises InputError when a loss is no number any more.
    """
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0, 0])
    for number, row in enumerate(rows, 1):
        total, tokens = learner.loss(row)
        if not math.isfinite(total):
            raise InputError("The loss is no number any more: lower the learning rate (--lr).")
        for name in ("", row.task_type):
            sums[name] = [sums[name][0] + total, sums[name][1] + tokens, sums[name][2] + 1]
        tell(f"validation row {number} of {len(rows)}")
    means = {
        name: TypeLoss(int(count), total / tokens if tokens else 0.0)
        for name, (total, tokens, count) in sums.items()
    }
    whole = means.pop("", TypeLoss(0, 0.0))
    return Losses(whole.rows, whole.loss, means)


def evaluate(learner: Learner, rows: Sequence[Encoded], prompts: Sequence[Prompt], tell: Tell) -> Evaluation:
    """All of it, for the adapter that the learner has now."""
    measured = losses(learner, rows, tell)
    valid, answers = 0, []
    for number, prompt in enumerate(prompts, 1):
        said = learner.answer(prompt.messages, prompt.tools)
        valid += prompt.wants_call and is_valid_call(said, prompt.tools)
        if prompt.fixed:
            # what an untrained model says may hold a zero byte, which no database takes
            answers.append((str(prompt.messages[-1]["content"]), plain(said.text)))
        tell(f"prompt {number} of {len(prompts)}")
    return Evaluation(measured, Calls(sum(prompt.wants_call for prompt in prompts), valid), answers)
