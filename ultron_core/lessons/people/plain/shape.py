"""How a plain wish, decision or fact is put, and what only passes with the work."""

from __future__ import annotations

from typing import Final

from ultron_core.lessons.people.plain.words import CLASSES
from ultron_core.transcript.speech import any_of

__all__ = ["is_formed", "is_passing", "may_hold", "only_asks"]

#: forbids at the start, e.g. `don't touch vendor/`, `no emojis in logs`, `we must not log tokens`, `不要动后端`
_FORBIDS: Final = any_of(
    r"^(?:\W|please |and |but |also |so |just |ok,? |no,? )*(?:don['’]?t|do not|never|no more|stop|avoid|"
    r"we (?:should ?n['’]?t|should not|do not|don['’]?t|never|must not))\b",
    r"^(?:\W|ok,? |and |but |also )*no (?!one\b|idea|problem|worries|change|difference|(?:i|you|it|the|we|this|that|"
    r"need|more)\b)\w+ \w+",
    r"^(?:请|但|也|你|另外|注意)?[,，]?(?:不要|别(?!的|人)|不许|不准|不能|禁止|不得)",
)
#: one of these shapes puts what holds on; a sentence without any tells of the moment
_FORMS: Final = any_of(
    # a need denied: "we don't need pages", "no need to ask"
    r"\b(?:i|we|you) (?:don['’]?t|do not) (?:need|want)\b|\bno need (?:to|for)\b|\bdon['’]?t need (?:you )?to\b",
    # takes, keeps or drops at the start: "use zod", "let's drop redis", "ok we'll keep sqlite"
    r"^(?:\W|please |and |but |also |so |just |ok,? |no,? |yes,? |let['’]?s |we(?:['’]ll| should| will)? |"
    r"i(?:['’]d| would) (?:like|rather) (?:to )?)*(?:use|using|keep|stick|go with|drop|leave|prefer|remove|replace|"
    r"store|switch)\b",
    # how it has to be: "ids must be unique", "only admins see it"
    r"\b(?:only|should|must|supposed to|needs? to|ha(?:s|ve) to)\b",
    r"\b(?:all|every|each|any|always)\b.{0,60}\b(?:must|should|need|have to|has to|use|be)\b",
    # how things are: "the backend runs on 8081", "we have two apps"
    r"\b(?:we|our|this project|the project|this repo|this is an?|the (?:app|backend|server|site|api))\b.{0,30}"
    r"\b(?:is|are|use[sd]?|have|has|runs?|lives?)\b",
    # the same in Chinese: "不需要分页", "就用方案二", "所有接口都要鉴权", "我们用的是 pnpm"
    r"(?:不需要|不用|没必要|无需)(?!了)",
    r"只(?:能|要|用|需|允许|保留)|仅|应该|应当|需要|必须|(?:所有|全部|任何|每个|统一|一律).{0,30}(?:都|要|必须|需要|用|改)",
    r"^(?:那)?(?:就|还是|统一|直接|一律|改)?(?:用|使用|采用|保留|放在|改用|改为|换成)",
    r"我们(?:的|用|有|是|目前|现在)|(?:这个|该|本)?项目(?:是|用|使用|有)|"
    r"(?:服务器|后端|前端|数据库|环境|接口)(?:是|用|在|有|为)",
)
#: the classes of words of what holds for the moment only: orders to wait, praise, what is let go, and orders to make
_PASSING: Final = ("holds", "praises", "lets_go", "makes")
#: and, where no rule speaks for it, steps of the work and the look of a page
_STEPS: Final = ("steps", "looks")
#: asks, even where it only asks for assent, e.g. `why is that?`, `改好了吗`, `how can we check it`
_ASKS: Final = any_of(
    r"[?？]\W*$|[吗么呢]\W*$|^\W*(?:how|why|what|which|where|who|can|could|do|does|is|are|should) \w+",
    r"怎么|如何|为什么|为何|是不是|是否|有没有",
)
#: what only asks for assent at the end, e.g. `show me the test first, ok?`, `先给我看，好吗？`
_ASSENT: Final = any_of(
    r"[,，]\s*(?:ok(?:ay)?|right|yeah|yes|please|alright|got it|好吗|可以吗|行吗|对吧|好吧)\s*[?？]+\W*$"
)


def is_formed(sentence: str) -> bool:
    """Whether a sentence is put like a wish, a decision or a fact, and not like a step, a question or a remark."""
    forbids = _FORBIDS.search(sentence) is not None
    if not (forbids or _FORMS.search(sentence)) or not may_hold(sentence):
        return False
    return forbids or not any(CLASSES[name].search(sentence) for name in _STEPS)


def may_hold(sentence: str) -> bool:
    """Whether a sentence may say more than that something is asked, or passes with the work."""
    return not (only_asks(sentence) or is_passing(sentence))


def is_passing(sentence: str) -> bool:
    return any(CLASSES[name].search(sentence) for name in _PASSING)


def only_asks(sentence: str) -> bool:
    return _ASKS.search(sentence) is not None and not _ASSENT.search(sentence)
