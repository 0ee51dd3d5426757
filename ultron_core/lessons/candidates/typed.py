"""What a person typed as their own words: without what they paste, quote or hand in for a program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import sentences
from ultron_core.transcript.own import own_words
from ultron_core.transcript.pasted import is_printed
from ultron_core.transcript.speech import PROMPT
from ultron_core.transcript.wrapped import BREAK, unwrapped

__all__ = ["own_passages", "own_sentences"]

#: a longer message is a pasted document, in which "always" speaks to other readers
_MAX_MESSAGE = 1500
#: a longer sentence is pasted, or has no full stops
_MAX_SENTENCE = 360
#: sentences of a person that stand together in one passage, and its characters
_MOST_TOGETHER, _LONGEST = 3, 400
#: eight letters or three Chinese characters say something
_MIN_BYTES = 8
#: lines that nobody writes to an agent, besides those that a program printed: "FAIL  src/a.spec.ts > loops",
#: "Received: 3", "> quoted", "% ls", "++ b/x", "/clear all", "~/run (twice)"
_PASTED = re.compile(
    r"^\s*(?:(?:FAIL|PASS|ERROR)\s|(?:Expected|Received|Caused by)\b.{0,80}:|>|"
    r"[$❯➜%]\s|[+|]|-{2,}|\w*(?:error|Error|Exception):|~?/\S+ ?\(?)"
)
#: a file that a person attached makes no prompt of their turn, e.g. `<file path="a.md">x</file>`
_ATTACHED = re.compile(
    r"<(files?|documents?|attach(?:ment|ed_file)s?|selection|snippet|paste)\b[^<>]{0,400}>[\s\S]{0,6000}?</\1>\s*"
)
#: what is set in from the margin comes from a program or another text, e.g. `  The functions follow a pattern`
_SET_IN = re.compile(r"^(?: {2}|\t)\s*(?![-*•\d])\S")


def own_sentences(message: Message) -> list[str]:
    """Sentences of a message in a person's own words; none of a pasted document or a program's prompt."""
    text = message.content
    if len(text) > _MAX_MESSAGE or PROMPT.search(_ATTACHED.sub("", text)):
        return []
    lines = without_code(own_words(text)).splitlines()
    own = [line for line in lines if not _SET_IN.match(line)]
    typed = [line for line in own or lines if not (_PASTED.match(line) or is_printed(line))]
    paragraphs = re.split(r"\n\s*\n", "\n".join(typed))
    return [sentence for paragraph in paragraphs for sentence in _kept(paragraph, text)]


def own_passages(message: Message) -> list[str]:
    """A message's own sentences as they stand, first up to three together between which nothing is said by others (the
    mark of an item may lie there, or a word too short to be a sentence), then each alone."""
    own = own_sentences(message)
    return list(dict.fromkeys((*_together(message, own), *own)))


def _together(message: Message, own: Sequence[str]) -> list[str]:
    spans: list[tuple[int, int]] = []
    together, at = 0, 0
    for sentence in own:
        begin = message.content.find(sentence, at)
        if begin < 0:
            continue
        at = begin + len(sentence)
        first, last = spans[-1] if spans else (0, 0)
        beside = len(message.content[last:begin].strip().encode()) < _MIN_BYTES
        if beside and 0 < together < _MOST_TOGETHER and at - first <= _LONGEST:
            spans[-1], together = (first, at), together + 1
        else:
            spans.append((begin, at))
            together = 1
    return [message.content[begin:end] for begin, end in spans]


def _kept(paragraph: str, text: str) -> list[str]:
    told = (own for sentence in sentences(unwrapped(paragraph)) for own in _as_written(sentence, text))
    bare = (re.sub(r"^(?:[-*•>]|\d+[.)、])\s*", "", sentence) for sentence in told)
    return [s for s in bare if len(s.encode()) >= _MIN_BYTES and len(s) <= _MAX_SENTENCE and s in text]


def _as_written(sentence: str, text: str) -> list[str]:
    """The sentence with the breaks that a window made; its lines, where it is too long or does not stand so in the
    text: a line between them was left out."""
    whole = sentence.replace(BREAK, "\n")
    return [whole] if len(whole) <= _MAX_SENTENCE and whole in text else whole.split("\n")
