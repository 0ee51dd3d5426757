"""Every kind of lesson in one tuple, and the one function that looks for all of them.

A new kind takes a module with a finder and one line in RULES: labels then score it, the memory gate lets its segment
pass, and memories store it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ultron_core.lessons.errors.absent import find_absent
from ultron_core.lessons.errors.failed_calls import solved_drafts, unsolved_drafts
from ultron_core.lessons.errors.persisting import find_breaks, find_persisting
from ultron_core.lessons.errors.told.defects import find_defects
from ultron_core.lessons.errors.told.find import find_told
from ultron_core.lessons.errors.workarounds import find_workarounds
from ultron_core.lessons.findings.cures import with_cures
from ultron_core.lessons.findings.draft import finding_draft
from ultron_core.lessons.findings.find import find_findings, has_a_place
from ultron_core.lessons.findings.listen import read_answers
from ultron_core.lessons.findings.reader import AnswerModel, load_answer_model
from ultron_core.lessons.findings.weigh import by_line, is_told_by, is_weighed, worth_of
from ultron_core.lessons.habits import find_habits
from ultron_core.lessons.lookups import find_lookups
from ultron_core.lessons.people.answered import find_answered
from ultron_core.lessons.people.causes import find_causes
from ultron_core.lessons.people.confirmed import confirm
from ultron_core.lessons.people.decisions import find_decisions
from ultron_core.lessons.people.facts import find_policies, find_refusals
from ultron_core.lessons.people.guides import find_cited, find_guides
from ultron_core.lessons.people.objections.corrections import find_corrections
from ultron_core.lessons.people.plain.find import Told, hear, plain_drafts, refused
from ultron_core.lessons.people.plain.reader import PlainModel, load_model
from ultron_core.lessons.people.plain.weigh import of_the_moment
from ultron_core.lessons.people.preferences import find_preferences, find_tips
from ultron_core.lessons.people.recaps import find_recapped
from ultron_core.lessons.people.reminders import find_reminders
from ultron_core.lessons.people.settled import find_settled
from ultron_core.lessons.reading import Reading, read_segment
from ultron_core.lessons.schemas import find_schemas
from ultron_core.lessons.security import find_security_events, find_weaknesses
from ultron_core.lessons.sentences import cure_in
from ultron_core.models import MemoryDraft, Message, Outcome, Proof
from ultron_core.transcript.language import one_line

__all__ = ["RULES", "Lesson", "Rule", "find_lessons", "lesson_kinds", "lessons_of", "told_by_rules"]

Need = Literal["messages", "actions", "episodes", "outcome", "turns", "project", "work"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`find` is called with the fields of Reading that `needs` names, in that order.

    `score` is how much others can learn from one such lesson, 0 to 1. The memory gate is at 0.7. `proof` is what its
    evidence shows in every log; None where that depends on who said it.
    """

    find: Callable[..., list[MemoryDraft]]
    kind: str
    score: float
    needs: tuple[Need, ...] = ("messages",)
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to be learned from a segment: its kind and score, and the memory it would make."""

    kind: str
    score: float
    draft: MemoryDraft
    proof: Proof | None = None

    @property
    def told(self) -> MemoryDraft:
        """The draft with what the rules know of it: a cure counts as checked where its sentence tells that it held."""
        proof = self.proof
        if proof == "check" and self.draft.memory_type == "error" and not cure_in(self.draft.resolution):
            proof = "result"
        return replace(self.draft, lesson=self.kind, proof=proof)


#: the scores order the kinds; they were set by hand (docs/memories.md, "Unsupported numbers")
RULES: tuple[Rule, ...] = (
    Rule(solved_drafts, "solved_error", 0.85, ("messages", "episodes", "project"), "check"),
    Rule(unsolved_drafts, "failure", 0.75, ("messages", "episodes", "project"), "result"),
    Rule(find_workarounds, "solved_error", 0.76, ("messages", "episodes", "actions", "project"), "check"),
    Rule(find_persisting, "failure", 0.74, ("messages", "actions"), "result"),
    Rule(find_breaks, "failure", 0.72),
    Rule(find_defects, "defect", 0.73, ("messages", "project")),
    Rule(find_told, "solved_error", 0.75, ("messages", "actions", "turns", "project")),
    Rule(find_corrections, "correction", 0.8, ("messages", "actions", "turns", "project", "work")),
    Rule(find_preferences, "preference", 0.85, ("turns", "project")),
    Rule(find_reminders, "fact", 0.72, ("turns", "project")),
    Rule(find_guides, "preference", 0.8, ("messages", "actions", "project"), "claimed"),
    Rule(find_cited, "fact", 0.75, ("messages", "project")),
    Rule(find_refusals, "fact", 0.8, ("messages", "actions", "project")),
    Rule(find_policies, "fact", 0.72, ("messages", "work")),
    Rule(find_decisions, "decision", 0.78, ("messages", "turns", "project", "work")),
    Rule(find_answered, "decision", 0.78, ("messages", "project", "work")),
    Rule(find_settled, "decision", 0.74, ("messages", "turns", "outcome", "project", "work")),
    Rule(find_recapped, "recap", 0.78, ("messages", "project")),
    Rule(find_causes, "cause", 0.74, ("messages", "turns", "outcome", "project", "work")),
    Rule(find_security_events, "security", 0.9, ("messages", "actions"), "result"),
    Rule(find_weaknesses, "security", 0.9),
    Rule(find_tips, "tip", 0.72),
    Rule(find_lookups, "lookup", 0.72, ("messages", "actions")),
    Rule(find_absent, "fact", 0.72, ("messages", "actions")),
    Rule(find_schemas, "fact", 0.72, ("messages", "actions")),
    Rule(find_habits, "pattern", 0.72, ("messages", "actions", "project"), "check"),
)


#: the first tags of what rules make of a person's words, as the model of plain statements calls them
_SAID = {
    "preference": "preference",
    "reminder": "preference",
    "correction": "correction",
    "decision": "decision",
    "fact": "fact",
    "reported": "reported",
}
#: scores of plain statements: below those of the rules that know more about one
PLAIN = {"preference": 0.78, "correction": 0.75, "decision": 0.74, "fact": 0.72}
#: kinds and scores of what the agent states, by its second tag
STATED = {"cause": ("cause", 0.75), "fact": ("fact", 0.72), "decision": ("decision", 0.73)}
#: what a person said to be so, which the rest of the log may bear out
_STATED = ("fact", "decision")


def lesson_kinds() -> tuple[str, ...]:
    """The kinds of all rules, each once, in order."""
    return tuple(dict.fromkeys(rule.kind for rule in RULES))


def find_lessons(
    messages: Sequence[Message], outcome: Outcome = "unknown", project: str = ""
) -> list[Lesson]:
    """All lessons of a segment, in the order of their evidence; the gate on drafts has not been asked yet.

    `outcome` says how the task ended: errors that were never solved count in a failed task. `project` is the name of
    the session's project.
    """
    return lessons_of(read_segment(messages, outcome, project), load_model(), load_answer_model())


def lessons_of(reading: Reading, plain: PlainModel | None, answers: AnswerModel | None) -> list[Lesson]:
    """The same of a segment that was read before; `plain` is the model of plain statements of people, `answers` that of
    the agent's sentences, None does without."""
    found = _by_rules(reading)
    if plain is not None and reading.work and reading.turns:
        found = _heard(found, reading, plain)
    if answers is not None and reading.work:
        found = _stated(found, reading, answers)
    return _unique(sorted(found, key=_first_line))


