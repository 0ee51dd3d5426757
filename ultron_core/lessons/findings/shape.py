"""A statement as numbers: what it does by its words, how it is built, and where in the agent's message it stands.

The classes of words are inputs of a fitted model (worth.json): each says what it looks for, the coefficients decide.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from ultron_core.lessons.findings.said import Said
from ultron_core.transcript.language import CJK
from ultron_core.transcript.speech import any_of

__all__ = [
    "CLASSES",
    "Setting",
    "feature_names",
    "features",
    "is_of_class",
    "points_elsewhere",
    "setting_of",
    "stands_alone",
]


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a statement was made: in the answer that closes a turn, in a list, below a heading, before a call."""

    closing: bool
    point: bool
    headed: bool
    place: int
    chars: int
    calls: bool


#: speaks of something that the statement does not hold, e.g. `This handles the case`, `它会忽略`
_POINTING = any_of(
    r"^(?:this|these|those|that|it|they|there|both|such|here|then|however|also|so|but|and|otherwise|the (?:above|"
    r"following|former|latter|fix(?: is)?:?$))\b",
    r"^(?:这|那|它|此|该|上述|以上|以下|同时|然后|但|所以|因此|其中)",
)
#: the agent speaks of itself or to somebody, e.g. `Let me look`, `Now add it`, `我来看看`
_SELF = any_of(
    r"^(?:i|i['’](?:m|ll|ve|d)|let me|let['’]s|now|next|first|we|you|please|your)\b",
    r"^(?:我|让我|现在|接下来|请|你)",
)
#: cut off, or titles that a log ran together, e.g. `the summaryUpdating the todo`, `see src/a…`
_BROKEN = re.compile(
    r"(?:\.\.\.|…|\b\w)$|[a-z][.!?][A-Z][a-z]|[a-z]{3}[A-Z][a-z]+ing\b|[a-z]\.?[\u3400-\u9fff]{2}.*[a-z]{3} "
)
#: a line of a program or of its output, e.g. `return lhs == rhs`, `"reason": "none"`
_PROGRAM = re.compile(
    r"^[\w./]*[({=]|[;{}]\s*$|^\s*(?:return|import|const|if \w+ ==|def|self)\b|^[\"']?\w+[\"']: "
)

