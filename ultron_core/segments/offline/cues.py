"""Words that say how a user turn relates to what came before, English and Chinese. Each is one soft feature.

What these words mean to every stage (greeting, farewell, consent, question) is in transcript/speech.py; here are
those that matter to boundaries alone.
"""

from __future__ import annotations

import re

__all__ = [
    "ANAPHORA",
    "ANNOUNCE",
    "ANSWER",
    "ANSWER_EN",
    "AWAITS",
    "CONTINUE",
    "DETAIL",
    "NEARBY",
    "OFFERS",
    "REQUEST",
]


def _words(english: str, chinese: str, *, at_start: bool = False) -> re.Pattern[str]:
    if at_start:
        return re.compile(rf"^\W*(?:(?:{english})\b|(?:{chinese}))", re.IGNORECASE)
    return re.compile(rf"\b(?:{english})\b|(?:{chinese})", re.IGNORECASE)


#: the turn answers, agrees, thanks or refuses: it belongs to what it reacts to
_ANSWERS_EN = (
    r"yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|correct|exactly|agreed|fine|great|perfect|awesome|nice|cool"
    r"|good|thanks|thank you|thx|sorry|oh|ah|hmm|wow|interesting|that'?s|that (?:is|works|sounds)|sounds|got it"
    r"|i see|alright|continue|go on|go ahead|proceed|please do|looks good|lgtm|my (?:name|email|id)"
)
#: "Yes, that works for me.", "好的，继续"
ANSWER = _words(
    _ANSWERS_EN,
    r"是的|是吗|是啊|对|不是|不用|不要|好的|好啊|好吧|好|行|可以|嗯|哦|噢|喔|啊|谢谢|多谢|感谢|没错|没问题|明白|知道了"
    r"|了解|原来|太好了|太棒|不错|听起来|听着|继续|必须的|确实|哇|真",
    at_start=True,
)

#: the same in English alone: Chinese turns go on from "好的，" to another request far more often, e.g. `OK, go
#: on`
ANSWER_EN = re.compile(rf"^\W*(?:{_ANSWERS_EN})\b", re.IGNORECASE)

#: asks for something to be done or found: "Can you find me a book?", "帮我写一段代码"
REQUEST = _words(
    r"(?:can|could|would|will) you|please|i (?:want|need|would like|wanna|am looking|have to)|i'd like|i'm looking"
    r"|let'?s|help me|find me|show me|tell me|give me|write|create|build|make|add|fix|implement|generate|calculate"
    r"|search|explain|translate|how (?:do|can|to)|what (?:is|are)|who (?:is|was)|which",
    r"请|帮我|帮忙|给我|我想|我要|我需要|想要|想找|打算|推荐|能否|能不能|可不可以|怎么|如何|什么是|计算|生成|写一|解释|翻译"
    r"|查一下|查查|找一|找个",
)

#: says that something else begins, e.g. `One more thing:`, `另外，`
ANNOUNCE = _words(
    r"another (?:thing|question|task|topic|issue|one)|new (?:task|topic|question|issue)|next (?:task|up|thing|question)"
    r"|different (?:topic|question|task|subject)|something else|one more thing|by the way|btw"
    r"|switch(?:ing)? (?:to|gears)"
    r"|moving on|unrelated|separately|on another note|change of (?:topic|subject)|now (?:let'?s|i|please|can|could)"
    r"|besides|also,? (?:i|can|could|please)",
    r"另外|接下来|换个|换一个|下一个|另一个|还有一(?:件|个)|还要|还想|再帮|再找|再给|顺便|对了|此外|除此之外|新的(?:任务|问题|话题)|然后(?:我|再|帮)"
    r"|之后|最后|同时|也想|也要",
)

#: leans on what was just said: "and is it open?", "那它呢"
ANAPHORA = _words(
    r"it|its|it'?s|that|this|these|those|they|them|their|he|she|him|her|his|there|the same|same|above|previous|earlier"
    r"|again|instead|still|the (?:first|second|third|last|other|former|latter) one|ones?",
    r"它|他|她|这|那|该|其|此|上面|刚才|之前|前面|同样|也是|还是|再次|仍|里面",
)

#: carries the same thing on: "What about the second one?", "那么第二个呢"
CONTINUE = _words(
    r"and|but|so|then|or|because|what about|how about|why|what if|which of|are there any|does|do they|is there|also",
    r"那|那么|那你|但|但是|可是|不过|所以|因为|如果|为什么|还有|呢|还|而且|并且|就|有没有",
    at_start=True,
)

#: asks for what is near the last thing; the old subject is the anchor of the new one, e.g. `anything
#: close to it?`
NEARBY = _words(
    r"nearby|near (?:it|there|here|that|the)|close to|around (?:there|here|it)|next to|surrounding|in the area",
    r"周边|附近|周围|旁边|边上|不远",
)

#: the model waits for something it needs, e.g. `Please provide your user ID.`, `请问您几位？`
AWAITS = _words(
    r"please (?:let me know|provide|confirm|tell|specify|share|choose|select|enter|give)"
    r"|let me know (?:which|what|how|when|where|who|if you(?:'d| would| want| prefer))",
    r"请(?:问|您?提供|您?告诉|您?确认|您?选择|告知)|(?:吗|呢|么)[？?]|哪[一个种家里]?[^。！]*[？?]",
)

#: the model is done and offers more: "Is there anything else I can help you with?", "还有其他问题吗？"
OFFERS = _words(
    r"anything else|something else|feel free|happy to help|glad (?:to|i could) help"
    r"|(?:further|more|other|additional) (?:\w+ )?(?:assistance|questions?|help|concerns?|requests?)",
    r"还有(?:什么|其他|别的)|(?:其他|任何|更多)的?(?:问题|需要|需求|帮助)|随时|需要(?:进一步|其他|更多)的?",
)
#: a thing of the work: a file, code, a path, a log, e.g. `main.ts`, `@README.md`, `src/app`
DETAIL = re.compile(
    r"\b[\w-]{1,100}\.[a-z]{1,5}(?![A-Za-z0-9_])|`[^`\n]{2,}`|```|@\w|\b[\w.-]{1,100}/[\w.-]+|\{\""
)
