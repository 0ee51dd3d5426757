"""How a new memory relates to a near one that it was not merged with."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["Relation", "relate"]

Relation = Literal["similar_to", "supersedes", "contradicts"]

#: words by which somebody says that what held before does not hold any more
_REPLACES = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|instead of|rather than|(?:was|were|has been|have been|got) (?:changed|"
    r"moved|replaced|renamed|removed|upgraded|downgraded|deprecated|switched)|(?:changed|moved|switched|migrated|renamed|"
    r"upgraded) (?:from|to)|from now on|as of (?:now|today|version)|used to|formerly|previously|correction|actually|"
    r"is now|are now|now (?:uses?|runs?|listens?|lives?|needs?|requires?|is|are)|replaces?|supersedes?|outdated)\b"
    r"|不再|改为|改成|改用|换成|换为|已经?(?:改|换|移|升级|迁移|弃用|废弃)|从现在起|以后都?(?:用|改|要)|更正|其实|"
    r"而不是|取代|替换为|现在(?:用|是|改|在|要|需要)|原来的?.{0,12}(?:改|换|不)",
    re.IGNORECASE,
)
#: differences that cannot both be true of one thing
_OPPOSED = frozenset({"negation", "antonym"})


def relate(old: str, new: str, difference: str | None) -> Relation:
    """`difference` is what `diverges(old, new)` found, or None.

    A newer text that diverges and says that things changed supersedes the older one. The opposite of it
    without such words contradicts it: both stay, and a reader is told. Everything else is merely similar.
    """
    if difference is None:
        return "similar_to"
    if _REPLACES.search(new) and not _REPLACES.search(old):
        return "supersedes"
    return "contradicts" if difference in _OPPOSED else "similar_to"
