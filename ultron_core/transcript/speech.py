"""Words by which a person corrects an agent, states a standing wish or gives a tip; English and Chinese."""

from __future__ import annotations

import re

__all__ = ["CORRECTION", "OBJECTION", "ONE_OFF", "PREFERENCE", "PROMPT", "QUESTION", "RIGHT_THING", "any_of"]


def any_of(*patterns: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """One pattern that matches where any of the given ones does."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)


#: says what is right instead
CORRECTION = any_of(
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
#: only objects; what is right comes in the next sentence
OBJECTION = any_of(
    r"^(?:no|nope|wrong|incorrect|not what i (?:asked|wanted|meant)(?: for)?)[.!,]*$",
    r"^that(?:'s| is| was) (?:wrong|incorrect|not (?:right|correct|what i (?:asked|wanted|meant)(?: for)?))[.!,]*$",
    r"^(?:不对|错了|不是这样(?:的)?|你?(?:搞|弄|理解)错了)[!。！,，]*$",
)
RIGHT_THING = any_of(
    r"^(?:please )?(?:use|put|keep|call|write|return|set|move|rename|make)\b.{6,}",
    r"^(?:it|that|this|the \w+|they|we|you)\b.{0,40}\b(?:should|must|needs? to|has to|have to)\b",
    r"\bi (?:meant|wanted|want|asked for)\b",
    r"^(?:应该?|请|要|改[用成为])\S{3,}|我(?:要|指|说)的是",
)
#: a wish that holds beyond this task
PREFERENCE = any_of(
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
#: statements about the world or a single order, in which these words carry no wish for later
ONE_OFF = any_of(
    r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bappointment\b",
    r"\b(?:i|i've|i have|it|he|she|they|there) (?:have |has |had )?(?:always|never)\b",
    r"\bflight|\breservation|\bbook(?:ing)?\b|\brefund|\bpassenger|\bbaggage|\binsurance\b|\bvoucher|\bmember(?:ship)?\b",
    r"\b(?:my|the) (?:order|ticket|seat|trip|account|card|payment)\b",
    r"\bnext time i\b|\bin (?:the )?future,? (?:i|we|it|they) (?:will|might|may|would)\b",
    r"航班|预订|订单|机票|酒店|景点|餐馆|门票|退款|地址|评分|以后再(?:说|看|聊|谈|讨论|处理|做)",
)
QUESTION = any_of(
    r"[?？]\s*$",
    r"^(?:why|how|what|can|could|do|does|did|is|are|will|would|should) (?:i|we|you|it|the|this|that)\b",
)
#: a task handed in by a program: rules of the task, not a person's wish
PROMPT = any_of(
    r"^\s*(?:<|You (?:are|will be) |Your task\b|Here is a\b|你是一[个名位]|你的任务)|^#{1,3} ",
    flags=re.MULTILINE,
)