def _by_rules(reading: Reading) -> list[Lesson]:
    return [
        Lesson(rule.kind, rule.score, _checked(rule.kind, draft, reading), rule.proof)
        for rule in RULES
        for draft in rule.find(*(getattr(reading, need) for need in rule.needs))
    ]


def told_by_rules(reading: Reading) -> list[Told]:
    """What the rules made of the words of people, as the model of plain statements sees it."""
    return _told(_by_rules(reading))


def _told(found: Sequence[Lesson]) -> list[Told]:
    return [(kind, one.draft) for one in found if (kind := _said_kind(one))]


def _said_kind(lesson: Lesson) -> str:
    """What the model of plain statements calls a lesson on a person's words; empty for any other."""
    tags = lesson.draft.tags
    return (
        _SAID.get(tags[0], "") if tags and "settled" not in tags else ""
    )  # what an agent settled, nobody said


def _heard(found: Sequence[Lesson], reading: Reading, model: PlainModel) -> list[Lesson]:
    """With what people said plainly, and without what a rule made of words that only pass with the work."""
    told = _told(found)
    heard = hear(reading.turns, told)
    passing = iter(of_the_moment(reading.turns, heard, told, model))
    lasting = [one for one in found if not (_said_kind(one) and next(passing))]
    empty = refused(heard)
    plain = plain_drafts(reading.turns, heard, reading.messages, reading.project, model)
    return [
        *(one for one in lasting if not _rests_on(one, empty)),
        *(Lesson(kind, PLAIN[kind], _checked(kind, draft, reading)) for kind, draft in plain),
    ]


