"""Outcome and overall_score: verifiable signs first, then the words of the person, else `unknown`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ultron_core.labels.signals import Signals
from ultron_core.models import Metric, Outcome
from ultron_core.transcript import speech
from ultron_core.transcript.commands import purpose, same_purpose
from ultron_core.transcript.dialogue import ToolStep

__all__ = ["GATE", "Verdict", "decide_outcome", "overall_score"]

#: the default threshold of the training gate: scores are mapped so that it divides with evidence from without
GATE = 0.8
#: highest overall_score of a known failure and of a partly reached goal
_CAPS: Mapping[str, float] = {"failure": 0.5, "partial": 0.75}
#: highest overall_score without evidence, and with an answer that is missing or work that is unsafe
NO_EVIDENCE_CAP, NOT_WHOLE_CAP = 0.79, 0.6
_MUSTS = ("completeness", "safety")
#: characters of an answer that says at once that it will not, and of its end that asks for something
_OPENING, _LAST_WORDS = 80, 300


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a task ended, and what says so: positions in the dialogue, or a line outside it."""

    outcome: Outcome
    note: str
    at: tuple[int, ...] = ()
    line: int = 0

    def lines(self, signals: Signals) -> tuple[int, ...]:
        """The physical lines that decide, sorted."""
        own = signals.dialogue.lines(self.at)
        return tuple(sorted({*own, self.line})) if self.line else own


_UNKNOWN = Verdict("unknown", "no verdict in the log")


def decide_outcome(signals: Signals) -> Verdict:
    """success, failure, partial or unknown, with the line that decides; the first that applies.

    Thanks alone prove nothing, people thank for trying too: of the tau-bench airline runs that end with thanks and a
    good tool result 22 of 53 succeeded (42 %), of all runs 41 %.
    """
    if (ended := _ended(signals)) is not None:
        return ended
    if not signals.dialogue.replies and not signals.dialogue.calls:
        return _UNKNOWN
    for decide in (_stopped, _by_tests, _heard, _accepted, _in_vain, _claimed):
        if (verdict := decide(signals)) is not None:
            return verdict
    return _UNKNOWN


def _ended(signals: Signals) -> Verdict | None:
    """A limit, a crash of the model or the person's stop ended the work: partly done where files were changed."""
    ending = signals.dialogue.ending
    if ending is None or (ending.kind == "interrupted" and not signals.dialogue.steps):
        return None
    return Verdict(_short_of(signals), f"ended by the harness: {ending.kind}", line=ending.line)


def _short_of(signals: Signals) -> Outcome:
    """Of work that did not reach its goal: partial where files were changed."""
    return "partial" if signals.changes else "failure"


def _stopped(signals: Signals) -> Verdict | None:
    """A limit in the last message, a rejection that nobody answered, an error at the very end."""
    d = signals.dialogue
    if signals.stopped:
        return Verdict("failure", "a limit stopped the work", signals.stopped)
    if _rejected_last(signals) and signals.last_human > d.answer_at:
        return Verdict(_short_of(signals), "refused by the person", (signals.last_human,))
    if signals.ends_in_error:
        last = d.steps[-1]
        outcome = _short_of(signals) if last.action.checks == "none" else "failure"
        return Verdict(outcome, "ends in an error", (last.position,))
    return None


def _rejected_last(signals: Signals) -> bool:
    return signals.last_human in (*signals.rejections[-1:], *signals.heard_failed[-1:])


def _by_tests(signals: Signals) -> Verdict | None:
    """The last test run, unless what came after it makes it old: work after a failure, an error or a person's
    complaint after a pass."""
    later = {s.state for s in signals.dialogue.steps if s.position > signals.tests_at}
    if signals.tests == "passed":
        refuted = any(position > signals.tests_at for position in signals.complaints)
        return (
            None
            if refuted or "error" in later
            else Verdict("success", "the last check passed", (signals.tests_at,))
        )
    if signals.tests in ("failed", "mixed") and "ok" not in later:
        outcome: Outcome = "failure" if signals.tests == "failed" else "partial"
        return Verdict(outcome, "the last check failed", (signals.tests_at,))
    return None


def _heard(signals: Signals) -> Verdict | None:
    """What the turn behind the segment tells of it."""
    if signals.heard_after == "failed":
        return Verdict("failure", "told by the turn behind it", line=signals.after_line)
    return None


def _accepted(signals: Signals) -> Verdict | None:
    if signals.settled_at >= 0 and not _rejected_last(signals):
        return Verdict("success", "accepted by the person", (signals.settled_at,))
    if signals.heard_after == "done":
        return Verdict("success", "told by the turn behind it", line=signals.after_line)
    return None


def _in_vain(signals: Signals) -> Verdict | None:
    """Every call failed, or the agent refused at once."""
    d = signals.dialogue
    if d.steps and all(step.state == "error" for step in d.steps):
        return Verdict("failure", "no call succeeded", (d.steps[-1].position,))
    if not d.calls and speech.REFUSAL.match(d.answer.lstrip()[:_OPENING].replace("’", "'")):
        return Verdict("failure", "refused by the agent", (d.answer_at,))
    return None


def _left(steps: Sequence[ToolStep]) -> bool:
    """Whether git refused something, a push or a commit, and nothing alike worked later."""
    git = [step for step in steps if purpose(step.action)[:2] == ("$", "git")]
    return any(
        step.state == "error"
        and not any(
            later.state == "ok" and same_purpose(step.action, later.action) for later in git[place + 1 :]
        )
        for place, step in enumerate(git)
    )


def _claimed(signals: Signals) -> Verdict | None:
    """Files were changed, the last call worked, no error was left and nobody complained, and the agent closes without
    a question: only the agent says that it is done, which is no outcome (docs/quality.md)."""
    d = signals.dialogue
    closes = d.answer_at == len(d.messages) - 1 and not d.messages[d.answer_at].tool_calls
    clean = (
        not _left(d.steps)
        and not signals.unsolved
        and not signals.complaints
        and not signals.heard_failed
        and not signals.gave_up
    )
    if not (closes and clean and signals.changes and d.steps[-1].state == "ok"):
        return None
    if speech.ASKS.search(d.answer[-_LAST_WORDS:]):
        return None
    return Verdict("unknown", "only the agent says so", (d.answer_at,))


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
