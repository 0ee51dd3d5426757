"""What a person says only for the moment: it asks, or passes with the work."""

from __future__ import annotations

import re
from typing import Final

from ultron_core.lessons.people.plain.words import CLASSES
from ultron_core.transcript.speech import any_of

__all__ = ["is_passing", "may_hold", "only_asks"]

#: the classes of words of what holds for the moment only, wherever they stand: orders to wait, and orders to make
_PASSING: Final = ("holds", "makes")
#: what stands before such an opening and says nothing, e.g. `Okay that looks good`, `oh wait, I already did it`
_FILLERS: Final = re.compile(r"^(?:(?:oh|ok(?:ay)?|wait|so|actually|that)\b[\s,]*)+", re.IGNORECASE)
#: drops what stands before it, for that mostly comes last, e.g. `The importer is slow, never mind`, `那就算了`
_DROPS: Final = any_of(r"\bnever ?mind\b", r"算了")
#: takes the work from the agent, wherever it stands, e.g. `I will fix the rows myself`, `按钮问题我来处理就行`
_TAKES_OVER: Final = any_of(
    r"\b(?:I(?:['’]ll| will|['’]m going to)|let me) [^,;!?]{1,60}\bmyself\b", r"我(?:自己)?来"
)
#: looks like these and lets nothing go: other words, who does something by a rule, and the rest of the work, e.g.
#: `对我来说`, `我来自`, `重算了`, `就算了解需求`, `提交必须由我来做`, `其余我来处理`
_GOES_ON: Final = any_of(
    r"(?:对|由|必须|别的|(?:其他|其它|其余|剩下|剩余)的?)我(?:自己)?来|我(?:自己)?来[说讲自]",
    r"[计打预运推换核结估重]算了|算了解",
)
#: holds beyond the work even where the person takes that over, e.g. `Never run migrations, I will run them myself`,
#: `always let me run them myself`, `不要自动部署，我来部署`
_STANDS: Final = any_of(r"\b(?:always|never(?! ?mind\b))\b", r"必须|不要")
#: lays down what takes the place of what was let go, e.g. `never mind the old name, the table must be called orders`;
#: not a guess: "never mind, I must have mistyped it"
_OBLIGES: Final = re.compile(r"\bmust\b(?! have\b)", re.IGNORECASE)
#: characters before praise or letting go that opens a sentence: "great, that works", "I already did it"; further in
#: they may give the reason: "no test scripts ever, I will test by hand"
_AT_MOST: Final = 8
#: asks, even where it only asks for assent, e.g. `why is that?`, `改好了吗`, `how can we check it`
_ASKS: Final = any_of(
    r"[?？]\W*$|[吗么呢]\W*$|^\W*(?:how|why|what|which|where|who|can|could|do|does|is|are|should) \w+",
    r"怎么|如何|为什么|为何|是不是|是否|有没有",
)
#: what only asks for assent at the end, e.g. `show me the test first, ok?`, `先给我看，好吗？`
_ASSENT: Final = any_of(
    r"[,，]\s*(?:ok(?:ay)?|right|yeah|yes|please|alright|got it|好吗|可以吗|行吗|对吧|好吧)\s*[?？]+\W*$"
)


def may_hold(sentence: str) -> bool:
    """Whether a sentence may say more than that something is asked, or passes with the work."""
    return not (only_asks(sentence) or is_passing(sentence))


def is_passing(sentence: str) -> bool:
    if _lets_go(sentence):
        return True
    if _opening("praises", _FILLERS.sub("", sentence)):
        return True
    return any(CLASSES[name].search(sentence) for name in _PASSING)


def _opening(name: str, sentence: str) -> re.Match[str] | None:
    """Words of a class with which a sentence opens."""
    found = CLASSES[name].search(sentence)
    return found if found and found.start() <= _AT_MOST else None


def _lets_go(sentence: str) -> bool:
    """Whether a person drops the matter, or takes it over, and no rule stands all the same: behind the words, or
    anywhere unless the matter is dropped."""
    told = _FILLERS.sub("", _GOES_ON.sub("", sentence))
    dropped = _DROPS.search(told)
    found = dropped or _opening("lets_go", told) or _TAKES_OVER.search(told)
    if found is None:
        return False
    behind = told[found.end() :]
    return not (_OBLIGES.search(behind) or _STANDS.search(behind if dropped else told))


def only_asks(sentence: str) -> bool:
    return _ASKS.search(sentence) is not None and not _ASSENT.search(sentence)
