"""Loops of groups of agents: the same request again and again, a check that repeats the work, a list of hits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ultron_core.lessons.groups.statements import Place
from ultron_core.models import Message
from ultron_core.transcript.actions import Action, first_line

__all__ = [
    "find_empty",
    "find_observations",
    "find_repeated_request",
    "find_same_check",
    "hit_line",
    "is_empty",
]

_WORD = re.compile(r"[^\W\d_]{4,}|\d+|[\u4e00-\u9fff]")
_MIN_REQUEST, _MAX_REQUEST = 30, 700
#: words that a repetition and the first request have in common, of all words of both
_SAME_REQUEST = 0.5
_ASKED_TIMES = 3
#: code, data and what a program prints
_NO_REQUEST = re.compile(r"```|^\s*[{\[<]|\w*Warning:|Traceback \(", re.MULTILINE)
#: what a request is about: a name, something quoted, a number
_NAME = re.compile(r"(?<![.!?。] )\b[A-Z][\w-]+|'[^']{3,60}'|\"[^\"]{3,60}\"|\d+")
#: this many names fewer, and none new: a list is being worked through
_WORKED_OFF = 3
_SAME_CODE = 0.85
#: a page of hits, as search engines and search tools show it: "Search Result 1: Komo Mai Drive", "Results 1-10 of
#: 2,300", "[next](https://www.bing.com/search?q=home)", "[1] A title" with its address below
_HIT_LIST = re.compile(
    r"\bresults? 1\s*(?:[-–:]|to\b|of\b)|\]\(https?://[\w.]*(?:bing|google|duckduckgo|baidu|sogou|yahoo|brave)\.[a-z.]+/[^)\s]*[?&]"
    r"(?:q|wd|p|query)=|^\s*\[\d+\] .+\n\s*https?://",
    re.IGNORECASE | re.MULTILINE,
)
#: a page shown in a message has links: "[Home](https://example.org/)"
_LINK = re.compile(r"https?://\S+")
_PAGE_CHARS = 400
#: "exitcode: 0 (execution succeeded)", "Code output:", "Program output: ", "stdout:"
_STATUS_LINE = re.compile(r"^(?:exit ?code:?.*|(?:\w+ )?output:|stdout:|stderr:)\s*", re.IGNORECASE)
#: "[]", "None", "Empty DataFrame ..."
_NOTHING = re.compile(
    r"^(?:(?:\[\s*\]|\{\s*\}|\(\s*\)|none|null|nan|''|\"\"|no results?(?: found)?\.?|"
    r"empty dataframe\b.*|未找到.{0,12}|没有(?:找到)?结果。?)\s*)+$",
    re.IGNORECASE | re.DOTALL,
)


def find_repeated_request(messages: Sequence[Message]) -> list[Place]:
    """A request that one agent makes three times in a row in nearly the same words: first, reply, third."""
    by_name: dict[str, list[int]] = {}
    for position, message in enumerate(messages):
        if message.role == "assistant" and message.name and _is_request(message.content):
            by_name.setdefault(message.name, []).append(position)
    series = [s for asked in by_name.values() if (s := _first_series(messages, asked))]
    if not series:
        return []
    first, last = min(series)
    reply = next((i for i in range(first + 1, last) if _shows(messages[i])), None)
    positions = [first, *([reply] if reply is not None else []), last]
    return [(i, first_line(messages[i].content)) for i in positions]


def find_same_check(actions: Sequence[Action]) -> list[tuple[Action, Action]]:
    """Code that was run a second time all but unchanged and gave the same: a check that checks nothing."""
    ran = [a for a in actions if a.tool == "code" and a.failure is None and _result(a.output)]
    return [
        (one, other)
        for one, other in pairwise(ran)
        if _result(one.output) == _result(other.output) and _alike(one.text, other.text) >= _SAME_CODE
    ]


def find_empty(actions: Sequence[Action]) -> Action | None:
    """The first script that was to print something and came back empty."""
    return next((a for a in actions if a.failure is None and a.tool == "code" and is_empty(a)), None)


def is_empty(action: Action) -> bool:
    """True when a script that prints printed nothing, or an empty value."""
    shown = _result(action.output)
    return "print(" in action.text and (not shown or _NOTHING.match(shown) is not None)


def find_observations(messages: Sequence[Message]) -> list[int]:
    """Positions where something from outside was shown: tool output, or a page in an agent's message."""
    return [i for i, m in enumerate(messages) if _shows(m)]


def hit_line(message: Message) -> str:
    """The line that shows that a message is a page of search hits, which is no source by itself; else empty."""
    found = _HIT_LIST.search(message.content)
    if found is None:
        return ""
    begin = message.content.rfind("\n", 0, found.start()) + 1
    return first_line(message.content[begin:])


def _shows(message: Message) -> bool:
    text = message.content
    if message.role == "tool":
        return bool(_result(text))
    if message.role != "assistant":
        return False
    return bool(message.tool_calls) or (len(text) >= _PAGE_CHARS and _LINK.search(text[:1000]) is not None)


def _result(output: str) -> str:
    """Output without lines that only tell its status."""
    lines = [_STATUS_LINE.sub("", line.strip()) for line in output.splitlines()]
    return "\n".join(line for line in lines if line)


def _is_request(text: str) -> bool:
    return _MIN_REQUEST <= len(text) <= _MAX_REQUEST and _NO_REQUEST.search(text) is None


def _first_series(messages: Sequence[Message], asked: Sequence[int]) -> tuple[int, int] | None:
    """First and third position of three requests in a row that say the same as the first."""
    for start in range(len(asked) - _ASKED_TIMES + 1):
        run = asked[start : start + _ASKED_TIMES]
        if all(_asks_same(messages[run[0]].content, messages[i].content) for i in run[1:]):
            return run[0], run[-1]
    return None


def _asks_same(first: str, later: str) -> bool:
    """Nearly the same words, and not the next item of a list."""
    if _alike(first, later) < _SAME_REQUEST:
        return False
    names, others = set(_NAME.findall(first)), set(_NAME.findall(later))
    quoted = {name for name in names | others if name[0] in "'\""}
    if quoted & names and quoted & others and not quoted & names & others:
        return False
    return not (others < names and len(names - others) >= _WORKED_OFF)


def _terms(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _alike(one: str, other: str) -> float:
    left, right = _terms(one), _terms(other)
    return len(left & right) / max(len(left | right), 1)
