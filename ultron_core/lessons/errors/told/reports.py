"""What a person says is wrong: an error that they paste, or a fault in their own words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ultron_core.lessons.errors.recurring import tells
from ultron_core.lessons.explanations import LIST_MARK
from ultron_core.lessons.people.statements import clean_statement, has_detail, names_a_thing, without_opening
from ultron_core.lessons.people.turns import own_sentences
from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import CJK
from ultron_core.transcript.protocol import FENCE
from ultron_core.transcript.results.failures import clean_line, read_result
from ultron_core.transcript.results.telling import Failure, telling_line
from ultron_core.transcript.speech import any_of
from ultron_core.transcript.terminals import SHELL_PROMPT

__all__ = ["Report", "find_reports", "is_described", "is_issue"]

#: says that something is wrong: "there's an issue in that the folder goes away", "works for `poem` but not for ..."
_TROUBLE = any_of(
    r"\b(?:bug|issue|problem|error|broken|wrong|incorrect(?:ly)?|fails?|failed|failing|crash\w*|hangs?|silently|"
    r"missing|stale|garbled|garbage|confusing|unexpected(?:ly)?|still (?:see|get|show)\w*)\b",
    r"\b(?:doesn't|does not|don't|isn't|is not|aren't|won't|didn't|can't|cannot|no longer|never) \w+",
    r"报错|错误|不对|失效|没有(?:生效|反应|变化|办法|显示|出现|渲染|作用)|无法|不(?:能|会|再|显示|起作用)|丢失|问题|(?<![A-Za-z])bug(?![A-Za-z])|失败",
)
#: asks or plans rather than reports: "what happens if it fails?", "make sure the tests don't fail"
_ASKS = any_of(
    r"[?？]\s*$|^(?:that|they|we (?:don't |do not )?(?:want|need)|we are missing|you|let|run|ignore|if|see|read|"
    r"missing|use|here|to (?:solve|fix)|can|could|would|should|what|why|how|is|are|do|does|did|make sure|please|let's|"
    r"add|write|create|implement|update|review|don't|do not|never|no|there (?:is|are) no|the comment|in the|it)\b",
    r"^this\b(?! (?:output|error|message|test|page|command|file|function|script)\b)",
    r"^(?:请|帮|不要|别|你|我(?:只|想|需|要|希望|打算)|确保|如果|还有)|(?:吗|呢)[。.!！]*$|这是什么(?:问题)?$",
)
#: the wish around a report: "帮我修复一下这个问题，代码不会渲染了", "..., 这是为什么", "..., what should we do?"
_WISH = re.compile(
    r"^(?:请)?(?:帮我?|麻烦)(?:修复|解决|看)[^，,]{0,12}[，,]\s*|^(?:我)?(?:发现|感觉|注意到)(?:了|到)?[，,]?\s*|"
    r"[，,]?\s{0,20}(?:(?:请问)?(?:这|那)?(?:是)?(?:为什么|怎么回事|什么原因|什么问题)|我们?应该怎么办|怎么办|怎么解决|"
    r"可以帮我[^，,]{0,14})(?:呢|啊|呀|吗)?\s*[?？。]?$|[,;]?\s{0,20}\b(?:why(?: is that)?|"
    r"what should (?:i|we) do)\s*\?$",
    re.IGNORECASE,
)
#: what holds words that say nothing of a fault: "github.com/a/b/issues/182", "/repo/debug/debug.log"
_PLACE = re.compile(r"[^\s/\\]{0,200}+[/\\]\S+")
#: a log line that a program marks as an error: "00:58:46 [ERROR] Cannot find module 'x'"
_MARKED = re.compile(r"^.{0,40}?\[(?:ERROR|FATAL|error|fatal)\]\s*(\S.{8,})$", re.MULTILINE)
#: a compiler warns: "Warning: the variable `total` is never assigned a value"
_WARNED = re.compile(r"^[^\w\n]{0,4}(?:Warning|WARNING|警告)[:：] ?\S.{12,300}$", re.MULTILINE)
#: a further error that a browser's console shows below the first: "index.js:195 Uncaught Error: branch node is null"
_UNCAUGHT = re.compile(
    r"^.{0,80}?\bUncaught (?:\(in promise\) )?\w*(?:Error|Exception): \S.{8,300}$", re.MULTILINE
)
#: paragraphs and fences part what was pasted: each failing test of a run has one, e.g. `one⏎⏎two`
_PARTS = re.compile(r"\n\s*\n|^\s*```\w*\s*$|^\W{20,}$", re.MULTILINE)
#: points at what is pasted below: "在 lit 中出现了这个问题", "I get the following error:"
_POINTS = any_of(
    r"\b(?:this|the following|these) (?:\w+ )?(?:errors?|issues?|problems?|warnings?|messages?|failures?)\b",
    r"(?:这个|这些|以下|下面的?|一些)(?:问题|错误|报错|警告)|报错",
)
#: the test or file that a runner names above its error: " FAIL  packages/tabs/test/tabs.spec.ts > on arrow right"
_RUN = re.compile(r"^[^\w\n]*(?:FAIL|FAILED|ERROR)\b\s+(\S.{5,300})$", re.MULTILINE)
#: a line of a log or a stack, e.g. `[INFO] Building jar`, `    at main (a.js:3)`, `2026-03-20 16:34:43,332 - ready`
_LOGGED = re.compile(
    r"^\s*(?:\[(?:\w+|\d[\d/ :.]+)\]|at \S+|File \"|Caused by: |\d{2,4}[-/:]\d\d|\w*(?:Error|Exception)\b|[│╰━+|]|"
    r"Traceback \(|> )"
)
#: characters of an error's line that are read and told
_MAX_TOLD, _MAX_LINE = 400, 220
#: lines below which the share of such lines says nothing
_FEW = 4
#: the first line of a stack, e.g. `    at drawLine (canvas-tools.js:13:1)`
_FRAME = re.compile(
    r"^[ \t]+at (?:async |Object\.|Module\.)?(?P<name>[\w$.]{2,80}) "
    r"\((?:\S{0,200}[/\\])?(?P<file>[\w.-]{1,80}\.\w{1,5}):\d+",
    re.MULTILINE,
)
#: characters after an error within which its stack begins, and of a line's end that two errors of one cause share
_MAX_FRAME, _MIN_SAME = 400, 16
#: a shorter sentence names nothing (in bytes), a longer one is a paragraph
_SHORTEST, _LONGEST = 24, 320
#: errors of one pasted text that are told, and characters of it that are read
_MOST, _MAX_PASTED = 2, 12_000
#: a program announces the issue that it hands in: "ISSUE:", "<pr_description>", "## Issue"
_ISSUE = re.compile(
    r"^[^\w\n]*(?:issue|pr_description|issue_description|problem[_ ]statement)\W*$",
    re.MULTILINE | re.IGNORECASE,
)
#: a heading inside an issue, below its title, e.g. `### Steps to reproduce`, `Description`
_DESCRIPTION = re.compile(
    r"^[^\w\n]*(?:description|(?:steps )?(?:to )?reproduc\w+|expected(?: behaviou?r| result)?|actual(?: \w+)?|"
    r"describe the bug|code for reproduction|current behaviou?r|bug report)\W*$",
    re.MULTILINE | re.IGNORECASE,
)
#: a shorter text is a person's own; characters of an issue in which its fault is told
_MIN_ISSUE, _MAX_ISSUE = 250, 1_500
#: from here on a text is an issue whatever its headings are; a longer first line is a paragraph
_LONG_ISSUE, _MAX_TITLE = 600, 140
#: sentences at the beginning of a turn in which a fault is told; what follows is pasted or another wish
_OPENING = 8


@dataclass(frozen=True, slots=True)
class Report:
    """`told` is verbatim from the message: the line of an error that was `pasted`, or a person's sentence.

    `test` is what a test runner names above a pasted error, `about` all the words in which an answer may speak of it.
    """

    told: str
    statement: str
    about: str
    pasted: bool
    test: str = ""
    #: of a whole issue that a program hands in: kept only when a check tells how it ended
    task: bool = False


def find_reports(message: Message, *, first: bool) -> list[Report]:
    """What one turn of a person reports: its pasted errors, two at most, else the first sentence about a fault; of a
    whole issue that opens a session its title."""
    terminal = first and _is_terminal(message.content)
    if first and not terminal and (title := _title(message.content)):
        return [Report(title, title, message.content[:_MAX_ISSUE], pasted=False, task=True)]
    pasted = _pasted(message.content) or _pointed(message.content)
    if pasted:
        handed_in = first and not terminal and len(without_code(message.content)) >= _LONG_ISSUE
        return [replace(report, task=handed_in) for report in pasted[: 1 if handed_in else _MOST]]
    for sentence in own_sentences(message, _MAX_PASTED, pasted=True)[:_OPENING]:
        statement = without_opening(_WISH.sub("", _WISH.sub("", clean_statement(sentence)))).strip()
        fits = (
            len(statement.encode()) >= _SHORTEST and len(statement) <= _LONGEST and names_a_thing(statement)
        )
        if fits and _TROUBLE.search(_PLACE.sub("", statement)) and not _ASKS.search(statement):
            whole = f"{statement}{_shown(sentence, message.content)}"
            return [Report(sentence, whole, message.content[:_LONGEST], pasted=False)]
    return []


def _is_terminal(text: str) -> bool:
    """True for a text that shows a shell at work, or is for the most part a log: nobody hands in an issue so."""
    lines = [line for line in text[:_MAX_PASTED].splitlines() if line.strip()]
    logged = sum(_LOGGED.match(line) is not None for line in lines)
    return SHELL_PROMPT.search(text[:_MAX_PASTED]) is not None or 2 * logged > len(lines) > _FEW


def is_issue(text: str) -> bool:
    """Whether a whole issue is handed in: what it states is how things are, and nobody's choice."""
    return bool(_title(text)) or is_described(text)


