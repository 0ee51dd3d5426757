"""What can be observed in a dialogue: verdicts, errors and what became of them, repetition, risks.

Everything downstream (metrics, outcome, scores) rests on these positions, so each number of a label can be
traced to messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ultron_core.lessons.describe import EDIT, edited_path
from ultron_core.models import Message
from ultron_core.transcript import speech
from ultron_core.transcript.acceptance import accepts, closes, says_right, takes
from ultron_core.transcript.acts.before import before_turn
from ultron_core.transcript.acts.features import HumanTurn, agent_act
from ultron_core.transcript.acts.moves import load_moves, read_moves
from ultron_core.transcript.acts.setting import is_at_work
from ultron_core.transcript.commands import command_in
from ultron_core.transcript.dialogue import Dialogue, ToolStep, read_dialogue
from ultron_core.transcript.harness import LIMIT_REACHED, joined
from ultron_core.transcript.language import CJK
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import find_failure, reports_success
from ultron_core.transcript.risks import find_secrets, risky_parts

__all__ = ["Signals", "observe", "was_accepted", "words"]

Positions = tuple[int, ...]
#: a word or a number, e.g. `naïve`, `3.5`
_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?", re.UNICODE)
#: a code block, closed or cut off, e.g. ```` ```python⏎x = 1⏎``` ````
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: longer messages of a person are documents: a phrase in them is neither a verdict nor a wish
_VERDICT, _WISH = 400, 1_200
#: a limit that a harness reached: "Only 4 reflections allowed, stopping."
_LIMIT = joined(LIMIT_REACHED, re.IGNORECASE)
#: characters looked at: of a message for secrets, of a person's message for an error, of an answer for giving up,
#: of the last message for a limit (bounds on time; docs/quality.md, "Unsupported numbers")
_SCANNED, _REPORT, _CONCLUSION, _LAST_WORDS = 20_000, 3_000, 800, 600
#: two replies that share this part of their words say the same thing
_SAME_REPLY = 0.85


@dataclass(frozen=True, slots=True)
class Signals:
    """Positions of messages in the dialogue, each tuple in order."""

    dialogue: Dialogue
    thanks: Positions
    accepted: Positions
    #: turns with which the person takes the result, and ones that only close the talk (transcript/acceptance.py)
    taken: Positions
    closing: Positions
    #: words of a person against what was done, and calls that a person refused
    rejections: Positions
    #: turns that tell, in whatever words, that the work is not right: the fitted reading (transcript/acts/moves.py)
    heard_failed: Positions
    #: what the turn that opens the next task tells of this one: "done", "failed", or "" for nothing. Inside a segment
    #: the reading of "done" is not asked: simulated customers say yes to what then fails (6 of 11 were right)
    heard_after: str
    #: the line of that turn, 0 without one
    after_line: int
    corrections: Positions
    preferences: Positions
    reported_errors: Positions
    errors: Positions
    empties: Positions
    #: pairs (error, the step after which the same tool works)
    solved: tuple[tuple[int, int], ...]
    unsolved: Positions
    #: calls that changed a file
    changes: Positions
    #: the last tool results are errors, or empty, and nobody said more after them
    ends_in_error: bool
    #: result of the last test run: passed, failed, mixed, or none seen
    tests: str
    tests_at: int
    stopped: Positions
    repeated: Positions
    dangers: Positions
    secrets: Positions
    refusals: Positions
    gave_up: bool
    #: the last tool result says in words that it worked
    confirmed_end: bool

    @property
    def last_human(self) -> int:
        return self.dialogue.human[-1] if self.dialogue.human else -1

    @property
    def complaints(self) -> Positions:
        """Words of a person against what was done, and failures that they report of it."""
        reported = (i for i in self.reported_errors if i != self.dialogue.human[0])
        return tuple(sorted({*self.rejections, *self.corrections, *reported}))

    @property
    def settled_at(self) -> int:
        """The turn with which the person takes the result for good: nothing but courtesies behind it. -1: none."""
        for position in reversed(self.dialogue.human):
            if position in self.taken:
                return position
            if position not in self.closing:
                break
        return -1

    @property
    def has_tools(self) -> bool:
        return bool(self.dialogue.steps)


def words(text: str) -> list[str]:
    """Lower-case words; each Chinese character is one."""
    return [w for run in _WORD.findall(text.lower()) for w in (run if CJK.match(run) else (run,))]


def observe(dialogue: Dialogue, following: Message | None = None) -> Signals:
    """Read the signals of one segment, and of the person's turn right behind it where there is one. Deterministic;
    reads text, roles and calls only."""
    spoken = _spoken(dialogue)
    answered = _answered(dialogue, spoken)
    wishes = {i: text for i, text in spoken.items() if len(text) <= _WISH}
    failed, after = _heard(dialogue, following)
    steps = dialogue.steps
    errors = tuple(s.position for s in steps if s.state == "error")
    solved, unsolved = _fate_of_errors(steps)
    tests, tests_at = _last_tests(dialogue)
    return Signals(
        dialogue=dialogue,
        thanks=_where(answered, lambda text: bool(speech.THANKS.search(text))),
        accepted=_where(answered, says_right),
        taken=_where(answered, lambda text: accepts(text) or takes(text)),
        closing=_where(answered, closes),
        rejections=tuple(sorted({*_where(answered, speech.is_objection), *_refused_calls(dialogue)})),
        heard_failed=failed,
        heard_after=after,
        after_line=following.start_line if following else 0,
        corrections=_where(answered, speech.is_correction),
        preferences=_where(wishes, speech.is_wish),
        reported_errors=_reported_errors(dialogue),
        errors=errors,
        empties=tuple(s.position for s in steps if s.state == "empty"),
        solved=solved,
        unsolved=unsolved,
        changes=tuple(s.position for s in steps if _changes(s)),
        ends_in_error=_ends_in_error(dialogue),
        tests=tests,
        tests_at=tests_at,
        stopped=_stopped(dialogue),
        repeated=_repeated(dialogue),
        dangers=_dangers(dialogue),
        secrets=tuple(i for i, m in enumerate(dialogue.messages) if find_secrets(m.content[:_SCANNED])),
        refusals=tuple(i for i in dialogue.replies if speech.REFUSAL.search(dialogue.messages[i].content)),
        gave_up=bool(speech.GAVE_UP.search(dialogue.answer[-_CONCLUSION:])),
        confirmed_end=_confirmed_end(dialogue),
    )


def was_accepted(messages: Sequence[Message]) -> bool:
    """Is anything `accepted`? Runs in which no person has the words for it need not be read, and none is observed: the
    other signals ask a network about each turn, which takes 10 to 30 ms a turn."""
    spoken = (_FENCE.sub(" ", message.content) for message in messages if is_human(message))
    if not any(len(text) <= _VERDICT and says_right(text) for text in spoken):
        return False
    dialogue = read_dialogue(messages)
    return any(map(says_right, _answered(dialogue, _spoken(dialogue)).values()))


def _spoken(dialogue: Dialogue) -> dict[int, str]:
    """What the person says in each turn, without code."""
    return {i: _FENCE.sub(" ", dialogue.messages[i].content) for i in dialogue.human}


def _answered(dialogue: Dialogue, spoken: Mapping[int, str]) -> dict[int, str]:
    """The turns that may speak of what was done."""
    return {i: text for i, text in spoken.items() if len(text) <= _VERDICT and _is_reply(dialogue, i)}


def _is_reply(dialogue: Dialogue, position: int) -> bool:
    """The person speaks about work that was done, not for the first time."""
    replied = bool(dialogue.replies) and dialogue.replies[0] < position
    return replied or (bool(dialogue.calls) and dialogue.calls[0][0] < position)


def _where(texts: dict[int, str], says: Callable[[str], bool]) -> Positions:
    return tuple(i for i, text in texts.items() if says(text))


def _heard(dialogue: Dialogue, following: Message | None) -> tuple[Positions, str]:
    """The turns that tell that the work is not right, and what the turn behind the segment tells."""
    places = [i for i in dialogue.human if _is_reply(dialogue, i)]
    turns = [_described(dialogue.messages, place) for place in places]
    worked = bool(dialogue.replies or dialogue.calls)
    if following and worked:
        turns.append(_described((*dialogue.messages, following), len(dialogue.messages)))
    bounds, moves = load_moves().bounds, read_moves(turns, network=is_at_work(dialogue.messages))
    failed = tuple(p for p, move in zip(places, moves, strict=False) if move.failed >= bounds["failed"])
    if not (following and worked):
        return failed, ""
    if moves[-1].failed >= bounds["failed"]:
        return failed, "failed"
    return failed, "done" if moves[-1].done >= bounds["done"] else ""


def _described(messages: Sequence[Message], place: int) -> HumanTurn:
    """A turn with the agent's act before it, and the turn before that."""
    previous = next((i for i in range(place - 1, -1, -1) if is_human(messages[i])), -1)
    before = before_turn(messages, place, previous)
    return HumanTurn(messages[place].content, agent_act(before.said, before.calls), asked=before.asked)


