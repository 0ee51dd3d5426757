"""Faults in a project that the agent came upon and named, with what it says to have done about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.lessons.errors.told.accounts import find_account
from ultron_core.lessons.errors.told.asserted import is_told, told_lines
from ultron_core.lessons.explanations import LIST_MARK, clip, ended, shared_terms
from ultron_core.lessons.people.statements import clean_statement
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.language import language, sentences
from ultron_core.transcript.speech import any_of

__all__ = ["find_defects"]

#: names a fault: "Bug: missing `|| onlyStats`", "the stats are silently lost", "`reset()` is never called"
_FAULT = any_of(
    r"\bbugs?\b|\b(?:root cause|race condition|memory leak|deadlock|off-by-one|false positives?|regression)\b",
    r"\b(?:silently|incorrectly|wrongly) \w+|\bnever (?:called|calls|flush\w*|resets?|cleared|clears|closed|closes|"
    r"sets?|used|reached|awaited|passed|checked|checks)\b",
    r"(?<![A-Za-z])bug(?![A-Za-z])|缺陷|竞态|内存泄漏",
    r"(?:静默|错误地)(?:忽略|丢弃|覆盖|返回)|从未(?:调用|设置|清除|释放)",
)
#: speaks of no fault: "no bugs found", "the bug is not there", "bug reports", "I apologize, I don't see a clear bug"
_NONE = any_of(
    r"\b(?:no|any|not an?|zero|without|fewer|other|real) (?:\w+ )?bugs?\b|\bbugs? (?:is|are) (?:\*\*)?not\b|"
    r"\bbug (?:report|fix|tracker|template)|\bcatch\w* (?:real )?bugs\b|\btests?\b.{0,40}\bbugs?\b|\bissue #?\d|"
    r"\bI (?:do not|don't|can't|cannot) see\b|\bapologi[sz]e\b",
    r"没有(?:发现)?(?:bug|缺陷)|^✅",
)
#: judged to do no harm, only proposed, or a report of work: "This is harmless.", "Consider adding", "Updated `TestA`"
_MILD = any_of(
    r"\b(?:harmless|inherently|fine\b|the right behaviou?r|as (?:expected|intended)|intentional|consider|worth|"
    r"add (?:an?|the)|change to|would help|optional|nit|regression (?:tests?|guards?)|genuine|"
    r"hardening|if we do|let me|"
    r"let's|could explain|wait|you(?:'re| are) right|subtle and good|can't happen|concern|rather than being)\b",
    r"\blog \W{0,3}\w+\W{0,3} at\b|[?？]",
    r"^\W*(?:(?:i|i've) )?(?:updated|tests? added|added|done|with these|here (?:are|is)|both|expanded|now\b|"
    r"replaced|explicit|so for|inaccurate|\d+ [—–-]|one more note|the (?:previous|old) (?:version|code))",
    r"无害|没有问题|建议|考虑|吗",
)
#: says outright that it is a fault, e.g. `This is a significant bug.`
_OUTRIGHT = any_of(
    r"\bbugs?\b|\broot cause\b|\brace condition\b|\bsilently (?:ignor|drop|los|discard|swallow)\w+",
    r"bug|缺陷|竞态",
)
#: what can be looked up: "`CheckAuth(noSync)`"
_CODE = re.compile(r"`[^`]{3,120}`")
#: marks in front of an item of a review: "(33) ⚠️ ", "- (25) ❓ "
_MARK = re.compile(r"^(?:\(\d+\)|[^\w\s`*(]+|\d+[.)])\s*")
#: a shorter line names no fault, a longer one is an essay; characters that are kept
_LENGTH, _MAX_KEPT = (50, 900), 480
#: words that an account of the cure shares with the fault, so that it is about this one
_SHARED = 3
#: drafts of one segment
_MOST = 3


def find_defects(messages: Sequence[Message], project: str) -> list[MemoryDraft]:
    """At most three faults, each named with its code; the cure is the agent's word."""
    if not project:
        return []
    drafts: dict[str, MemoryDraft] = {}
    for position, message in enumerate(messages):
        if message.role != "assistant" or message.origin != "model":
            continue
        for line in _faults(message.content):
            draft = _draft(messages, position, line, project)
            drafts.setdefault(draft.content, draft)
    return list(drafts.values())[:_MOST]


def _faults(text: str) -> Iterator[str]:
    for line in told_lines(text):
        bare = LIST_MARK.sub("", line)
        if not _LENGTH[0] <= len(bare) <= _LENGTH[1] or line.startswith(("#", "|", ">")):
            continue
        if not _CODE.search(bare) or _NONE.search(bare) or _MILD.search(bare) or not _OUTRIGHT.search(bare):
            continue
        if any(_FAULT.search(sentence) and is_told(sentence) for sentence in sentences(bare)):
            yield bare


def _draft(messages: Sequence[Message], position: int, line: str, project: str) -> MemoryDraft:
    words = PHRASES[language(line)]
    source = messages[position]
    statement = clip(clean_statement(_MARK.sub("", clean_statement(_MARK.sub("", line)))), _MAX_KEPT)
    account = find_account(messages, position + 1, len(messages), line)
    evidence = [Evidence(source.start_line, source.end_line, line[:400].strip())]
    resolution = ""
    if account is not None and account.fix and shared_terms(account.fix, line) >= _SHARED:
        told = messages[account.position]
        resolution = words["account"].format(
            statement=ended(clip(clean_statement(account.fix), 400), language(line))
        )
        evidence.append(Evidence(told.start_line, told.end_line, account.fix[:400].strip()))
    return MemoryDraft(
        content=words["defect_in"].format(project=project, statement=statement),
        resolution=resolution,
        tags=("bug", "found"),
        confidence=0.6,
        memory_type="error",
        evidence=tuple(evidence),
    )
