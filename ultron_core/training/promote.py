"""Is an adapter better than what it started from, and not by chance?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ultron_core.training.records import Evaluation, Losses

__all__ = ["ENOUGH_ROWS", "Verdict", "judge"]

#: a task type with fewer validation rows says little of itself
ENOUGH_ROWS = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the adapter is promoted, and if not, why."""

    promoted: bool
    #: how much the validation loss fell
    fall: float
    #: between the best and the worst of the seeds
    spread: float
    reasons: Sequence[str]


def judge(before: Evaluation, after: Evaluation, of_seeds: Sequence[Losses]) -> Verdict:
    """`after` is of the adapter that is kept, `of_seeds` of all trainings of the run, its own included."""
    losses = [one.loss for one in of_seeds]
    spread = max(losses) - min(losses)
    fall = before.losses.loss - after.losses.loss
    reasons = tuple(_against(before, after, fall, spread))
    return Verdict(not reasons, fall, spread, reasons)


def _against(before: Evaluation, after: Evaluation, fall: float, spread: float) -> Iterator[str]:
    if not before.losses.rows:
        yield "there is no validation row to measure by"
        return
    if not fall > spread:  # also when a loss is not a number
        yield f"the validation loss fell by {fall:.4f}, not by more than the spread of the seeds, {spread:.4f}"
    for name, old in before.losses.by_type.items():
        risen = after.losses.by_type[name].loss - old.loss
        if old.rows >= ENOUGH_ROWS and not risen <= spread:
            yield f"{name} ({old.rows} rows) got worse by {risen:.4f}"
    if after.calls.valid < before.calls.valid:
        yield (
            f"valid calls fell from {before.calls.valid} to {after.calls.valid} of {before.calls.prompts} prompts"
        )
