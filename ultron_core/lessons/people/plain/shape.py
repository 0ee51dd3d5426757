"""What a person says only for the moment: it asks, or passes with the work."""

from __future__ import annotations

from typing import Final

from ultron_core.lessons.people.plain.words import CLASSES
from ultron_core.transcript.speech import any_of

__all__ = ["is_passing", "may_hold", "only_asks"]

#: the classes of words of what holds for the moment only: orders to wait, praise, what is let go, and orders to make
_PASSING: Final = ("holds", "praises", "lets_go", "makes")
#: of these what a sentence opens with, e.g. `never mind, I'll use the other branch`; further in they may give the
#: reason, e.g. `no test scripts ever, I will test by hand`
_OPENING: Final = ("praises", "lets_go")
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
    found = ((name, CLASSES[name].search(sentence)) for name in _PASSING)
    return any(match and (name not in _OPENING or match.start() <= _AT_MOST) for name, match in found)


def only_asks(sentence: str) -> bool:
    return _ASKS.search(sentence) is not None and not _ASSENT.search(sentence)
