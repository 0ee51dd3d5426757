"""What became of a reported fault: what the agent said and changed, and the check and the person after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ultron_core.lessons.describe import EDIT, core_command, edited_path, path_of
from ultron_core.lessons.errors.same_check import is_proof
from ultron_core.lessons.errors.told.accounts import Account, find_account
from ultron_core.lessons.errors.told.reports import Report
from ultron_core.lessons.explanations import shared_terms
from ultron_core.lessons.habits import is_check
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.models import Message
from ultron_core.transcript.actions import Action, named_command
from ultron_core.transcript.commands import command_of, purpose
from ultron_core.transcript.language import language, sentences
from ultron_core.transcript.speech import ACCEPTANCE, any_of

__all__ = ["Edit", "Ending", "State", "check_of", "denies", "edits_between", "ending_of"]

#: `passed`: a check passed after the last change; `failing`: it failed; `accepted`: a person said that it works;
#: `moved`: what they reported next is another error; `claimed`: the agent's word alone; `open`: not even that
State = Literal["passed", "failing", "accepted", "moved", "claimed", "open"]
#: the position of a call and the file that it changed
Edit = tuple[int, str]

#: the person says that it is not solved: "still the same error", "依然不行", "没有变化呀"
_STILL = any_of(
    r"(?<!can )(?<!could )(?<!may )(?<!might )(?<!would )(?<!will )\bstill\b",
    r"\bsame (?:error|issue|problem)\b|\bdid nothing\b|\bno (?:change|difference|effect)\b",
    r"^(?:no|nope|actually)\b|\b(?:doesn't|didn't|not|isn't) (?:\w+ )?(?:work|help|fix\w*|solve\w*)\b",
    r"还是|依然|仍然|没用|不行|没有变化|又出现|没(?:有)?(?:被)?解决|未解决",
)
#: takes up another matter, e.g. of a list of remarks: "And this one?", "Next: ...", "Consider this feedback:"
_ANOTHER = any_of(
    r"^\W*(?:and |now |next\b|(?:what|how) (?:do you think )?(?:about|of) |consider |look at |let['’]s (?:address|do) )"
    r"[^.?!]{0,30}\b(?:this|that|these|those|the next|another|one|feedback|comment|review)\b|^\W*next\b[:,]",
    r"^(?:那|再看)?(?:这个|下一个|另一个|另外)(?:问题|呢)?[?？，,:：]",
)
#: commands that run the code, unlike linters and type checks: "go test ./...", "npx vitest run"
_TESTS = re.compile(
    r"\b(?:tests?|pytest|vitest|jest|rspec|phpunit|ctest|tox|nox|runtests|unittest|playwright|cypress)\b"
)
#: the person lets it stand and goes on to the next step: "Thanks! Please write a commit message", "push it", "提交吧"
_KEEPS = any_of(
    r"^(?:ok(?:ay)?|great|perfect|nice|cool|awesome|good)?[,.! ]*(?:thanks|thank you|thx)\b[^?]*$",
    r"\b(?:commit (?:message|it|this|these|the changes?|and push)|push (?:it|this|the changes?)|merge (?:it|this))\b"
    r"[^?]*$",
    r"^/(?:git[-:])?(?:commit|push|ship)\b",
    r"^(?:谢谢|感谢|太好了|很好)[^?？吗但]*$|^(?:帮我)?(?:提交|推送)(?:一下|吧|代码|到)",
)
#: is still to be seen: "let's see if everything works", "测试一下是否正常"
_TO_SEE = any_of(r"\b(?:if|whether|check|make sure|verify)\b", r"是否|看看|测试一下|确认一下")
#: brings a package, e.g. `npm install left-pad`, `uv pip install --upgrade torch`, `cargo update`, `brew upgrade jq`
_INSTALLS = re.compile(
    r"^(?:sudo )?(?:\w+ ){0,3}(?:install|add|upgrade|update|downgrade|uninstall|remove|require)\b(?!.*[|>])"
)
#: a longer command is a program
_MAX_STEP = 120
#: characters at the beginning of a turn in which it takes up the one before
_OPENING = 120
#: words that what is told in a later turn must share with the report when something undenied was told before
_SHARED = 2
#: a turn may accept what was done and paste the next error
_LONG_TURN = 12_000


@dataclass(frozen=True, slots=True)
class Ending:
    """`vain` are accounts of changes that did not help; `check` is the last check after the last change; `said` is
    where a person accepted it, with their words."""

    state: State
    account: Account | None
    vain: tuple[Account, ...]
    check: Action | None
    edits: tuple[Edit, ...]
    said: tuple[int, str]
    #: the same error was reported again after a change
    came_back: bool = False
    #: what was installed, in order
    steps: tuple[str, ...] = ()


def _steps(actions: Sequence[Action], begin: int, end: int) -> Iterator[str]:
    """The commands that brought a package or another version of it and did not fail."""
    for action in actions:
        command = command_of(action) or ""
        core = core_command(command)
        if (
            begin < action.call < end
            and action.failure is None
            and _INSTALLS.search(core)
            and len(core) <= _MAX_STEP
        ):
            yield core


def denies(turn: Turn) -> bool:
    """True when a person says that what was done before did not help, and does not turn to something else."""
    opening = turn.message.content[:_OPENING]
    if _STILL.search(opening) is None or _ANOTHER.search(opening):
        return False
    first = next(iter(sentences(opening)), "")  # "It works now. The tabs still jump." is about another fault
    return not ACCEPTANCE.search(first) or _STILL.search(first) is not None


def ending_of(
    messages: Sequence[Message],
    actions: Sequence[Action],
    turns: Sequence[Turn],
    report: Report,
    end: int,
    *,
    again: Sequence[bool] = (),
    another: bool = False,
) -> Ending:
    """How the report of turns[0] ended; the turns after it complain again or order what was proposed. `again` says of
    which of them report the same once more, `another` that the turn at `end` reports something else."""
    stops = [*(turn.position for turn in turns[1:]), end]
    accounts = [
        find_account(messages, turn.position + 1, stop, report.about, answers=report.pasted)
        for turn, stop in zip(turns, stops, strict=True)
    ]
    came_back = any(again)
    same = [*again, *[False] * len(turns)]
    denied = [denies(after) or back for after, back in zip(turns[1:], same, strict=False)] + [False]
    said = _acceptance(messages, end)
    # a later turn that does not deny may be about another fault: its account must name something of this one, or a
    # person have accepted it
    for at, wrong in enumerate(denied[:-1], start=1):
        last, other = accounts[at], at + 1 < len(accounts) or not said
        least = _SHARED if any(accounts[:at]) else 1
        if last and other and not wrong and not _speaks_of(last, report, least):
            accounts[at] = None
    vain = tuple(a for a, wrong in zip(accounts, denied, strict=True) if a and a.fix and wrong)
    account = _settled(accounts, denied)
    begin = turns[-1].position if any(denied) else turns[0].position
    edits = tuple(edits_between(messages, actions, begin, end))
    check = _last_check(actions, edits[-1][0], end, report.about) if edits else None
    steps = tuple(_steps(actions, turns[0].position, end))
    state = _state(check, account, said, report.about)
    if state == "open" and account is not None and (edits or steps):
        state = "claimed"
    if state == "claimed" and another:
        state = "moved"
    return Ending(state, account, vain, check, edits, (end, said), came_back, steps)


def _speaks_of(account: Account, report: Report, least: int) -> bool:
    """True for an account that shares enough words with the report; two languages share names alone."""
    least = least if language(account.text) == language(report.about) else 1
    return shared_terms(account.text, report.about) >= least


def _settled(accounts: Sequence[Account | None], denied: Sequence[bool]) -> Account | None:
    """What stands after the last denial: the first cause told there and the last cure; of what was denied the cause
    alone, when nothing was told afterwards."""
    last = max((i + 1 for i, wrong in enumerate(denied) if wrong), default=0)
    told = [a for a in accounts[last:] if a]
    cured = next((a for a in reversed(told) if a.fix), None)
    caused = next((a for a in told if a.cause), None)
    caused = caused or next((a for a in reversed(accounts[:last]) if a and a.cause), None)
    if cured is None:
        return None if caused is None else replace(caused, fix="")
    if caused is None or caused is cured:
        return cured
    return replace(cured, cause=caused.cause, caused_at=caused.cause_position)


def _state(check: Action | None, account: Account | None, said: str, about: str) -> State:
    if check is not None and not _passes(check):
        return "failing"
    if check is not None and _runs_it(check, about):
        return "passed"
    if account is None:
        return "open"
    if said:
        return "accepted"
    return "claimed" if account.fix else "open"


def edits_between(messages: Sequence[Message], actions: Sequence[Action], begin: int, end: int) -> list[Edit]:
    """Where which files were changed, by calls with and without a result, in order."""
    done = [(a.call, edited_path(a)) for a in actions if begin < a.call < end and edited_path(a)]
    tried = [(a.call, path_of(a.arguments)) for a in actions if begin < a.call < end and _checked_patch(a)]
    answered = {(a.call, a.tool) for a in actions}
    silent = [
        (place, path_of(call.arguments))
        for place in range(begin, end)
        for call in messages[place].tool_calls
        if (place, call.name) not in answered and EDIT.search(call.name) and path_of(call.arguments)
    ]
    return sorted({*done, *tried, *silent})


def check_of(action: Action) -> str:
    """The command of a check, also of one that a harness runs after each patch."""
    return command_of(action) or named_command(action.output)


def _checked_patch(action: Action) -> bool:
    """True for a patch that went in and after which a harness ran the tests."""
    return action.tool == "patch" and action.checks != "none" and bool(path_of(action.arguments))


def _last_check(actions: Sequence[Action], last_edit: int, end: int, about: str) -> Action | None:
    """The last check after the last edit, or run of the script that the report names, when it passed or failed."""
    checks = [a for a in actions if last_edit <= a.call < end and (_checked_patch(a) or _is_run(a, about))]
    if not checks or not checks[-1].output.strip() or not check_of(checks[-1]).strip():
        return None
    return checks[-1] if _passes(checks[-1]) or checks[-1].failure is not None else None


def _is_run(action: Action, about: str) -> bool:
    """True for a check, and for a run of the script of a report: `python tests/missing_colon.py`."""
    command = command_of(action) or ""
    script = purpose(action)[1:2]
    return action.tool != "patch" and (
        is_check(command) or (bool(script) and "." in script[0] and script[0] in about)
    )


def _runs_it(check: Action, about: str) -> bool:
    """True for tests and for what the report names; a linter that passes does not show that a fault is gone."""
    command = check_of(check)
    return _TESTS.search(command) is not None or any(word in about for word in purpose(check)[1:2])


def _passes(check: Action) -> bool:
    return is_proof(check) and (check.tool != "patch" or check.checks == "passed")


def _wants_it_kept(text: str) -> bool:
    """True for a short turn that thanks and asks for nothing to be changed, or wants the change committed."""
    return len(text) <= _OPENING and _KEEPS.search(text) is not None and not _STILL.search(text)


def _acceptance(messages: Sequence[Message], position: int) -> str:
    """The words in which the next turn says that it works."""
    if position >= len(messages):
        return ""
    own = own_sentences(messages[position], _LONG_TURN)[:3]
    place = next((i for i, s in enumerate(own) if ACCEPTANCE.search(s) and not _TO_SEE.search(s)), -1)
    if place < 0 and _wants_it_kept(messages[position].content.strip()):
        return messages[position].content.strip()
    # what fails behind it is another fault: "It works now, thanks! I still see a warning in b.ts."
    return "" if place < 0 or any(_STILL.search(s) for s in own[: place + 1]) else own[place]
