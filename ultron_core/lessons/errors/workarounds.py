"""Calls of a shell that failed, and the form in which the same was reached, over several calls in between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ultron_core.lessons.describe import describe_context, describe_failure, describe_tags
from ultron_core.lessons.errors.doubts import is_doubtful
from ultron_core.lessons.errors.episodes import Episode
from ultron_core.lessons.errors.forms import Form, find_form, shown_call
from ultron_core.lessons.errors.recurring import is_one_off, recurs, slipped, tells
from ultron_core.lessons.errors.told.accounts import Account, find_account
from ultron_core.lessons.errors.told.specific import verbatim
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import clip, ended, talk_language
from ultron_core.lessons.people.statements import clean_statement
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of, purpose
from ultron_core.transcript.language import Lang, one_line
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import any_of
from ultron_core.transcript.terminals import pasted_actions

__all__ = ["find_workarounds"]

#: the program or the shell refuses how it was called: "cat: illegal option -- A", "accepts at most 1 arg(s)"
_USAGE = any_of(
    r"\b(?:illegal|unknown|invalid|unrecogni[sz]ed|unexpected|ambiguous|unsupported) "
    r"(?:option|flag|argument|command|switch|subcommand|parameter|syntax|token|predicate|format)",
    r"\baccepts (?:at most|between|only|exactly|\d+)|\btoo many arguments\b|\bmissing (?:operand|argument|required)\b|"
    r"\brequires? (?:an?|at least|exactly|\d+) (?:\w+ )?(?:argument|arg|option|value|parameter)s?\b",
    r"\bsyntax error\b|\bno such (?:option|command|subcommand)\b|\bnot an? \w+ command\b|"
    r"\bis not a (?:valid|recogni[sz]ed)\b|\bmissing script\b|"
    r"\bcannot be used with\b|\bbad (?:option|substitution|flag)\b|^usage:|无效选项|语法错误|"
    r"参数(?:过多|错误)|不是.{0,12}有效",
    # PowerShell: "The '<' operator is reserved for future use.", "A parameter cannot be found that matches"
    r"\breserved for future use\b|\bredirection operator\b|\bparameter cannot be found\b|\bis not recognized as\b|"
    r"\bstatement separator\b|语句分隔符|无法将.{1,60}识别为|找不到接受.{0,20}参数|找不到与参数名称",
)
#: a shell refuses how commands are joined, e.g. `The token "&&" is not a valid statement separator`: each part that
#: then ran alone counts as the same check
_SEPARATOR = re.compile(r"\bstatement separator\b|语句分隔符")
#: a PowerShell says where it stopped, e.g. `At line:1 char:8`, `+ CategoryInfo : ParserError`
_POWERSHELL = re.compile(
    r"^[^\S\n]*\+ (?:CategoryInfo|FullyQualifiedErrorId)\b|^(?:At line|所在位置 行):\d", re.MULTILINE
)
#: runs code of the project, whose failures are about the code, e.g. `pytest tests`, `python app.py`, `npm run build`
_OWN_CODE = re.compile(
    r"\b(?:tests?|check|lint|typecheck|tsc|pytest|mypy|ruff|eslint|biome|vitest|jest|clippy|vet|verify|rspec|ctest|"
    r"build|compile|dev|start|serve|run|exec|inline|gcc|g\+\+|clang|javac|rustc|mvn|gradle|make|cmake|psql|sqlite3|"
    r"mysql|node|ruby|php)\b|\.\w{1,4}$"
)
#: characters of a failed call that are shown
_MAX_CALL = 200
#: a longer turn of a person is another order
_NEXT_ORDER = 200


def find_workarounds(
    messages: Sequence[Message], episodes: Sequence[Episode], actions: Sequence[Action], project: str
) -> list[MemoryDraft]:
    """One draft for each call of a shell that failed, when another form of it, or the same after a step, ran."""
    drafts: dict[str, MemoryDraft] = {}
    for episode in episodes:
        failed = episode.again[-1] if episode.again else episode.failed
        if failed.failure is None or command_of(failed) is None or not _counts(failed):
            continue
        form = find_form(failed, _later(messages, actions, failed), refused=_is_refused(failed))
        if form is not None and not is_doubtful(messages, replace(episode, failed=failed), form.ran):
            drafts.setdefault(failed.failure.line, _draft(messages, failed, form, project))
    for failed, form in _pasted(messages, actions):
        cause = find_account(
            messages,
            failed.result + 1,
            _next_turn(messages, failed.result),
            failed.failure.line if failed.failure else "",
            answers=True,
        )
        drafts.setdefault(
            failed.failure.line if failed.failure else "", _draft(messages, failed, form, project, cause)
        )
    return list(drafts.values())


def _pasted(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[tuple[Action, Form]]:
    """Commands that failed in what people pasted, and the form in which they, or the agent, got there later."""
    shown = pasted_actions(messages)
    for place, failed in enumerate(shown):
        if failed.failure is None or not _counts(failed):
            continue
        own = [one for one in shown[place + 1 :] if one.output.strip()]
        later = sorted((*own, *(a for a in actions if a.call > failed.result)), key=lambda a: a.call)
        form = find_form(failed, later, refused=_is_refused(failed))
        if form is not None:
            yield failed, form


def _next_turn(messages: Sequence[Message], position: int) -> int:
    places = (place for place in range(position + 1, len(messages)) if is_human(messages[place]))
    return next(places, len(messages))


def _counts(failed: Action) -> bool:
    """False for what fails for the code that it runs; a call that was refused or that meets its surroundings counts."""
    failure = failed.failure
    assert failure is not None
    if _is_refused(failed):
        return True
    if failed.outcome == "failed" or is_one_off(failure) or slipped(failure):
        return False
    if not tells(failure, failed.text):
        return False
    return recurs(failure) or _OWN_CODE.search(" ".join(purpose(failed)[1:])) is None


def _is_refused(failed: Action) -> bool:
    assert failed.failure is not None
    return _USAGE.search(failed.failure.line) is not None


def _later(messages: Sequence[Message], actions: Sequence[Action], failed: Action) -> list[Action]:
    """The calls after a failure, as far as the next order of a person."""
    orders = (
        place
        for place in range(failed.result + 1, len(messages))
        if is_human(messages[place]) and len(messages[place].content) > _NEXT_ORDER
    )
    stop = next(orders, len(messages))
    thread = messages[failed.result].thread
    return [a for a in actions if failed.result <= a.call < stop and messages[a.result].thread == thread]


def _content(messages: Sequence[Message], failed: Action, lang: Lang, project: str) -> str:
    """The failed command is shortened to what it ran, unless it failed for how it was written."""
    assert failed.failure is not None
    if not _POWERSHELL.search(failed.output) and not _SEPARATOR.search(failed.failure.line):
        return describe_failure(messages, failed, lang, project)
    call = f"`{clean_line(shown_call(_called(failed)), _MAX_CALL)}`"
    words = PHRASES[lang]
    return words["failed_in" if project else "failed"].format(
        project=project,
        subject=words["in_powershell"].format(subject=call) if _POWERSHELL.search(failed.output) else call,
        line=clean_line(failed.failure.line),
    )


def _called(failed: Action) -> str:
    command = command_of(failed) or ""
    if isinstance(failed.arguments, dict):
        return next((v for v in failed.arguments.values() if isinstance(v, str) and "<<" in v), command)
    return command


def _draft(
    messages: Sequence[Message], failed: Action, form: Form, project: str, account: Account | None = None
) -> MemoryDraft:
    assert failed.failure is not None
    lang, words = (spoken := talk_language(messages, failed.result)), PHRASES[spoken]
    ran = form.ran
    if form.steps:
        steps = ", ".join(f"`{clean_line(step, _MAX_CALL)}`" for step in form.steps)
        resolution = words["after"].format(steps=steps)
    else:
        call = clean_line(shown_call(_called(ran)), 300)
        resolution = words["ran_instead"].format(subject=f"`{call}`")
    places: list[tuple[Message, str]] = [(messages[failed.result], failed.failure.line)]
    if account is not None and account.cause:
        told = ended(clip(clean_statement(account.cause), 400), lang)
        resolution = f"{words['account'].format(statement=told)} {resolution}"
        source = messages[account.cause_position]
        places.append((source, verbatim(account.cause, source.content)))
    shown = next((line.strip() for line in ran.output.splitlines() if line.strip()), "")
    places += [
        (messages[ran.call], one_line((command_of(ran) or "").split("\n")[0])),
        (messages[ran.result], shown),
    ]
    return MemoryDraft(
        content=_content(messages, failed, lang, project),
        context=describe_context(messages, failed, lang),
        resolution=resolution,
        tags=describe_tags(failed),
        confidence=0.65,
        memory_type="error",
        evidence=tuple(
            dict.fromkeys(
                Evidence(message.start_line, message.end_line, quote[:400].strip())
                for message, quote in places
                if quote.strip() and appears_in(quote[:400].strip(), message)
            )
        ),
    )
