"""The offline labeler: rules and the fitted success model, no network, no key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ultron_core.labels.lessons import judge_lessons, memory_score
from ultron_core.labels.metrics import measure
from ultron_core.labels.signals import observe
from ultron_core.labels.success import LinearModel, estimate_success
from ultron_core.labels.task_type import find_task_type
from ultron_core.labels.verdict import decide_outcome, overall_score
from ultron_core.models import Message, QualityLabel, QualitySummary
from ultron_core.transcript.dialogue import read_dialogue

__all__ = ["LABELER_VERSION", "label_offline"]

#: stored on each row that the rules made; a change of rules or coefficients raises it
LABELER_VERSION = "offline:23"


def label_offline(
    messages: Sequence[Message],
    topic: str = "",
    models: Mapping[str, LinearModel] | None = None,
    project: str = "",
    following: Message | None = None,
) -> QualityLabel:
    """The judgement of one segment by rules and the shipped models, or others that a benchmark fitted.

    `following` is the person's turn that opens the next segment. Deterministic; an empty segment gets zeros.
    """
    dialogue = read_dialogue(messages)
    if not dialogue.messages:
        return QualityLabel(QualitySummary(0.0, 0.0, 0.0), {}, LABELER_VERSION)
    signals = observe(dialogue, following)
    verdict = decide_outcome(signals)
    outcome = verdict.outcome
    # on 130 tasks of people on their projects it ranked like a coin (docs/quality.md)
    estimate = None if project else estimate_success(signals, outcome, models)
    metrics = measure(signals, verdict, estimate)
    lessons = judge_lessons(messages, signals, project)
    evidence = outcome == "success" or (estimate is not None and estimate.above_bound)
    summary = QualitySummary(
        overall_score=overall_score(metrics, outcome, evidence),
        memory_score=memory_score(lessons),
        success_probability=round(estimate.probability, 4) if estimate else None,
        outcome=outcome,
        task_type=find_task_type(signals, topic),
    )
    return QualityLabel(summary, {**metrics, **lessons}, LABELER_VERSION)
