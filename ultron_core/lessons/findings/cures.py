"""What was done about a cause that the agent names: it often tells so further down, or when the work is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ultron_core.lessons.errors.told.accounts import DONE, label_kind
from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.explanations import shared_terms
from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.find import Finding
from ultron_core.lessons.findings.reader import Judged
from ultron_core.lessons.findings.said import settled_from
from ultron_core.lessons.findings.shape import points_elsewhere
from ultron_core.lessons.findings.together import leads_on
from ultron_core.lessons.people.statements import names_a_thing
from ultron_core.models import Message

__all__ = ["Cure", "cure_of", "tells_cure", "with_cures"]

#: things that a cure names of the cause; one is often the name of the project or of the page
_SHARED = 2
#: messages after the one that names the cause: what is done later is about something else
_LATER = 12


@dataclass(frozen=True, slots=True)
class Cure:
    """A sentence that tells what was done, and the message that holds it."""

    message: Message
    part: Part


def cure_of(found: Finding, judged: Sequence[Judged]) -> Cure | None:
    """The sentence that tells what was done about a cause before the person speaks again: of the same message the first
    behind it, else the one that names most of what the cause names; None where the finding holds it, or none does."""
    if found.kind != "error" or any(map(tells_cure, found.parts)):
        return None
    best, most = None, _SHARED - 1
    for cure in _told_after(found, judged):
        shared = shared_terms(cure.part.text, found.words)
        same = cure.message is found.answer.message
        labelled = label_kind(cure.part.label) == "fix" and cure.part.section == found.parts[-1].section
        if same and (labelled or shared >= _SHARED):
            return cure
        if shared > most:
            best, most = cure, shared
    return best


def with_cures(stated: Sequence[Finding], judged: Sequence[Judged]) -> list[tuple[Finding, Cure | None]]:
    """Each with its cure, without those that are no more than the cure of another."""
    cured = [(one, cure_of(one, judged)) for one in stated]
    told = [cure for _, cure in cured if cure]
    return [(one, cure) for one, cure in cured if not any(_is_only(one, other) for other in told)]


def _is_only(found: Finding, cure: Cure) -> bool:
    return found.parts == (cure.part,) and found.answer.message is cure.message


def _told_after(found: Finding, judged: Sequence[Judged]) -> Iterator[Cure]:
    begin = found.parts[-1].begin
    for one in judged:
        answer = one.answer
        same = answer.position == found.answer.position
        behind = found.answer.position < answer.position <= found.answer.position + _LATER
        if not same and not (behind and answer.turn is found.answer.turn):
            continue
        if answer.heard.closing and answer.heard.objected:
            continue
        settled = settled_from(answer.message.content)
        for part in answer.parts:
            if part.begin < settled or (same and part.begin <= begin):
                continue
            if tells_cure(part) and not leads_on(part) and _says_what(part.text):
                yield Cure(answer.message, part)


def _says_what(text: str) -> bool:
    """Not "I've fixed the key issues of your setup" or "Fixed it"."""
    return is_told(text) and names_a_thing(text) and not points_elsewhere(text)


def tells_cure(part: Part) -> bool:
    """Whether it stands below a label of cures or says what was done, and not below one of causes."""
    led = next((kind for one in (part.label, part.lead, part.heading) if (kind := label_kind(one))), "")
    return led == "fix" or (led != "cause" and DONE.search(part.text) is not None)
