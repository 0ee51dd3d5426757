"""A thread as user turns and what surrounds each: the raw material that the offline segmenter weighs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from ultron_core.lessons.describe import path_of
from ultron_core.models import Message
from ultron_core.segments.offline.cues import DETAIL
from ultron_core.transcript.actions import argument_strings
from ultron_core.transcript.acts.features import HumanTurn, agent_act
from ultron_core.transcript.asked import asked
from ultron_core.transcript.commands import command_in
from ultron_core.transcript.files import CODE_FILE
from ultron_core.transcript.language import CJK_RUN, OTHER_SCRIPT
from ultron_core.transcript.pairs import closed_positions
from ultron_core.transcript.people import is_request
from ultron_core.transcript.protocol import program_rows
from ultron_core.transcript.speech import GREETING, is_only_courtesy

__all__ = ["MAX_TEXT", "Turn", "terms", "turn_ends", "turns_of"]

#: An embedding averages over a long text; the beginning says what it is about.
MAX_TEXT = 1000
#: characters of a reply that are compared (set by hand: docs/segmentation.md)
_REPLY_TEXT = 600
#: latest calls of a turn whose words count as its work, and characters of each (set by hand)
_WORK, _WORK_TEXT = 20, 200

#: a word, path or number, e.g. `src/app.py`, `user_id`, `10:30`
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[./\\-][A-Za-z0-9_]+)*|\d+(?:[.:/-]\d+)*")
#: a file that a patch changes, and one that a command names, e.g. `*** Update File: src/a.py`, `src/a.py`
_PATCHED, _FILE = (
    re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE),
    re.compile(r"[\w./-]+\.\w{1,5}\b"),
)
_STOP = frozenset(
    "a about after all also am an and any are as at be been but by can could did do does for from get give go had has"  # noqa: SIM905
    " have he her here him his how i if in into is it its just know like let make me more my need no not of on one or"
    " our out please she should so some such tell than that the their them then there these they this to too up us use"
    " want was we were what when where which while who why will with would yes you your thanks thank ok okay".split()
)
_CJK_STOP = frozenset(
    "的了是我你他她它们在有和就不人都一个上也很到说要去会着没看好自己这那吗呢吧啊呀哦嗯请帮想能可以什么怎么哪些多少给"
    "谢再还您家里最后得地之与及或把被让用为对从"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing a person said, and the first thing the model did about it.

    position: of the user message; start: where a segment that it opens begins (system prompts directly before it
    belong to it); may_start: a segment may begin there; restarted: one of these prompts opened the thread too.
    text, reply: cut to what is embedded; length: characters of the whole text;
    last_text: the end of what the model said last;
    after_user: whether the message before is another turn; gap: seconds since it, if both are dated;
    stretch: messages since the turn before. terms, names, phrases: see the functions of these names;
    body_terms: terms of what the model said last; answered: whether the model did anything about it before the
    next turn; work: terms of what was said and called since the turn before; works: whether tools or code came into it;
    act: what the agent said last and the names of its calls, as transcript/acts words it; asked: the turn before;
    codes: whether a file of a project is named, or the agent ran a command or opened a file since the turn before;
    files: names of the files that the agent's calls name before the next turn.
    """

    position: int
    start: int
    may_start: bool
    restarted: bool
    text: str
    length: int
    reply: str
    last_text: str
    after_user: bool
    gap: float | None
    terms: frozenset[str]
    reply_terms: frozenset[str]
    names: frozenset[str]
    body_terms: frozenset[str]
    stretch: int
    phrases: frozenset[str]
    reply_phrases: frozenset[str]
    answered: bool
    work: frozenset[str]
    works: bool
    act: str
    asked: str
    codes: bool
    files: frozenset[str]

    @property
    def described(self) -> HumanTurn:
        """As transcript/acts reads it."""
        return HumanTurn(self.text, self.act, asked=self.asked)

    @property
    def is_empty(self) -> bool:
        """Only thanks, consent, "continue" or a control token: nothing that could be a request."""
        if OTHER_SCRIPT.search(self.text):
            return False
        return not self.terms or is_only_courtesy(self.text)

    @property
    def about_code(self) -> bool:
        """Whether a person and an agent speak of files, code or logs: support talks call tools, too."""
        said = (self.text, self.last_text)
        return "`" in self.last_text or any(DETAIL.search(text) is not None for text in said)


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns of one thread in order. Recalled memories, reminders and tool results are not turns."""
    closed = closed_positions(messages)
    printed = program_rows(messages)
    places = [i for i, m in enumerate(messages) if is_request(m) and i not in printed]
    turns = []
    previous = 0
    for number, place in enumerate(places):
        end = places[number + 1] if number + 1 < len(places) else len(messages)
        turns.append(_turn(messages, previous, place, end, closed))
        previous = place
    return turns


def turn_ends(turns: Sequence[Turn], length: int) -> list[int]:
    """Where each turn's messages end: at the next turn, the last one at the end of the thread."""
    return [*(t.position for t in turns[1:]), length] if turns else []


