"""What a person told the agent: corrections and standing wishes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.language import language, one_line, sentences
from ultron_core.memories.phrases import PHRASES
from ultron_core.memories.reading import without_code
from ultron_core.memories.wording import clip
from ultron_core.models import Evidence, MemoryDraft, Message

__all__ = ["find_corrections", "find_preferences"]

#: a longer message is a pasted document, in which "always" speaks to other readers
_MAX_MESSAGE = 1500
_MAX_SENTENCE = 360
_CORRECTION = re.compile(
    r"^(?:no|nope|wrong|not quite|actually)\s*[,.!:;-]\s*.*\b(?:use|should|must|we (?:want|need)|put|"
    r"instead|rather than|call it|keep|leave)\b|"
    r"\b(?:don't|do not|stop) (?:us(?:e|ing)|writ(?:e|ing)|add(?:ing)?|creat(?:e|ing)|chang(?:e|ing)|"
    r"mock(?:ing)?|commit(?:ting)?)\b.{3,80}\b(?:use|instead|rather)\b|"
    r"\buse\b[^.?!]{1,60}(?:\binstead of\b|\brather than\b|, not\b)|\bi (?:said|told you to|"
    r"meant to)\b.{0,60}\b(?:use|not|instead|only)\b|"
    r"\byou (?:shouldn't have|should not have|forgot to|were supposed to)\b|\binstead,? (?:use|call|write|put)\b|"
    r"^(?:不对|不是这样|错了|不[,，]).{0,30}(?:应该?|要用|改[用成为]|请用)|应该(?:用|使用|改用|"
    r"是用)\S{1,40}(?:而不是|不是|不要)|"
    r"不要用.{1,30}[,，]\s*(?:请?用|改用|而是)|而不是.{1,40}(?:请用|改用)|你(?:搞|弄|理解)错了[,，].{4,}",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"^(?:(?:and|but|also|ok|okay|so|please|note|btw|hey),? (?:please )?)?(?:always|never|from now on|"
    r"going forward)\b(?! (?:mind|been|seen|had|knew|heard))|"
    r"\bfrom now on\b|\bi(?:'d| would)? (?:always|generally|usually|strongly) (?:prefer|like|want)|"
    r"\bi prefer (?:you|that you|it when|short|concise|brief|simple|code|using|to use|answers|responses)|"
    r"\bi (?:want|like) you to (?:always|never)\b|\b(?:please|you (?:should|must)) (?:always|never)\b|"
    r"\bdon't ever\b|\bmake sure (?:you|to) always\b|"
    r"\bwe (?:always|never) (?:use|do|commit|write|put|run)\b|\b(?:every time|"
    r"whenever) you\b.{0,60}\b(?:make sure|please|should|must)\b|"
    r"以后(?:都|请|一律|不要|每次)|从现在(?:起|开始)|今后(?:都|请)|请(?:始终|一直|总是)|^(?:始终|"
    r"永远不要|一律|每次都要)|我(?:更)?(?:喜欢|偏好|习惯)(?:你|用|使用|简|回答|代码)",
    re.IGNORECASE,
)
#: statements about the world or a single order, in which these words carry no wish for later
_ONE_OFF = re.compile(
    r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bappointment\b|\b(?:i|i've|i have|"
    r"it|he|she|they|there) (?:have |has |had )?(?:always|never)\b|\bflight|\breservation|"
    r"\bbook(?:ing)?\b|\brefund|\bpassenger|"
    r"\bbaggage|\binsurance\b|\b(?:my|the) (?:order|ticket|seat|trip|account|card|payment)\b|"
    r"\bvoucher|航班|预订|订单|机票|酒店|景点|餐馆|门票|退款|地址|评分",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"^(?:yes|ok|good|great|sure|now|let me|i'll|you're right|好的|是的|没问题)\b", re.IGNORECASE
)
_QUESTION = re.compile(r"[?？]\s*$")


def find_preferences(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Standing wishes: "always ...", "from now on ...", "以后都...", in short messages that a person wrote."""
    drafts = []
    for message in _human(messages):
        for sentence in _spoken(message):
            if (
                _PREFERENCE.search(sentence)
                and not _QUESTION.search(sentence)
                and not _ONE_OFF.search(sentence)
            ):
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
            if (
                _CORRECTION.search(sentence)
                and not _QUESTION.search(sentence)
                and not _ONE_OFF.search(sentence)
            ):
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
        telling = [
            s for s in first if len(s) >= 30 and not _WEAK.match(s) and not s.endswith(("?", "？", ":", "："))
        ]
        context = words["instead_of"].format(said=clip(telling[0], 200)) if telling else ""
    return MemoryDraft(
        content=words[kind].format(said=one_line(sentence)),
        context=context,
        resolution=one_line(sentence) if kind == "correction" else "",
        tags=(kind,),
        confidence=0.75,
        memory_type="correction" if kind == "correction" else "preference",
        evidence=(Evidence(message.start_line, message.end_line, sentence[:400]),),
    )
