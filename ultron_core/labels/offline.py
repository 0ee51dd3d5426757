"""The offline labeler: rules and the calibrated model, no network, no key."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.labels.lessons import judge_lessons, memory_score
from ultron_core.labels.metrics import measure
from ultron_core.labels.signals import observe
from ultron_core.labels.success import success_probability
from ultron_core.labels.task_type import find_task_type
from ultron_core.labels.verdict import decide_outcome, overall_score
from ultron_core.models import Message, QualityLabel, QualitySummary
from ultron_core.transcript.dialogue import read_dialogue

__all__ = ["LABELER_VERSION", "label_offline"]

#: stored on each row that the rules made; a change of rules or coefficients raises it
LABELER_VERSION = "offline:4"


def label_offline(messages: Sequence[Message], topic: str = "") -> QualityLabel:
    """The judgement of one segment by rules. Deterministic; an empty segment gets zeros."""
    dialogue = read_dialogue(messages)
    if not dialogue.messages:
        return QualityLabel(QualitySummary(0.0, 0.0, 0.0), {}, LABELER_VERSION)
    signals = observe(dialogue)
    outcome = decide_outcome(signals)
    metrics = measure(signals, outcome)
    lessons = judge_lessons(messages, signals, outcome)
    probability, _ = success_probability(signals)
    summary = QualitySummary(
        overall_score=overall_score(metrics, outcome),
        memory_score=memory_score(lessons),
        success_probability=round(probability, 4),
        outcome=outcome,
        task_type=find_task_type(signals, topic),
    )
    return QualityLabel(summary, {**metrics, **lessons}, LABELER_VERSION)
