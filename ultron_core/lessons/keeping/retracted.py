"""What the agent takes back later in the session: the first version must not be kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ultron_core.lessons.people.statements import named
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.language import sentences
from ultron_core.transcript.speech import any_of

__all__ = ["is_taken_back"]

#: the speaker takes back what was said before, e.g. "Wait, that's not the real reason", "I was wrong about the cache",
#: "the actual cause is", "my earlier reading was off", "等等，", "我之前的判断不对"; "Sorry, that flag is not valid",
#: "抱歉，这个标志不正确"
_TAKES_BACK = any_of(
    r"^(?:wait|hmm|scratch that|on second thought|correction:|actually,? (?:no|wait|that['’]s|it['’]s))\b",
    r"\b(?:that|this|it)(?:['’]s| is| was) not (?:the (?:real|actual|true|cause|reason)|quite right|actually true)\b",
    r"\bthe (?:real|actual|true) (?:reason|cause|culprit|problem|issue)\b",
    r"\bI (?:was|had (?:it|this|that)) (?:wrong|mistaken|backwards)\b|\bI (?:misread|misunderstood|misdiagnosed)\b",
    r"\bmy (?:earlier|previous|first|initial|original) \w+(?: \w+)? (?:was|were|is) (?:\w+ )?(?:wrong|off|incorrect)\b",
    r"\bcontrary to what I (?:said|thought|claimed|wrote)\b",
    r"^(?:sorry|(?:I )?apologi[sz]e|apologies|my (?:mistake|bad))\b(?:[^.!?\n]|\.(?=\w)){0,120}"
    r"\b(?:wrong|incorrect|invalid|"
    r"(?:not|isn['’]t|wasn['’]t|doesn['’]t) (?:\w+ )?(?:correct|right|valid|exist|supported))\b",
    r"^等等[，,]|真正的?(?:原因|问题)|实际的?原因|我(?:之前|刚才|先前)?.{0,10}(?:弄错|搞错|理解错|判断错|说错)|"
    r"之前的(?:判断|分析|结论)(?:是错|不对|有误)|"
    r"^(?:非常|很)?(?:抱歉|对不起)[^。！？\n]{0,60}(?:不正确|不对|有误|错了|是错|无效|不存在|不支持)",
    flags=re.IGNORECASE | re.MULTILINE,
)
#: sentences that a taking back spans: "Wait, that's wrong. `flush()` is called in `Close`."
_SPAN = 2
#: a piece of code, which names a thing too, e.g. `` `--turbo=false` ``
_CODE = re.compile(r"`([^`\n]+)`")
#: characters of a piece of code that names a thing: fewer stand for anything, more are a program
_SHORTEST_CODE, _LONGEST_CODE = 3, 60
#: opens an apology, e.g. "Sorry, ", "My mistake: ", "非常抱歉，"
_SORRY = (
    "sorry",
    "apologi",
    "i apologi",
    "my mistake",
    "my bad",
    "抱歉",
    "非常抱歉",
    "很抱歉",
    "对不起",
    "很对不起",
)
#: what an apology says of a thing may be what was found of it: "sorry, `--turbo` does not exist in Next 16"
_DENYING = (
    "correct",
    "right",
    "valid",
    "exist",
    "supported",
    "wrong",
    "不正确",
    "不对",
    "有误",
    "无效",
    "不存在",
    "不支持",
)


def is_taken_back(draft: MemoryDraft, messages: Sequence[Message]) -> bool:
    """True when the agent later takes back words of its own that the draft rests on, naming the same thing."""
    return any(_taken_back(item, messages) for item in draft.evidence)


def _taken_back(item: Evidence, messages: Sequence[Message]) -> bool:
    names, denied = _names(item.quote), _denied(item.quote)
    said = False
    for message in messages if names else ():
        if message.origin != "model" or message.end_line < item.start_line:
            continue
        text = message.content
        if not said:
            said = message.start_line <= item.start_line and item.quote in text
            if not said:
                return False  # not the agent's words
            text = text.partition(item.quote)[2]
        for passage in _taking_back(text):
            if not names.isdisjoint(_names(passage)) and not _repeats(passage, denied):
                return True
    return False


def _names(text: str) -> set[str]:
    code = {piece for piece in _CODE.findall(text) if _SHORTEST_CODE <= len(piece) <= _LONGEST_CODE}
    return named(text) | {piece for piece in code if piece == piece.strip()}


def _repeats(passage: str, denied: set[str]) -> bool:
    """Whether an apology says of a thing no more than what the memory says of it already."""
    said = _denied(passage) if passage.casefold().startswith(_SORRY) else set()
    return bool(said) and denied >= said


def _denied(text: str) -> set[str]:
    """How a text says that a thing is not as it should be."""
    said = text.casefold()
    return {word for word in _DENYING if word in said}


@lru_cache(maxsize=2048)  # every draft of a segment asks for the messages after it
def _taking_back(said: str) -> tuple[str, ...]:
    """The passages of a message that take something back."""
    if not _TAKES_BACK.search(said):
        return ()
    told = sentences(said)
    return tuple(
        " ".join(told[at : at + _SPAN]) for at, one in enumerate(told) if _TAKES_BACK.search(one.strip())
    )
