"""What agents say in a talk of several: sentences that rest on assumed data, and conclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import sentences

__all__ = ["Place", "find_assumption", "find_conclusions", "find_statements"]

#: a position in the messages and the words found there
Place = tuple[int, str]

#: "Let us assume the prices are 10 and 12." An "initial guess" is a numerical method's
_ASSUMED = re.compile(
    r"\b(?:assum(?:e|ed|ing)|hypothetical(?:ly)?|placeholder|simulat(?:e|ed|ing)|"
    r"for (?:the sake of )?(?:demonstration|illustration)|mock(?:ed|ing)?|"
    r"based on (?:my|general|the general) knowledge|(?:from|to) my knowledge|made[- ]up|"
    r"(?<!initial )guess(?:ed|ing)?|unable to (?:access|retrieve|find|verify|locate)|"
    r"(?:cannot|can't|could not|couldn't) (?:directly )?(?:access|retrieve|verify|find|locate)|"
    r"I (?:know|recall) that)\b|假设|假定|"
    r"占位|模拟数据|凭经验|无法(?:访问|获取|核实)",
    re.IGNORECASE,
)
#: "Therefore the answer is Komo Mai Drive." / "因此答案是 42。"
_CONCLUDED = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|final (?:answer|result|decision)|it follows|it'?s evident)\b|"
    r"\bthe (?:correct |final |total |exact |highest |first )?(?:answer|result|output|total|number|count|difference|"
    r"sum|word|name|title|date|value|price)\b[^.]{0,60}\b(?:is|are|was|were|=)\b|"
    r"\b(?:has|have) been (?:\w+ )?(?:identified|verified|confirmed|determined|found|calculated|obtained)\b|"
    r"\b(?:it is|is) (?:confirmed|verified)\b|"
    r"\bwe (?:have |can )?(?:now )?(?:successfully )?(?:found|identified|located|obtained|acquired|confirmed?|"
    r"established|determined|conclude)\b|因此|所以|最终答案|答案是|结果为|得出",
    re.IGNORECASE,
)
#: agreement, plans and conditions, which settle nothing: "I agree; we should verify the price next."
_AGREED = re.compile(
    r"^(?:if|once|when|after|please|given)\b|\bI agree\b|\bterminat|\bplease\b|"
    r"\bnot (?:\w+ )?(?:been|satisfied|found|identified)\b|\bhaven't\b|\bhave not\b|\bnext step\b|\bcould be\b|"
    r"\bwe(?:'ll| will| need| should)\b|\bshould\b|\bneeds? to\b|\blet's\b|\bconclude (?:the|this|our) "
    r"(?:chat|conversation|discussion|task)\b|\bno (?:\w+ )?progress\b|\berror\b|如果|请|需要",
    re.IGNORECASE,
)
#: markup, data, questions, and orders to others, which state nothing
_NO_PROSE = re.compile(
    r"[#\"'{}\[\]|`(]|.*(?:\?|[\"'],?)$|(?:if|once|please|provide|locate|check|find|use|implement|"
    r"develop|create|write|"
    r"navigate|search|look|ensure|verify|confirm|identify|consider|click|open|go|we need)\b",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^(?:[-*]+|\d+[.)])\s+")
#: a string value of JSON that an agent wrote between its sentences
_VALUE = re.compile(r'":\s*"([^"\\\n]{30,360})"')
_MAX_MESSAGE = 6000
_ANSWER = 400
_MAX_SENTENCE = 360


def find_statements(messages: Sequence[Message]) -> list[Place]:
    """What agents state in their own words, in order, without what a person had given them."""
    given = "\n".join(m.content for m in messages if m.role == "user")
    spoken = [(i, s) for i, m in enumerate(messages) if _is_agent(m) for s in _stated(m.content)]
    if messages and messages[-1].role == "assistant" and not _is_agent(messages[-1]):
        # the answer behind the last page that was shown
        spoken += [(len(messages) - 1, s) for s in _stated(messages[-1].content[-_ANSWER:], shortest=15)]
    return [place for place in spoken if place[1] not in given]


def find_assumption(spoken: Sequence[Place]) -> Place | None:
    """The first statement that rests on assumed or invented data."""
    return next((place for place in spoken if _ASSUMED.search(place[1])), None)


def find_conclusions(spoken: Sequence[Place]) -> list[Place]:
    """Statements that settle something, in order."""
    return [place for place in spoken if _CONCLUDED.search(place[1]) and not _AGREED.search(place[1])]


def _is_agent(message: Message) -> bool:
    """A model's own words; longer text is a page or file that it shows."""
    return message.role == "assistant" and message.origin == "model" and len(message.content) <= _MAX_MESSAGE


def _stated(text: str, shortest: int = 30) -> list[str]:
    prose = [_LIST_MARK.sub("", s) for s in sentences(without_code(text))]
    prose = [s for s in prose if not _NO_PROSE.match(s)]
    values = [s for value in _VALUE.findall(text) for s in sentences(value)]
    return [s for s in [*prose, *values] if shortest <= len(s) <= _MAX_SENTENCE and s in text]
