"""What a person told the agent: corrections and standing wishes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.language import language, one_line, sentences
from ultron_core.memories.reading import without_code
from ultron_core.memories.wording import PHRASES, clip
from ultron_core.models import Evidence, MemoryDraft, Message

__all__ = ["find_corrections", "find_preferences"]

#: a longer message is a pasted document, in which "always" speaks to other readers
_MAX_MESSAGE = 1500
_MAX_SENTENCE = 360
_CORRECTION = re.compile(
    r"^(?:no|nope|wrong|not quite)[,.!:; -]+.*\b(?:use|should|need|want|meant|instead|it's|it is|that's|don't|do not|not)\b|"
    r"\bthat(?:'s| is) (?:not (?:right|correct|what i|how)|wrong|incorrect)\b|"
    r"\b(?:don't|do not|stop) (?:us(?:e|ing)|do(?:ing)?|writ(?:e|ing)|add(?:ing)?|creat(?:e|ing)|chang(?:e|ing)|mock(?:ing)?|commit(?:ting)?)\b.{0,80}\b(?:use|instead|rather|but)\b|"
    r"\buse\b[^.?!]{1,60}\b(?:instead of|rather than|, not)\b|\bi (?:said|told you|meant|asked (?:you )?(?:for|to))\b|"
    r"\byou (?:should(?:n't| not)? have|forgot to|were supposed to|misunderstood|missed the)\b|\binstead,? (?:use|do|call|write|put)\b|"
    r"^(?:不对|不是这样|错了|不,|不，|不是)|应该(?:用|使用|改用|是用)|不要用.{1,30}[,，]?(?:用|改用|而是)|我说的是|我的意思是|你(?:搞|弄|理解)错了|而不是.{1,40}(?:请用|用)",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"^(?:(?:and|but|also|ok|okay|so|please|note|btw|hey),? (?:please )?)?(?:always|never|from now on|going forward|in (?:the )?future)\b(?!\s*(?:mind|been|seen|had|knew|heard|the less))|"
    r"\bfrom now on\b|\bi (?:always|generally|usually|strongly)? ?(?:prefer|like you to always|want you to always|never want|always want)\b|"
    r"\b(?:please|you (?:should|must)) (?:always|never)\b|\bdon't ever\b|\bmake sure (?:you|to) always\b|\bwe (?:always|never) (?:use|do|commit|write|put|run)\b|"
    r"\bevery time you\b|\bwhenever you\b.{0,60}\b(?:make sure|please|should|must|use|run)\b|"
    r"以后(?:都|请|一律|不要|每次)|从现在(?:起|开始)|今后|请(?:始终|一直|总是|务必总是)|^(?:始终|永远不要|一律|每次都要)|我(?:更)?(?:喜欢|偏好|习惯用)(?:你|用|使用|简|回答|代码)",
    re.IGNORECASE,
)
#: statements about the world or a single order, in which these words carry no wish for later
_ONE_OFF = re.compile(
    r"\b(?:i|i've|i have|it|he|she|they|there) (?:have |has |had )?(?:always|never)\b|\bflight|\breservation|\bbook(?:ing)?\b|\brefund|\bpassenger|"
    r"\bbaggage|\binsurance\b|\b(?:my|the) (?:order|ticket|seat|trip|account|card|payment)\b|\bvoucher|航班|预订|订单|机票|酒店|景点|餐馆|门票|退款|地址|评分",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？]\s*$")


def find_preferences(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Standing wishes: "always ...", "from now on ...", "以后都...", in short messages that a person wrote."""
    drafts = []
    for message in _human(messages):
        for sentence in _spoken(message):
            if _PREFERENCE.search(sentence) and not _QUESTION.search(sentence) and not _ONE_OFF.search(sentence):
                drafts.append(_said("preference", sentence, message, ""))
    return drafts


def find_corrections(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Corrections of what the agent did just before, with what it should do instead."""
    drafts = []
    spoken = False
    before = ""
    for message in messages:
        if message.role == "assistant":
            spoken = True
            before = message.content or before
        if not spoken or not _is_human(message):
            continue
        for sentence in _spoken(message):
            if _CORRECTION.search(sentence) and not _QUESTION.search(sentence) and not _ONE_OFF.search(sentence):
                drafts.append(_said("correction", sentence, message, before))
                break
    return drafts


def _is_human(message: Message) -> bool:
    return message.role == "user" and message.origin == "human"


def _human(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if _is_human(message)]


def _spoken(message: Message) -> list[str]:
    if len(message.content) > _MAX_MESSAGE or message.content.lstrip().startswith("<"):
        return []
    found = []
    for sentence in sentences(without_code(message.content)):
        sentence = re.sub(r"^(?:[-*•>]|\d+[.)、])\s*", "", sentence)
        if len(sentence.encode()) >= 8 and len(sentence) <= _MAX_SENTENCE and sentence in message.content:
            found.append(sentence)
    return found


def _said(kind: str, sentence: str, message: Message, before: str) -> MemoryDraft:
    lang = language(sentence)
    words = PHRASES[lang]
    context = ""
    if before:
        first = sentences(without_code(before))
        context = words["instead_of"].format(said=clip(first[0], 200)) if first else ""
    return MemoryDraft(
        content=words[kind].format(said=one_line(sentence)),
        context=context,
        resolution=one_line(sentence) if kind == "correction" else "",
        tags=(kind,),
        confidence=0.75,
        memory_type="correction" if kind == "correction" else "preference",
        evidence=(Evidence(message.start_line, message.end_line, sentence[:400]),),
    )
