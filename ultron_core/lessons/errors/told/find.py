"""Errors that a person reports, with the cause and cure in the agent's words and how far the log bears them out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ultron_core.lessons.describe import core_command, file_stem, short_path
from ultron_core.lessons.errors.recurring import recurs_unsolved, tells
from ultron_core.lessons.errors.told.accounts import Account
from ultron_core.lessons.errors.told.announced import last_announced
from ultron_core.lessons.errors.told.endings import Ending, State, check_of, denies, edits_between, ending_of
from ultron_core.lessons.errors.told.reports import Report, find_reports
from ultron_core.lessons.errors.told.specific import verbatim
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import clip, ended, shared_terms, talk_language
from ultron_core.lessons.people.statements import clean_statement, word_count
from ultron_core.lessons.people.turns import Turn
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.language import Lang, language
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.results.telling import Failure

__all__ = ["find_told"]

#: turns after a report in which its cure is told: "use plan C" orders what the answer before it proposed
_TURNS = 8
#: a longer turn is an order of its own
_SHORT = 40
#: an edit of more files is a rewrite, and its files are not named
_MOST_FILES = 4
#: characters of what is told, of what was tried in vain, and of a person's words
_MAX_TOLD, _MAX_VAIN, _MAX_SAID = 520, 240, 120
#: words that a cause shares with a report of the same, and characters of the report that a message quotes
_SHARED, _QUOTED = 2, 8
#: what an error puts in quotes, e.g. `Cannot find module 'left-pad-fast'`
_IN_QUOTES = re.compile(r"['\"‘“`]([^'\"’”`\s]{3,80})['\"’”`]")
#: how alike two lines of one error are
_SAME_ERROR = 0.8
#: installed packages that are told
_MOST_STEPS = 2
#: likelihood of an objection below which an order reports nothing: of 53 reports in labelled turns that refuses one,
#: which is none, and of 35 in the shared sessions of people none
_COMPLAINS = 0.4
#: changes that did not help and that are told
_MOST_VAIN = 2
#: a file that a person hands in, e.g. `@src/pool/View.tsx`, `Pool.tsx`
_HANDED_IN = re.compile(r"(?<![A-Za-z0-9_./\\-])@?[A-Za-z0-9_./\\-]{1,200}\.[A-Za-z]\w{0,4}\b", re.ASCII)
#: how sure a draft is: a check, a person's word, the agent's word alone, nothing
_CONFIDENCE: dict[State, float] = {
    "passed": 0.75,
    "failing": 0.6,
    "accepted": 0.7,
    "moved": 0.65,
    "claimed": 0.6,
    "open": 0.55,
}


def find_told(
    messages: Sequence[Message], actions: Sequence[Action], turns: Sequence[Turn], project: str
) -> list[MemoryDraft]:
    """One draft for each error that a person reports and that the agent answers to."""
    drafts: dict[str, MemoryDraft] = {}
    found = {turn.position: _reports(turn) for turn in turns}
    for chain, reports, end in _chains(messages, actions, turns, list(found.values())):
        for report in reports:
            again = [_reports_again(report, found[turn.position]) for turn in chain[1:]]
            following = [one for one in found.get(end, ()) if one.pasted]
            another = bool(following) and report.pasted and not _reports_again(report, following)
            ending = ending_of(messages, actions, chain, report, end, again=again, another=another)
            ending = _later_found(messages, chain[0], report, ending)
            draft = _draft(messages, chain[0], report, ending, project)
            if draft is not None:
                drafts.setdefault(draft.content, draft)
    return list(drafts.values())


def _reports(turn: Turn) -> list[Report]:
    """None of a turn that only orders: "handle sessions, abort, time-outs, retries" met none of these."""
    if turn.acts.labels == ("instruction",) and turn.acts.probabilities["objection"] < _COMPLAINS:
        return []
    return find_reports(turn.message, first=turn.first)


def _reports_again(report: Report, others: Sequence[Report]) -> bool:
    return any(other.pasted and _alike(report.statement, other.statement) for other in others)


def _alike(one: str, other: str) -> bool:
    """True for the same error with another value: "Invalid device: gpu:gpu", "Invalid device: gpu:gpu:0"."""
    if one == other:
        return True
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_ERROR


def _later_found(messages: Sequence[Message], turn: Turn, report: Report, end: Ending) -> Ending:
    """With what the agent announces further down as the cause of the same: it puts an unproven account right."""
    if end.state not in ("open", "claimed"):
        return end
    begin = end.account.position if end.account else turn.position + 1
    found = last_announced(messages, begin, len(messages))
    if found is None or not _is_about(report, found.text, messages[found.position].content):
        return end
    return replace(end, account=Account(found.quote, "", found.position), state="open")


def _is_about(report: Report, cause: str, message: str) -> bool:
    """True for a cause that shares words with the report, or in a message that quotes it."""
    about = report.about if report.pasted else report.statement
    return _quotes(report, message) or shared_terms(cause, about) >= _SHARED


def _chains(
    messages: Sequence[Message],
    actions: Sequence[Action],
    turns: Sequence[Turn],
    reports: Sequence[Sequence[Report]],
) -> Iterator[tuple[Sequence[Turn], Sequence[Report], int]]:
    """Each turn that reports with the turns that go on about it, its reports, and the position where they end."""
    number = 0
    while number < len(turns):
        last = number + 1
        while last < min(number + _TURNS, len(turns)) and _goes_on(
            messages, actions, turns, reports, number, last
        ):
            last += 1
        if reports[number]:
            yield (
                turns[number:last],
                reports[number],
                turns[last].position if last < len(turns) else len(messages),
            )
        number = last if reports[number] else number + 1


def _goes_on(
    messages: Sequence[Message],
    actions: Sequence[Action],
    turns: Sequence[Turn],
    reports: Sequence[Sequence[Report]],
    first: int,
    number: int,
) -> bool:
    """True for a turn about the same fault: it denies the cure, or says shortly to do what the answer proposed."""
    if turns[number - 1].answer < 0:
        return True  # two turns on end are one: an error, and what to do about it
    if reports[number] and reports[number][0].pasted:
        return any(_reports_again(report, reports[number]) for report in reports[first])
    if denies(turns[number]):
        return True
    if not reports[number] and _answer_is_about(messages, turns, reports[first], number):
        return True
    short = len(turns[number].message.content) <= _SHORT and not reports[number]
    orders = short and not turns[number].does("acceptance", "praise")
    return orders and not edits_between(messages, actions, turns[number - 1].position, turns[number].position)


def _answer_is_about(
    messages: Sequence[Message], turns: Sequence[Turn], reports: Sequence[Report], number: int
) -> bool:
    """True when the agent's answer to a turn that neither accepts nor reports still speaks of the pasted error."""
    if not reports or not reports[0].pasted or turns[number].answer < 0:
        return False
    if turns[number].does("acceptance", "praise"):
        return False
    return _quotes(reports[0], messages[turns[number].answer].content)