def _refused_calls(dialogue: Dialogue) -> Positions:
    return tuple(s.position for s in dialogue.steps if s.action.outcome == "refused")


def _reported_errors(dialogue: Dialogue) -> Positions:
    """Messages of a person that hold the output of something that failed."""
    return tuple(
        i for i in dialogue.human if find_failure(dialogue.messages[i].content[:_REPORT], is_error=None)
    )


def _fate_of_errors(steps: Sequence[ToolStep]) -> tuple[tuple[tuple[int, int], ...], Positions]:
    """An error is solved by the next good result of the same tool; a run of errors counts once, at its last."""
    solved: list[tuple[int, int]] = []
    waiting: dict[str, int] = {}
    for step in steps:
        if step.state == "error":
            waiting[step.name] = step.position
        elif step.state == "ok" and step.name in waiting:
            solved.append((waiting.pop(step.name), step.position))
    return tuple(solved), tuple(sorted(waiting.values()))


def _changes(step: ToolStep) -> bool:
    action = step.action
    return action.failure is None and bool(EDIT.search(action.tool) or edited_path(action))


def _ends_in_error(dialogue: Dialogue) -> bool:
    if not dialogue.steps or dialogue.steps[-1].state == "ok" or dialogue.finished_by_call:
        return False
    last = dialogue.steps[-1].position
    said_after = any(r > last for r in dialogue.replies) or any(h > last for h in dialogue.human)
    return not said_after


