"""Everyday facts that a person shares and that help anybody: seats, opening hours, recipes, ways to travel."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.memories.classify import is_everyday
from ultron_core.memories.rules.people import is_human, spoken
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.language import language, one_line
from ultron_core.transcript.speech import QUESTION, any_of

__all__ = ["find_tips"]

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
