"""The messages of an agent that may hold something to keep: their sentences, and what stands around each message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ultron_core.lessons.describe import EDIT
from ultron_core.lessons.errors.refuted import refuted_by_checks
from ultron_core.lessons.findings.answers import Part, parts_of
from ultron_core.lessons.findings.features import Heard
from ultron_core.lessons.people.turns import Turn
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.acts.moves import load_moves, read_moves

__all__ = ["Answer", "read_answers"]

#: a longer remark before a call is a report of a search: it is read when it closes a turn
_MAX_REMARK = 4_000
#: messages after which what failed is not what the agent speaks of
_NEAR_FAILURE = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """One message of the agent with its sentences; `turn` is the person's turn that it follows, `failed` says that the
    next one tells of no success, or that the next run of the same check fails as before: what was named as the cause,
    or done about it, was not it; `failure` is the telling line of what failed last before it."""

    position: int
    message: Message
    turn: Turn | None
    heard: Heard
    parts: tuple[Part, ...]
    failed: bool = False
    failure: str = ""


def read_answers(
    messages: Sequence[Message], actions: Sequence[Action], turns: Sequence[Turn]
) -> Iterator[Answer]:
    """Every message in which the agent says something, in order."""
    failed = {action.result: action.failure.line for action in actions if action.failure is not None}
    rejected, refuted = _rejected(turns), refuted_by_checks(messages, actions)
    opens = {turn.position: number for number, turn in enumerate(turns)}
    number, worked, edited, broke = -1, False, False, -1
    for position, message in enumerate(messages):
        if position in opens:
            number, worked, edited, broke = opens[position], False, False, -1
        broke = position if position in failed else broke
        if message.role != "assistant" or message.origin != "model":
            continue
        turn = turns[number] if number >= 0 else None
        closing = turn is not None and turn.answer == position and not message.tool_calls
        if message.content.strip() and (closing or len(message.content) <= _MAX_REMARK):
            following = turns[number + 1] if number + 1 < len(turns) else None
            heard = Heard(
                closing=closing,
                calls=bool(message.tool_calls),
                worked=worked,
                failed=position - 1 in failed,
                edited=edited,
                asked=turn is not None,
                last=following is None,
                accepted=following is not None and following.does("acceptance", "praise"),
                objected=turn is not None and turn.objected,
            )
            if parts := parts_of(message.content):
                failure = failed[broke] if broke >= 0 and position - broke <= _NEAR_FAILURE else ""
                wrong = number in rejected or position in refuted
                yield Answer(position, message, turn, heard, parts, wrong, failure)
        worked = worked or bool(message.tool_calls)
        edited = edited or any(EDIT.search(call.name) for call in message.tool_calls)


def _rejected(turns: Sequence[Turn]) -> frozenset[int]:
    """Places of the turns behind whose work the next one tells that it failed."""
    bounds, moves = load_moves().bounds, read_moves([turn.described for turn in turns[1:]])
    return frozenset(
        number
        for number, move in enumerate(moves)
        if move.failed >= bounds["failed"] and move.opens < bounds["opens"]
    )
