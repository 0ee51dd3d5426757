"""Summaries that a harness puts in place of an earlier part of the session, as headings with their items."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ultron_core.models import Message
from ultron_core.transcript.language import one_line

__all__ = ["is_recap", "recap_items"]

#: a line that is a heading: "4. Errors and fixes:", "## Key Decisions Made", "**Gotchas**"
_HEADING = re.compile(
    r"^(?P<mark>#{1,4}\s+|\d{1,2}[.)]\s+|\*\*)?(?P<title>[^\n:：*`]{2,60}?)\s*(?:\*\*)?\s*[:：]?\s*(?:\*\*)?$"
)
#: a heading as a tag, as Gemini's summaries have them, and its end: "<key_knowledge>", "</key_knowledge>"
_TAG = re.compile(r"^</?(?P<title>[a-z]+(?:_[a-z]+)*)>$")
#: an item of a list, with its indentation, e.g. `  - Use pnpm, not npm`, `2. second`
_ITEM = re.compile(r"^(?P<indent>\s*)(?:[-*•]|\d{1,2}[.)])\s+(?P<text>\S.*)$")


def _title(*shapes: str) -> re.Pattern[str]:
    return re.compile("|".join(f"^(?:{shape})$" for shape in shapes), re.IGNORECASE)


#: headings of such summaries, of any harness: the kind of what stands below, e.g. `Errors and fixes`, `Key
#: decisions`, `技术概念`, `Key learnings`, `Next steps`
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "error",
        _title(
            r"errors?(?: encountered)?(?: and (?:their )?(?:fix(?:es)?|solutions?))?|problems? solv(?:ed|ing)",
            r"(?:bugs|issues)(?: found| fixed| encountered)?(?: and (?:fixes|fixed|solutions))?|troubleshooting",
            r"(?:遇到的|已知)?(?:错误|问题|报错)(?:与|和|及)?其?(?:修复|解决(?:方案|方法|办法)?|处理)?|踩坑(?:记录)?",
        ),
    ),
    (
        "decision",
        _title(
            r"(?:(?:key|important|design|architectur\w+|technical|"
            r"main) )*decisions?(?: made)?(?: and (?:rationale|reasons?))?",
            r"(?:关键|重要|技术|设计|架构)*(?:决策|决定|选型)(?:与|和|及)?其?(?:理由|原因)?",
        ),
    ),
    (
        "concept",
        _title(r"(?:key |important )?(?:technical )?concepts(?: (?:&|and) \w+)?", r"(?:关键|重要|技术)*概念"),
    ),
    (
        "fact",
        _title(
            r"(?:key |important |critical )?(?:technical )?(?:notes|learnings?|insights|discoveries|findings|"
            r"gotchas|caveats|"
            r"conventions|constraints|context|patterns)(?: (?:&|and) \w+)?",
            r"commands|testing|lessons learned|(?:user )?(?:constraints|preferences)(?: (?:&|"
            r"and) (?:preferences|constraints))?",
            r"(?:active|key) (?:constraints|knowledge)|instructions",
            r"(?:关键|重要|技术|项目)*(?:要点|注意事项|约定|约束|经验|发现|知识)|命令|测试|用户(?:偏好|约束|习惯)",
        ),
    ),
    (
        "said",
        _title(
            r"(?:all )?user (?:messages|feedback|corrections|instructions)",
            r"(?:所有|全部)?用户(?:消息|反馈|要求|指示)",
        ),
    ),
    (
        "other",
        _title(
            r"(?:primary )?(?:request|goal|objective|task)(?: and intent)?|"
            r"(?:optional )?next steps?(?: \(.*\))?|progress",
            r"(?:current|completed|pending|in progress|remaining|done)(?: (?:work|state|status|"
            r"tasks?))?(?: packages?)?(?: \(.*\))?",
            r"files?(?: and code sections?| created| modified|/\w+| changed)*|branch|"
            r"summary|analysis",
            r"overall goal|file system state|recent actions|current plan|artifact trail|task state|accomplished|"
            r"relevant files?(?: / directories)?",
            r"(?:主要)?(?:请求|目标|任务|当前工作|下一步|文件|进度|总结|待办)\S{0,6}|"
            r"(?:已完成|后续|剩余|(?:当前|目前)(?:状态|进展)|会话摘要|背景|概述)\S{0,6}",
        ),
    ),
)
#: characters of an item with its sub-items; those that do not fit are left out
_LONGEST_ITEM = 400
#: characters; a longer line is a sentence
_LONGEST_HEADING = 80
#: different headings that make a text a recap
_MIN_HEADINGS = 3
#: bytes; a shorter text is a remark
_MIN_BYTES = 600


@dataclass(frozen=True, slots=True)
class RecapItem:
    """One item below a heading of a recap: the heading's kind, the item with its sub-items, and its own first line."""

    kind: str
    text: str
    quote: str


def is_recap(message: Message) -> bool:
    """True for text of the harness, or of the model it asked, with three headings of a summary or more."""
    if (
        message.origin not in ("harness", "model")
        or message.role == "system"
        or len(message.content.encode()) < _MIN_BYTES
    ):
        return False
    return (
        len({kind_title for kind_title in map(_titled, message.content.splitlines()) if kind_title})
        >= _MIN_HEADINGS
    )


def recap_items(message: Message) -> list[RecapItem]:
    """The items below the headings that are worth keeping, in their order."""
    found: list[RecapItem] = []
    kind, depth = "", 0
    for line in message.content.splitlines():
        titled = _titled(line)
        if titled:
            kind, depth = titled.split(":", 1)[0], -1
            continue
        if line.startswith("#") or _ends(line):
            kind = ""
        if kind in ("", "other") or line.lstrip().startswith("```"):
            continue
        item = _ITEM.match(line)
        if item is None:
            if line.strip() and depth == -1:  # a paragraph right below the heading
                found.append(RecapItem(kind, one_line(line), line.strip()))
            continue
        indent = len(item["indent"])
        if depth == -1 or indent <= depth:
            depth = indent
            found.append(RecapItem(kind, one_line(item["text"]), item["text"].strip()))
        elif found and len(longer := f"{found[-1].text} {one_line(item['text'])}") <= _LONGEST_ITEM:
            found[-1] = replace(found[-1], text=longer)
    return found


def _ends(line: str) -> bool:
    return line.lstrip().startswith("</") and _TAG.match(line.strip()) is not None


def _titled(line: str) -> str:
    """`kind:title` of a heading that such summaries have, else an empty text."""
    title = _heading(line.strip()) if len(line) <= _LONGEST_HEADING else ""
    return next((f"{kind}:{title.casefold()}" for kind, shape in _KINDS if title and shape.match(title)), "")


def _heading(line: str) -> str:
    tag = _TAG.match(line)
    if tag:
        return "" if line.startswith("</") else tag["title"].replace("_", " ")
    # most lines are no heading, and the pattern is dear
    if not line or not (line.endswith((":", "：", "**")) or line[0] in "#*" or line[0].isdigit()):
        return ""
    match = _HEADING.match(line)
    if match is None or not (match["mark"] or line.endswith((":", "：", "**"))):
        return ""
    return match["title"].strip()
