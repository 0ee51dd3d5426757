"""An answer that a person corrected, and the one that they then accepted: a pair out of one talk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ultron_core.labels.signals import observe
from ultron_core.models import Message
from ultron_core.sft.records import Candidate
from ultron_core.transcript.dialogue import read_dialogue

__all__ = ["corrected"]


def corrected(candidate: Candidate) -> Iterator[Candidate]:
    """The corrected answer and the accepted one as runs of their own, both asked what was asked first; or nothing.

    Only where the next thing that the person says accepts what came after the objection.
    """
    seen = observe(read_dialogue(candidate.messages))
    messages, human = seen.dialogue.messages, seen.dialogue.human
    objections = sorted({*seen.rejections, *seen.corrections} & set(human))
    if not objections:
        return
    place = human.index(objections[0])
    if place == 0 or place + 1 >= len(human) or human[place + 1] not in seen.accepted:
        return
    asked, objected, accepted = human[place - 1], human[place], human[place + 1]
    first, better = messages[asked + 1 : objected], messages[objected + 1 : accepted]
    if not (_answers(first) and _answers(better)):
        return
    prompt = messages[: asked + 1]
    names = {kind: f"{candidate.segment_id}:{kind}" for kind in ("first", "corrected")}
    yield replace(
        candidate,
        segment_id=names["corrected"],
        messages=(*prompt, *better),
        evidence="verified",
        succeeded=True,
        twin=names["first"],
    )
    yield replace(
        candidate,
        segment_id=names["first"],
        messages=(*prompt, *first),
        evidence="verified",
        succeeded=False,
        twin=names["corrected"],
    )


def _answers(messages: Sequence[Message]) -> bool:
    return any(m.role == "assistant" and m.content.strip() for m in messages)
