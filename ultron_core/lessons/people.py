"""What a person told the agent: corrections, standing wishes, and tips on everyday life."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.explanations import clip
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import language, one_line, sentences
from ultron_core.transcript.people import is_human
from ultron_core.transcript.speech import (
    CORRECTION,
    OBJECTION,
    ONE_OFF,
    PREFERENCE,
    PROMPT,
    QUESTION,
    RIGHT_THING,
    any_of,
)

__all__ = [
    "TECHNICAL",
    "find_corrections",
    "find_preferences",
    "find_tips",
    "is_everyday",
    "spoken",
]

#: a longer message is a pasted document, in which "always" speaks to other readers
_MAX_MESSAGE = 1500
_MAX_SENTENCE = 360
#: openings of an answer that say nothing of what was done: "Sure, ..."
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
            sentence = _correcting(message)
            if sentence:
                drafts.append(_draft("correction", sentence, message, before))
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
    prose = [
        sentence for sentence in sentences(without_code(message.content)) if len(sentence) <= _MAX_SENTENCE
    ]
    own = set(spoken(message))
    for sentence, follow in zip(prose, [*prose, ""][1:], strict=True):
        if sentence in own and CORRECTION.search(sentence) and not _is_other(sentence):
            return sentence
        both = f"{sentence} {follow}" if f"{sentence} {follow}" in message.content else f"{sentence}{follow}"
        if own and OBJECTION.match(sentence) and RIGHT_THING.search(follow) and not _is_other(follow):
            return both if both in message.content else follow
    return ""


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
        content=words[kind].format(statement=one_line(sentence)),
        context=words["instead_of"].format(statement=clip(telling[0], 200)) if telling else "",
        resolution=one_line(sentence) if kind == "correction" else "",
        tags=(kind,),
        confidence=0.75,
        memory_type="correction" if kind == "correction" else "preference",
        evidence=(Evidence(message.start_line, message.end_line, sentence[:400].strip()),),
    )


#: words of daily life, a general list: no data set was searched for them
_LIFE = re.compile(
    r"\b(?:flights?|seats?|airports?|airlines?|hotels?|trains?|restaurants?|recipes?|cook\w*|bak(?:e|"
    r"ing)|coffee|tea|sleep|exercise|"
    r"weather|luggage|baggage|visa|passport|museum|beach|supermarket|grocer\w*|parking|taxi|subway|"
    r"metro|pets?|dogs?|cats?|garden\w*|"
    r"vitamins?|headaches?|doctor|dentist|kids?|school|rent|apartment|mattress|shoes|laundry|birthday|"
    r"holiday|vacation|travel\w*|trip)\b|"
    r"航班|座位|机场|酒店|餐厅|餐馆|菜谱|做饭|煮|咖啡|睡眠|锻炼|天气|行李|签证|护照|博物馆|海滩|超市|"
    r"停车|出租车|地铁|宠物|"
    r"维生素|头痛|医生|牙医|孩子|租房|公寓|洗衣|生日|假期|旅[行游]|高铁|火车|景点|门票|外卖|快递",
    re.IGNORECASE,
)
#: words of technology, a general list
TECHNICAL = re.compile(
    r"`|\b(?:API|SQL|HTTP|JSON|CSV|Docker|git|pip|npm|Python|Java\w*|Node|Linux|server|database|"
    r"deploy\w*|commit|branch|"
    r"function|class|module|package|tests?|code|script|config\w*|container|endpoint|repository|build|"
    r"compile\w*|agent|tool|"
    r"log|cache|query|schema|thread|token|pod|cluster)s?\b|\w+_\w+|\w+\.(?:py|js|ts|json|ya?ml|toml|sql|sh)\b|"
    r"接口|代码|函数|数据库|服务器|部署|脚本|容器|测试|编译|构建|日志|缓存|查询|线程|配置",
    re.IGNORECASE,
)
#: how a tip opens
_TIP = any_of(
    r"^(?:(?:pro |travel |quick )?tip\b|fyi\b|good to know|for the record|in my experience|(?:it )?turns out)",
    r"^(?:i(?:'ve| have)? )?(?:learned|found out|discovered|noticed)(?: the hard way)? that",
    r"^(?:it(?:'s| is) (?:better|best|cheaper|faster|easier|safer|worth)|(?:don't|do not) bother|avoid)\b",
    r"^(?:if|when) you(?:'re| are)? (?:ever )?(?:fly|flying|travel|travell?ing|go|going|visit|visiting|stay|"
    r"staying|cook|cooking|drive|driving|take|taking)\b",
    r"^(?:小贴士|小提示|顺便(?:说|提)|经验(?:是|之谈)|我发现|最好(?!是|有)|千万(?:别|不要))",
    r"^如果你?(?:想|要)?(?:去|坐|买|做|吃|住).+[，,].*(?:最好|可以|记得|别|不要|建议)",
)
#: somebody's own plans, bookings, prices and dates
_OWN = any_of(
    r"\b(?:my|mine|our|me|i'd|i would|i want|i need|i am|i'm|please|could you|can you|book(?:ing|ed)?)\b",
    r"\b(?:reservation|confirmation|refund|ticket|user id|order)\b|[$€£¥]\s?\d|\b\d{1,2}(?:st|nd|rd|th)\b",
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
    r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|<[A-Z_]+>",
    r"我(?:的|们|想|要|需要|订)|帮我|请(?:帮|给|问)|订单|预订|退款|\d+\s*元|\d+月\d+日",
)
_MIN_WORDS = 30


def is_everyday(text: str) -> bool:
    """True for words about daily life that are not about technology."""
    return _LIFE.search(text) is not None and TECHNICAL.search(text) is None


def find_tips(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Tips in a person's own words about everyday life, without anything about that person."""
    drafts = []
    for message in messages:
        if not is_human(message):
            continue
        for sentence in spoken(message):
            size = len(sentence.encode())
            if size < _MIN_WORDS or not _TIP.search(sentence) or QUESTION.search(sentence):
                continue
            if _OWN.search(sentence) or not is_everyday(sentence):
                continue
            tags = ("tip",) if language(sentence) == "en" else ("tip", "生活")
            evidence = (Evidence(message.start_line, message.end_line, sentence[:400].strip()),)
            drafts.append(MemoryDraft(one_line(sentence), "", "", tags, 0.65, "life", evidence))
    return drafts
