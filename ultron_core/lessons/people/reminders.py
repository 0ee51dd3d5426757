"""Reminders: a step that a person does not want left out this time either, told with the order it came with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.lessons.explanations import clip
from ultron_core.lessons.people.statements import LATIN, has_detail, statement_draft
from ultron_core.lessons.people.turns import MAX_MESSAGE, Turn
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import MemoryDraft
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import CJK, language, one_line, sentences
from ultron_core.transcript.own import own_words
from ultron_core.transcript.speech import PROMPT, QUESTION, any_of

__all__ = ["find_reminders"]

#: "don't forget to register it in storybook", "Make sure you update docs/EVENTS.md", "别忘了在 storybook 中注册"
_REMINDER = any_of(
    r"\b(?:don't|do not) forget (?:to|that|about)\b|\b(?:make|be) sure (?:to|you|that|it|we|the)\b|\bremember to\b",
    r"别忘了?|不要忘(?:了|记)|记得(?!.{0,6}[吗么])|(?<!不)确保",
)
#: a part of a Chinese sentence between its commas, Latin full stops and joining words, e.g. `例子.同时别忘了注册`
_CLAUSE = re.compile(r"(?:(?!(?<=\S)\s+(?:同时|另外|还有|并且))(?!(?<=[\u3400-\u9fff])\.)[^,，;；。!！\n])+")
#: of a link the text is kept without its target, e.g. `[react](packages/qr/QRCode.react.tsx)`
_LINK = re.compile(r"\[([^\[\]]{0,300})\]\([^()]{0,2000}\)")
#: what the order was about this time, the end of a path: the same reminder comes with the next one, too, e.g.
#: `#packages/components/slider`, `packages/components/slider/snippets`
_THIS_TIME = re.compile(
    r"((?:[#@][\w.-]{1,80}/|[\w.-]{1,80}/(?=[\w.-]{1,80}/))(?:[\w.-]{1,80}/)?)[\w./-]+", re.ASCII
)
#: what joins a clause to the order and softens it, e.g. `同时`, `好哦`
_JOINED = re.compile(
    r"^(?:同时|另外|还有|并且|而且|顺便|and|also|but|please)[\s,，]*|(?<![哦哈呀啊哟~～.])[哦哈呀啊哟~～.]+$",
    re.IGNORECASE,
)
#: characters of the order that are quoted
_MAX_TASK = 200
#: words, or characters in Chinese; a shorter clause reminds of nothing in particular
_MIN_WORDS, _MIN_CHINESE = 5, 10
#: characters; a shorter rest is not an order
_MIN_ORDER = 20


def find_reminders(turns: Sequence[Turn], project: str) -> list[MemoryDraft]:
    """A draft for each clause that reminds of something named; the order around it is the context."""
    drafts = []
    for turn in turns:
        text = turn.message.content
        if len(text) > MAX_MESSAGE or PROMPT.search(text) or turn.does("objection"):
            continue
        for clause in map(_bare, _clauses(own_words(text))):
            if clause not in text or not _REMINDER.search(clause) or not _concrete(clause):
                continue
            drafts.append(
                statement_draft(
                    "reminded",
                    clause,
                    turn.message,
                    clause,
                    project,
                    tags=("reminder",),
                    context=_order(text, clause),
                    confidence=0.55,
                )
            )
    return drafts


def _clauses(text: str) -> Iterator[str]:
    """Sentences; of a Chinese one the parts between its commas, of which one alone reminds."""
    for sentence in sentences(without_code(text)):
        yield from _CLAUSE.findall(sentence) if CJK.search(sentence) else (sentence,)


def _bare(clause: str) -> str:
    """Without what only joins it to the order and softens it: "同时 ... 哦"."""
    return _JOINED.sub("", clause.strip())


def _concrete(clause: str) -> bool:
    """Names something, and has words enough to say what is to be done with it."""
    if QUESTION.search(clause):
        return False
    if CJK.search(clause):
        return LATIN.search(clause) is not None and len(clause) >= _MIN_CHINESE
    return has_detail(clause) and len(clause.split()) >= _MIN_WORDS


def _order(text: str, clause: str) -> str:
    rest = one_line(_LINK.sub(r"\1", " ".join(part for part in _clauses(text) if clause not in part)))
    rest = _THIS_TIME.sub(r"\1…", rest)
    if len(rest) < _MIN_ORDER:
        return ""
    return PHRASES[language(rest)]["while_doing"].format(statement=clip(rest, _MAX_TASK))