def is_described(text: str) -> bool:
    """Whether a text of some length has the headings of an issue: such is no order, however it opens."""
    return len(text) >= _MIN_ISSUE and _DESCRIPTION.search(text) is not None


def _title(text: str) -> str:
    """The title of an issue: the line behind its label, or the first line when a text of some length follows."""
    label = _ISSUE.search(text)
    lines = [
        line.strip(" #*")
        for line in (text[label.end() :] if label else text).splitlines()
        if line.strip(" #*")
    ]
    described = is_described(text) or (len(text) >= _MIN_ISSUE and len(without_code(text)) >= _LONG_ISSUE)
    if not lines or not (label or described):
        return ""
    fits = len(lines[0].encode()) >= _SHORTEST and len(lines[0]) <= _MAX_TITLE and lines[0] in text
    return lines[0] if fits and names_a_thing(lines[0]) and _TROUBLE.search(text[:_MAX_ISSUE]) else ""


def _pointed(text: str) -> list[Report]:
    """The first telling line of a fence that a person points at: "in lit I get this error"."""
    fence = FENCE.search(text)
    failure = telling_line(fence["code"]) if fence and _POINTS.search(text[: fence.start()]) else None
    if failure is None or not tells(failure, ""):
        return []
    line = clean_line(failure.line)
    return [Report(failure.line.strip(), line, line, pasted=True)]


