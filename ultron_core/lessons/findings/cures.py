"""What was done about a cause that the agent names: it often tells so further down, or when the work is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ultron_core.lessons.errors.told.accounts import CAUSE, DONE, label_kind
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

__all__ = ["Cure", "cure_of", "own_cures", "with_cures"]

#: things that a cure names of the cause, and in a later message, unless a label calls it one and a name is among them;
#: one is often the name of the project or of the page, and of four such sentences that named two none was about that
#: cause, as with "method" and "database"
_SHARED, _SHARED_LATER = 2, 3
#: what is no plain word, e.g. `` `logs` ``, `auth_id`, `getTasks`, `schema.ts`
_NAME = re.compile(r"`[^`\n]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b\w+\.\w+\b")
#: characters before the change, in a sentence that also tells a cause: "由于默认值是 `0`，这里替换为 ..." explains
_OPENING = 6
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
    if found.kind != "error" or own_cures(found):
        return None
    best, most = None, 0
    for cure in _told_after(found, judged):
        shared = shared_terms(cure.part.text, found.words)
        same = cure.message is found.answer.message
        beneath = label_kind(cure.part.label) == "fix" and cure.part.section == found.parts[-1].section
        if same and (beneath or shared >= _SHARED):
            return cure
        surely = _led_by(cure.part) == "fix" and _names_in(cure.part.text) & _names_in(found.words)
        least = _SHARED if surely else _SHARED_LATER
        if not same and shared >= least and shared > most:
            best, most = cure, shared
    return best


def with_cures(stated: Sequence[Finding], judged: Sequence[Judged]) -> list[tuple[Finding, Cure | None]]:
    """Each with its cure, without those that are no more than the cure of another."""
    cured = [(one, cure_of(one, judged)) for one in stated]
    told = [cure for _, cure in cured if cure]
    return [(one, cure) for one, cure in cured if not any(_is_only(one, other) for other in told)]


def _is_only(found: Finding, cure: Cure) -> bool:
    return found.parts == (cure.part,) and found.answer.message is cure.message


def own_cures(found: Finding) -> list[Part]:
    """The sentences of a cause that tell what was done about it: labelled so, or naming what the others name."""
    done = [part for part in found.parts if _tells_cure(part)]
    caused = " ".join(part.text for part in found.parts if part not in done)
    return [
        part
        for part in done
        if not caused or _led_by(part) == "fix" or shared_terms(part.text, caused) >= _SHARED
    ]


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
            if _tells_cure(part) and not leads_on(part) and _says_what(part.text):
                yield Cure(answer.message, part)


def _names_in(text: str) -> frozenset[str]:
    """What is set as code or is no plain word, whole and in pieces: `auth_id`, `SUPABASE_TABLES.LOGS`."""
    return frozenset(re.findall(r"\w*[A-Za-z]\w*", " ".join(_NAME.findall(text)).casefold()))


def _says_what(text: str) -> bool:
    """Not "I've fixed the key issues of your setup" or "Fixed it"."""
    return is_told(text) and names_a_thing(text) and not points_elsewhere(text)


def _tells_cure(part: Part) -> bool:
    """Whether it stands below a label of cures or says what was done, and not below one of causes or proposals; a
    sentence that tells a cause too must begin with what was done."""
    led = _led_by(part)
    if led:
        return led == "fix"
    done = DONE.search(part.text)
    return done is not None and (done.start() <= _OPENING or CAUSE.search(part.text) is None)


def _led_by(part: Part) -> str:
    """What the label, the line or the heading above it says of a sentence: `cause`, `fix`, `other`, else empty."""
    return next((kind for one in (part.label, part.lead, part.heading) if (kind := label_kind(one))), "")
