"""What an agent settled with a reason in the answer that closes a turn, and the person let stand."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.findings.said import statements
from ultron_core.lessons.findings.shape import setting_of, stands_alone
from ultron_core.lessons.findings.worth import worth
from ultron_core.lessons.people.causes import closing
from ultron_core.lessons.people.statements import after_second_thought, clean_statement, statement_draft
from ultron_core.lessons.people.turns import Turn, asked
from ultron_core.models import MemoryDraft, Message, Outcome
from ultron_core.transcript.speech import any_of

__all__ = ["find_settled"]

#: a change or the refusal of one, told at the beginning, e.g. `Removed the error return`, `The header moved to`,
#: `保留手动监听`
_SETTLES = any_of(
    r"^(?:\S+ ){0,7}?(?:removed|dropped|deleted|renamed|replaced|moved|reverted|kept|merged|switched|simplified|"
    r"inlined|unified|reordered|no longer|(?:does not|doesn't|don't) need)\b",
    r"^.{0,16}(?:移除|删除|改为|改成|替换|保留|统一|不再|无需)",
)
#: why: "because it could never fail", "for consistency with the others", "避免重复"
_WHY = any_of(
    r"\b(?:because|since|so that|so the|as it|instead of|rather than|for consistency|otherwise|only used|never used|"
    r"to (?:avoid|match|stay|keep|prevent)|unused|could never)\b",
    r"因为|由于|以便|避免|否则|保持一致|从而|防止",
)
#: statements of one answer, and of one segment
_OF_ANSWER, _OF_SEGMENT = 1, 3
#: a statement that is worth less says nothing that holds beyond the step (docs/people.md)
_WORTH = 0.6


def find_settled(
    messages: Sequence[Message], turns: Sequence[Turn], outcome: Outcome, project: str, work: bool
) -> list[MemoryDraft]:
    """Changes that closing answers tell with their reason; none of a task that failed."""
    if outcome == "failure" or not work:
        return []
    drafts: list[MemoryDraft] = []
    for turn in closing(messages, turns):
        answer = messages[turn.answer]
        found = [
            statement_draft(
                "decision",
                clean_statement(one.text),
                answer,
                one.quote,
                project,
                tags=("decision", "settled"),
                context=asked(turn),
                confidence=0.6,
            )
            for one in statements(after_second_thought(answer.content))
            if _SETTLES.search(one.text)
            and _WHY.search(one.text)
            and stands_alone(one.text)
            and is_told(one.quote)
            and worth(one.text, setting_of(one, answer.content)) >= _WORTH
        ]
        drafts += found[:_OF_ANSWER]
    return drafts[:_OF_SEGMENT]
