"""What can be observed in a dialogue: verdicts, errors and what became of them, repetition, risks.

Everything downstream (metrics, outcome, scores) rests on these positions, so each number of a label can be
traced to messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.transcript import signs as phrases
from ultron_core.transcript.dialogue import Dialogue, ToolStep

__all__ = ["Signals", "observe", "words"]

Positions = tuple[int, ...]
_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?", re.UNICODE)
_CJK = re.compile(r"[\u3400-\u9fff]")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: longer messages of a person are documents: a phrase in them is no verdict, or no wish
_VERDICT, _WISH = 400, 1_200
#: two replies that share this part of their words say the same thing
_SAME_REPLY = 0.85


@dataclass(frozen=True, slots=True)
class Signals:
    """Positions of messages in the dialogue, each tuple in order."""

    dialogue: Dialogue
    thanks: Positions
    accepted: Positions
    #: words of a person against what was done, and calls that a person refused
    rejections: Positions
    corrections: Positions
    preferences: Positions
    reported_errors: Positions
    errors: Positions
    empties: Positions
    #: pairs (error, the step after which the same tool works)
    solved: tuple[tuple[int, int], ...]
    unsolved: Positions
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
    def has_tools(self) -> bool:
        return bool(self.dialogue.steps)


def words(text: str) -> list[str]:
    """Lower-case words; each Chinese character is one."""
    return [w for run in _WORD.findall(text.lower()) for w in (run if _CJK.match(run) else (run,))]


def observe(dialogue: Dialogue) -> Signals:
    """Read the signals of one segment. Deterministic; reads text, roles and calls only."""
    spoken = {i: _FENCE.sub(" ", dialogue.messages[i].content) for i in dialogue.human}
    answered = {i: text for i, text in spoken.items() if len(text) <= _VERDICT and _is_reply(dialogue, i)}
    wishes = {i: text for i, text in spoken.items() if len(text) <= _WISH}
    steps = dialogue.steps
    errors = tuple(s.position for s in steps if s.state == "error")
    solved, unsolved = _fate_of_errors(steps)
    tests, tests_at = _last_tests(dialogue)
    return Signals(
        dialogue=dialogue,
        thanks=_where(answered, phrases.THANKS),
        accepted=_where(answered, phrases.ACCEPTANCE),
        rejections=tuple(sorted({*_where(answered, phrases.REJECTION), *_refused_calls(dialogue)})),
        corrections=_where(answered, phrases.CORRECTION),
        preferences=_where(wishes, phrases.PREFERENCE),
        reported_errors=tuple(
            i for i in dialogue.human if phrases.ERROR_RESULT.search(dialogue.messages[i].content[:3_000])
        ),
        errors=errors,
        empties=tuple(s.position for s in steps if s.state == "empty"),
        solved=solved,
        unsolved=unsolved,
        ends_in_error=_ends_in_error(dialogue),
        tests=tests,
        tests_at=tests_at,
        stopped=_stopped(dialogue),
        repeated=_repeated(dialogue),
        dangers=_dangers(dialogue),
        secrets=tuple(
            i for i, m in enumerate(dialogue.messages) if phrases.SECRET.search(m.content[:20_000])
        ),
        refusals=tuple(i for i in dialogue.replies if phrases.REFUSAL.search(dialogue.messages[i].content)),
        gave_up=bool(phrases.GAVE_UP.search(dialogue.answer[-800:])),
        confirmed_end=_confirmed_end(dialogue),
    )


def _is_reply(dialogue: Dialogue, position: int) -> bool:
    """The person speaks about work that was done, not for the first time."""
    replied = bool(dialogue.replies) and dialogue.replies[0] < position
    return replied or (bool(dialogue.calls) and dialogue.calls[0][0] < position)


def _where(texts: dict[int, str], pattern: re.Pattern[str]) -> Positions:
    return tuple(i for i, text in texts.items() if pattern.search(text))


def _refused_calls(dialogue: Dialogue) -> Positions:
    return tuple(
        s.position
        for s in dialogue.steps
        if phrases.CALL_REFUSED.search(dialogue.messages[s.position].content[:200])
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


def _ends_in_error(dialogue: Dialogue) -> bool:
    if not dialogue.steps or dialogue.steps[-1].state == "ok" or dialogue.finished_by_call:
        return False
    last = dialogue.steps[-1].position
    said_after = any(r > last for r in dialogue.replies) or any(h > last for h in dialogue.human)
    return not said_after


def _confirmed_end(dialogue: Dialogue) -> bool:
    if not dialogue.steps or dialogue.steps[-1].state != "ok":
        return False
    text = dialogue.messages[dialogue.steps[-1].position].content
    return bool(phrases.OK_RESULT.search(text[:1_000]) or phrases.OK_RESULT.search(text[-1_000:]))


def _last_tests(dialogue: Dialogue) -> tuple[str, int]:
    for step in reversed(dialogue.steps):
        text = dialogue.messages[step.position].content[-3_000:]
        passed = phrases.PASSED_TESTS.search(text)
        failed = phrases.FAILED_TESTS.search(text)
        if passed or failed:
            verdict = "mixed" if passed and failed else "passed" if passed else "failed"
            return verdict, step.position
    return "none", -1


def _stopped(dialogue: Dialogue) -> Positions:
    """The last message, when it says that a limit ended the work."""
    last = len(dialogue.messages) - 1
    text = dialogue.messages[last].content[-600:] if dialogue.messages else ""
    return (last,) if phrases.STOPPED.search(text) else ()


def _repeated(dialogue: Dialogue) -> Positions:
    """Calls made before with equal arguments and answers, replies said before, requests made again.

    Running the same check again and seeing it pass is good work, so results that report success do not count.
    """
    found: set[int] = set()
    seen: set[tuple[str, str]] = set()
    for step in dialogue.steps:
        mark = (step.key, dialogue.messages[step.position].content[:2_000])
        if step.key and mark in seen and not _reports_success(mark[1]):
            found.add(step.position)
        seen.add(mark)
    said: list[set[str]] = []
    for i in dialogue.replies:
        now = set(words(dialogue.messages[i].content[:1_500]))
        if len(now) >= 6 and any(_overlap(now, before) >= _SAME_REPLY for before in said[-8:]):
            found.add(i)
        said.append(now)
    asked: set[str] = set()
    for i in dialogue.human:
        text = dialogue.messages[i].content.strip()
        if len(text) >= 20 and text in asked:
            found.add(i)
        asked.add(text)
    return tuple(sorted(found))


def _reports_success(text: str) -> bool:
    return not text.strip() or bool(phrases.OK_RESULT.search(text) or phrases.PASSED_TESTS.search(text))


def _overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def _dangers(dialogue: Dialogue) -> Positions:
    """Risky commands that the model ran (arguments of calls), not ones that it only spoke about."""
    return tuple(
        sorted({i for i, call in dialogue.calls if phrases.DANGER.search(str(call.arguments)[:8_000])})
    )
