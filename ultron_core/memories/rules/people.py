"""What a person told the agent: corrections and standing wishes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.rules.explanations import clip
from ultron_core.memories.rules.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import language, one_line, sentences
from ultron_core.transcript.speech import (
    CORRECTION,
    OBJECTION,
    ONE_OFF,
    PREFERENCE,
    PROMPT,
    QUESTION,
    RIGHT_THING,
)

__all__ = ["find_corrections", "find_preferences", "is_human", "spoken"]

#: a longer message is a pasted document, in which "always" speaks to other readers
_MAX_MESSAGE = 1500
_MAX_SENTENCE = 360
_WEAK = re.compile(
    r"^(?:yes|ok|good|great|sure|now|let me|i'll|you're right|好的|是的|没问题)\b", re.IGNORECASE
)


def find_preferences(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Standing wishes: "always ...", "from now on ...", "以后都...", in short messages that a person wrote."""
    return [
        _draft("preference", sentence, message, "")
        for message in messages
        if is_human(message)
        for sentence in spoken(message)
        if PREFERENCE.search(sentence) and not _is_other(sentence)
    ]


def find_corrections(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Corrections of what the agent did just before, with what it should do instead; one a message."""
    drafts = []
    before = ""
    answered = False
    for message in messages:
        if message.role == "assistant":
            answered, before = True, message.content or before
        elif answered and is_human(message):
            said = _correcting(message)
            if said:
                drafts.append(_draft("correction", said, message, before))
    return drafts


def spoken(message: Message) -> list[str]:
    """Sentences of a short message in a person's own words; none of a pasted document or a program's prompt."""
    text = message.content
    if len(text) > _MAX_MESSAGE or PROMPT.search(text):
        return []
    found = []
    for sentence in sentences(without_code(text)):
        sentence = re.sub(r"^(?:[-*•>]|\d+[.)、])\s*", "", sentence)
        if len(sentence.encode()) >= 8 and len(sentence) <= _MAX_SENTENCE and sentence in text:
            found.append(sentence)
    return found


def _correcting(message: Message) -> str:
    """The first sentence that puts something right, an objection and its next sentence together; or nothing."""
    said = [
        sentence for sentence in sentences(without_code(message.content)) if len(sentence) <= _MAX_SENTENCE
    ]
    own = set(spoken(message))
    for sentence, follow in zip(said, [*said, ""][1:], strict=True):
        if sentence in own and CORRECTION.search(sentence) and not _is_other(sentence):
            return sentence
        both = f"{sentence} {follow}" if f"{sentence} {follow}" in message.content else f"{sentence}{follow}"
        if own and OBJECTION.match(sentence) and RIGHT_THING.search(follow) and not _is_other(follow):
            return both if both in message.content else follow
    return ""


def is_human(message: Message) -> bool:
    """True for what a person wrote; a user with a name is an agent that opened a talk."""
    return message.role == "user" and message.origin == "human" and not message.name


def _is_other(sentence: str) -> bool:
    return bool(QUESTION.search(sentence) or ONE_OFF.search(sentence))


def _draft(kind: str, sentence: str, message: Message, before: str) -> MemoryDraft:
    words = PHRASES[language(sentence)]
    telling = [
        s
        for s in sentences(without_code(before))
        if len(s) >= 30 and not _WEAK.match(s) and s[-1] not in "?？:：" and s[0] not in "-*#|`>"
    ]
    return MemoryDraft(
        content=words[kind].format(said=one_line(sentence)),
        context=words["instead_of"].format(said=clip(telling[0], 200)) if telling else "",
        resolution=one_line(sentence) if kind == "correction" else "",
        tags=(kind,),
        confidence=0.75,
        memory_type="correction" if kind == "correction" else "preference",
        evidence=(Evidence(message.start_line, message.end_line, sentence[:400].strip()),),
    )
