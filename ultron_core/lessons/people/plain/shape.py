"""What a person says only for the moment: it asks, or passes with the work."""

from __future__ import annotations

import re
from typing import Final

from ultron_core.lessons.people.plain.words import CLASSES
from ultron_core.transcript.speech import any_of

__all__ = ["is_passing", "may_hold", "only_asks"]

#: the classes of words of what holds for the moment only: orders to wait, praise, what is let go, and orders to make
_PASSING: Final = ("holds", "praises", "lets_go", "makes")
#: of these what a sentence opens with: "great, that works", "I already did it"; further in they may give the reason:
#: "no test scripts ever, I will test by hand"
_OPENING: Final = ("praises", "lets_go")
#: what stands before such an opening and says nothing, e.g. `Okay that looks good`, `oh wait, I already did it`
_FILLERS: Final = re.compile(r"^(?:(?:oh|ok(?:ay)?|wait|so|actually|that)\b[\s,]*)+", re.IGNORECASE)
#: lets go wherever it stands, for that mostly comes last, e.g. `The importer is slow, never mind`,
#: `I will fix the rows myself`, `那就算了`, `按钮问题我来处理就行`; not "对我来说", "计算了",
#: nor the rest of the work: "其他的我来处理"
_LETS_GO: Final = any_of(
    r"\bnever ?mind\b|\b(?:I(?:['’]ll| will|['’]m going to)|let me) [^,;!?]{1,60}\bmyself\b",
    r"(?<![计打预运推换核结估])算了|(?<!对)(?<!其他的)(?<!其它的)(?<!别的)(?<!剩下的)我(?:自己)?来(?![说讲自])",
)
#: characters before such an opening
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
    if _LETS_GO.search(sentence):
        return True
    opened = _FILLERS.sub("", sentence)
    found = ((name, CLASSES[name].search(opened if name in _OPENING else sentence)) for name in _PASSING)
    return any(match and (name not in _OPENING or match.start() <= _AT_MOST) for name, match in found)


def only_asks(sentence: str) -> bool:
    return _ASKS.search(sentence) is not None and not _ASSENT.search(sentence)