def _pasted(text: str) -> list[Report]:
    found: dict[str, Report] = {}
    if "\n" not in text.strip():  # a sentence of the person's own
        return []
    for part in _PARTS.split(text[:_MAX_PASTED]):
        failure = _marked(part) or read_result(part, is_error=None).failure or _warned(part, text)
        if failure is None or not _says(failure.line) or LIST_MARK.match(failure.line):
            continue
        run = _RUN.search(part)
        test = clean_line(run[1], 160) if run and run[1].strip() not in failure.line else ""
        if not tells(failure, "") and not test:
            continue
        others = [m[0].strip() for m in _UNCAUGHT.finditer(part) if failure.line not in m[0]]
        for told in (failure.line.strip(), *others):
            line = _short(clean_line(told, _MAX_TOLD))
            found.setdefault(f"{line} {test}", Report(told, line, f"{test} {line}", True, test))
    named = [report for report in found.values() if report.test]  # a summary of the run names no test
    different: list[Report] = []
    for report in named or found.values():
        if not any(_same(report, one) for one in different):
            different.append(_placed(report, text))
    return different[:_MOST]


def _placed(report: Report, text: str) -> Report:
    """With the function and the file in which the program stopped, as the first line of its stack tells them."""
    frame = _FRAME.search(text, text.find(report.told) + len(report.told))
    if frame is None or report.test or frame.start() - text.find(report.told) > _MAX_FRAME:
        return report
    place = f"{frame['name']} ({frame['file']})"
    return replace(report, statement=f"{report.statement} (in {place})", about=f"{report.about} {place}")


def _marked(part: str) -> Failure | None:
    """The first line that a program marks as an error and that says more than that there is one."""
    found = [Failure(re.sub(r"^(?:\[\w+\]\s*)+", "", one[1])[:400].strip()) for one in _MARKED.finditer(part)]
    return next((one for one in found if tells(one, "")), found[0] if found else None)


def _warned(part: str, text: str) -> Failure | None:
    """A warning with which a turn begins: further down it illustrates what the person says."""
    found = _WARNED.match(part.lstrip()) if text.lstrip().startswith(part.strip()) else None
    return Failure(found[0].strip()) if found else None


def _same(one: Report, other: Report) -> bool:
    """True when the telling end of one line stands in the other: a compiler and the program that ran it say it."""
    end = one.told.rpartition(": ")[2]
    return (not (one.test or other.test) and len(end) >= _MIN_SAME and end in other.told) or _core(
        one
    ) == _core(other)


def _core(report: Report) -> str:
    return ": ".join(report.told.split(": ")[-2:]).casefold() + report.test


def _shown(sentence: str, text: str) -> str:
    """The first line of what a sentence only announces: "I also got this output:"."""
    if sentence[-1] not in ":：":
        return ""
    shown = text.partition(sentence)[2].splitlines()
    line = next(
        (line.strip() for line in shown if len(line.strip()) > _SHORTEST and not line.startswith("[")), ""
    )
    return f": {clean_line(line, 200)}" if line else ""


def _short(line: str) -> str:
    """A long line by its beginning and its end, which says why: "Failed to execute goal …: Unable to find main"."""
    if len(line) <= _MAX_LINE:
        return line
    end = line.rpartition(": ")[2]
    if not 12 <= len(end) <= _MAX_LINE // 2:
        return clean_line(line, _MAX_LINE)
    return f"{line[: _MAX_LINE // 2].rsplit(' ', 1)[0]} … {end}"


def _says(line: str) -> bool:
    return has_detail(line) or CJK.search(line) is not None or len(line.split()) > 2