def _confirmed_end(dialogue: Dialogue) -> bool:
    if not dialogue.steps or dialogue.steps[-1].state != "ok":
        return False
    return reports_success(dialogue.steps[-1].action.output)


def _last_tests(dialogue: Dialogue) -> tuple[str, int]:
    ran = next((s for s in reversed(dialogue.steps) if s.action.checks != "none"), None)
    return (ran.action.checks, ran.position) if ran else ("none", -1)


def _stopped(dialogue: Dialogue) -> Positions:
    """The last message, when it says that a limit ended the work."""
    last = len(dialogue.messages) - 1
    text = dialogue.messages[last].content[-_LAST_WORDS:] if dialogue.messages else ""
    return (last,) if speech.STOPPED.search(text) or _LIMIT.search(text) else ()


def _repeated(dialogue: Dialogue) -> Positions:
    """Repeated calls (equal arguments and answers), repeated replies and repeated requests.

    Running the same check again and seeing it pass is good work, so results that report success do not count.
    """
    found: set[int] = set()
    seen: set[tuple[str, str]] = set()
    for step in dialogue.steps:
        mark = (step.key, dialogue.messages[step.position].content[:2_000])
        if step.key and mark in seen and mark[1].strip() and not reports_success(mark[1]):
            found.add(step.position)
        seen.add(mark)
    replies: list[set[str]] = []
    for i in dialogue.replies:
        now = set(words(dialogue.messages[i].content[:1_500]))
        if len(now) >= 6 and any(_overlap(now, before) >= _SAME_REPLY for before in replies[-8:]):
            found.add(i)
        replies.append(now)
    asked: set[str] = set()
    for i in dialogue.human:
        text = dialogue.messages[i].content.strip()
        if len(text) >= 20 and text in asked:
            found.add(i)
        asked.add(text)
    return tuple(sorted(found))


def _overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def _dangers(dialogue: Dialogue) -> Positions:
    """Risky commands that the model ran, not ones that it only spoke about or that a person refused."""
    refused = {s.action.call for s in dialogue.steps if s.action.outcome == "refused"}
    asked = [(i, call.name, call.arguments) for i, call in dialogue.calls]
    asked += [(s.action.call, s.action.tool, s.action.arguments) for s in dialogue.steps]
    return tuple(
        sorted(
            {
                i
                for i, tool, arguments in asked
                if i not in refused and any(risky_parts(command_in(tool, arguments) or ""))
            }
        )
    )
