"""What the agent says a failure came from, in the words right after it or right after the proof."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ultron_core.lessons.describe import EDIT
from ultron_core.lessons.explanations import LIST_MARK, adds_to, shared_terms
from ultron_core.lessons.people.statements import has_detail
from ultron_core.models import Message
from ultron_core.transcript.actions import argument_strings, without_code
from ultron_core.transcript.language import CJK, sentences
from ultron_core.transcript.protocol import fenced
from ultron_core.transcript.speech import HEDGE, any_of

__all__ = ["Diagnosis", "diagnose"]

#: messages after a failure in which its cause is told, of which the later ones must name something of the failure;
#: sentences of each that are read
_MESSAGES, _NEAR, _SENTENCES = 12, 6, 8
#: a shorter sentence names no cause, a longer one is a paragraph
_LENGTH = (25, 380)
#: sentences that one diagnosis holds
_MOST = 3
#: names a cause outright: "The issue was adding it to go.mod", "fails because the port is taken"
_NAMED = any_of(
    r"\b(?:the|this|that) (?:\w+ ){0,3}(?:issue|problem|bug|cause|reason|culprit|error|failure|mismatch)\b"
    r"[^.]{0,40}\b(?:is|was|were|comes?|came|lies|stems?)\b",
    r"\broot cause\b|\bbecause\b|\bdue to\b|\bcaused by\b|\bturn(?:s|ed) out\b|\bthat(?:'s| is) why\b",
    r"原因(?:是|在于)|因为|由于|问题(?:是|在于|出在)|根因",
)
#: looks back on a cause that has been dealt with: "The issue was adding it to go.mod by hand"
_CONFIRMED = any_of(
    r"\b(?:the|this) (?:\w+ ){0,2}(?:issue|problem|bug|cause|reason|culprit|mismatch)\b[^.]{0,30}\b(?:was|were|came)\b",
    r"\bturn(?:s|ed) out\b|\b(?:works?|passes|worked) (?:now )?because\b|\bthat(?:'s| is) why\b",
    r"(?:原因|问题)(?:其实)?(?:就是|出在)",
)
#: "go.mod", "config.exs"
_FILE = re.compile(r"\b\w[\w-]{0,80}\.[a-z]{2,5}\b")
#: words of a guess beside those that all stages know, e.g. "it is likely the cache"
_DOUBT = any_of(
    r"\b(?:likely|presumably|apparently|suspect|may|might|could be|seems?|looks like|hopefully)\b"
)
#: says what is amiss: "the test config is missing the endpoint", "`go mod tidy` ignores go.work"
_AMISS = any_of(
    r"\b(?:missing|lacks?|isn't|aren't|wasn't|not|never|cannot|can't|doesn't|don't|won't|no longer|instead of|"
    r"rather than|only (?:when|if|works?|applies|accepts|reads|allows|takes|inside|once|in)|"
    r"still|already|even though|before|unless|outside|without|wrong|stale|mismatch|collaps\w+|"
    r"overrid\w+|conflict\w*|break(?:s|ing)|shadow\w*|ignor\w+|expects?|requires?|must|needs?|since|treats?)\b",
    r"缺少|没有|未|不(?:是|支持|存在|会|能)|需要|必须|冲突|覆盖|忽略",
)
#: announces work, reports progress or says that all is as planned: "Let me check", "All 12 tests pass", "as expected"
_EMPTY = any_of(
    r"^(?:(?:i|we) (?:need|have|should|must|can)\b|let me|let's|"
    r"now\b(?! the)|next\b|i'll|i will|i'm going|i can\b|we can\b|first\b|here(?:'s| is| are)|"
    r"to (?:fix|find|see|check|understand|verify)\b|i(?:'ve| have)\b|i'd\b|i see\b|looking at\b|with (?:this|these)|"
    r"sorry|apolog|you(?:'re| are) right|done\b|good\b|great\b|perfect\b|summary)",
    r"\b(?:as expected|is expected|are expected|intentional(?:ly)?|on purpose|pre-existing|unrelated|transient|"
    r"next step|i will|we will|we'll|reproduc(?:ed|es|ing)|successful(?:ly)?|confirms?|"
    r"(?:i|we) (?:need to|should|have to|must|can) (?:also )?(?:check|see|look|find|verify|investigate|understand|read|"
    r"know|inspect|debug|figure|explore|try|run)|"
    r"let me|shall i|should i|do you want|not related|false positive)\b",
    r"\b(?:all|the other) (?:\d+ )?(?:\w+ )?(?:tests|checks)\b[^,]{0,30}\bpass(?:es|ed)?\.?$",
    r"^(?:让我|我来|接下来|现在|首先|好的|我会|我将|抱歉)|符合预期",
)
#: what a remedy names between backticks: "set `:auto`"
_CODE = re.compile(r"`([^`\n]{2,80})`")
#: its other words, e.g. `shared`, `256`
_TERM = re.compile(r"[A-Za-z_]\w{3,}|\d{2,}|[\u3400-\u9fff]{2}")
#: what is to be done about it, in the sentence after: "I need to use shared mode.", "The fix is to ..."
_REMEDY = any_of(
    r"^(?:so )?(?:i|we) (?:need|have|should|must)(?: to)? (?!check|see|look|find|verify|investigate|understand|read|"
    r"know|inspect|debug|figure|explore|fix (?:this|that|it)\b)",
    r"^(?:the fix|the solution|need to|needs to|instead|use|add|set|move|replace|change)\b(?!.*[:：]$)",
    r"^(?:需要|应该|应改|改为|改成|解决办法)",
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`text` is verbatim from the message at `position`: one sentence, or two that follow each other."""

    text: str
    position: int


