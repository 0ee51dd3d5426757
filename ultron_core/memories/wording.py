"""Sentences that memories are made of, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.language import CJK, Lang, language, one_line, sentences
from ultron_core.memories.reading import without_code
from ultron_core.models import Message

__all__ = ["PHRASES", "best_reason", "clip", "first_remark", "talk_language"]

PHRASES: dict[Lang, dict[str, str]] = {
    "en": {
        "failed": "{subject} failed: {line}",
        "worked": "It worked as {subject}.",
        "arguments": "It worked once {names} had been changed.",
        "edited": "It worked after a change of {files}{change}.",
        "change": ": `{old}` became `{new}`",
        "after": "It worked after {steps}.",
        "retry": "The same call worked when it was tried again.",
        "with": "Calling {tool}.",
        "running": "Running {subject}.",
        "patching": "Editing a file{file} with a search-and-replace patch.",
        "mismatch": "A search-and-replace patch failed because its SEARCH text does not stand in the file.",
        "exact": "It worked with the old text copied exactly as it stands in the file.",
        "using": "Running Python code with {names}.",
        "code": "Running Python code.",
        "reread": "It worked after {file} had been read again.",
        "correction": "The user corrected the agent: {said}",
        "instead_of": "The agent had done it otherwise: {said}",
        "preference": "Standing wish of the user: {said}",
        "unsolved": "Not solved in this session.",
        "repeated": "{subject} failed {n} times in the same way: {line}",
        "repeated_fix": "Repeating the call unchanged did not help; change the arguments or the approach.",
        "secret": "A secret ({kind}) was shown in the output of {subject}.",
        "secret_fix": "Rotate the secret and keep it out of output and files under version control.",
        "assumed": "An agent went on with assumed or made-up data where the real data was not at hand.",
        "concluded": "A group of agents gave a wrong answer because nobody checked a conclusion against the source.",
        "unchecked": "Agents took over a conclusion that no tool had checked.",
        "unchecked_fix": "Check a conclusion against the source, by a tool or another way of working "
        "it out, before answering.",
        "left": "Agents left an error of the code they had run unsolved and went on with the task.",
        "left_fix": "Read the error, mend the code and run it again, or say that the step failed, before going on.",
        "group_run": "A run of several agents.",
        "concluded_fix": "Check a conclusion against the source, by a tool or another way of working "
        "it out, before answering.",
        "failed_run": "A run that did not reach its goal.",
        "assumed_fix": "Get the real data or say that it is missing; do not go on with placeholders.",
    },
    "zh": {
        "failed": "{subject} 失败：{line}",
        "worked": "改用 {subject} 后成功。",
        "arguments": "修改参数 {names} 后成功。",
        "edited": "修改 {files} 后成功{change}。",
        "change": "：`{old}` 改为 `{new}`",
        "after": "先执行 {steps}，之后成功。",
        "retry": "原样重试后成功。",
        "with": "调用 {tool} 时。",
        "running": "执行 {subject} 时。",
        "patching": "用查找替换补丁修改文件{file}时。",
        "mismatch": "查找替换补丁失败，因为文件中没有它的 SEARCH 原文。",
        "exact": "把文件中的原文一字不差地作为旧文本后成功。",
        "using": "运行使用 {names} 的 Python 代码时。",
        "code": "运行 Python 代码时。",
        "reread": "重新读取 {file} 之后成功。",
        "correction": "用户纠正了代理：{said}",
        "instead_of": "代理原来的做法：{said}",
        "preference": "用户的长期要求：{said}",
        "unsolved": "本次会话中没有解决。",
        "repeated": "{subject} 以同样的方式失败了 {n} 次：{line}",
        "repeated_fix": "原样重复调用没有用，应修改参数或换一种做法。",
        "secret": "{subject} 的输出中出现了密钥（{kind}）。",
        "secret_fix": "更换该密钥，不要让它出现在输出和受版本控制的文件里。",
        "assumed": "代理手头没有真实数据，却用假设或编造的数据继续。",
        "concluded": "多个代理给出了错误答案，因为没有人对照来源核实结论。",
        "unchecked": "多个代理采纳了没有任何工具核实过的结论。",
        "unchecked_fix": "回答之前用工具或另一种方法对照来源核实结论。",
        "left": "代理运行的代码出错后没有解决就继续任务。",
        "left_fix": "先读懂错误、修好代码再运行，或者说明这一步失败，然后再继续。",
        "group_run": "一次多代理任务。",
        "concluded_fix": "回答之前用工具或另一种方法对照来源核实结论。",
        "failed_run": "一次没有达到目标的任务。",
        "assumed_fix": "取得真实数据，或者说明缺少数据，不要用占位数据继续。",
    },
}

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
_WEAK = re.compile(
    r"^(?:this (?:should|will|would)|these (?:changes|modifications)|with (?:these|this)|let me|let's|"
    r"now|i'll|i will|i'm going|next|great|good|perfect|sure|okay|ok|here(?:'s| is| are)|sorry|apolog|"
    r"好的|现在|接下来|让我|我来|抱歉|很抱歉|以下)",
    re.IGNORECASE,
)
_COMMON_WORDS = """
after argument arguments attribute before code does error errors failed failing fails failure false file from
have import into line module must name named names need needs none object please python return script self
should test tests that this true type undefined user value values were when will with
"""
_COMMON = frozenset(_COMMON_WORDS.split())
#: says that a change is meant to work, not why
_EMPTY = re.compile(
    r"^(?:this|these|that|the) (?:changes?|fix(?:es)?|modifications?|updates?)?\s*(?:should|will|"
    r"would|matches|updates|uses|ensures?)\b|"
    r"^with (?:these|this)\b|\bmatches the existing code\b|\bensure(?:s|d)? that\b|\bensuring\b|"
    r"\bfail(?:ing|ed)? due to an? `?\w*Error|\bneed to (?:investigate|inspect|diagnose|"
    r"look|check)\b|\bappropriately\b|\bmore intelligently\b|\bcorrectly implemented\b|\bprevious attempt\b|"
    r"^这(?:个|些)?(?:改动|修改|变更)(?:应该|会)",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"\b(?:import|install|define|add|use|using|rename|replace|remove|move|moving|set|setting|pass|"
    r"call|convert|compare|instead|"
    r"upgrade|downgrade|pin|create|declare|subclass|inherit|handle|check|modify|update|updating|"
    r"need to be|needs to be|must be|"
    r"should be|due to|caused by|because)\b|导入|安装|定义|使用|改|换|添加|删除|升级|由于|因为",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"^(?!if\b|once\b).*(?:\b(?:errors?|failed|issue|problem|unable|missing)\b|\bnot (?:found|"
    r"available|defined|installed)\b|"
    r"\bdon't have\b|\bplaceholder\b)|错误|失败|问题|无法|没有",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^(?:[-*•]|\d+[.)、]|#+)\s*")


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
            sentence = _LIST_MARK.sub("", sentence).strip()
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
        if 25 <= len(sentence) <= 300 and _REMARK.search(sentence) and not _WEAK.match(sentence):
            return sentence
    return ""


def _rank(sentence: str, terms: frozenset[str]) -> float | None:
    """How well a sentence explains; None when it does not."""
    size = len(sentence) + 2 * len(CJK.findall(sentence))
    if not 25 <= size <= 420 or sentence.endswith((":", "：", "?", "？")) or not _REASON.search(sentence):
        return None
    if _EMPTY.search(sentence):
        return None
    rank = min(len(_REASON.findall(sentence)), 3) - (1.5 if _WEAK.match(sentence) else 0.0)
    return rank + 0.8 * min(len(terms & _terms(sentence)), 3) + (0.4 if "`" in sentence else 0.0)


def _terms(text: str) -> frozenset[str]:
    words = re.findall(r"[A-Za-z_]\w{3,}", text) + re.findall(r"['`]([A-Za-z_]\w*)['`]", text)
    words += re.findall(r"[\u4e00-\u9fff]{2}", text)
    return frozenset(word.lower() for word in words) - _COMMON


def clip(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut between words."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    cut = line[:limit]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"
