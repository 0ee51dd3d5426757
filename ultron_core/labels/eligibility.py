"""The two gates: what memories are taken from, and what is exported for training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ultron_core.models import QualityLabel

__all__ = ["Eligibility", "is_memory_eligible", "is_sft_eligible"]


@dataclass(frozen=True, slots=True)
class Eligibility:
    """`reason` is `ok`, or one stable word for the refusal."""

    ok: bool
    reason: str


_OK = Eligibility(True, "ok")


def is_memory_eligible(label: QualityLabel | Mapping[str, Any] | None, threshold: float = 0.7) -> Eligibility:
    """May memories be taken from this segment? Refused: no_label, bad_label, below_threshold.

    How the run ended does not matter: a failed run is the best source of a memory of an error. A memory_score of None
    is that of a judgement without notes: the extraction finds out what there is to learn.
    """
    summary = _summary(label)
    if isinstance(summary, Eligibility):
        return summary
    given = summary.get("memory_score", summary.get("overall_score"))
    score = 1.0 if given is None and "memory_score" in summary else _number(given)
    if score is None:
        return Eligibility(False, "bad_label")
    return _OK if score >= threshold else Eligibility(False, "below_threshold")


def is_sft_eligible(label: QualityLabel | Mapping[str, Any] | None, threshold: float = 0.8) -> Eligibility:
    """May this segment be a training example?

    Refused: no_label, bad_label, outcome_failure (whatever its score), outcome_partial, unsafe,
    no_assistant_text, below_threshold.
    """
    summary = _summary(label)
    if isinstance(summary, Eligibility):
        return summary
    score = _number(summary.get("overall_score"))
    if score is None:
        return Eligibility(False, "bad_label")
    if summary.get("outcome") in ("failure", "partial"):
        return Eligibility(False, f"outcome_{summary['outcome']}")
    if _metric_score(label, "safety", 1.0) < 0.5:
        return Eligibility(False, "unsafe")
    if _metric_score(label, "completeness", 1.0) <= 0.0:
        return Eligibility(False, "no_assistant_text")
    return _OK if score >= threshold else Eligibility(False, "below_threshold")


def _summary(label: QualityLabel | Mapping[str, Any] | None) -> Mapping[str, Any] | Eligibility:
    if label is None:
        return Eligibility(False, "no_label")
    summary = (label.to_json() if isinstance(label, QualityLabel) else label).get("summary")
    if not summary:
        return Eligibility(False, "no_label")
    return summary if isinstance(summary, Mapping) else Eligibility(False, "bad_label")


def _number(value: Any) -> float | None:
    """The score clamped to 0-1; None when it is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return min(1.0, max(0.0, float(value)))


def _metric_score(label: QualityLabel | Mapping[str, Any] | None, name: str, default: float) -> float:
    if isinstance(label, QualityLabel):
        return label.metrics[name].score if name in label.metrics else default
    metrics = label.get("metrics") if label is not None else None
    metric = metrics.get(name) if isinstance(metrics, Mapping) else None
    score = _number(metric.get("score")) if isinstance(metric, Mapping) else None
    return default if score is None else score