def _stated(found: Sequence[Lesson], reading: Reading, model: AnswerModel) -> list[Lesson]:
    """With what the agent states, and without what a rule drew from its words that is worth little or told better."""
    judged = [model.judge(one) for one in read_answers(reading.messages, reading.actions, reading.turns)]
    project = reading.project
    acted = min((action.call for action in reading.actions), default=-1)
    stated = [one for one in find_findings(judged, model) if has_a_place(one, project, acted=acted)]
    lines = by_line(judged)
    kept = []
    for one in found:
        worth = worth_of(one.draft, lines) if is_weighed(one.draft) else None
        if worth is None or (worth >= model.least and not is_told_by(one.draft, stated)):
            kept.append(one)
    told = [finding_draft(one, project, cure, reading.turns) for one, cure in with_cures(stated, judged)]
    return [*kept, *(Lesson(*STATED[draft.tags[1]], draft) for draft in told)]


def _rests_on(lesson: Lesson, empty: frozenset[str]) -> bool:
    tags, evidence = lesson.draft.tags, lesson.draft.evidence
    if not (tags and evidence) or "declared" in tags:
        return False  # what a person says to hold for good is not weighed by its words
    return tags[0] in _SAID and one_line(evidence[0].quote) in empty


def _checked(kind: str, draft: MemoryDraft, reading: Reading) -> MemoryDraft:
    return confirm(draft, reading.messages, reading.actions) if kind in _STATED else draft


def _first_line(lesson: Lesson) -> int:
    return lesson.draft.evidence[0].start_line if lesson.draft.evidence else 0


def _unique(lessons: Sequence[Lesson]) -> list[Lesson]:
    """The same words twice are one lesson: the more confident of two equal ones, and of two kinds that quote one
    sentence (a correction that also states a fact) the one that others learn more from."""
    kept: dict[str, Lesson] = {}
    for lesson in lessons:
        key = lesson.draft.content.casefold()
        if key not in kept or lesson.draft.confidence > kept[key].draft.confidence:
            kept[key] = lesson
    by_line: dict[int, list[Lesson]] = {}
    for lesson in kept.values():
        for line in {item.start_line for item in lesson.draft.evidence} | {_first_line(lesson)}:
            by_line.setdefault(line, []).append(lesson)
    return [lesson for lesson in kept.values() if not _told_better(lesson, by_line[_first_line(lesson)])]


def _told_better(lesson: Lesson, others: Sequence[Lesson]) -> bool:
    quote = one_line(lesson.draft.evidence[0].quote) if lesson.draft.evidence else ""
    return bool(quote) and any(
        other.score > lesson.score
        and other.draft.evidence
        and quote in one_line(f"{other.draft.content} {other.draft.resolution}")
        for other in others
    )
