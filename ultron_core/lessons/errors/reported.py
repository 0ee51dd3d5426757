"""Errors that a person reports and the answer that explains the cure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ultron_core.lessons.describe import general_line
from ultron_core.lessons.explanations import best_reason, clip, ended, talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.language import Lang
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import clean_line, find_failure
from ultron_core.transcript.speech import any_of

__all__ = ["find_reported"]

#: a longer message is a document or a whole task
_MAX_MESSAGE = 4_000
#: the person says that it helped: "thanks, that works"
_HELPED = any_of(
    r"\bthank(?:s| you)\b|\b(?:that|it|this) (?:now )?(?:works|worked|fixed|fixes|helped|helps|solved|did it)\b|"
    r"\bworks (?:now|great|fine|well)\b|\bperfect\b|谢谢|好了|可以了|解决了|成功了|没问题了",
)
#: "still the same error" / "还是不行"
_STILL = any_of(
    r"\bstill\b|\bbut\b|\bsame (?:error|issue|problem)\b|\b(?:doesn't|didn't|not) \w+|还是|仍然|没用|不行|但"
)


def find_reported(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """One draft for each error in a person's message that the model then explains, when the person says that
    it helped. The words of the cure must name what the error names and what to do."""
    outputs = {action.result for action in actions}
    people = [i for i, m in enumerate(messages) if is_human(m) and i not in outputs]
    drafts = []
    for position, following in pairwise(people):
        draft = _explained(messages, position, following)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _explained(messages: Sequence[Message], position: int, following: int) -> MemoryDraft | None:
    message = messages[position]
    if len(message.content) > _MAX_MESSAGE:
        return None
    failure = find_failure(message.content, is_error=None)
    if failure is None or not failure.kind:
        return None
    verdict = messages[following].content[:300]
    if not _HELPED.search(verdict) or _STILL.search(verdict):
        return None
    reason = best_reason(messages, position + 1, position, following, failure.line, action=True)
    if reason is None:
        return None
    words, lang = _words(messages, position)
    evidence = (
        Evidence(message.start_line, message.end_line, failure.line.strip()),
        Evidence(messages[reason[1]].start_line, messages[reason[1]].end_line, reason[0][:400].strip()),
    )
    return MemoryDraft(
        content=words["reported"].format(line=clean_line(general_line(failure.line))),
        context=words["reported_where"],
        resolution=clip(ended(reason[0], lang), 700),
        tags=("reported", failure.kind),
        confidence=0.6,
        memory_type="error",
        evidence=evidence,
    )


def _words(messages: Sequence[Message], position: int) -> tuple[dict[str, str], Lang]:
    lang = talk_language(messages, position + 1)
    return PHRASES[lang], lang
