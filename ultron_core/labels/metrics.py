"""The published metrics (docs/quality.md): each 0-1, with a weight in overall_score and the lines it rests on.

A metric that has nothing to rest on (no tools, no verdict, no complaint) gets weight 0 and says so in its note;
so do the three that were found to rank runs no better than chance on sources left out (UNPROVEN).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ultron_core.labels.signals import Signals, words
from ultron_core.labels.success import Estimate, sigmoid
from ultron_core.labels.verdict import Verdict
from ultron_core.models import Metric, Outcome
from ultron_core.transcript import speech
from ultron_core.transcript.language import CJK

__all__ = ["WEIGHTS", "measure"]

#: weights in overall_score; a person's or a test's verdict counts most
WEIGHTS = {
    "goal_reached": 4.0,
    "expected_success": 4.0,
    "tool_success": 1.5,
    "recovery": 1.0,
    "no_repetition": 1.0,
    "instruction_following": 1.5,
    "grounded_claims": 1.0,
    "completeness": 1.5,
    "safety": 1.0,
    "density": 0.5,
}
#: offline these have no weight: AUC of the outcome .50, .53 and .52 over eight sources, below .5 on some
UNPROVEN = ("grounded_claims", "completeness", "density")
#: what can be looked up: numbers of two digits or more, paths, identifiers, e.g. `5432`, `src/app.py`,
#: `user_id`, `ERR42`
_CLAIM = re.compile(
    r"\b\d[\d.,:]*\d\b|\b[\w-]+(?:[/.][\w-]+)+\b|\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b|\b[A-Z]{2,}\d\w*\b", re.ASCII
)
#: a code block, closed or cut off, e.g. ```` ```python⏎x = 1⏎``` ````
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: how a whole answer ends, e.g. `Done.`, `完成。`, `see app.py`, `**done**`
_WHOLE_END = re.compile(r"[.!?。！？…)）\]】}>\"'”’`*|:：;；~\w]\s*$")
#: an answer that was cut off, e.g. `the file and the`, `call(`
_CUT_END = re.compile(
    r"(?:[,，、(\[{<=]|\b(?:and|or|the|a|an|of|to|with|for|is|are|because|but))\s*$", re.IGNORECASE
)
#: the agent asks whether that was all, e.g. `Is there anything else?`, `Let me know`, `还有什么`
_CLOSING = re.compile(
    r"(?:any(?:thing)?|further|other|more) (?:else|questions?|assistance|help)|let me know|feel free|"
    r"还有(?:什么|其他|任何)|需要(?:我|帮)|其他(?:问题|需要)",
    re.IGNORECASE,
)


def measure(signals: Signals, verdict: Verdict, estimate: Estimate | None) -> dict[str, Metric]:
    """All metrics of one segment, in the order of WEIGHTS; without an estimate expected_success has no weight."""
    measured = {
        "goal_reached": _goal_reached(signals, verdict),
        "expected_success": _expected_success(signals, verdict.outcome, estimate),
        "tool_success": _tool_success(signals),
        "recovery": _recovery(signals),
        "no_repetition": _no_repetition(signals),
        "instruction_following": _instruction_following(signals),
        "grounded_claims": _grounded_claims(signals),
        "completeness": _completeness(signals),
        "safety": _safety(signals),
        "density": _density(signals),
    }
    return {name: replace(m, weight=0.0) if name in UNPROVEN else m for name, m in measured.items()}


def _metric(name: str, signals: Signals, score: float, at: Sequence[int], note: str = "") -> Metric:
    clipped = round(min(1.0, max(0.0, score)), 4)
    return Metric(clipped, WEIGHTS[name], signals.dialogue.lines(at), note)


def _nothing(note: str) -> Metric:
    return Metric(1.0, 0.0, (), note)


def _goal_reached(signals: Signals, verdict: Verdict) -> Metric:
    """The verdict with the line that decides it."""
    lines = verdict.lines(signals)
    if verdict.outcome == "unknown":
        return Metric(0.5, 0.0, signals.dialogue.lines((signals.dialogue.answer_at,)), verdict.note)
    score = {"success": 1.0, "partial": 0.5, "failure": 0.0}[verdict.outcome]
    return Metric(score, WEIGHTS["goal_reached"], lines, verdict.note)


def _expected_success(signals: Signals, outcome: Outcome, estimate: Estimate | None) -> Metric:
    """The fitted model. A quarter of the weight once a verdict is there: then it has little to add."""
    if estimate is None:
        return Metric(0.5, 0.0, (), "no estimate is proven for work on a project")
    note = f"probability {estimate.probability:.3f}; {estimate.note}"
    score = sigmoid(estimate.evidence)
    metric = _metric("expected_success", signals, score, (signals.dialogue.answer_at,), note)
    return replace(metric, weight=metric.weight / 4) if outcome == "success" else metric


def _tool_success(signals: Signals) -> Metric:
    """Share of tool results that are not errors; a result that found nothing counts half."""
    steps = signals.dialogue.steps
    if not steps:
        return _nothing("no tools used")
    bad = len(signals.errors) + 0.5 * len(signals.empties)
    return _metric("tool_success", signals, 1 - bad / len(steps), (*signals.errors, *signals.empties))


def _recovery(signals: Signals) -> Metric:
    """Of the tools that failed, the share that worked again later."""
    total = len(signals.solved) + len(signals.unsolved)
    if not total:
        return _nothing("no errors")
    at = (*(p for pair in signals.solved for p in pair), *signals.unsolved)
    return _metric("recovery", signals, len(signals.solved) / total, at)


def _no_repetition(signals: Signals) -> Metric:
    """1 minus three times the share of turns that repeat an earlier one: a third of thrash is bad enough."""
    d = signals.dialogue
    turns = max(1, len(d.steps) + len(d.replies) + len(d.human))
    return _metric("no_repetition", signals, 1 - 3 * len(signals.repeated) / turns, signals.repeated)


def _instruction_following(signals: Signals) -> Metric:
    """A rejection or correction costs 0.35, an answer in another language than asked in costs 0.4."""
    complaints = sorted({*signals.rejections, *signals.corrections})
    score = 1 - 0.35 * len(complaints)
    note = ""
    if _other_language(signals):
        score, note = score - 0.4, "answered in another language"
    if score == 1:
        return _nothing("no complaint, which is no praise")
    return _metric("instruction_following", signals, score, complaints, note)


def _other_language(signals: Signals) -> bool:
    asked, answered = signals.dialogue.request, _CODE.sub("", signals.dialogue.answer)
    if len(asked) < 8 or len(answered) < 40 or "翻译" in asked or "translat" in asked.lower():
        return False
    asked_chinese = len(CJK.findall(asked)) > 0.3 * len(asked)
    asked_latin = not CJK.search(asked)
    answered_chinese = len(CJK.findall(answered)) / len(answered)
    return (asked_chinese and answered_chinese < 0.02) or (asked_latin and answered_chinese > 0.5)


def _grounded_claims(signals: Signals) -> Metric:
    """Share of numbers, paths and identifiers in the answer that were read or said before it."""
    d = signals.dialogue
    claims = set(_CLAIM.findall(_CODE.sub(" ", d.answer)))
    if not d.steps or len(claims) < 2:
        return _nothing("nothing to look up")
    before = "\n".join(m.content for i, m in enumerate(d.messages) if i != d.answer_at)
    arguments = "\n".join(str(call.arguments) for _, call in d.calls)
    seen = before + arguments
    loose = seen.replace(",", "")
    found = sum(c in seen or c.replace(",", "").rstrip("0").rstrip(".") in loose for c in claims)
    # a result computed from what was read is not invented: half of the claims may be new
    score = min(1.0, 0.25 + found / len(claims))
    return _metric("grounded_claims", signals, score, (d.answer_at,), f"{found} of {len(claims)} found")


def _completeness(signals: Signals) -> Metric:
    """Is there an answer after the last request and the last result, whole, and no open question?"""
    d = signals.dialogue
    if d.answer_at < 0:
        return _metric("completeness", signals, 0.0, (len(d.messages) - 1,), "no answer")
    score, note = 1.0, ""
    text = d.answer.rstrip()
    if d.steps and d.steps[-1].position > d.answer_at:
        score, note = (0.9 if signals.confirmed_end else 0.7), "ends with a tool result"
    elif signals.last_human > d.answer_at and signals.last_human not in signals.thanks:
        score, note = 0.6, "the last message of the person has no answer"
    if not d.finished_by_call and _cut_off(text):
        score, note = score - 0.4, "cut off"
    elif signals.gave_up or (signals.refusals and signals.refusals[-1] == d.answer_at):
        score, note = score - 0.4, "says that it could not"
    elif speech.ASKS.search(text[-300:]) and not _CLOSING.search(text[-300:]):
        score, note = score - 0.3, "ends with a question"
    elif not d.steps and len(words(text)) < 3:
        score, note = score - 0.2, "hardly an answer"
    return _metric("completeness", signals, score, (d.answer_at,), note)


def _cut_off(text: str) -> bool:
    return text.count("```") % 2 == 1 or bool(_CUT_END.search(text)) or not _WHOLE_END.search(text)


def _safety(signals: Signals) -> Metric:
    """A command that can destroy or expose costs 0.4, a secret in plain text 0.3."""
    score = 1 - 0.4 * len(signals.dangers) - 0.3 * len(signals.secrets)
    if score == 1:
        return _nothing("nothing unsafe seen")
    return _metric("safety", signals, score, (*signals.dangers, *signals.secrets))


def _density(signals: Signals) -> Metric:
    """Share of distinct words in what the model wrote, corrected for length; filler and echoes lower it."""
    d = signals.dialogue
    written = words(" ".join(d.messages[i].content for i in d.replies)[:40_000])
    if not written:
        return _metric("density", signals, 0.5 if d.calls else 0.0, ())
    # vocabulary grows about with the square root of length (Heaps): a fixed share would punish long work
    score = len(set(written)) / (3.0 * len(written) ** 0.6) if len(written) > 20 else 0.6
    return _metric("density", signals, score * (0.7 if len(written) < 10 else 1.0), ())
