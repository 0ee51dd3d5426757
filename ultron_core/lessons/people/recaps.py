"""Lessons that a summary of an earlier part of the session states under its own headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.people.statements import clean_statement, has_detail, phrase
from ultron_core.models import Evidence, MemoryDraft, MemoryType, Message
from ultron_core.transcript.language import CJK, sentences
from ultron_core.transcript.recaps import RecapItem, is_recap, recap_items
from ultron_core.transcript.speech import PREFERENCE, any_of, is_correction, is_wish

__all__ = ["find_recapped"]

#: says what solved it: "Fixed by using a shared sandbox."
_SOLVED = any_of(
    r"\b(?:fix(?:ed)?|solved|resolved|solution|changed|added|removed|replaced|rewrote|switched|used|using|"
    r"updated|moved|renamed|"
    r"converted|created|installed|set|reverted|wrapped)\b",
    r"修复|解决|改为|改成|添加|移除|删除|替换|使用|更新",
)
#: says something that holds, where a bare name of a technology does not, e.g. `config.toml lives in the home
#: folder`, `A -> B`
_STATES = any_of(
    r"\b(?:is|are|must|should|needs?|requires?|required|never|always|only|prefers?|because|instead|don't|do not|"
    r"cannot|can't|"
    r"uses?|used for|for|lives? in|stored|not|before|after|when|via|returns?|→)\b|[→=]|->| [-\u2013\u2014] ",
    r"需要|必须|使用|用于|不|只|因为|应该|避免",
)
#: says what must or must not be done; below a heading for concepts the rest are names of technologies, e.g.
#: `Tests must not reach the network`, `必须`
_BINDS = any_of(
    r"\b(?:must|should|needs?|requires?|required|never|always|only|prefers?|because|instead|don't|do not|cannot|"
    r"can't|not|"
    r"before|after|gitignored|unsupported|fails?|unless|otherwise|\w+-safe|rather)\b",
    r"需要|必须|不|只|因为|应该|避免",
)
#: what went wrong in bold, the rest after it, e.g. `**LiveView test: missing key**: Added it to the config.`
_BOLD = re.compile(r"^\*\*(?P<title>.+?)[:：]?\*\*\s*[:：\u2013\u2014-]*\s*(?P<rest>.*)$")
#: what the person answered to an error, the last point below it, e.g. `User feedback: "use the scan path instead"`
_FEEDBACK = re.compile(r"(?:user feedback|用户反馈)[^:：]{0,20}[:：]\s*(?P<told>\S.{3,400})$", re.IGNORECASE)
#: e.g. `User prefers E2E tests`, `用户要求注释用英文`
_WISHED = re.compile(r"\buser (?:prefers|wants|always)\b|用户(?:偏好|要求|希望)", re.IGNORECASE)
#: about the course of the work: "Expected during incremental editing", "all tests passed"
_PASSING = any_of(
    r"\b(?:none|n/a|no (?:major |significant )?(?:errors?|issues)|all tests pass\w*|expected during|in progress|"
    r"not yet|todo|"
    r"pre-existing|unrelated)\b",
    r"^无|暂无|没有(?:错误|问题)",
)
#: what every edit leaves behind for a moment: "Unused import of the panel"
_SLIP = any_of(
    r"^unused\b|(?:^|: )(?:undefined|missing) (?:function|variable|import)\b|\bundefined$|^typo\b|^未使用"
)
#: characters of an item that are kept
_MAX_ITEM = 420
#: bytes; a shorter item is a name or a heading
_MIN_ITEM = 40
#: bytes; a shorter problem is a word: "Typo"
_MIN_PROBLEM = 15
#: items of one kind in one recap
_MOST_OF_A_KIND = 8
_KEYS: dict[str, tuple[MemoryType, str]] = {
    "error": ("error", "recap"),
    "decision": ("pattern", "decision"),
    "concept": ("pattern", "recap"),
    "fact": ("pattern", "recap"),
}


def find_recapped(messages: Sequence[Message], project: str) -> list[MemoryDraft]:
    """Errors with their cure, decisions and facts that a recap lists; of each kind the first eight."""
    drafts = []
    for message in messages:
        if not is_recap(message):
            continue
        count: dict[str, int] = {}
        for item in (part for whole in recap_items(message) for part in _parts(whole)):
            draft = _draft(item, message, project)
            if draft is not None and count.get(item.kind, 0) < _MOST_OF_A_KIND:
                count[item.kind] = count.get(item.kind, 0) + 1
                drafts.append(draft)
    return drafts


def _parts(item: RecapItem) -> list[RecapItem]:
    """The item, and what it says that the person answered to it as a message of theirs."""
    fed = _FEEDBACK.search(item.text) if item.kind == "error" else None
    if fed is None:
        return [item]
    return [
        RecapItem(item.kind, item.text[: fed.start()], item.quote),
        RecapItem("said", fed["told"], item.quote),
    ]


def _draft(item: RecapItem, message: Message, project: str) -> MemoryDraft | None:
    if item.kind == "said":
        return _said(item.text, item.quote, message, project)
    text = clean_statement(item.text)
    if len(text.encode()) < _MIN_ITEM or _PASSING.search(text) or not (has_detail(text) or CJK.search(text)):
        return None
    wished = PREFERENCE.search(text) or _WISHED.search(text)
    if (
        item.kind != "error"
        and not wished
        and not (_BINDS if item.kind == "concept" else _STATES).search(text)
    ):
        return None
    memory_type, key = _KEYS[item.kind]
    content, resolution = _parted(item.text) if item.kind == "error" else (text, "")
    if item.kind == "error" and (
        not resolution or len(content.encode()) < _MIN_PROBLEM or _SLIP.search(content)
    ):
        return None
    if wished:
        memory_type, key = "preference", "preference"
    return MemoryDraft(
        content=phrase(key, content, project, statement=_cut(content)),
        resolution=_cut(resolution),
        tags=("recap", item.kind),
        confidence=0.65,
        memory_type=memory_type,
        evidence=(Evidence(message.start_line, message.end_line, item.quote[:400].strip()),),
    )


def _said(told: str, quote: str, message: Message, project: str) -> MemoryDraft | None:
    """A message of a person that the summary repeats, where it states a wish for later or puts something right."""
    text = clean_statement(told).strip("\"'“”「」 ")
    if len(text) > _MAX_ITEM or not (is_wish(text) or is_correction(text)):
        return None
    kind: MemoryType = "preference" if is_wish(text) else "correction"
    return MemoryDraft(
        content=phrase(kind, text, project, statement=text),
        tags=("recap", kind),
        confidence=0.65,
        memory_type=kind,
        evidence=(Evidence(message.start_line, message.end_line, quote[:400].strip()),),
    )


def _parted(text: str) -> tuple[str, str]:
    """What went wrong, and from the first sentence that says so what solved it."""
    bold = _BOLD.match(text)
    if bold:
        title, rest = clean_statement(bold["title"]), clean_statement(bold["rest"])
    else:
        title, rest = _titled(clean_statement(text))
    parts = [part.strip() for part in sentences(rest) if part.strip()]
    for place, part in enumerate(parts):
        if _SOLVED.search(part):
            return ": ".join(filter(None, (title, " ".join(parts[:place])))), " ".join(parts[place:])
    return clean_statement(text), ""


def _titled(text: str) -> tuple[str, str]:
    """What stands before the last colon, and the rest."""
    colon = max(text.rfind(": "), text.rfind("："))
    return (text[:colon], text[colon + 1 :].strip()) if colon > 0 else ("", text)


def _cut(text: str) -> str:
    """Whole sentences up to the longest that a memory keeps."""
    if len(text) <= _MAX_ITEM:
        return text
    kept = ""
    for part in sentences(text):
        if kept and len(kept) + len(part) > _MAX_ITEM:
            break
        kept = f"{kept} {part}".strip()
    return kept[:_MAX_ITEM]
