"""Calls that a person refused with words of their own: what the agent was not to do itself, or not again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import describe_subject
from ultron_core.lessons.explanations import clip
from ultron_core.lessons.people.statements import phrase, word_count
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import CJK, language, one_line
from ultron_core.transcript.speech import QUESTION, any_of

__all__ = ["find_stop"]

#: the mark of a harness that a call was refused: "[Request interrupted by user for tool use]"
_AT_A_CALL = re.compile(r"^\[request interrupted by user for tool use", re.IGNORECASE)
#: why the call was not wanted, e.g. `NO, just tell me the commit message`, `I ran it, it's there`, `the inversions have
#: already been done`, `不用，我自己来跑`
_DECLINES = any_of(
    r"^\W*(?:no|nope|don't|do not|stop|never)\b|\b(?:already|just (?:tell|give|show|answer|print|write)|myself)\b|"
    r"\bi(?:'ve| have| will|'ll)? (?:ran|run|did|do|done|built|build|tested|test|pushed|push|committed|commit)\b",
    r"^(?:不|别|停)|已经|我(?:自己)?来|我(?:自己)?(?:跑|运行|测试|提交)|只(?:要|需)",
)
#: fewer words, in Chinese characters, say nothing: "no", "stop it"
_MIN_WORDS = {"en": 4, "zh": 6}
#: messages before the turn in which the refused call and the mark stand
_REACH = 4
#: characters of the order that is quoted
_MAX_ORDER = 200
#: what a person does not want run may hold for this step alone
_CONFIDENCE = 0.65


def find_stop(
    messages: Sequence[Message], actions: Sequence[Action], turns: Sequence[Turn], at: int, project: str
) -> MemoryDraft | None:
    """The command that turn `at` refused, with the person's reason and the order that the agent was on."""
    turn = turns[at]
    action = _refused(messages, actions, turn)
    if at and action is not None and turns[at - 1].position > action.result:
        return None  # an earlier turn answered the call
    told = next(iter(own_sentences(turn.message)), "")
    if action is None or not told or QUESTION.search(told) or not _DECLINES.search(told):
        return None
    if word_count(told) < _MIN_WORDS["zh" if CJK.search(told) else "en"]:
        return None
    statement = one_line(told)
    lang = language(statement)
    order = one_line(" ".join(own_sentences(turns[at - 1].message))) if at else ""
    return MemoryDraft(
        content=phrase(
            "stopped",
            statement,
            project,
            subject=describe_subject(messages, action, lang),
            statement=statement,
        ),
        context=PHRASES[language(order)]["asked"].format(statement=clip(order, _MAX_ORDER)) if order else "",
        tags=("correction", "refused-call"),
        confidence=_CONFIDENCE,
        memory_type="correction",
        evidence=(Evidence(turn.message.start_line, turn.message.end_line, told[:400].strip()),),
    )


def _refused(messages: Sequence[Message], actions: Sequence[Action], turn: Turn) -> Action | None:
    """The command right before the turn, when its result or the harness's mark says that it was refused."""
    near = [a for a in actions if turn.position - _REACH <= a.result < turn.position]
    if not near or command_of(near[-1]) is None:
        return None
    marked = any(_AT_A_CALL.match(m.content) for m in messages[near[-1].result + 1 : turn.position])
    return near[-1] if marked or near[-1].outcome == "refused" else None
