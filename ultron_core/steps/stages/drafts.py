"""Drafts of the extractor: secrets of their log go, the gate lets them pass or refuses them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from ultron_core.lessons.drafts import least_of
from ultron_core.memories import gate_draft
from ultron_core.models import Drop, MemoryDraft, Message
from ultron_core.redaction.known import KnownSecrets
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.drops import DropPlace
from ultron_core.transcript.actions import message_texts
from ultron_core.transcript.language import one_line

__all__ = ["GatedDrafts", "gate_drafts", "refuse_drafts"]

#: characters of a refused draft that its drop shows
_DETAIL = 200


@dataclass(frozen=True, slots=True)
class GatedDrafts:
    """`kept` are to be uploaded; `refused` are drops with their lines."""

    kept: tuple[MemoryDraft, ...]
    refused: tuple[DropPlace, ...]

    @property
    def drops(self) -> tuple[Drop, ...]:
        return tuple(drop for drop, _, _ in self.refused)


def gate_drafts(
    runtime: Runtime,
    stage: str,
    drafts: Sequence[MemoryDraft],
    messages: Sequence[Message] = (),
    *,
    at_most: int | None = None,
    probability: Callable[[MemoryDraft], float | None] = attrgetter("probability"),
) -> GatedDrafts:
    """Sort drafts into kept and refused; `messages` are what their quotes must appear in, if there are any.
    `probability` says how likely each is worth keeping, None where nobody knows."""
    known = _known_secrets(messages) if drafts else KnownSecrets(())
    kept: list[MemoryDraft] = []
    refused: list[DropPlace] = []
    for draft in drafts:
        drop = gate_draft(draft, messages, by_rules=runtime.llm is None)
        if drop is None and (found := probability(draft)) is not None and found < (least := least_of(draft)):
            drop = Drop(stage, "improbable", f"{found:.2f} is below {least}: {one_line(draft.content)}")
        if drop is None and at_most is not None and len(kept) >= at_most:
            drop = Drop(stage, "too_many", f"more than {at_most} in one segment")
        if drop is None:
            kept.append(_without(known, draft))
        else:
            clean = replace(drop, stage=stage, detail=known.removed(drop.detail))
            refused.append(_refusal(runtime, clean, _without(known, draft)))
    return GatedDrafts(tuple(kept), tuple(refused))


def _known_secrets(messages: Sequence[Message]) -> KnownSecrets:
    """Secrets of the log, found where their names stand: a draft may hold the second line of `token: |` alone.

    Arguments are read as JSON, where the key gives a value away, and each text of them as it is: a table has its
    heading in another line.
    """
    arguments = (json.dumps(c.arguments, ensure_ascii=False) for m in messages for c in m.tool_calls)
    return KnownSecrets([*(text for message in messages for text in message_texts(message)), *arguments])


def _without(known: KnownSecrets, draft: MemoryDraft) -> MemoryDraft:
    return replace(
        draft,
        content=known.removed(draft.content),
        context=known.removed(draft.context),
        resolution=known.removed(draft.resolution),
        summary=known.removed(draft.summary),
        tags=tuple(known.removed(tag) for tag in draft.tags),
        evidence=tuple(replace(one, quote=known.removed(one.quote)) for one in draft.evidence),
    )


def refuse_drafts(
    runtime: Runtime, stage: str, reason: str, drafts: Sequence[MemoryDraft]
) -> list[DropPlace]:
    """Every draft with the one reason for which all are refused."""
    return [_refusal(runtime, Drop(stage, reason, one_line(draft.content)), draft) for draft in drafts]


def _refusal(runtime: Runtime, drop: Drop, draft: MemoryDraft) -> DropPlace:
    body = {"content": draft.content, "context": draft.context, "resolution": draft.resolution}
    payload = runtime.redactor.redact_json(body)[0]
    # cut afterwards: half a key is no longer known as one
    detail = runtime.redactor.redact_text(drop.detail).text[:_DETAIL]
    first = draft.evidence[0] if draft.evidence else None
    return (
        replace(drop, detail=detail, payload=payload),
        first.start_line if first else None,
        first.end_line if first else None,
    )
