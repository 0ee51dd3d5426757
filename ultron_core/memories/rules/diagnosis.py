"""What a model says right after a failure about its cause."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.rules.explanations import LIST_MARK
from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import CJK, sentences

__all__ = ["diagnosis"]

_FIRST = 4
_LENGTH = (30, 320)
_OPENING = re.compile(
    r"^(?:it (?:looks|seems|appears)(?: like| that)?|this (?:is|was|could be|may be|might be|happens|error) |"
    r"the (?:error|issue|problem|reason|failure|function|code|script)\b.{0,60}\b(?:is|was|because|due|"
    r"occurred|indicates|means|suggests|does|did|failed)\b|(?:we|i) (?:forgot|missed|need to)\b|"
    r"看(?:起来|来)|似乎|问题(?:是|在于|出在)|原因|报错是因为)",
    re.IGNORECASE,
)
#: says that something failed, or how the talk goes on, and not why
_NO_CAUSE = re.compile(
    r"\bresulted in an? \w+|\b(?:an?|some|another|the same) (?:\w+ )?(?:error|issue|problem)s? "
    r"(?:with|in|while|when|during|occurred)\b|\bwe need to (?:verify|confirm|carefully|follow|ensure|"
    r"proceed|continue)\b|\bplease\b|\b(?:was|were|been) successful|\bstep \d|\blet me\b|"
    r"\bthere (?:was|were|is) an? (?:error|issue)\b",
    re.IGNORECASE,
)
_REMEDY = re.compile(
    r"^(?:we (?:need|should|must|can|will)|i(?:'ll| will| need to| should)|let'?s|to (?:fix|resolve|address|"
    r"handle|correct)|instead|therefore|this (?:could|might|may) be (?:due|because)|需要|应该|改|先)\b",
    re.IGNORECASE,
)
_NO_REMEDY = re.compile(
    r"\blet'?s (?:correct|fix|try|address|resolve|handle|adjust|modify) (?:that|this|it|the (?:code|script))\b|"
    r"\beffectively\b|[:：?？]$",
    re.IGNORECASE,
)


def diagnosis(messages: Sequence[Message], position: int) -> str:
    """The cause as the model at `position` states it, with what it will do about it, or nothing.

    One or two of its first four sentences: one that opens as a diagnosis does ("It looks like ..."), and the
    next when it says what to do.
    """
    if position >= len(messages) or messages[position].role != "assistant":
        return ""
    text = messages[position].content
    first = [LIST_MARK.sub("", s).strip() for s in sentences(without_code(text))[:_FIRST]]
    for sentence, follow in zip(first, [*first[1:], ""], strict=True):
        if not _is_cause(sentence):
            continue
        both = f"{sentence} {follow}"
        useful = _REMEDY.match(follow) and not _NO_REMEDY.search(follow)
        return both if useful and both in text else sentence
    return ""


def _is_cause(sentence: str) -> bool:
    if not _LENGTH[0] <= len(sentence) + 2 * len(CJK.findall(sentence)) <= _LENGTH[1]:
        return False
    return bool(_OPENING.match(sentence)) and not _NO_CAUSE.search(sentence) and sentence[-1] not in ":："