def _turn(messages: Sequence[Message], previous: int, place: int, end: int, closed: Collection[int]) -> Turn:
    message = messages[place]
    start = place
    while start > 0 and messages[start - 1].role == "system":
        start -= 1
    said = asked(message.content)
    text = GREETING.sub("", said[: MAX_TEXT * 2].strip())[:MAX_TEXT]
    answer = next((m for m in messages[place + 1 : end] if m.role == "assistant"), None)
    reply = _said(answer) if answer else ""
    before = messages[previous:place]
    spoken = next((m for m in reversed(before) if m.role == "assistant" and m.content.strip()), None)
    last = messages[place - 1] if place else None
    return Turn(
        position=place,
        start=start,
        may_start=start > 0 and start not in closed,
        restarted=start > 0 and any(m.content == messages[0].content for m in messages[start:place]),
        text=text,
        length=len(said),
        reply=reply,
        last_text=spoken.content[-_REPLY_TEXT:] if spoken else "",
        after_user=last is not None and is_request(last),
        gap=_gap(last.timestamp if last else None, message.timestamp),
        terms=terms(text),
        reply_terms=terms(reply),
        names=_names(text),
        stretch=place - previous,
        phrases=phrases(text),
        reply_phrases=phrases(reply),
        body_terms=terms(spoken.content[:MAX_TEXT]) if spoken else frozenset(),
        answered=answer is not None,
        work=_work(before),
        works=_works(message, messages[place + 1 : end]),
        act=_act(spoken, before),
        asked=asked(before[0].content)[:MAX_TEXT] if before and is_request(before[0]) else "",
        codes=_codes(text, before),
        files=_files(messages[place + 1 : end]),
    )


def _codes(text: str, before: Sequence[Message]) -> bool:
    said = [text, *(m.content[:_REPLY_TEXT] for m in before if m.role == "assistant")]
    if any(CODE_FILE.search(one) for one in said):
        return True
    calls = [call for message in before for call in message.tool_calls]
    return any(command_in(c.name, c.arguments) is not None or _opens_a_file(c.arguments) for c in calls)


def _files(messages: Sequence[Message]) -> frozenset[str]:
    """Without their folders: of a patch those that it changes, of a command those that it names, else the path."""
    found: set[str] = set()
    for call in (call for message in messages for call in message.tool_calls):
        patched = [name for text in argument_strings(call.arguments) for name in _PATCHED.findall(text)]
        command = command_in(call.name, call.arguments)
        named = patched or (_FILE.findall(command) if command else [path_of(call.arguments)])
        found.update(re.split(r"[/\\]", name.strip())[-1] for name in named)
    return frozenset(found - {""})


def _opens_a_file(arguments: object) -> bool:
    """Not `profile` or `career_path` of a customer."""
    path = path_of(arguments)
    return "/" in path or "\\" in path or CODE_FILE.search(path) is not None


def _act(spoken: Message | None, messages: Sequence[Message]) -> str:
    calls = tuple(c.name for m in messages if m.role == "assistant" for c in m.tool_calls)
    return agent_act(spoken.content if spoken else "", calls)


def _work(messages: Sequence[Message]) -> frozenset[str]:
    """Terms of the openings of what the model said and of the calls that it made, the latest ones."""
    texts = [m.content[:_WORK_TEXT] for m in messages if m.role == "assistant" and m.content]
    calls = [c for m in messages for c in m.tool_calls]
    texts += [json.dumps(c.arguments, ensure_ascii=False, default=str)[:_WORK_TEXT] for c in calls[-_WORK:]]
    return frozenset().union(*(terms(text) for text in texts[-2 * _WORK :]))


def _works(message: Message, answers: Sequence[Message]) -> bool:
    """Whether tools or code come into it: work, as against talk."""
    if len(answers) > 1 or "```" in message.content:
        return True
    return any(m.tool_calls or "```" in m.content for m in answers)


def _said(message: Message) -> str:
    text = message.content.strip()
    if not text and message.tool_calls:
        call = message.tool_calls[0]
        text = f"{call.name} {json.dumps(call.arguments, ensure_ascii=False, default=str)}"
    return text[:_REPLY_TEXT]


def _gap(before: datetime | None, now: datetime | None) -> float | None:
    return max((now - before).total_seconds(), 0.0) if before and now else None


def terms(text: str) -> frozenset[str]:
    """Content words of English, cut to a rough stem, and pairs of Chinese characters."""
    found = set()
    for word in _LATIN.findall(text):
        lower = word.lower()
        if len(lower) >= 3 and lower not in _STOP:
            found.add(_stem(lower))
    for run in CJK_RUN.findall(text):
        found.update(
            run[i : i + 2]
            for i in range(len(run) - 1)
            if run[i] not in _CJK_STOP and run[i + 1] not in _CJK_STOP
        )
    return frozenset(found)


def phrases(text: str) -> frozenset[str]:
    """Runs that are unlikely to recur by chance: four Chinese characters, two Latin words or a long one."""
    found = {run[i : i + 4] for run in CJK_RUN.findall(text) for i in range(len(run) - 3)}
    words = [w.lower() for w in _LATIN.findall(text)]
    found.update(f"{a} {b}" for a, b in pairwise(words) if a not in _STOP and b not in _STOP)
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


#: what a turn is about, e.g. `the Parser class`, `utf8`, `src/app.py`, `` `x` ``, `“超时”`
_NAME = re.compile(
    r"(?<![.!?]\s)(?<!^)\b[A-Z][A-Za-z]+(?:[A-Z][a-z]+)*\b|\b\w*\d\w*\b|\b\w+(?:[._/\\-]\w+)+|`([^`]+)`"
    r"|[“\"「《]([^”\"」》]{2,30})[”\"」》]"
)


def _names(text: str) -> frozenset[str]:
    """What names a thing: capitalised words inside a sentence, numbers, paths, identifiers, quoted words."""
    return frozenset(m.group(0).lower() for m in _NAME.finditer(text) if m.group(0) != "I")
