"""What an agent says to be so, told apart from what it plans, guesses, proposes or narrates."""

from __future__ import annotations

import re
from functools import lru_cache

from ultron_core.transcript.actions import without_code
from ultron_core.transcript.speech import HEDGE, any_of
from ultron_core.transcript.wrapped import without_line_breaks

__all__ = ["is_told", "set_in_lines", "told_lines"]

#: what an answer plans, asks or narrates, and not what was done: "To fix it, I'll pass the flag", "我将修改"
_PLAN = any_of(
    r"\b(?:i|we)(?:['’]ll| will| am (?:planning|going)|['’]m (?:planning|going|looking|thinking|considering|"
    r"investigating|exploring|gathering|examining|checking|trying|reviewing|working)|"
    r" (?:want|plan|need|should|could|might|may|can|would) )",
    r"^\W*(?:let me|let['’]?s|let us|now (?:i|let)|next\b|to (?:fix|find|see|check|understand|verify)\b|if you|"
    r"you (?:can|may|might|should|could|need)|want me|would you|please|consider\b|once\b|after you|thanks)",
    r"\b(?:shall i|should i|do you want|would you like|let me know|planning to|going to|plan was)\b",
    r"^(?:我(?:将|会|来|先|再|继续|需要|读取|打算)|让我|现在让我|接下来|首先|如果(?:你|还|仍)|你可以|建议|请|等等|"
    r"需要(?:我|再)|[A-D][.、)]|或者|也许|告诉我|后续|例如|比如|方案\s?[A-Z一二三\d]|最好)",
    r"让我(?:查看|检查|看)|你希望|要么|可以?改(?:为|成)|最安全|需要(?:在|将|把|先|再|使用|添加|修改|改)",
)
#: a guess, or a test that was written beside the cure: "It looks like the cache", "I added regression tests"
_ASIDE = any_of(
    r"\b(?:looks? like|seems?|likely|presumably|apparently|suspect\w*|might|may|could be|unclear)\b",
    r"\b(?:should|will) (?:allow|ensure|fix|resolve|now|make|help)\b",
    r"\b(?:added|adding|wrote|updated|gained|extended)\b.{0,60}\b(?:tests?|spec|suite|docs?|comments?)\b",
    r"看起来|应该是|可能|似乎",
)
#: reports only that all is well: "All tests pass", "No tests were run", "The script ran successfully"
_VOID = any_of(
    r"\b(?:all|the) (?:\d+ )?(?:\w+ )?(?:tests|checks)\b[^,]{0,30}\bpass(?:es|ed)?\b|\b(?:no|not) tests? (?:were )?run|"
    r"\btests? (?:were )?not run\b|^(?:done|verified|verification|tests?|next steps?)\b",
    r"^the (?:script|program|command|build) (?:now )?(?:ran|runs|succeed\w+)\b",
    r"^(?:验证|测试|构建|运行)[:：]?|测试(?:已|全部)?通过$",
)
#: headings of an agent's thoughts, glued to its words: "**Planning the fix****Reading files**The loop never ends."
_GLUED = re.compile(
    r"(?:\*\*[^*\n]{3,90}\*\*){2,}|(?<=[.!?。])\*\*[^*\n]{3,90}\*\*|^\*\*[^*\n]{3,90}\*\*(?=[A-Z]|- )",
    re.MULTILINE,
)
#: two sentences without a space between them: "if that persists.Tracked down the lock"
_JOINED = re.compile(r"(?<=[a-z)`]\.)(?=[A-Z][a-z]+ [a-z])")


def is_told(sentence: str) -> bool:
    """True for what is said to be so: no plan, no guess, no question."""
    return sentence[-1] not in "?？:：" and not any(s.search(sentence) for s in (_PLAN, _ASIDE, _VOID, HEDGE))


@lru_cache(maxsize=2048)  # findings, faults and accounts read the messages of one segment in turn
def told_lines(text: str) -> tuple[str, ...]:
    """The lines of an answer's prose without code, and without the headings of an agent's thoughts."""
    return tuple(line.strip() for line in set_in_lines(text))


@lru_cache(maxsize=2048)
def set_in_lines(text: str) -> tuple[str, ...]:
    """The same with the space before them."""
    prose = _JOINED.sub("\n", _GLUED.sub("\n", without_line_breaks(without_code(text))))
    return tuple(line for line in prose.splitlines() if line.strip())
