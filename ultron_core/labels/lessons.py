"""How much can be learned from a segment, apart from how well it went: memory_score and what it rests on.

Each lesson is a metric of weight 0 (it has no part in overall_score) with the lines of its evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ultron_core.labels.signals import Signals, words
from ultron_core.lessons.drafts import find_drafts
from ultron_core.lessons.gate import gate_draft
from ultron_core.models import MemoryDraft, Message, Metric
from ultron_core.transcript.speech import is_only_courtesy

__all__ = ["judge_lessons", "lessons_of", "memory_score"]

#: highest score of a segment without any lesson: below the gate of 0.7 on purpose
_SUBSTANCE_CAP = 0.6
#: a lesson counts when it reaches the memory gate; `substance` never does
_COUNTS = 0.7
#: evidence of a metric names the last ones, as in transcript/dialogue.py
_MAX_LINES = 20


def judge_lessons(messages: Sequence[Message], signals: Signals, project: str = "") -> dict[str, Metric]:
    """`lesson_<kind>` for each kind of which the segment yields a memory, and `substance` always.

    The same finders and the same gate as extraction: a segment passes the memory gate exactly when a draft of it
    would be kept.
    """
    kept = (draft for draft in find_drafts(messages, project) if gate_draft(draft, messages) is None)
    return {**lessons_of(kept), "substance": _substance(signals)}


def lessons_of(drafts: Iterable[MemoryDraft]) -> dict[str, Metric]:
    """`lesson_<kind>` for each kind of these drafts: the rule that found it, of a model's note its type."""
    by_kind: dict[str, list[MemoryDraft]] = {}
    for draft in drafts:
        by_kind.setdefault(draft.lesson or draft.memory_type, []).append(draft)
    return {f"lesson_{kind}": _metric(same) for kind, same in by_kind.items()}


def _metric(drafts: Sequence[MemoryDraft]) -> Metric:
    lines = sorted({item.start_line for draft in drafts for item in draft.evidence})
    note = "one lesson" if len(drafts) == 1 else f"{len(drafts)} lessons"
    best = max(draft.confidence for draft in drafts)
    return Metric(round(_COUNTS + (1 - _COUNTS) * best, 4), 0.0, tuple(lines[-_MAX_LINES:]), note)


def _substance(signals: Signals) -> Metric:
    """How much was said that is not small talk; alone it never passes the gate."""
    d = signals.dialogue
    talk = [d.messages[i].content for i in (*d.human, *d.replies)]
    real = [text for text in talk if not is_only_courtesy(text[:200])]
    amount = min(1.0, len(words(" ".join(real)[:6_000])) / 300) if real else 0.0
    score = _SUBSTANCE_CAP * (0.25 + 0.5 * amount + (0.25 if d.steps else 0.0)) if real else 0.0
    return Metric(round(score, 4), 0.0, (), "no lesson by itself")


def memory_score(lessons: Mapping[str, Metric]) -> float:
    """The best lesson, plus a tenth of the way to 1 for each further kind."""
    scores = sorted((m.score for m in lessons.values()), reverse=True)
    best = scores[0] if scores else 0.0
    for score in scores[1:]:
        if score >= _COUNTS:
            best += 0.1 * (1 - best)
    return round(best, 4)
