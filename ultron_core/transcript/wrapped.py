"""Lines that only the width of a window broke, as in text copied from a terminal.

A person's lines may be a list of remarks: they go on only where they end within a sentence.
"""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["BREAK", "unwrapped"]

#: stands for such a break: white space that ends no line, so that the text can be found in its message again
BREAK = "\u2028"
#: characters of a line that is too long for a list of short remarks; a Chinese one is twice as wide
_LONG = {"en": 60, "zh": 30}
#: ends within a sentence, e.g. `in a pending state and update the`, `安装必要的套件：requests,`
_OPEN = re.compile(
    r"(?:[,，、]|\b(?:an?|the|of|to|and|or|in|on|at|for|with|by|from|that|is|are|be|this|its|as))$",
    re.IGNORECASE,
)
#: goes on with a sentence, e.g. `progress of the campaign`, `并更新进度`
_GOES_ON = re.compile(r"(?P<en>[a-z])|(?P<zh>[\u3400-\u9fff])")


def unwrapped(text: str) -> str:
    """The text with BREAK in the place of every line break within a sentence; as long as before."""
    if BREAK in text:
        return text
    lines = text.split("\n")
    told = lines[0]
    for line, following in pairwise(lines):
        told += (BREAK if _is_broken(line, following) else "\n") + following
    return told


def _is_broken(line: str, following: str) -> bool:
    goes_on = _GOES_ON.match(following)
    if goes_on is None or goes_on.lastgroup is None:
        return False
    return len(line) >= _LONG[goes_on.lastgroup] and _OPEN.search(line.rstrip()) is not None
