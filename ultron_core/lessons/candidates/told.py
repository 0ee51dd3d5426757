"""A candidate as a memory's words: the one place where its fields become prose."""

from __future__ import annotations

import re

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.sentences import phrases_of
from ultron_core.transcript.language import one_line

__all__ = ["Told", "plain", "told"]

#: content, context and resolution
Told = tuple[str, str, str]
#: characters of what was asked or said before
_MOST_BEFORE = 240
#: marks of a list, a quote or a box to tick, e.g. `- `, `2. `, `> `, `- [ ] `, `✅ `
_MARK = re.compile(
    r"^\s*(?:#{1,6}\s+)?(?:(?:[-*+•>]|\d{1,3}[.)、])\s+)?(?:\[[ xX]\]\s+)?"
    r"(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?\s*)*"
)
#: begins what is no part of the line before, e.g. `- first`, `## Next`
_BEGINS = re.compile(r"\s*(?:[-*+•]|#{1,6}|\d{1,3}[.)、])\s")
#: a heading, e.g. `## Next`, `**Next**`
_HEADED = re.compile(r"\s*(?:#{1,6}\s+\S|(\*\*|__)[^*_\n]{1,90}\1\s*$)")
#: behind these nothing is put between two lines
_ENDS = ".:;,!?。：；，！？、…—"
#: `**bold**`, `__bold__`, `*said*`
_BOLD = re.compile(r"(\*\*|__|(?<![\w*])\*(?=\w))(?=\S)([^*\n]{1,400}?)(?<=\S)\1")


def told(candidate: Candidate, project: str = "") -> Told:
    """Content, context and resolution of `candidate`, seen in a project of that name."""
    content = _content(candidate)
    words = phrases_of(content)
    if project:
        content = words["fact_in"].format(project=project, statement=content)
    return content, _context(candidate, words), _resolution(candidate, words)


def _content(one: Candidate) -> str:
    text = plain(one.text)
    words = phrases_of(text)
    if one.source == "cure":
        return words["failed"].format(subject=f"`{clip(one.answers, 160)}`", line=text)
    if one.source == "choice":
        return words["answered"].format(question=clip(one.answers, _MOST_BEFORE), statement=text)
    if one.source == "refusal":
        return words["stopped"].format(subject=f"`{clip(one.answers, 160)}`", statement=text)
    if one.source == "turn":
        return words["said"].format(statement=text)
    head = plain(one.head)
    return f"{head}: {text}" if head else text


def _context(one: Candidate, words: dict[str, str]) -> str:
    before = plain(one.answers)
    if one.source == "guide":
        return words["guide"].format(statement=one.answers)
    if not before:
        return ""
    if one.source == "turn":
        return words["instead_of"].format(statement=_end_of(before, _MOST_BEFORE))
    before = clip(before, _MOST_BEFORE)
    if one.source in ("closing", "remark"):
        return words["asked"].format(statement=before)
    return ""


def _resolution(one: Candidate, words: dict[str, str]) -> str:
    said = words["account"].format(statement=clip(plain(one.said), _MOST_BEFORE)) if one.said else ""
    cure = words["after"].format(steps="; ".join(one.changes)) if one.changes else ""
    return " ".join(part for part in (cure, said) if part)


def plain(text: str) -> str:
    """The text without marks of layout; its lines as sentences of one line, code untouched."""
    found = ""
    for line in text.splitlines():
        bare = _BOLD.sub(r"\2", _MARK.sub("", line)).strip()
        if not bare:
            continue
        if found and _BEGINS.match(line) and found[-1] not in _ENDS:
            found += ";"
        found = f"{found} {bare}{':' if _HEADED.match(line) and bare[-1] not in _ENDS else ''}"
    return one_line(found)


def clip(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut between words."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    cut = line[:limit]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"


def _end_of(text: str, limit: int) -> str:
    """The last words of a line, from the beginning of a word on: they are what is answered."""
    if len(text) <= limit:
        return text
    cut = text[-limit:]
    return "…" + (cut.split(" ", 1)[1] if " " in cut[: limit // 2] else cut)
