"""A command that was put wrongly for this program or machine, with the form that ran instead."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import describe_context, describe_failure, describe_tags
from ultron_core.lessons.errors.episodes import Episode
from ultron_core.lessons.errors.same_check import is_proof
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import Lang, one_line
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import any_of

__all__ = ["find_workarounds"]

#: the program refuses how it was called: "cat: illegal option -- A", "accepts at most 1 arg(s), received 9"
_USAGE = any_of(
    r"\b(?:illegal|unknown|invalid|unrecogni[sz]ed|unexpected|ambiguous|unsupported) "
    r"(?:option|flag|argument|command|switch|subcommand|parameter|syntax|token|predicate|format)",
    r"\baccepts (?:at most|between|only|exactly|\d+)|\btoo many arguments\b|\bmissing (?:operand|argument|required)\b|"
    r"\brequires? (?:an?|at least|exactly|\d+) (?:\w+ )?(?:argument|arg|option|value|parameter)s?\b",
    r"\bsyntax error\b|\bno such (?:option|command|subcommand)\b|\bnot an? \w+ command\b|"
    r"\bis not a (?:valid|recogni[sz]ed)\b|"
    r"\bcannot be used with\b|\bbad (?:option|substitution|flag)\b|^usage:|无效选项|语法错误|"
    r"参数(?:过多|错误)|不是.{0,12}有效",
)
#: a shell refuses how commands are joined, e.g. `The token "&&" is not a valid statement separator`: each part that
#: then ran alone counts as the same check
_SEPARATOR = re.compile(r"\bstatement separator\b|语句分隔符")
#: the program that complains: "cat: illegal option -- A", "/bin/bash: line 3: syntax error"
_PROGRAM = re.compile(r"^(?:\S*/)?(?P<name>[A-Za-z][\w.+-]{0,30}): ")
#: what both commands are about: a path, a file, a number, a name, e.g. `src/app.py`, `168`, `user_id`
_OPERAND = re.compile(r"[\w.-]{1,100}/[\w./-]+|\b[\w-]{1,100}\.[a-z]{1,5}\b|\b\d{2,}\b|\b\w+_\w+\b")
#: calls after the failure, other than the same failing again, among which the other form is looked for
_REACH = 3
#: characters of the form that ran; a longer one is a program
_MAX_SHOWN = 300


def find_workarounds(
    messages: Sequence[Message], episodes: Sequence[Episode], actions: Sequence[Action], project: str
) -> list[MemoryDraft]:
    """One draft for each call that its program refused, when another form of it did the same and ran."""
    drafts: dict[str, MemoryDraft] = {}
    for episode in episodes:
        failed = episode.failed
        if failed.failure is None or not _USAGE.search(failed.failure.line):
            continue
        if episode.worked is not None and not _SEPARATOR.search(failed.failure.line):
            continue
        after = [a for a in actions if a.call >= failed.result and a not in episode.again]
        instead = _instead(failed, after[:_REACH])
        if instead is not None:
            drafts.setdefault(failed.failure.line, _draft(messages, failed, instead, project))
    return list(drafts.values())


def _instead(failed: Action, later: Sequence[Action]) -> Action | None:
    """The next call of the same program about the same thing, put in another way, that ran."""
    before = command_of(failed) or ""
    programs, about = _programs(failed, before), set(_OPERAND.findall(before))
    for action in later:
        after = command_of(action) or ""
        same = programs & set(re.findall(r"[\w.+-]+", after)) and about & set(_OPERAND.findall(after))
        if same and after != before and is_proof(action) and len(after) <= _MAX_SHOWN:
            return action
    return None


def _programs(failed: Action, command: str) -> set[str]:
    """The program that complained, where the line names it and the command runs it; else the first of the command."""
    assert failed.failure is not None
    named = _PROGRAM.match(clean_line(failed.failure.line))
    if named and re.search(rf"\b{re.escape(named['name'])}\b", command):
        return {named["name"]}
    words = re.sub(r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+", "", command).split()
    return set(words[:1])


def _content(messages: Sequence[Message], failed: Action, lang: Lang, project: str) -> str:
    """The failed command is shortened to what it ran, unless it failed for how its parts were joined."""
    line = clean_line(failed.failure.line) if failed.failure else ""
    if not _SEPARATOR.search(line):
        return describe_failure(messages, failed, lang, project)
    command = f"`{clean_line(one_line(command_of(failed) or ''), _MAX_SHOWN)}`"
    return PHRASES[lang]["failed_in" if project else "failed"].format(
        project=project, subject=command, line=line
    )


def _draft(messages: Sequence[Message], failed: Action, instead: Action, project: str) -> MemoryDraft:
    assert failed.failure is not None
    lang = talk_language(messages, failed.result)
    ran = one_line(command_of(instead) or "")
    shown = next((line.strip() for line in instead.output.splitlines() if line.strip()), "")
    places = (
        (messages[failed.result], failed.failure.line),
        (messages[instead.call], (command_of(instead) or "").split("\n")[0]),
        (messages[instead.result], shown),
    )
    return MemoryDraft(
        content=_content(messages, failed, lang, project),
        context=describe_context(messages, failed, lang),
        resolution=PHRASES[lang]["ran_instead"].format(subject=f"`{clean_line(ran, _MAX_SHOWN)}`"),
        tags=describe_tags(failed),
        confidence=0.65,
        memory_type="error",
        evidence=tuple(
            Evidence(message.start_line, message.end_line, quote[:400].strip())
            for message, quote in places
            if quote.strip() and appears_in(quote[:400].strip(), message)
        ),
    )
