"""What a model says about a failure: its cause, and why a change cured it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import CJK, Lang, language, one_line, sentences

__all__ = [
    "LIST_MARK",
    "adds_to",
    "best_reason",
    "clip",
    "ended",
    "first_remark",
    "shared_terms",
    "talk_language",
]

#: "The build failed because pandas is not installed." / "报错是因为缺少依赖。"
_REASON = re.compile(
    r"\bbecause\b|\b(?:issue|problem|error|failure|bug|cause) (?:is|was|seems|appears|occurred|comes|"
    r"came|lies)\b|\bcaused by\b|"
    r"\bdue to\b|\bmissing\b|\binstead\b|\brequires?\b|\bneeds? to (?:be|use|have|add|install|set|"
    r"read|run)\b|\bmust (?:be|use|have)\b|"
    r"\bdoes(?:n't| not) (?:exist|support|have|accept|work|include|match)\b|\bshould (?:be|use|"
    r"have)\b|\bisn't\b|\bnot (?:installed|defined|available|found)\b|"
    r"\bwrong\b|\bincorrect(?:ly)?\b|\bfix(?:ed)? (?:by|the)\b|\bthe fix\b|\bto (?:fix|resolve|"
    r"address) (?:this|the)\b|"
    r"因为|由于|原因是|问题(?:是|在于|出在)|需要(?:先|安装|使用|改|用)|应该(?:用|是|改)|缺少|改为|"
    r"改成|修复|不支持|不存在",
    re.IGNORECASE,
)
#: openings that announce work and explain nothing: "Let me run the tests again."
_WEAK = re.compile(
    r"^(?:this (?:should|will|would)|these (?:changes|modifications)|with (?:these|this)|let me|let's|"
    r"now|i'll|i will|i'm going|next|great|good|perfect|sure|okay|ok|here(?:'s| is| are)|sorry|apolog|"
    r"好的|现在|接下来|让我|我来|抱歉|很抱歉|以下)",
    re.IGNORECASE,
)
#: words that any two sentences about errors share, and so prove nothing
_COMMON_WORDS = """
after argument arguments attribute before code does error errors failed failing fails failure false file from
have import into line module must name named names need needs none object please python return script self
should test tests that this true type undefined user value values were when will with
"""
_COMMON = frozenset(_COMMON_WORDS.split())
#: words with which an error's own line is told again: "The file could not be found."
_RESTATING_WORDS = """
column columns contain contains key named
based because case caused cause could database directory encountered failing fails failed files file found indicates
issue like likely looks message missing occurred occurring problem related running script seems some still such
suggests table that these this trying unable when with 因为 报错 错误 失败 问题 看起 起来
"""
_RESTATING = frozenset(_RESTATING_WORDS.split())
#: about a further change, not this one: "Also, the README is out of date."
_FURTHER = re.compile(r"also\b|additionally\b|in addition\b|另外|此外", re.IGNORECASE)
#: says that a change is meant to work, not why: "This change should fix the failing test."
_EMPTY = re.compile(
    r"^(?:this|these|that|the) (?:changes?|fix(?:es)?|modifications?|updates?)?\s*(?:should|will|"
    r"would|matches|updates|uses|ensures?)\b|"
    r"\bstill (?:related|failing|fails)\b|\bunrelated\b|\bnot (?:caused by|related to)\b|"
    r"^with (?:these|this)\b|\bensure(?:s|d)? that\b|\bensuring\b|"
    r"\bfail(?:ing|ed)? due to an? `?\w*Error|\bneed to (?:investigate|inspect|diagnose|"
    r"look|check)\b|"
    r"^这(?:个|些)?(?:改动|修改|变更)(?:应该|会)",
    re.IGNORECASE,
)
#: says what to do: "Import json at the top of the module."
_ACTION = re.compile(
    r"\b(?:import|install|define|add|use|using|rename|replace|remove|move|moving|set|setting|pass|"
    r"call|convert|compare|instead|"
    r"upgrade|downgrade|pin|create|declare|subclass|inherit|handle|check|modify|update|updating|"
    r"need to be|needs to be|must be|"
    r"should be|due to|caused by|because)\b|导入|安装|定义|使用|改|换|添加|删除|升级|由于|因为",
    re.IGNORECASE,
)
#: says what went wrong: "The quota of the project is used up, so the deploy failed."
_REMARK = re.compile(
    r"^(?!if\b|once\b).*(?:\b(?:errors?|failed|issue|problem|unable|missing)\b|\bnot (?:found|"
    r"available|defined|installed)\b|"
    r"\bdon't have\b|\bplaceholder\b)|错误|失败|问题|无法|没有",
    re.IGNORECASE,
)
#: "- ", "2. ", "## "
LIST_MARK = re.compile(r"^(?:[-•]|\*(?!\*)|\d+[.)、]|#+)\s*")


def talk_language(messages: Sequence[Message], position: int) -> Lang:
    """Language of the talk around a position: the nearest prose of a person or model before it."""
    for message in reversed(messages[: position + 1]):
        if message.role in ("user", "assistant") and message.origin in ("human", "model"):
            prose = without_code(message.content).strip()
            if len(CJK.findall(prose)) >= 4 or len(prose) >= 20:
                return language(prose)
    return "en"


def best_reason(
    messages: Sequence[Message], begin: int, near: int, end: int, about: str, *, action: bool = False
) -> tuple[str, int] | None:
    """The model's sentence in messages[begin:end] that best explains a failure or its cure, and where it is.

    `about` is the failure's line and what was changed. From `near` on a sentence must share a term with it.
    With `action` it must also say what to do.
    """
    terms = _terms(about)
    best: tuple[float, str, int] | None = None
    for position in range(begin, min(end, len(messages))):
        message = messages[position]
        if message.role != "assistant" or message.origin != "model":
            continue
        for sentence in sentences(without_code(message.content)):
            sentence = LIST_MARK.sub("", sentence).strip()
            rank = _rank(sentence, terms)
            if rank is None or (position >= near and not terms & _terms(sentence)):
                continue
            if action and not _ACTION.search(sentence):
                continue
            rank -= 0.1 * (position - begin)
            if rank > 0 and (best is None or rank > best[0]):
                best = (rank, sentence, position)
    return None if best is None else (best[1], best[2])


def first_remark(messages: Sequence[Message], position: int) -> str:
    """What the model says went wrong right after a failure, in the first sentences of that message, or nothing."""
    if position >= len(messages) or messages[position].role != "assistant":
        return ""
    for sentence in sentences(without_code(messages[position].content))[:3]:
        announces = sentence.endswith((":", "："))
        if (
            25 <= len(sentence) <= 300
            and _REMARK.search(sentence)
            and not (announces or _WEAK.match(sentence))
        ):
            return sentence
    return ""


def _rank(sentence: str, terms: frozenset[str]) -> float | None:
    """How well a sentence explains; None when it does not."""
    size = len(sentence) + 2 * len(CJK.findall(sentence))
    if not 25 <= size <= 420 or sentence.endswith((":", "：", "?", "？")) or not _REASON.search(sentence):
        return None
    if _EMPTY.search(sentence) or _FURTHER.match(sentence):
        return None
    rank = min(len(_REASON.findall(sentence)), 3) - (1.5 if _WEAK.match(sentence) else 0.0)
    return rank + 0.8 * min(len(terms & _terms(sentence)), 3) + (0.4 if "`" in sentence else 0.0)


def _terms(text: str) -> frozenset[str]:
    words = re.findall(r"[A-Za-z_]\w{3,}", text) + re.findall(r"['`]([A-Za-z_]\w*)['`]", text)
    words += re.findall(r"(?=([\u4e00-\u9fff]{2}))", text)
    return frozenset(word.lower() for word in words) - _COMMON


def shared_terms(sentence: str, line: str) -> int:
    """How many things a sentence names that the line names."""
    return len(_terms(sentence) & _terms(line))


def adds_to(sentence: str, line: str) -> bool:
    """False for a sentence that only says a failure's line again."""
    new = {word for word in _terms(sentence) - _terms(line) - _RESTATING if not word.startswith("test_")}
    return len(new) >= 2


def ended(sentence: str, lang: Lang) -> str:
    """The sentence with a full stop when it has no end of its own."""
    return sentence if sentence.endswith(tuple(".!?。！？…")) else sentence + ("。" if lang == "zh" else ".")


def clip(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut between words."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    cut = line[:limit]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"
