"""Where a failed run of agents left the ground: data assumed instead of fetched, answers not checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.language import language, one_line, sentences
from ultron_core.memories.reading import without_code
from ultron_core.memories.wording import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message

__all__ = ["find_doubts"]

_ASSUMED = re.compile(
    r"\b(?:assum(?:e|ed|es|ing)|hypothetical(?:ly)?|placeholder|simulat(?:e|ed|ing)|for (?:the sake of )?(?:demonstration|illustration)|mock(?:ed|ing)?|"
    r"based on (?:my|general|the general) knowledge|made[- ]up|guess(?:ed|ing)?|unable to (?:access|retrieve|find|verify|locate)|"
    r"(?:cannot|can't|could not|couldn't) (?:directly )?(?:access|retrieve|verify|find|locate)|manually (?:specify|review|identify|verify|search|inspect)|"
    r"I (?:know|recall) that)\b|假设|假定|占位|模拟数据|凭经验|无法(?:访问|获取|核实)",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|to conclude|final answer|so,? the|this means|we (?:can )?conclude|it follows)\b|"
    r"\bthe (?:correct |final |total |exact )?(?:answer|result|output|total|number|count|difference|sum|word|name|title|date|value)\b[^.]{0,60}\b(?:is|are|was|were|=)\b|"
    r"\b(?:has|have) been (?:identified|verified|confirmed|determined|found|calculated)\b|因此|所以|最终答案|答案是|结果为|得出",
    re.IGNORECASE,
)
_AGREED = re.compile(r"\bI agree\b|\bterminat|\bplease (?:confirm|verify)\b|\bnext speaker\b|\bnot (?:yet )?been\b", re.IGNORECASE)
_MAX_SENTENCE = 360


def find_doubts(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Two drafts at most, only meant for runs known to have failed: the first statement of an agent that
    rests on assumed data, and the conclusion that became the wrong answer."""
    spoken = [(m, s) for m in messages if _is_agent(m) for s in _said(m)]
    drafts = []
    assumed = next(((m, s) for m, s in spoken if _ASSUMED.search(s)), None)
    if assumed:
        drafts.append(_draft("assumed", ("unverified",), [assumed]))
    concluded = [(m, s) for m, s in spoken if _CONCLUDED.search(s) and not _AGREED.search(s)]
    if concluded and (assumed is None or concluded[0][0] is not assumed[0]):
        drafts.append(_draft("concluded", ("wrong-answer",), [concluded[0], concluded[-1]]))
    return drafts


def _is_agent(message: Message) -> bool:
    return message.role == "assistant" and message.origin == "model"


def _said(message: Message) -> list[str]:
    found = sentences(without_code(message.content))
    return [s for s in found if 20 <= len(s) <= _MAX_SENTENCE and s in message.content and not s.startswith("#")]


def _draft(kind: str, tags: tuple[str, ...], places: Sequence[tuple[Message, str]]) -> MemoryDraft:
    words = PHRASES[language(places[0][1])]
    evidence = dict.fromkeys(Evidence(m.start_line, m.end_line, s[:400]) for m, s in places)
    return MemoryDraft(
        content=words[kind].format(said=one_line(places[0][1])),
        context=words["failed_run"],
        resolution=words[f"{kind}_fix"],
        tags=(*tags, "failed-run"),
        confidence=0.55,
        memory_type="error",
        evidence=tuple(evidence),
    )
