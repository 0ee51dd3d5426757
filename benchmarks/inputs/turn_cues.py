"""What the lists of cue words would call a turn: the baseline for the classifier of human turns.

The patterns are those of `ultron_core/transcript/speech.py` and `signs.py` as they stood before the classifier was
fitted (commit f76ca1f), copied so that later changes there leave the baseline where it is.
"""

from __future__ import annotations

import re

from ultron_core.transcript.acts.reader import ACTS, Act
from ultron_core.transcript.language import sentences

__all__ = ["cue_labels"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_CORRECTS = _any(
    r"^(?:(?:oh )?no|nope|nah|wrong|not quite|actually|wait|stop)\s*[,.!:;-]\s*.*\b(?:use|should|"
    r"we (?:want|need)|put|instead|rather than|call it|keep|leave|i (?:meant|said|want(?:ed)?))\b",
    r"\b(?:don't|do not|stop) (?:us(?:e|ing)|writ(?:e|ing)|add(?:ing)?|creat(?:e|ing)|chang(?:e|ing)|mock(?:ing)?|"
    r"commit(?:ting)?|touch(?:ing)?|edit(?:ing)?)\b.{3,80}\b(?:use|instead|rather)\b",
    r"\buse\b[^.?!]{1,60}(?:\binstead of\b|\brather than\b|, not\b)|\binstead,? (?:use|call|write|put)\b",
    r"\bi (?:said|told you to|meant(?: to)?|asked (?:for|you to))\b.{0,60}\b(?:use|not|instead|only)\b",
    r"\byou (?:shouldn't have|should not have|forgot to|were supposed to|should have)\b",
    r"\byou (?:\w+ )?the wrong \w+[^.?!]{0,60}\b(?:it(?:'s| is)|should|use|is)\b",
    r"\b(?:it|that|this|the \w+) should (?:be|have been|say|return|use)\b[^.?!]{1,80}(?:, not\b|\binstead\b|"
    r"\brather than\b)",
    r"\b(?:it|that)(?:'s| is) (?:not|n't) [^.?!,]{1,60}, (?:it(?:'s| is)|but) ",
    r"^(?:不对|不是这样|错了|弄错了|不[,，]).{0,30}(?:应该?|要用|改[用成为]|请用|是)",
    r"应该(?:用|使用|改用|改成|是用|是)\S{1,40}(?:而不是|不是|不要)|而不是.{1,40}(?:请用|改用|应该)",
    r"(?:别|不要)(?:再)?(?:用|改|写|加).{1,30}[,，]\s*(?:请?用|改用|改成|要用|而是|应该)",
    r"你(?:搞|弄|理解|写|改|看)错了[,，].{4,}|我(?:说|要|指)的是.{2,40}[,，]?\s*(?:而?不是)",
    r"^(?:这个|这里|那个)?不是.{1,30}[,，]\s*(?:而)?是.{2,}",
)
_OBJECTS = _any(
    r"^(?:no|nope|wrong|incorrect|not what i (?:asked|wanted|meant)(?: for)?)[.!,]*$",
    r"^that(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct|what i (?:asked|wanted|meant)(?: for)?))[.!,]*$",
    r"^(?:不对|错了|不是这样(?:的)?|你?(?:搞|弄|理解)错了)[!。！,，]*$",
)
_RIGHT_THING = _any(
    r"^(?:please )?(?:use|put|keep|call|write|return|set|move|rename|make)\b.{6,}",
    r"^(?:it|that|this|the \w+|they|we|you)\b.{0,40}\b(?:should|must|needs? to|has to|have to)\b",
    r"\bi (?:meant|wanted|want|asked for)\b",
    r"^(?:应该?|请|要|改[用成为])\S{3,}|我(?:要|指|说)的是",
)
_STANDING = _any(
    r"^(?:(?:and|but|also|ok|okay|so|please|note|btw|hey|remember:?),? (?:please )?)?(?:always|never(?: ever)?|"
    r"from now on|going forward|in (?:the )?future|next time|as a rule)\b,?"
    r"(?! (?:mind|been|seen|had|knew|heard|again|works?|fails?))",
    r"\bfrom now on\b|\b(?:please|you (?:should|must)) (?:always|never)\b|\b(?:don't|do not) ever\b",
    r"\bi(?:'d| would)? (?:always|generally|usually|strongly|much) (?:prefer|like|want)",
    r"\bi prefer (?:you|that you|it when|short|concise|brief|simple|code|using|to use|to have|answers|responses|"
    r"small|plain|tabs|spaces)",
    r"\bi(?: would|'d)? only (?:ever )?want\b|\bi (?:don't|do not|never) ever want\b|\bi hate (?:it )?when you\b",
    r"\bi (?:want|like|need) you to (?:always|never)\b|\bmake sure (?:you|to) always\b",
    r"^(?:please )?(?:stop|no more|quit) (?:adding|using|writing|asking|apologi[sz]ing|creating|committing|putting)\b"
    r"(?! (?:it|that|this)\b)",
    r"\bwe (?:always|never) (?:use|do|commit|write|put|run|push|merge)\b",
    r"\b(?:every time|whenever|each time) (?:you|i ask)\b.{0,60}\b(?:make sure|please|should|must|run|add|use|write)\b",
    r"^(?:please )?keep (?:your |the |all )?(?:answers|replies|responses|commits|commit messages|explanations|"
    r"comments)\b.{0,40}\b(?:short|brief|concise|simple|small|in \w+)\b|^no (?:emojis?|small talk)\b",
    r"以后(?:都|请|一律|不要|每次|别|务必|回答|写|用|提交|改|统一)|从现在(?:起|开始)|今后(?:都|请|一律|不要|统一)",
    r"请(?:始终|一直|总是|每次都)|^(?:始终|永远不要|永远用|一律|每次都(?:要|用|请|先))",
    r"^每次.{1,12}(?:都要|都请|都先|前都|后都|之前都|之后都)|(?:别再|不要再)(?:用|写|加|问|改|使用|提交|添加)",
    r"我(?:更)?(?:喜欢|偏好|习惯)(?:你|用|使用|简|回答|代码)|我只(?:要|想要|接受)|默认(?:都|一律|请)?(?:用|使用)",
    r"凡是.{1,20}(?:都要|一律|必须)",
)
_ONE_OFF = _any(
    r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bappointment\b",
    r"\b(?:i|i've|i have|it|he|she|they|there) (?:have |has |had )?(?:always|never)\b",
    r"\bflight|\breservation|\bbook(?:ing)?\b|\brefund|\bpassenger|\bbaggage|\binsurance\b|\bvoucher|\bmember(?:ship)?\b",
    r"\b(?:my|the) (?:order|ticket|seat|trip|account|card|payment)\b",
    r"\bnext time i\b|\bin (?:the )?future,? (?:i|we|it|they) (?:will|might|may|would)\b",
    r"航班|预订|订单|机票|酒店|景点|餐馆|门票|退款|地址|评分|以后再(?:说|看|聊|谈|讨论|处理|做)",
)
_QUESTION = _any(
    r"[?？]\s*$",
    r"^(?:why|how|what|can|could|do|does|did|is|are|will|would|should) (?:i|we|you|it|the|this|that)\b",
)
_ACCEPTS = _any(
    r"\b(?:it|this|that|everything|all) (?:now )?(?:works|worked|is working|is fixed|passes|compiles)\b(?! but)",
    r"\bworks (?:now|great|well|perfectly|fine|for me|like a charm)\b|\blgtm\b|\bship it\b|\bthat fixed it\b",
    r"\bthat(?:'s| is| was) (?:exactly (?:what|it|right)|correct|all right)",
    r"\b(?:looks|is) (?:good|perfect|correct) (?:to me|now)\b",
    r"\b(?:problem|issue|bug|error) (?:is |was |has been )?(?:now )?(?:solved|resolved|fixed|gone)\b",
    r"可以了|搞定了?|解决了|正是我(?:想|需)要的|没问题了|好用了|能用了|跑通了|成功了",
)
_THANKS = _any(
    r"\bthanks?\b(?! but|, but)|\bthank you\b(?! but|, but)",
    r"\b(?:perfect|awesome|excellent|brilliant|fantastic|well done|nice work|great job|good job|wonderful)\b",
    r"\bthat(?:'s| is| was)? (?:all i needed|great|helpful|very helpful|interesting|good to know)\b",
    r"\bi appreciate\b|\bvery helpful\b|\bgreat[,!.]",
    r"谢谢|多谢|感谢|太好了|太棒了|完美|非常好|很好用|辛苦了|很有帮助",
)
_REJECTS = _any(
    r"^\s*(?:no|nope|nah)[,.! ]+(?!thank|that'?s (?:all|it|everything|fine|ok)|problem|worries|need|i'?m good|nothing|"
    r"it'?s (?:fine|ok)|i don'?t (?:have|think|need)|i (?:do not|just)|other|more|not (?:at|right))(?=\w)",
    r"^\s*wrong\b",
    r"\bthat(?:'s| is|'s still| is still) (?:wrong|not (?:right|correct|what|it|true)|incorrect)\b",
    r"\bnot what i (?:asked|wanted|meant|said|need)",
    r"\b(?:still|it|that|this) (?:doesn'?t|does not|didn'?t|did not|isn'?t|won'?t) (?:work|run|help|compile|fix)",
    r"\bstill (?:failing|fails|broken|wrong|the same|getting|seeing|not working|an error)\b",
    r"\byou (?:forgot|missed|broke|ignored|didn'?t (?:listen|read|do)|made a mistake|are wrong)\b",
    r"\b(?:revert|undo) (?:that|this|it|the|your|all)\b",
    r"\bi (?:already|just) (?:told|said|asked)\b",
    r"\[request interrupted by user",
    r"不对|错了|不是这(?:个|样)|不是我(?:想|要)|还是不行|还是报错|仍然(?:不|报|失败)|没有用|不行啊|你忘了|你漏了|撤销|改回去|我说(?:过|了)",
)
_PUTS_RIGHT = _any(
    r"^\s*(?:no|nope|wrong)[,.! ]+(?:it|use|the|you|this|that should|don'?t|not|do)\b",
    r"\b(?:instead of|rather than|not) [\w./-]+,? (?:use|it should|it'?s|do)\b",
    r"\b(?:should (?:be|have been|use)|use|meant) [\w./-]+,? (?:instead|not)\b",
    r"\bdon'?t (?:use|do|touch|add|write|create|change)\b",
    r"不对|不是.{1,30}而是|应该(?:用|改成)|别用|不要用|(?:请|要)(?:改|换)成",
)
_CHATTER = _any(
    r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|thanks?|thank you|ok(?:ay)?|bye|goodbye|yes|no|sure|lol|"
    r"cool|great|how are you|what'?s up|test)(?:[ ,]*(?:there|you|so much|very much|again|all|a lot|today|doing|"
    r"how are you))*\W*$",
    r"^\W*(?:你好|您好|早上好|晚上好|谢谢你?|好的?|再见|嗯|在吗|哈哈|是的|你好吗)+(?:啊|呀|吗|了|！)*\W*$",
)
_ASKS = _any(
    r"[?？]\s*$",
    r"\bplease (?:provide|confirm|tell me|let me know which|specify|add|share)\b",
    r"\bcould you (?:please )?(?:provide|confirm|clarify|tell|share)\b",
    r"请(?:提供|告诉我|确认|问|说明)",
)


def _is_rule(sentence: str) -> bool:
    return bool(
        _STANDING.search(sentence) and not _QUESTION.search(sentence) and not _ONE_OFF.search(sentence)
    )


def cue_labels(text: str) -> tuple[Act, ...]:
    """Every act whose list matches. There is no list for facts: they take what no list knows, which scores
    better than to call it an instruction."""
    said = sentences(text) or [text]
    objects = _CORRECTS.search(text) or _REJECTS.search(text) or _PUTS_RIGHT.search(text)
    found: dict[Act, bool] = {
        "objection": bool(objects) or any(_OBJECTS.match(s) for s in said),
        "rule": any(_is_rule(s) for s in said),
        "instruction": bool(_ASKS.search(text))
        or any(_QUESTION.search(s) or _RIGHT_THING.search(s) for s in said),
        "acceptance": bool(_ACCEPTS.search(text)),
        "praise": bool(_THANKS.search(text)),
    }
    labels = tuple(act for act in ACTS if found.get(act))
    return labels or (("other",) if _CHATTER.search(text) else ("fact",))
