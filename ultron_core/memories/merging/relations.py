"""How a new memory relates to a near one that it was not merged with."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["Relation", "relate"]

Relation = Literal["similar_to", "supersedes", "contradicts"]

_CHANGED = r"(?:changed|moved|replaced|renamed|upgraded|downgraded|deprecated|switched|migrated|removed)"
#: words by which somebody says that what used to be true no longer is. Left out are words that as often
#: speak of something else: "actually", "rather than", "instead of", "is used to",
#: a change without its outcome, 其实, 而不是, e.g. `the service now listens on 8081`, `改为 8081`
_REPLACES = re.compile(
    rf"\b(?:no longer|not\b[^.;]{{0,40}}\bany ?more|{_CHANGED} (?:from|to)|replaced (?:by|with)|"
    rf"from now on|as of (?:now|today|version)|(?<!is )(?<!are )(?<!be )(?<!was )used to|"
    r"formerly|previously|correction|(?:is|are) now (?:on|at|in|called|named|set)|now (?:uses?|runs?|listens?|lives?|"
    r"needs?|requires?|owns?|is|are)|replaces|supersedes?|outdated)\b"
    r"|不再|改为|改成|改用|换成|换为|已经?(?:改|换|移|升级|迁移|弃用|废弃)|从现在起|以后都?(?:用|改|要)|更正|"
    r"取代|替换为|现在(?:用|是|改|在|要|需要)|原来的?.{0,12}(?:改|换|不)",
    re.IGNORECASE,
)
#: a value that is given up by name, e.g. `changed from 5432`, `no longer uses`, `不再使用 Redis`
_GIVEN_UP = re.compile(
    r"(?:\b(?:changed|moved|switched|migrated|renamed|upgraded|downgraded) from|\bno longer|"
    r"\breplaces|不再(?:使用|用|是|在)?|(?:取代|替换)了?|从(?=[^，。；]{1,40}(?:改|换|迁|升级)))\s*(?P<value>[\w./\-:]*[A-Za-z0-9])",
    re.IGNORECASE | re.ASCII,
)
#: differences that cannot both be true of one thing
_OPPOSED = frozenset({"negation", "antonym"})
#: opposite words that name two things side by side rather than two states of one, e.g. `left`, `inputs`, `前端`
_SIDES = [
    tuple(re.compile(rf"\b{side}s?\b" if side.isascii() else side, re.IGNORECASE) for side in pair.split("/"))
    for pair in (
        *("left/right", "top/bottom", "internal/external", "local/remote", "input/output", "first/last"),
        *("min/max", "minimum/maximum", "indoor/outdoor", "inside/outside", "read/write", "reads/writes"),
        *("前端/后端", "输入/输出", "左/右", "内部/外部", "本地/远程", "最大/最小", "第一/最后"),
    )
]


def relate(old: str, new: str, difference: str | None) -> Relation:
    """`difference` is what `diverges(old, new)` found, or None.

    A newer text that diverges and says that things changed supersedes the older one; so does one that gives
    up by name a value that the older one states. The opposite without such words contradicts it: both stay,
    and a reader is told. Everything else is merely similar.
    """
    if _REPLACES.search(old):
        replaces = False
    else:
        replaces = _gives_up(old, new) or (difference is not None and bool(_REPLACES.search(new)))
    if replaces:
        return "supersedes"
    if difference == "antonym" and _two_sides(old, new):
        return "similar_to"
    return "contradicts" if difference in _OPPOSED else "similar_to"


def _gives_up(old: str, new: str) -> bool:
    values = {found["value"].lower() for found in _GIVEN_UP.finditer(new)}
    stated = {word.lower() for word in re.findall(r"[\w./\-:]*[A-Za-z0-9]", old, re.ASCII)}
    return bool(values & stated - {"a", "an", "the"})


def _two_sides(old: str, new: str) -> bool:
    return any(
        (one.search(old) and other.search(new)) or (other.search(old) and one.search(new))
        for one, other in _SIDES
    )
