"""Where a failed run of agents left the ground: data assumed instead of fetched, answers not checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.language import language, sentences
from ultron_core.memories.reading import read_actions, without_code
from ultron_core.memories.wording import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message

__all__ = ["find_doubts", "is_group"]

_ASSUMED = re.compile(
    r"\b(?:assum(?:e|ed|ing)|hypothetical(?:ly)?|placeholder|simulat(?:e|ed|ing)|"
    r"for (?:the sake of )?(?:demonstration|illustration)|mock(?:ed|ing)?|"
    r"based on (?:my|general|the general) knowledge|made[- ]up|(?<!initial )guess(?:ed|ing)?|"
    r"unable to (?:access|retrieve|find|verify|locate)|"
    r"(?:cannot|can't|could not|couldn't) (?:directly )?(?:access|retrieve|verify|find|locate)|"
    r"manually (?:specify|review|identify|verify|search|inspect)|I (?:know|recall) that)\b|假设|假定|"
    r"占位|模拟数据|凭经验|无法(?:访问|获取|核实)",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|final answer|it follows)\b|"
    r"\bthe (?:correct |final |total |exact )?(?:answer|result|output|total|number|count|difference|"
    r"sum|word|name|title|date|value)\b[^.]{0,60}\b(?:is|are|was|were|=)\b|"
    r"\b(?:has|have) been (?:identified|verified|confirmed|determined|found|calculated)\b|因此|所以|"
    r"最终答案|答案是|结果为|得出",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"^(?:if|once|when|after|please|given)\b|\bI agree\b|\bterminat|\bplease\b|\bnext speaker\b|"
    r"\bnot (?:yet )?been\b|"
    r"\bwe(?:'ll| will| need| can| should)\b|\bshould\b|\bneeds? to\b|\blet's\b|\bconclude (?:the|"
    r"this)\b|\berror\b|如果|请|需要",
    re.IGNORECASE,
)
#: markup, data, questions, and orders to others, which state nothing
_NO_PROSE = re.compile(
    r"[#\"'{}\[\]|`(]|.*(?:\?|[\"'],?)$|(?:if|once|please|provide|locate|check|find|use|implement|"
    r"develop|create|write|"
    r"navigate|search|look|ensure|verify|confirm|identify|consider|click|open|go|we need|refined)\b",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^(?:[-*]+|\d+[.)])\s+")
_MAX_MESSAGE = 6000
_MAX_SENTENCE = 360


def find_doubts(messages: Sequence[Message], *, failed: bool) -> list[MemoryDraft]:
    """Two drafts at most: the first statement of an agent that rests on assumed data, and a conclusion that
    became the wrong answer (`failed`) or that a group of agents took over without any tool checking it.

    Only a group of named agents is looked at: there nobody else objects. The words of a memory are the
    lesson alone, so that the same lesson of many sessions is one memory; what was said is its evidence.
    """
    if not is_group(messages):
        return []
    told = "\n".join(m.content for m in messages if m.role == "user")
    spoken = [(m, s) for m in messages if _is_agent(m) for s in _said(m) if s not in told]
    drafts = []
    assumed = next(((m, s) for m, s in spoken if _ASSUMED.search(s)), None)
    if assumed:
        drafts.append(_draft("assumed", ("unverified",), [assumed], failed))
    concluded = [(m, s) for m, s in spoken if _CONCLUDED.search(s) and not _AGREED.search(s)]
    if concluded:
        if failed:
            drafts.append(_draft("concluded", ("wrong-answer",), [concluded[0], concluded[-1]], failed))
        elif all(action.failure or not action.output.strip() for action in read_actions(messages)):
            drafts.append(_draft("unchecked", ("unverified",), [concluded[0], concluded[-1]], failed))
    return drafts


def is_group(messages: Sequence[Message]) -> bool:
    """True for a talk of named agents."""
    return any(message.role == "assistant" and message.name for message in messages)


def _is_agent(message: Message) -> bool:
    """A model's own words; longer text is a page or file that it shows."""
    return message.role == "assistant" and message.origin == "model" and len(message.content) <= _MAX_MESSAGE


def _said(message: Message) -> list[str]:
    found = [_LIST_MARK.sub("", s) for s in sentences(without_code(message.content))]
    return [
        s for s in found if 30 <= len(s) <= _MAX_SENTENCE and s in message.content and not _NO_PROSE.match(s)
    ]


def _draft(
    kind: str, tags: tuple[str, ...], places: Sequence[tuple[Message, str]], failed: bool
) -> MemoryDraft:
    words = PHRASES[language(places[0][1])]
    evidence = dict.fromkeys(Evidence(m.start_line, m.end_line, s[:400]) for m, s in places)
    return MemoryDraft(
        content=words[kind],
        context=words["failed_run"] if failed else words["group_run"],
        resolution=words[f"{kind}_fix"],
        tags=(*tags, "failed-run" if failed else "multi-agent"),
        confidence=0.55,
        memory_type="error",
        evidence=tuple(evidence),
    )