CLASSES: Final[dict[str, re.Pattern[str]]] = {
    "pointing": _POINTING,
    "self": _SELF,
    "broken": _BROKEN,
    "program": _PROGRAM,
    # "the same", "如下"
    "points_within": any_of(
        r"\b(?:this|these|those|above|below|following|former|latter|same|previous)\b",
        r"这个|那个|上述|以上|如下|该",
    ),
    # "I found", "let me"
    "first_person": any_of(r"\b(?:i|i['’](?:m|ll|ve|d)|let me|let['’]s|my)\b", r"我(?!们)"),
    "we": any_of(r"\b(?:we|our|us)\b", r"我们"),
    "you": any_of(r"\b(?:you|your|you're)\b", r"你|您"),
    # what is still to be done: "needs to be moved", "建议改用"
    "plan": any_of(
        r"\b(?:will|going to|plan|planning|need to|needs to|should|would|could|can be|let me|let's|to fix|"
        r"to address|next step)\b",
        r"将会?|需要|应该|可以|建议|计划",
    ),
    # "seems to", "可能"
    "hedge": any_of(
        r"\b(?:likely|might|may|maybe|probably|perhaps|seems?|appears?|suspect\w*|presumably|possibly|considering|"
        r"exploring|curious|wondering|if)\b",
        r"可能|也许|似乎|如果",
    ),
    # "because", "以便"
    "reason": any_of(
        r"\b(?:because|since|so that|due to|as it|so|which means|therefore|otherwise|the reason|in order to)\b",
        r"因为|由于|所以|因此|导致|以便|避免|否则|从而",
    ),
    # what does not hold or holds alone: "never", "rather than", "只有"
    "contrast": any_of(
        r"\b(?:rather than|instead|unlike|not|never|only|cannot|can't|doesn't|don't|isn't|aren't|without|no longer|"
        r"even|always|must|except|unless)\b",
        r"不|没有|只|必须|仅|而不是|无法|总是",
    ),
    # what a part of a program does: "returns", "读取"
    "does": any_of(
        r"\b(?:returns?|calls?|uses?|maps?|reads?|writes?|stores?|loads?|holds?|handles?|controls?|requires?|"
        r"expects?|ignores?|skips?|appends?|sets?|creates?|contains?|includes?|supports?|runs?|passes|receives?|"
        r"records?|shows?|lives?|keeps?|provides?|defines?|overwrites?|overrides?|defaults?|tracks?|emits?|checks?|"
        r"prefers?|carries|depends?)\b",
        r"返回|调用|使用|读取|写入|存储|包含|支持|忽略|默认|依赖|位于",
    ),
    "is": any_of(r"\b(?:is|are|has|have)\b", r"是|有"),
    "was": any_of(r"\b(?:was|were|had|been)\b"),
    # what was done: "Moved the flag to", "已移除"
    "done": any_of(
        r"^(?:done\b|added|updated|removed|fixed|created|changed|replaced|moved|implemented|simplified|registered|"
        r"extracted|refactored|renamed|verified|accepted|now\b)",
        r"^(?:已|新增|修正|修改|更新|移除|将|添加)",
    ),
    "now": any_of(r"\bnow\b", r"现在"),
    # an order or a step: "Run the tests"
    "step": any_of(
        r"^(?:add|update|remove|fix|create|change|replace|move|implement|run|check|verify|test|extract|use|modify|"
        r"open|find|set|convert|search|access|locate|ensure|make|apply|define|also)\b"
    ),
    # nobody is named: "Returns the list", "Good handling of"
    "no_subject": any_of(
        r"^(?:returns|calls|uses|loads|reads|writes|stores|maps|falls|mirrors|follows|handles|still|only|good|well|"
        r"clear|complete|excellent|nice|graceful|simple|verifies|minimal|could|no|not)\b"
    ),
    # a review's praise: "clean", "well-named"
    "praise": any_of(
        r"\b(?:good|excellent|nice|clean|clear|clearly|complete|correct|correctly|great|well[- ]\w+|simple|solid|fine|"
        r"proper|properly|graceful|robust|ensures?|easy)\b"
    ),
    # "line 12", "main.go:40"
    "line_number": any_of(r"\blines? ~?\d|\(lines?\b|第\s*\d+\s*行|:\d+\b"),
    # a point of a report or of a plan: "Part 1 - the parser", "Conflict 3: drop it"
    "numbered": any_of(
        r"^[(（]?#?\d",
        r"^(?:part|lines?|conflict|option|step|phase|issue|problem|task|test|wp\s?\d|summary|conclusion|solution|"
        r"resolution|location|file|observation|minor|correct|note)s?\b[^.:—–-]{0,40}(?: [—–-] |[:：])",
        r"^(?:步骤|方案|问题|原因|结论|修改位置|总结)[^：:]{0,12}[：:]",
    ),
    # what is offered and not chosen: "Alternatively, merge it"
    "offer": any_of(
        r"^(?:alternatively|consider|recommended|option|suggest\w*|either|merge|drop|keep|vendor)\b",
        r"\bmy recommendation\b",
        r"^(?:建议|推荐|可选|或者)",
    ),
    "gerund": any_of(r"^\w+ing\b"),
    "tests": any_of(r"\btests?\b|测试"),
    "code_first": any_of(r"^`"),
    # "`parse()` - reads one line", "Storage: a public table"
    "defines": any_of(r"^[^.:—]{2,60}(?: [-–—] |[:：] ?|→)"),
    "arrow": any_of(r"→|->|=>"),
    "address": any_of(r"https?://|www\."),
    "parentheses": any_of(r"\("),
    "quotes": any_of(r"[\"“]"),
    "fault": any_of(
        r"\b(?:bug|error|issue|problem|fail\w*|wrong|missing|broken|crash\w*)\b", r"问题|错误|失败|报错"
    ),
    "cure": any_of(r"\b(?:fix|fixed|fixes|solution|cause[sd]?)\b", r"修复|原因|解决"),
    # about one case: "$12", "on May 3", "35%"
    "one_case": any_of(
        r"\$\d|\b\d{4}-\d\d-\d\d|\b(?:january|february|march|april|may \d|june|july|august|september|october|november|"
        r"december)\b|\d\s{0,20}%"
    ),
}
#: names in code, e.g. `` `main.go` ``
_CODE = re.compile(r"`[^`]+`")
#: e.g. `src/app.py`
_PATH = re.compile(r"[\w.-]{1,100}/[\w/.-]+")
#: features beside the classes, in their order
_BUILT = (
    "size", "names", "nameless", "chinese", "closing", "point", "headed", "place", "chars", "calls", "short", "paths",
    "does*named", "reason*named", "contrast*named", "verbless", "reason*done",
)  # fmt: skip
#: classes of which a sentence with a verb has one
_VERBS = ("does", "is", "was", "done", "plan", "contrast", "step")
#: classes of a statement that is not to be understood without its neighbours, or not for long
_LEANS = ("pointing", "self", "broken", "program", "numbered", "line_number")
#: a thing that only another sentence names, e.g. `The error is coming from that file`, `错误信息：...`
_UNNAMED = any_of(
    r"\b(?:in|from|by|of|to) (?:that|this) (?:file|function|method|line|one|component|place)\b",
    r"^\W*(?:错误信息|报错信息)",
)
#: what came on top; what was removed, moved or replaced is a choice, e.g. `Added the new example`, `新增示例`
_STEP = any_of(
    r"^(?:added|updated|created|implemented|registered|built|introduced|verified|ran)\b",
    r"^(?:已?新增|已?添加|更新)",
)
#: says why or what was amiss: what was added without either is a step of the work
_WHY = ("reason", "contrast", "cure", "now")


