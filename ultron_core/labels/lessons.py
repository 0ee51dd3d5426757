"""What can be learned from a segment, apart from whether it went well: the basis of memory_score.

Each lesson is a metric of weight 0 (it has no part in overall_score) with the lines it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ultron_core.labels.signals import Signals, words
from ultron_core.models import Metric, Outcome
from ultron_core.transcript.people import is_group
from ultron_core.transcript.speech import is_only_courtesy

__all__ = ["find_lessons", "memory_score"]

#: highest score a talk without any lesson can have: below the gate of 0.7 on purpose
_SUBSTANCE_CAP = 0.6


def find_lessons(signals: Signals, outcome: Outcome) -> dict[str, Metric]:
    """The lessons of one segment; `substance` is always there, the others only when found."""
    found: dict[str, tuple[float, Sequence[int], str]] = {}
    if signals.solved:
        both = [p for pair in signals.solved for p in pair]
        found["lesson_solved_error"] = (0.85, both, "an error, then the same tool worked")
    elif signals.reported_errors and _code_answer_after(signals):
        found["lesson_solved_error"] = (0.72, signals.reported_errors, "an error reported, then an answer")
    if signals.corrections or signals.rejections:
        complaints = sorted({*signals.corrections, *signals.rejections})
        found["lesson_correction"] = (0.8, complaints, "the person put something right")
    if signals.preferences:
        found["lesson_preference"] = (0.85, signals.preferences, "a standing wish")
    if signals.dangers or signals.secrets:
        found["lesson_security"] = (0.9, (*signals.dangers, *signals.secrets), "a risk or a secret")
    if outcome == "failure" and _effort(signals) >= 2:
        at = (*signals.unsolved, *signals.stopped, *signals.rejections, signals.dialogue.answer_at)
        found["lesson_failure"] = (0.8, at, "work that failed")
    elif len(signals.errors) >= 2:
        found["lesson_failure"] = (0.75, signals.errors, "errors that came back")
    if outcome != "success" and is_group(signals.dialogue.messages) and _effort(signals) >= 3:
        found["lesson_group"] = (
            0.72,
            signals.dialogue.replies[-1:],
            "agents that take over each other's results",
        )
    if signals.empties and _went_on(signals):
        found["lesson_lookup"] = (0.72, signals.empties, "nothing was found, then something else was tried")
    if len(signals.empties) >= 3 or len(signals.repeated) >= 3:
        found["lesson_thrash"] = (0.72, (*signals.empties, *signals.repeated), "went in circles")
    result = {
        name: Metric(score, 0.0, signals.dialogue.lines(at), note)
        for name, (score, at, note) in found.items()
    }
    return {**result, "substance": _substance(signals)}


def _code_answer_after(signals: Signals) -> bool:
    d = signals.dialogue
    return any(i > signals.reported_errors[0] and "`" in d.messages[i].content for i in d.replies)


def _went_on(signals: Signals) -> bool:
    """After a lookup that found nothing another one found something."""
    steps = signals.dialogue.steps
    return any(s.position > signals.empties[0] and s.position not in signals.empties for s in steps)


def _effort(signals: Signals) -> int:
    return len(signals.dialogue.steps) + len(signals.dialogue.replies)


def _substance(signals: Signals) -> Metric:
    """How much was said that is no small talk; alone it never passes the gate."""
    d = signals.dialogue
    talk = [d.messages[i].content for i in (*d.human, *d.replies)]
    real = [text for text in talk if not is_only_courtesy(text[:200])]
    amount = min(1.0, len(words(" ".join(real)[:6_000])) / 300) if real else 0.0
    score = _SUBSTANCE_CAP * (0.25 + 0.5 * amount + (0.25 if d.steps else 0.0)) if real else 0.0
    return Metric(round(score, 4), 0.0, (), "no lesson by itself")


def memory_score(lessons: Mapping[str, Metric]) -> float:
    """The best lesson, plus a tenth of the way to 1 for each further one."""
    scores = sorted((m.score for m in lessons.values()), reverse=True)
    best = scores[0] if scores else 0.0
    for score in scores[1:]:
        if score >= 0.7:
            best += 0.1 * (1 - best)
    return round(best, 4)
