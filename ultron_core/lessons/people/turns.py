"""The turns of people in a segment: what each does, what the agent had done before it, and what followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.lessons.explanations import clip
from ultron_core.lessons.people.statements import POINT, without_opening
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.acts.before import before_turn
from ultron_core.transcript.acts.features import HumanTurn, agent_act
from ultron_core.transcript.acts.reader import TurnActs, read_many
from ultron_core.transcript.acts.setting import is_at_work
from ultron_core.transcript.language import language, one_line, sentences
from ultron_core.transcript.own import own_words
from ultron_core.transcript.pasted import is_printed
from ultron_core.transcript.people import is_human
from ultron_core.transcript.speech import PROMPT, any_of
from ultron_core.transcript.wrapped import BREAK, unwrapped

__all__ = ["MAX_MESSAGE", "Turn", "asked", "is_pasted", "own_remarks", "own_sentences", "read_turns"]

#: a longer message is a pasted document, in which "always" speaks to other readers
MAX_MESSAGE = 1500
#: a longer sentence is pasted, or has no full stops
_MAX_SENTENCE = 360
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
#: a program that starts a task again repeats its order word for word
_MIN_REPEATED = 200
#: a turn that opens a segment further down the log answers an act that the segment does not show
_FIRST_LINES = 12
_UNSEEN = "…"
#: characters of a sentence, and of what was asked, that is quoted
_MIN_ASKED, _MAX_ASKED = 20, 240
#: "[Request interrupted by user]"
_INTERRUPTED = re.compile(r"^\[request interrupted", re.IGNORECASE)
#: the agent gives in to what a person said: "You're absolutely right", "I apologize for the confusion", "你说得对"
_CONCEDES = any_of(
    r"^\W*(?:ah,? |oh,? )?(?:you(?:['’]re| are) (?:\w+ )?(?:right|correct)\b|my (?:mistake|bad)\b|good catch|"
    r"i (?:sincerely )?apologi[sz]e|(?:i['’]m )?sorry)",
    r"^\W*(?:您|你)说[得的]对|^\W*(?:非常)?(?:抱歉|对不起)",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a person. `before` is the position of the agent's last message, -1 when there is none; `answer` that
    of its last message before the next turn, -1 when nothing followed. `objected` says that the next turn objects to
    it, or that the agent gives in to the next turn."""

    position: int
    message: Message
    #: its text with the agent's act before it, as the classifier saw it
    described: HumanTurn
    acts: TurnActs
    before: int
    answer: int
    objected: bool

    @property
    def stopped(self) -> bool:
        """True when the person stopped the agent right before it."""
        return self.described.interrupted

    @property
    def first(self) -> bool:
        """True for a turn at the beginning of its session, before which the agent did nothing."""
        return self.before < 0 and self.message.start_line <= _FIRST_LINES

    def does(self, *acts: str) -> bool:
        return any(act in self.acts.labels for act in acts)


def read_turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """All turns of people, classified in one pass; an order that a program repeats word for word is one turn."""
    places = _places(messages)
    described = [_described(messages, i, before) for i, before in zip(places, [-1, *places], strict=False)]
    acts = read_many(described, network=is_at_work(messages))
    turns = []
    for number, (place, read) in enumerate(zip(places, acts, strict=True)):
        following = places[number + 1] if number + 1 < len(places) else len(messages)
        objected = number + 1 < len(acts) and (
            "objection" in acts[number + 1].labels or _concedes(messages, following)
        )
        turns.append(
            Turn(
                place,
                messages[place],
                described[number],
                read,
                _last_words(messages, 0, place),
                _last_words(messages, place, following),
                objected,
            )
        )
    return tuple(turns)


def _concedes(messages: Sequence[Message], place: int) -> bool:
    """Whether the first words of the agent after the turn at `place` give in to it."""
    said = (m.content for m in messages[place + 1 :] if m.role == "assistant" and m.content.strip())
    return _CONCEDES.search(next(said, "")) is not None


def _places(messages: Sequence[Message]) -> list[int]:
    said: set[str] = set()
    found = []
    for place, message in enumerate(messages):
        if not is_human(message):
            continue
        text = message.content.strip()
        if len(text) < _MIN_REPEATED or text not in said:
            found.append(place)
        said.add(text)
    return found


def _described(messages: Sequence[Message], place: int, previous: int) -> HumanTurn:
    said, calls, asked = before_turn(messages, place, previous)
    stopped = any(_INTERRUPTED.match(m.content) for m in messages[previous + 1 : place] if m.role == "user")
    if not said and not calls and messages[place].start_line > _FIRST_LINES:
        said = _UNSEEN
    return HumanTurn(messages[place].content, agent_act(said, calls), stopped, asked)


def _last_words(messages: Sequence[Message], start: int, end: int) -> int:
    """The agent's last message with words in it, between two positions."""
    spoken = (i for i in range(end - 1, start - 1, -1) if messages[i].role == "assistant")
    return next((i for i in spoken if messages[i].content.strip()), -1)


def own_sentences(message: Message, longest: int = MAX_MESSAGE, *, pasted: bool = False) -> list[str]:
    """Sentences of a message in a person's own words; none of a pasted document or a program's prompt. `pasted`: also
    what they quote, paste and report, which no rule may rest on."""
    return [sentence for remark in own_remarks(message, longest, pasted=pasted) for sentence in remark]


def own_remarks(message: Message, longest: int = MAX_MESSAGE, *, pasted: bool = False) -> list[list[str]]:
    """The same by remark: a paragraph, or a quoted point with the paragraph that speaks of it."""
    text = message.content
    if len(text) > longest or PROMPT.search(_ATTACHED.sub("", text)):
        return []
    lines = without_code(text if pasted else own_words(text)).splitlines()
    own = [line for line in lines if not _SET_IN.match(line)]
    typed = [line for line in own or lines if not (_PASTED.match(line) or is_printed(line))]
    remarks: list[list[str]] = []
    open_point = False
    for paragraph in re.split(r"\n\s*\n", "\n".join(typed)):
        found = _kept(paragraph, text)
        if not found:
            continue
        point = len(found) == 1 and POINT.match(paragraph) is not None
        if open_point and not point:
            remarks[-1] += found
        else:
            remarks.append(found)
        open_point = point
    return remarks


def is_pasted(line: str) -> bool:
    """Whether nobody wrote a line to the agent: it is set in, was printed, or opens as the output of a program does."""
    return any(pattern.match(line) for pattern in (_SET_IN, _PASTED)) or is_printed(line)


def asked(turn: Turn) -> str:
    """What the person had reported or asked, in their words, as a sentence of a memory."""
    own = [s for s in own_sentences(turn.message) if len(s) >= _MIN_ASKED]
    told = without_opening(one_line(" ".join(own[:2])))
    return PHRASES[language(told)]["asked"].format(statement=clip(told, _MAX_ASKED)) if told else ""


def _kept(paragraph: str, text: str) -> list[str]:
    told = (own for sentence in sentences(unwrapped(paragraph)) for own in _as_written(sentence, text))
    bare = (re.sub(r"^(?:[-*•>]|\d+[.)、])\s*", "", sentence) for sentence in told)
    return [s for s in bare if len(s.encode()) >= _MIN_BYTES and len(s) <= _MAX_SENTENCE and s in text]


def _as_written(sentence: str, text: str) -> list[str]:
    """The sentence with the breaks that a window made; its lines, where it is too long or does not stand so in the
    text: a line between them was left out."""
    whole = sentence.replace(BREAK, "\n")
    return [whole] if len(whole) <= _MAX_SENTENCE and whole in text else whole.split("\n")
