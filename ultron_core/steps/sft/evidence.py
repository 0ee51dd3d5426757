"""What is known of how a run ended: verified, likely or unknown."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.labels.signals import was_accepted
from ultron_core.models import Message, QualityLabel
from ultron_core.sft.records import Evidence

__all__ = ["ended_well", "evidence_of"]


def evidence_of(label: QualityLabel, messages: Sequence[Message], *, likely: float) -> Evidence:
    """A person's acceptance verifies. A passed check makes it likely only: of 94 runs of aider whose own tests passed
    33 had solved the task, and no other source with known ends has checks to compare. Without either it is likely when
    the fitted model speaks for success: `expected_success` of at least `likely`, where 0.5 is neither for nor against.
    A failure is seen by rules alone and never more than likely. A success that only the agent tells is none here.
    """
    goal = label.metrics.get("goal_reached")
    if label.summary.outcome == "success" and (goal is None or goal.weight):
        return "verified" if was_accepted(messages) else "likely"
    if label.summary.outcome == "failure":
        return "likely"
    expected = label.metrics.get("expected_success")
    return "likely" if expected is not None and expected.score >= likely else "unknown"


def ended_well(label: QualityLabel, evidence: Evidence) -> bool | None:
    """Did the run do what was asked? None where nothing is known."""
    if label.summary.outcome == "failure":
        return False
    return None if evidence == "unknown" else True