def _quotes(report: Report, text: str) -> bool:
    """True for a text that holds a telling part of the reported line, or what stands in its quotes."""
    parts = (*report.told.split(": "), *_IN_QUOTES.findall(report.told))
    return any(len(part) >= _QUOTED and part in text for part in parts)


def _draft(
    messages: Sequence[Message], turn: Turn, report: Report, end: Ending, project: str
) -> MemoryDraft | None:
    direct = end.state == "passed" or (report.pasted and not report.task)
    if end.account is not None and not direct and not _belongs(end.account, report):
        end = replace(end, account=None, state="open" if end.state == "claimed" else end.state)
    if end.account is None and not end.vain and not _speaks(report, end, first=turn.first):
        return None
    if (report.task and end.check is None) or not _says_a_fault(report.statement):
        return None
    if turn.first and (report.task or report.pasted) and not _says_how(end):
        return None
    told = end.account.text if end.account else ""
    spoken = language(told) if told else talk_language(messages, turn.position)
    lang = spoken if report.pasted else language(report.statement)
    words = PHRASES[lang]
    key = ("reported" if report.pasted else "bug") + ("_in" if project else "")
    statement = clean_statement(report.statement)
    content = words[key].format(project=project, line=report.statement, statement=statement)
    return MemoryDraft(
        content=f"{content} ({report.test})" if report.test else content,
        context=words["reported_where"] if report.pasted else "",
        resolution=_resolution(end, lang),
        tags=("bug", end.state),
        confidence=_CONFIDENCE[end.state],
        memory_type="error",
        evidence=_evidence(messages, turn.message, report, end),
    )


