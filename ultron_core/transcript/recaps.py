"""Summaries that a harness puts in place of an earlier part of the session, as headings with their items."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ultron_core.models import Message
from ultron_core.transcript.language import one_line

__all__ = ["RecapItem", "is_recap", "recap_items"]

#: a line that is a heading: "4. Errors and fixes:", "## Key Decisions Made", "**Gotchas**"
_HEADING = re.compile(
    r"^(?P<mark>#{1,4}\s+|\d{1,2}[.)]\s+|\*\*)?(?P<title>[^\n:：*`]{3,60}?)\s*(?:\*\*)?\s*[:：]?\s*(?:\*\*)?$"
)
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
            r"(?:遇到的)?(?:错误|问题)(?:与|和|及)?(?:修复|解决(?:方案|方法)?)?",
        ),
    ),
    (
        "decision",
        _title(
            r"(?:(?:key|important|design|architectur\w+|technical|"
            r"main) )*decisions?(?: made)?(?: and (?:rationale|reasons?))?",
            r"(?:关键|重要|技术|设计)*(?:决策|决定)",
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
            r"(?:关键|重要|技术)*(?:要点|注意事项|约定|约束|经验|发现)|命令|测试",
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
            r"(?:主要)?(?:请求|目标|任务|当前工作|下一步|文件|进度|总结|待办)\S{0,6}",
        ),
    ),
)
#: different headings that make a text a recap
_MIN_HEADINGS = 3
#: characters; a shorter text is a remark
_MIN_CHARS = 600


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
        or len(message.content) < _MIN_CHARS
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
        if line.startswith("#"):
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
        elif found:
            last = found[-1]
            found[-1] = RecapItem(last.kind, f"{last.text} {one_line(item['text'])}", last.quote)
    return found


def _titled(line: str) -> str:
    """`kind:title` of a heading that such summaries have, else an empty text."""
    bare = line.strip() if len(line) <= 80 else ""
    if not bare or not (bare.endswith((":", "：", "**")) or bare[0] in "#*" or bare[0].isdigit()):
        return ""
    match = _HEADING.match(bare)
    if match is None or not (match["mark"] or bare.endswith((":", "：", "**"))):
        return ""
    title = match["title"].strip()
    return next((f"{kind}:{title.casefold()}" for kind, shape in _KINDS if shape.match(title)), "")
