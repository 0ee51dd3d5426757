"""What a segment teaches: its candidates by worth, as drafts with what the log shows for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

from ultron_core.lessons.candidates.candidate import Candidate, Source
from ultron_core.lessons.candidates.find import find_candidates
from ultron_core.lessons.candidates.told import told
from ultron_core.lessons.describe import path_of
from ultron_core.lessons.later import overtaken_at
from ultron_core.lessons.rank.head import Ranked, load_head, rank
from ultron_core.lessons.security import find_security_events
from ultron_core.models import Evidence, MemoryDraft, Message, Proof
from ultron_core.transcript.actions import Action, argument_strings, read_actions
from ultron_core.transcript.acts.setting import is_at_work
from ultron_core.transcript.commands import command_of

__all__ = ["SHELVES", "find_drafts", "least_of", "shelf_of"]

#: what the log shows for a candidate, by where it stands; what an agent says is claimed
_PROOF: Final[Mapping[Source, Proof]] = {
    "turn": "person",
    "refusal": "person",
    "choice": "person",
    "guide": "result",
    "cure": "check",
}
SHELVES: Final = ("proven", "claimed")


def find_drafts(messages: Sequence[Message], project: str = "") -> list[MemoryDraft]:
    """The drafts of `messages` (one segment) that are worth keeping, the likeliest first.

    `gate_draft` decides on each afterwards; `project` is named in each. System prompts and recalled memories are not
    read: an agent that repeats them taught nothing.
    """
    kept = [message for message in messages if message.role != "system" and message.origin != "recalled"]
    actions = read_actions(kept)
    at_work = bool(project) or _at_work(kept, actions)
    ranked = [
        one
        for one in rank(find_candidates(kept, actions), kept, actions)
        if one.probability >= _least(one.candidate.source) and (at_work or one.candidate.author != "agent")
    ]
    ranked.sort(key=lambda one: -one.probability)
    return [
        *find_security_events(kept, actions),
        *(_draft(one, kept, actions, project) for one in _once(ranked)),
    ]


def shelf_of(source: Source) -> Literal["proven", "claimed"]:
    """Whether what stands there is proven by its place, or only claimed by an agent."""
    return "proven" if source in _PROOF else "claimed"


def least_of(draft: MemoryDraft) -> float:
    """The probability from which on a draft of the ranker is kept; 0 for any other."""
    source = next((source for source in get_args(Source) if source == draft.lesson), None)
    return _least(source) if source is not None else 0.0


def _at_work(messages: Sequence[Message], actions: Sequence[Action]) -> bool:
    """False for a talk with a service or about general knowledge: what its agent says is no news to anybody."""
    return is_at_work(messages) or any(
        command_of(action) is not None or path_of(action.arguments) for action in actions
    )


def _least(source: Source) -> float:
    bounds = load_head().bounds
    return bounds.get(source, bounds[shelf_of(source)])


def _once(ranked: Sequence[Ranked]) -> Iterator[Ranked]:
    """Each content once, and of passages of one message that share words only the first."""
    seen: set[str] = set()
    kept: dict[int, list[str]] = defaultdict(list)
    for one in ranked:
        content, text = told(one.candidate)[0].casefold(), one.candidate.text
        if content in seen or any(_share(text, other) for other in kept[one.candidate.position]):
            continue
        seen.add(content)
        kept[one.candidate.position].append(text)
        yield one


def _share(one: str, other: str) -> bool:
    """Whether one passage is part of the other, or both hold the same line."""
    lines = {line.strip() for line in one.splitlines()} & {line.strip() for line in other.splitlines()}
    return one in other or other in one or bool(lines - {""})


def _draft(
    ranked: Ranked, messages: Sequence[Message], actions: Sequence[Action], project: str
) -> MemoryDraft:
    one = ranked.candidate
    content, context, resolution = told(one, project)
    return MemoryDraft(
        content=content,
        context=context,
        resolution=resolution,
        tags=(one.source,),
        confidence=round(ranked.probability, 4),
        memory_type=ranked.memory_type,
        evidence=tuple(_evidence(one, messages, actions)),
        lesson=one.source,
        proof=_PROOF.get(one.source),
        cure="verified" if one.source == "cure" and resolution else "none",
        probability=round(ranked.probability, 4),
        overtaken=overtaken_at(one, messages, actions),
    )


def _evidence(one: Candidate, messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[Evidence]:
    message = messages[one.position]
    yield Evidence(message.start_line, message.end_line, one.shown_by)
    worked = next(
        (action for action in actions if one.source == "cure" and action.result == one.proof[-1]), None
    )
    asked = "" if worked is None else command_of(worked) or next(argument_strings(worked.arguments), "")
    if worked is not None and asked.strip():
        call = messages[worked.call]
        yield Evidence(call.start_line, call.end_line, asked.strip().splitlines()[0][:200])
