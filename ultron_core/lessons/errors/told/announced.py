"""Causes that the agent announces or labels as such: "Found the issue. ...", "**原因**：...", "Conclusion: ..."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ultron_core.lessons.errors.told.asserted import is_told, told_lines
from ultron_core.lessons.errors.told.specific import verbatim, whole
from ultron_core.lessons.explanations import LIST_MARK
from ultron_core.lessons.people.statements import clean_statement, has_detail
from ultron_core.models import Message
from ultron_core.transcript.language import CJK, sentences
from ultron_core.transcript.speech import any_of

__all__ = ["RESTATES", "Announced", "announced_cause", "found_it", "last_announced"]

#: says that the cause is known now, and not yet which: "Found the issue.", "Now I understand what's happening!",
#: "I can see the issue now.", "Aha!", "我发现了问题所在。", "找到问题原因了！"
_FOUND = any_of(
    r"\b(?:found|see|identified|understand|know|figured out|spotted|pinpointed|discovered|located)\b[^.!?]{0,30}\b(?:"
    r"(?:issue|problem|cause|bug|culprit|error)\b|what(?:['’]s| is| was) (?:happening|wrong|going)|why\b|"
    r"full picture)",
    r"^(?:found it|aha)\b",
    r"(?:找到|发现|明白|看到|定位到|知道)了?[^。！？]{0,8}(?:问题|原因|根源|症结)",
)
#: a label in front of the cause or over it: "**原因**：...", "Root cause:", "## 结论：...", "### 根本原因"
_LABEL = re.compile(
    r"^\W{0,12}(?:\d[.、)]\s*)?(?:(?:the )?(?:root |actual |real |underlying )?cause|conclusion|diagnosis|reason|"
    r"why it fails|what (?:was|went|is) wrong|根本原因|原因(?:分析)?|结论|根因|问题(?:原因|根源|所在))"
    r"\s{0,4}(?:\*\*)?\s{0,4}(?:[:：]\s*(?:\*\*)?|\W*$)\s*",
    re.IGNORECASE | re.MULTILINE,
)
#: tells outright why something fails, wherever it stands: "`deploy` failed because there is no terminal to prompt in",
#: "The errors are due to old signatures of `addItem`", "构建失败是因为 `pom.xml` 声明了不存在的模块"
_FAILS_FOR = any_of(
    r"\b(?:fail(?:s|ed|ing|ure|ures)?|errors?|crash(?:es|ed)?|hangs?|breaks?|broke|blocked|rejected|refused)\b[^.]{0,60}"
    r"\b(?:because|due to|caused by)\b",
    r"(?:失败|报错|出错|崩溃|卡住|错误|被拒绝)[^。]{0,16}(?:因为|由于|源于|原因是)",
    r"(?:因为|由于)[^。]{2,80}(?:失败|报错|出错|崩溃|卡住)",
)
#: what such a sentence says: a reason, what is missing, or what is not so, e.g. `there's no wrapper`, `缺少 bucket`
_FAULT = any_of(
    r"\b(?:because|since|due to|missing|without|no|not|never|only|but|wrong|incorrect|instead of|rather than|before|"
    r"mismatch|already|still|lacks?|skips?|ignores?|fails?|overrid\w+|breaks?)\b|n['’]t\b",
    r"\bthe (?:\w+ )?(?:issue|problem|cause|bug|error|reason) (?:is|was|lies)\b",
    r"因为|由于|导致|没有|缺少|未|不|而是|才会|错误|只",
)
#: what is announced after it, e.g. `Let me fix it`, `To fix this properly`, `我们需要修改`
_NEXT = any_of(
    r"^(?:let me|let['’]s|i['’]ll|i will|we need|we should|you need|to \w+ (?:this|it|that)\b|now\b|the fix|fix:|"
    r"in other words)",
    r"^(?:让我|我(?:们)?(?:需要|来|将|会)|现在|需要|解决)",
)
#: a guess all the same, e.g. `理论上应该被加载`, `最可疑的是`, `in theory`
_GUESS = any_of(r"\b(?:in theory|theoretically|most suspicious|my guess)\b", r"理论上|可疑|怀疑")
#: the error once more, what it leads to, and papers about it: "错误信息：...", "Impact: ...", "Updated CHANGELOG.md"
RESTATES = any_of(
    r"^\W*(?:error message|symptoms?|impact|错误信息|报错信息|症状|现象|影响)\W{0,4}[:：]|"
    r"\b(?:CHANGELOG|README|TROUBLESHOOTING)\b"
)
#: sentences after the announcement in which the cause is told
_WITHIN = 6
#: a shorter sentence names no cause (in bytes), a longer one is a paragraph
_LENGTH = (30, 420)
#: of a longer message the end is read, as of other answers
_MAX_MESSAGE = 8_000


@dataclass(frozen=True, slots=True)
class Announced:
    """`text` is the cause in one or two sentences; `quote` stands in the message at `position`."""

    text: str
    quote: str
    position: int


def found_it(sentence: str) -> bool:
    """True for a sentence that says that the cause is known now, and not yet which."""
    return _FOUND.search(sentence) is not None


def last_announced(messages: Sequence[Message], begin: int, end: int) -> Announced | None:
    """The last cause that the agent announces in messages[begin:end]: what it found later puts the earlier right."""
    for position in range(min(end, len(messages)) - 1, begin - 1, -1):
        message = messages[position]
        if message.role == "assistant" and message.origin == "model":
            found = announced_cause(message.content)
            if found is not None:
                return Announced(found[0], found[1], position)
    return None


@lru_cache(maxsize=2048)  # reports and causes read the messages of one segment in turn
def announced_cause(content: str) -> tuple[str, str] | None:
    """The cause that a message announces or labels, and the words of it that stand there."""
    content = content[-_MAX_MESSAGE:]
    if not (_FOUND.search(content) or _LABEL.search(content)):
        return _outright(content) if _FAILS_FOR.search(content) else None
    waits = 0
    for line in told_lines(content):
        label = _LABEL.match(line)
        if label and not waits:
            waits, line = _WITHIN, line[label.end() :]
        elif line.startswith("#"):
            continue
        first = ""
        told = [LIST_MARK.sub("", sentence.strip()).strip() for sentence in sentences(line)]
        for place, bare in enumerate(told):
            if _FOUND.search(bare):
                waits = _WITHIN
                continue
            if not waits or len(bare.encode()) < _LENGTH[0]:
                continue
            waits -= 1
            if not _tells(bare):
                waits = 0 if _NEXT.search(bare) else waits
                continue
            quote = verbatim(bare, content)
            if not quote:
                continue
            text = f"{first} {clean_statement(whole(told, place, line))}".strip()
            if has_detail(bare) or (CJK.search(bare) and not first):
                return text, quote
            first = text
    return _outright(content)


def _outright(content: str) -> tuple[str, str] | None:
    """The first sentence that says of a failure what it comes from, with what goes on from it."""
    for line in told_lines(content):
        if not _FAILS_FOR.search(line) or line.startswith("#"):
            continue
        told = [LIST_MARK.sub("", sentence.strip()).strip() for sentence in sentences(line)]
        for place, bare in enumerate(told):
            if not (_FAILS_FOR.search(bare) and has_detail(bare) and _tells(bare)):
                continue
            quote = verbatim(bare, content)
            if quote:
                return clean_statement(whole(told, place, line)), quote
    return None


def _tells(sentence: str) -> bool:
    """Says what is amiss or why; no plan, guess, question or step."""
    if not (_LENGTH[0] <= len(sentence.encode()) and len(sentence) <= _LENGTH[1]):
        return False
    return (
        _FAULT.search(sentence) is not None
        and not any(shape.search(sentence) for shape in (_NEXT, _GUESS, RESTATES))
        and is_told(sentence)
    )
