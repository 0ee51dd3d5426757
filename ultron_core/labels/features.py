"""The numbers that the calibrated success model reads; the training script and the runtime share them.

Two kinds of segment, two short lists. Work with tools: how much was said and done for the goal, and how the
tools ended. A talk alone: how the last answer is written. Lengths count Latin letters once and Chinese
characters three times, because a Chinese character carries about as much as three letters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from ultron_core.labels.signals import Signals, words
from ultron_core.labels.verdict import decide_outcome
from ultron_core.transcript import speech
from ultron_core.transcript.language import CJK

__all__ = ["ANSWER_FEATURES", "WORK_FEATURES", "answer_features", "features_of", "text_size", "work_features"]

#: of segments with tool results
WORK_FEATURES = ("session_size", "reply_size", "answer_words", "good_tail", "asked_again", "verdict")
#: of segments without
ANSWER_FEATURES = ("listed", "hedging", "exclaiming", "self_talk", "filler_opening", "verdict")

_LIST = re.compile(r"^\s*(?:[-*•]|\d+[.)、])\s", re.MULTILINE)
_SELF = re.compile(r"\b(?:i|i'm|i'd|i'll|my|me)\b|我", re.IGNORECASE)
_FILLER = re.compile(
    r"\s*(?:sure|of course|certainly|absolutely|great|hello|hi\b|thank|i'?d be happy|happy to|"
    r"当然|好的|没问题|您好|你好)",
    re.IGNORECASE,
)


#: what the outcome that the log itself shows counts for
_VERDICT = {"success": 1.0, "unknown": 0.0, "partial": -0.5, "failure": -1.0}


def text_size(text: str) -> int:
    """Characters, a Chinese one counted three times."""
    return len(text) + 2 * len(CJK.findall(text))


def work_features(signals: Signals) -> dict[str, float]:
    """Of work with tools. Sizes are logarithms with a minus: more words for one goal go with failure."""
    d = signals.dialogue
    replies = [text_size(d.messages[i].content) for i in d.replies]
    total = sum(text_size(m.content) for m in d.messages)
    tail = 0
    for step in reversed(d.steps):
        if step.state != "ok":
            break
        tail += 1
    asked = [d.messages[i].content.strip() for i in d.human]
    return {
        "session_size": -math.log1p(total),
        "reply_size": -math.log1p(sum(replies) / max(1, len(replies))),
        "answer_words": -math.log1p(len(words(d.answer))),
        "good_tail": tail / max(1, len(d.steps)),
        "asked_again": -math.log1p(len(asked) - len(set(asked))),
        "verdict": _VERDICT[decide_outcome(signals)],
    }


def answer_features(signals: Signals) -> dict[str, float]:
    """Of the last answer of a talk: structure, and words that carry nothing."""
    text = signals.dialogue.answer
    count = max(1, len(words(text)))
    return {
        "listed": math.log1p(len(_LIST.findall(text))),
        "hedging": -100 * len(speech.HEDGE.findall(text)) / count,
        "exclaiming": -100 * (text.count("!") + text.count("！")) / count,
        "self_talk": -100 * len(_SELF.findall(text)) / count,
        "filler_opening": -float(bool(_FILLER.match(text))),
        "verdict": _VERDICT[decide_outcome(signals)],
    }


def features_of(signals: Signals) -> tuple[str, Mapping[str, float]]:
    """Which of the two models judges this segment (`work`, `answer`), and its numbers."""
    return ("work", work_features(signals)) if signals.has_tools else ("answer", answer_features(signals))
