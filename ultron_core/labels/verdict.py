"""Outcome and overall_score: verifiable signs first, then the words of the person, else `unknown`."""

from __future__ import annotations

from collections.abc import Mapping

from ultron_core.labels.signals import Signals
from ultron_core.models import Metric, Outcome

__all__ = ["GATE", "decide_outcome", "overall_score"]

#: the default threshold of the training gate: scores are mapped so that it divides with evidence from without
GATE = 0.8
#: highest overall_score of a known failure and of a partly reached goal
_CAPS: Mapping[str, float] = {"failure": 0.5, "partial": 0.75}
#: highest overall_score without evidence, and with an answer that is missing or work that is unsafe
NO_EVIDENCE_CAP, NOT_WHOLE_CAP = 0.79, 0.6
_MUSTS = ("completeness", "safety")


def decide_outcome(signals: Signals) -> Outcome:
    """success, failure, partial or unknown.

    Order: a limit that stopped the work, a rejection at the end, an error at the very end, the last test run, what
    the turn behind the segment tells, acceptance. Thanks alone prove nothing, people thank for trying too: of the
    tau-bench airline runs that end with thanks and a good tool result 22 of 53 succeeded (42 %), of all runs 41 %.
    """
    d = signals.dialogue
    if not d.replies and not d.calls:
        return "unknown"
    if signals.stopped:
        return "failure"
    rejected_last = signals.last_human in (*signals.rejections[-1:], *signals.heard_failed[-1:])
    if rejected_last and signals.last_human > d.answer_at:
        return "failure"
    if signals.ends_in_error:
        return "failure"
    by_tests = _by_tests(signals)
    if by_tests is not None:
        return by_tests
    if signals.heard_after == "failed":
        return "failure"
    if (signals.settled_at >= 0 and not rejected_last) or signals.heard_after == "done":
        return "success"
    if rejected_last or (signals.unsolved and signals.unsolved[-1] == d.steps[-1].position):
        return "partial"
    return "unknown"


def _by_tests(signals: Signals) -> Outcome | None:
    """The last test run, unless what came after it makes it old: work after a failure, an error or a person's
    complaint after a pass."""
    later = {s.state for s in signals.dialogue.steps if s.position > signals.tests_at}
    if signals.tests == "passed":
        refuted = any(position > signals.tests_at for position in signals.complaints)
        return None if refuted or "error" in later else "success"
    if signals.tests in ("failed", "mixed") and "ok" not in later:
        return "failure" if signals.tests == "failed" else "partial"
    return None


def overall_score(metrics: Mapping[str, Metric], outcome: Outcome, evidence: bool) -> float:
    """Worth training on: GATE or more exactly when there is evidence of success and nothing speaks against it.

    Above and below the gate the weighted mean of the metrics orders the segments. `evidence`: a verdict of
    success, or a model's estimate that reaches its bound.
    """
    weight = sum(m.weight for m in metrics.values())
    mean = sum(m.score * m.weight for m in metrics.values()) / weight if weight else 0.0
    whole = all(metrics[name].score >= 0.5 for name in _MUSTS)
    if evidence and whole and outcome not in _CAPS:
        return round(GATE + (1 - GATE) * mean, 4)
    cap = min(_CAPS.get(outcome, NO_EVIDENCE_CAP), NO_EVIDENCE_CAP if whole else NOT_WHOLE_CAP)
    return round(min(mean, cap), 4)