def setting_of(said: Said, content: str) -> Setting:
    """Of a statement in an answer that closes a turn."""
    return Setting(True, said.point, bool(said.heading), said.place, len(content), False)


def feature_names() -> list[str]:
    return [*CLASSES, *_BUILT]


def points_elsewhere(text: str) -> bool:
    """True for a statement that begins with what only its neighbours name: "This handles ..."."""
    return _POINTING.search(text) is not None


def is_of_class(name: str, text: str) -> bool:
    """Whether a class of CLASSES finds its words in `text`."""
    return CLASSES[name].search(text) is not None


def stands_alone(text: str) -> bool:
    """False for a statement that points at another or at a line, speaks of the speaker, is cut off, or only reports
    what was added."""
    if any(is_of_class(name, text) for name in _LEANS) or _UNNAMED.search(text):
        return False
    return _STEP.match(text) is None or any(is_of_class(name, text) for name in _WHY)


def features(text: str, setting: Setting) -> list[float]:
    """In the order of `feature_names`."""
    chinese = len(CJK.findall(text))
    size = len(text) + 2 * chinese
    names = len(_CODE.findall(text))
    found = {name: float(pattern.search(text) is not None) for name, pattern in CLASSES.items()}
    named = float(names > 0)
    return [
        *found.values(),
        math.log(size / 120),
        min(names, 4) / 2,
        1 - named,
        float(chinese > 5),
        float(setting.closing),
        float(setting.point),
        float(setting.headed),
        min(setting.place, 40) / 20,
        math.log(max(setting.chars, 50) / 1000),
        float(setting.calls),
        float(size < 70),
        len(_PATH.findall(text)) / 2,
        found["does"] * named,
        found["reason"] * named,
        found["contrast"] * named,
        float(not any(found[name] for name in _VERBS)),
        found["reason"] * max(found["done"], found["now"]),
    ]