def diagnose(messages: Sequence[Message], failed: int, end: int, line: str, proof: int) -> Diagnosis | None:
    """The cause of the failure at `failed`: as told after the `proof`, else before `end`, or None.

    What is said after the proof has been tested; before it the first telling sentence counts.
    """
    window = range(failed + 1, min(proof + 3, len(messages)))
    for position in (p for p in reversed(window) if _is_models(messages[p])):
        confirmed = _first(messages, position, line, _CONFIRMED, messages[failed + 1 : position])
        if confirmed is not None:
            return confirmed
    for cue in (_NAMED, _AMISS):
        for position in _told(messages, failed + 1, min(end, failed + 1 + _MESSAGES)):
            found = _first(messages, position, line, cue, messages[position:end])
            if found is not None and (position <= failed + _NEAR or shared_terms(found.text, line)):
                return found
    return None


def _was_done(remedy: str, messages: Sequence[Message]) -> bool:
    """True when the calls hold something of what the agent said it would do; also when they do not show their text."""
    calls = [call for message in messages for call in message.tool_calls]
    if any(EDIT.search(call.name) and len(call.arguments) == 1 for call in calls):
        return True
    done = [text for call in calls for text in argument_strings(call.arguments)]
    done += [code for message in messages if _is_models(message) for _, code in fenced(message.content)]
    named = _CODE.findall(remedy)
    if named:
        return any(name in text for name in named for text in done)
    terms = {word.casefold() for word in _TERM.findall(remedy)}
    return any(word.casefold() in terms for text in done for word in _TERM.findall(text))


def _is_models(message: Message) -> bool:
    return message.role == "assistant" and message.origin == "model" and bool(message.content.strip())


def _told(messages: Sequence[Message], begin: int, end: int) -> Iterator[int]:
    """Positions of the model's words; a turn of a person ends what was said about the failure."""
    for position in range(begin, min(end, len(messages))):
        message = messages[position]
        if message.role == "user" and message.origin == "human":
            return
        if _is_models(message):
            yield position


def _first(
    messages: Sequence[Message], position: int, line: str, cue: re.Pattern[str], work: Sequence[Message]
) -> Diagnosis | None:
    text = messages[position].content
    bare = (LIST_MARK.sub("", s).strip() for s in sentences(without_code(text))[:_SENTENCES])
    told = [sentence for sentence in bare if sentence]
    for place, sentence in enumerate(told):
        if not _is_cause(sentence, cue) or not adds_to(sentence, line):
            continue
        if not (has_detail(sentence) or _FILE.search(sentence) or shared_terms(sentence, line)):
            continue
        return Diagnosis(_continued(told, place, text, work), position)
    return None


def _continued(told: Sequence[str], place: int, text: str, work: Sequence[Message]) -> str:
    """The sentence with those after it that go on telling: what is amiss, or what was to be done and was."""
    whole = told[place]
    for count, following in enumerate(told[place + 1 : place + _MOST]):
        longer = f"{whole} {following}"
        remedy = _REMEDY.search(following) is not None
        goes_on = _was_done(following, work) if remedy else count == 0 and not _EMPTY.search(following)
        if not goes_on or following[-1] in ":：?？" or len(longer) > _LENGTH[1] or longer not in text:
            break
        whole = longer
    return whole


def _is_cause(sentence: str, cue: re.Pattern[str]) -> bool:
    size = len(sentence) + 2 * len(CJK.findall(sentence))
    if not _LENGTH[0] <= size <= _LENGTH[1] or sentence[-1] in ":：?？":
        return False
    if _EMPTY.search(sentence) or HEDGE.search(sentence) or _DOUBT.search(sentence):
        return False
    return cue.search(sentence) is not None