def _says_a_fault(statement: str) -> bool:
    """Not only the files that a person hands in: `@src/pool/View.tsx @Pool.tsx (51-58)`."""
    return word_count(_HANDED_IN.sub(" ", statement)) > 0


def _belongs(account: Account, report: Report) -> bool:
    """True when the answer speaks of what was reported; two languages share no words."""
    return language(account.text) != language(report.about) or shared_terms(account.text, report.about) > 0


def _speaks(report: Report, end: Ending, *, first: bool) -> bool:
    """Whether a report without an account is worth telling: a person pasted an error that is not cut off, others will
    meet it, or what was changed is named in it and was checked."""
    if end.state in ("passed", "failing"):
        return report.task or any(file_stem(path) in report.about for _, path in end.edits)
    if not report.pasted or any(report.told.count(mark) % 2 for mark in '`"'):
        return False
    return recurs_unsolved(Failure(report.told))  # a symptom alone teaches only those who meet it too


def _says_how(end: Ending) -> bool:
    """False for a task whose last check failed without a word that tells."""
    check = end.check
    return end.state != "failing" or (
        check is not None and check.failure is not None and tells(check.failure, check.text)
    )


def _resolution(end: Ending, lang: Lang) -> str:
    words = PHRASES[lang]
    parts = [
        words["came_back" if end.came_back else "in_vain"].format(
            statement=ended(clip(clean_statement(account.fix or account.text), _MAX_VAIN), lang)
        )
        for account in end.vain[-_MOST_VAIN:]
    ]
    told = ended(clip(end.account.text, _MAX_TOLD), lang) if end.account else ""
    if end.steps and end.account and end.state not in ("open", "passed"):
        steps = ", ".join(f"`{clean_line(step)}`" for step in dict.fromkeys(end.steps[-_MOST_STEPS:]))
        told = " ".join((told, words["then_ran"].format(steps=steps)))
    names = list(dict.fromkeys(f"`{short_path(path)}`" for _, path in end.edits))
    files = ", ".join(names) if len(names) <= _MOST_FILES else ""
    if end.check is not None and end.state in ("passed", "failing"):
        check = f"`{clean_line(core_command(check_of(end.check).strip()), 100)}`"
        failure = end.check.failure
        line = clean_line(failure.line) if failure and tells(failure, end.check.text) else "…"
        key = "failing" if end.state == "failing" else "repaired" if files else "passed"
        account = words["account"].format(statement=told) if told and end.state == "failing" else told
        parts += [account, words[key].format(files=files, check=check, line=line)]
    elif end.state == "accepted":
        parts += [told, words["accepted"].format(statement=clip(end.said[1], _MAX_SAID))]
    elif end.state == "moved":
        if files and end.account and not end.account.fix:
            told = f"{told} {words['changed'].format(files=files)}"
        parts += [words["account"].format(statement=told), words["moved_on"]]
    else:
        if files and (end.check is not None or (end.account and not end.account.fix)):
            told = " ".join(part for part in (told, words["changed"].format(files=files)) if part)
        account = words["account"].format(statement=told) if told else ""
        parts += [account, words["unconfirmed" if end.state == "claimed" else "no_cure"]]
    return " ".join(part for part in parts if part)


def _evidence(
    messages: Sequence[Message], source: Message, report: Report, end: Ending
) -> tuple[Evidence, ...]:
    places: list[tuple[Message, str]] = [(source, report.told)]
    for account in (*end.vain[-_MOST_VAIN:], end.account):
        if account is not None:
            told = ((account.cause_position, account.cause), (account.position, account.fix))
            places += [(messages[place], verbatim(text, messages[place].content)) for place, text in told]
    if end.check is not None:
        place, path = end.edits[-1]
        said = next((line.strip() for line in reversed(end.check.output.splitlines()) if line.strip()), "")
        shown = end.check.failure.line if end.check.failure else said
        # an editor names its open file in the answer alone
        places += [(message, path) for message in messages[place : place + 2]]
        places.append((messages[end.check.result], shown))
    if end.state == "accepted":
        places.append((messages[end.said[0]], end.said[1]))
    cut = ((message, quote[:400].strip()) for message, quote in places)
    found = (Evidence(m.start_line, m.end_line, quote) for m, quote in cut if quote and appears_in(quote, m))
    return tuple(dict.fromkeys(found))
