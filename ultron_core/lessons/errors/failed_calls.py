"""Failures and their cures as drafts of error memories."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ultron_core.lessons.describe import (
    describe_context,
    describe_failure,
    describe_subject,
    describe_tags,
)
from ultron_core.lessons.errors.cures import Change, describe_change, missing_name, name_files, silences
from ultron_core.lessons.errors.diagnoses import diagnose
from ultron_core.lessons.errors.doubts import is_doubtful, last_failure
from ultron_core.lessons.errors.episodes import Episode, unchanged
from ultron_core.lessons.errors.recurring import (
    is_one_off,
    recurs,
    recurs_unsolved,
    says_nothing,
    slipped,
    tells,
    without_paths,
)
from ultron_core.lessons.errors.same_check import code_of, is_proof, same_check
from ultron_core.lessons.explanations import best_reason, clip, ended, first_remark, talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, message_texts
from ultron_core.transcript.commands import command_of, purpose, same_purpose
from ultron_core.transcript.results.checks import read_checks
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import any_of

__all__ = ["solved_drafts", "unsolved_drafts"]

#: `MemoryDraft` evidence
_MAX_QUOTE = 400
#: unsolved failures of one segment that are kept
_MAX_UNSOLVED = 2
#: the two halves of a search-and-replace patch, e.g. `<<<<<<< SEARCH⏎old⏎=======⏎new⏎>>>>>>> REPLACE`
_PUT_IN = re.compile(
    r"(?<!<)<{5,20} SEARCH\n((?:(?!\n?={5}|<{5} SEARCH).)*+)\n?={5,}+\n"
    r"((?:(?!\n?>{5}|<{5} SEARCH).)*+)\n?>{5,} REPLACE",
    re.DOTALL,
)
#: a failed program says what to do: "Run `fly auth login` first", "hint: use --rebase", "请先执行 login"
_REMEDY = any_of(
    r"^(?:hint: |note: |tip: |please |try |you can |you (?:need|have) to )*(?:first )?"
    r"(?:run|running|use|using|set|install|pass|provide|execute) .{0,20}(?:[`'\"]|--\w|[A-Z]+_[A-Z]|\w+ \w+)",
    r"\bhave you run [`'\"]?\w+|\bplease (?:provide|specify|pass|set|run)\b",
    r"^(?:请先?|需要先)(?:运行|执行|使用|设置|安装)",
)
#: asks only for more output: "Try rerunning the command with --debug to troubleshoot the error."
_VAGUE = any_of(r"--(?:debug|verbose|help|trace)\b|\bfor (?:more|usage|help|details)\b")
#: lines that frame a patch, e.g. `<<<<<<< SEARCH`, `@@ -1,3 +1,4 @@`, `--- a/app.py`
_MARKS = re.compile(r"<{5,}|={5,}|>{5,}|@@|diff --git|[-+]{3} |```")


def solved_drafts(
    messages: Sequence[Message], episodes: Sequence[Episode], project: str
) -> list[MemoryDraft]:
    """One error memory for each failure that was followed by a change after which the same thing worked."""
    found = (_solved(messages, one, one.worked, project) for one in episodes if one.worked)
    return _one_each([draft for draft in found if draft is not None])


def _one_each(found: Sequence[MemoryDraft]) -> list[MemoryDraft]:
    """Several failures that one change cured are told once, by the first; of those that one sentence of the agent was
    read to explain, the failure right before it, as a guess cannot be the cause of two."""
    cures: dict[str, MemoryDraft] = {}
    for draft in found:
        cures.setdefault(draft.resolution, draft)
    kept = list(cures.values())
    last = {one.quote: draft for draft in kept for one in draft.evidence[1:] if one.quote in draft.resolution}
    return [draft for draft in kept if all(last.get(one.quote, draft) is draft for one in draft.evidence[1:])]


def unsolved_drafts(
    messages: Sequence[Message], episodes: Sequence[Episode], project: str
) -> list[MemoryDraft]:
    """Failures that others would meet too and that were never cured, each line once: those whose output names a remedy,
    those of which the agent told the reason, and those that the same call met again."""
    chosen: dict[str, MemoryDraft] = {}
    for episode in episodes:
        if episode.worked is None and not _was_passed(episode) and _stays_open(episode):
            draft = _unsolved(messages, episode, project)
            if draft is not None:
                chosen.setdefault(draft.content.casefold(), draft)
    return list(chosen.values())[:_MAX_UNSOLVED]


def _was_passed(episode: Episode) -> bool:
    """True when the same check later failed for another reason alone; `fly login` that fails says nothing of
    `fly deploy`."""
    return episode.gone is not None and same_check(episode.failed, episode.gone)


def _stays_open(episode: Episode) -> bool:
    """True when nothing of the same purpose worked later, so that "not resolved" is certain."""
    failed = episode.failed
    if failed.failure is None or failed.tool == "patch" or "inline" in purpose(failed):
        return False
    if not recurs_unsolved(failed.failure) or not tells(failed.failure, failed.text):
        return False
    return not any(same_purpose(failed, later) and is_proof(later) for later in episode.between)


def _solved(
    messages: Sequence[Message], episode: Episode, worked: Action, project: str
) -> MemoryDraft | None:
    failed = last_failure(episode)
    episode = replace(episode, failed=failed)
    assert failed.failure is not None
    if says_nothing(failed.failure) or failed.tool == "patch" or is_doubtful(messages, episode, worked):
        return None
    lang = talk_language(messages, failed.result)
    # what was said and done before the last try that failed was no cure
    begin = episode.again[-1].result if episode.again else failed.result
    end = episode.gone or worked
    cause = diagnose(messages, begin, end.call + 1, failed.failure.line, worked.result)
    change = describe_change(episode, worked, lang)
    if cause is None and (
        change is None or not tells(failed.failure, failed.text) or is_one_off(failed.failure)
    ):
        return None
    if cause is None and slipped(failed.failure) and not code_of(failed):
        return None
    if change is None:
        change = name_files(episode, lang)
    if change is None or _of_one_script(failed, change):
        return None
    name = missing_name(failed)
    if name and (silences(change.sentence, name) or _fails_again(episode, worked, name)):
        return None
    told = ended(cause.text, lang) if cause else ""
    evidence = [
        _quote(messages[failed.result], failed.failure.line),
        _quote(messages[cause.position], cause.text) if cause else None,
        _change_quote(messages[change.made.call], change),
        _proof_quote(messages, worked),
    ]
    return MemoryDraft(
        content=describe_failure(messages, failed, lang, project),
        context=describe_context(messages, failed, lang),
        resolution=clip(f"{told} {change.sentence}".strip(), 700),
        tags=describe_tags(failed),
        confidence=0.85 if cause else 0.7,
        memory_type="error",
        evidence=tuple(dict.fromkeys(item for item in evidence if item is not None)),
    )


def _of_one_script(failed: Action, change: Change) -> bool:
    """True for a cure inside a script that an agent wrote for once, unless it is about what others use too."""
    assert failed.failure is not None
    return bool(code_of(failed)) and not recurs(failed.failure) and "import " not in change.sentence


def _change_quote(message: Message, change: Change) -> Evidence | None:
    command = (command_of(change.made) or "").split("\n")[0].strip()
    line = _line_in_change(change.sentence, message)
    return _quote(message, line or command) or _quote(message, _first_line(change.made.text, message))


def _proof_quote(messages: Sequence[Message], worked: Action) -> Evidence | None:
    """What the working try printed; of one that printed nothing, its call."""
    lines = [line.strip() for line in worked.output.splitlines() if line.strip()]
    shown = next((line for line in lines if read_checks(line) == "passed"), lines[0] if lines else "")
    if shown:
        return _quote(messages[worked.result], shown)
    return _quote(messages[worked.call], _first_line(worked.text, messages[worked.call]))


def _fails_again(episode: Episode, worked: Action, name: str) -> bool:
    """True when a later failure is about the same name: what seemed to work only moved the error."""
    found = re.compile(rf"\b{re.escape(name)}\b")
    lines = [a.failure.line for a in episode.after if a.failure and a.result >= worked.result]
    return any(found.search(line) for line in lines)


def _unsolved(messages: Sequence[Message], episode: Episode, project: str) -> MemoryDraft | None:
    """None for one that only failed: of five such drafts readers called none useful and four junk. The line of the
    failure may say what to do itself: "Please provide --token flag"."""
    failed = episode.failed
    assert failed.failure is not None
    lang = talk_language(messages, failed.result)
    words = PHRASES[lang]
    about = without_paths(failed.failure.line)
    reason = best_reason(messages, failed.result + 1, failed.result, failed.result + 4, about)
    repeated = unchanged(episode)
    remark = reason[0] if reason else first_remark(messages, failed.result + 1)
    remedy = _remedy(failed)
    if not (reason or repeated or remedy or _names_remedy(failed.failure.line)):
        return None
    content = describe_failure(messages, failed, lang, project)
    if repeated:
        line = clean_line(failed.failure.line)
        content = words["repeated"].format(
            subject=describe_subject(messages, failed, lang), n=len(episode.again) + 1, line=line
        )
    evidence = [
        _quote(messages[failed.call], _first_line(failed.text, messages[failed.call])),
        _quote(messages[failed.result], failed.failure.line),
        _quote(messages[reason[1]], reason[0]) if reason else None,
        _quote(messages[failed.result], remedy) if remedy else None,
    ]
    context = f"{describe_context(messages, failed, lang)} {clip(remark, 300)}".strip()
    return MemoryDraft(
        content=content,
        context=f"{context} {words['unsolved']}",
        resolution=_advice(remedy, words, repeated=repeated),
        tags=(*describe_tags(failed), "unsolved"),
        confidence=0.6 if repeated else 0.55,
        memory_type="error",
        evidence=tuple(item for item in evidence if item is not None),
    )


def _remedy(failed: Action) -> str:
    """The line, other than that of the failure, in which a failed program says what to do."""
    assert failed.failure is not None
    lines = (line.strip() for line in failed.output.splitlines())
    named = filter(_names_remedy, lines)
    return next((line for line in named if failed.failure.line not in line), "")[:_MAX_QUOTE].strip()


def _names_remedy(line: str) -> bool:
    return _REMEDY.search(line) is not None and _VAGUE.search(line) is None


def _advice(remedy: str, words: Mapping[str, str], *, repeated: bool) -> str:
    told = words["names_remedy"].format(line=clean_line(remedy)) if remedy else ""
    return f"{told} {words['repeated_fix'] if repeated else ''}".strip()


def _line_in_change(change: str, message: Message) -> str:
    """The line that holds the last words of code of a change, in the message that made it."""
    for words in reversed(re.findall(r"`([^`]{4,})`", change)):
        for text in message_texts(message):
            line = next((line.strip() for line in text.splitlines() if words in line), "")
            if line:
                return line if len(line) <= _MAX_QUOTE else words
    return ""


def _first_line(text: str, message: Message) -> str:
    """The first telling line of a call that appears verbatim in its message; of a patch one it puts in."""
    put_in = _PUT_IN.search(text)
    plain = text.replace('\\"', '"').replace("\\n", "\n")
    lines = [line.strip() for source in message_texts(message) for line in source.splitlines()]
    if put_in:
        old, new = ({line.strip() for line in part.splitlines()} for part in put_in.groups())
        lines = [line for line in lines if line in new - old and len(line) > 3] or lines
    return next((line for line in lines if len(line) > 3 and line in plain and not _MARKS.match(line)), text)


def _quote(message: Message, quote: str) -> Evidence | None:
    quote = quote.strip()[:_MAX_QUOTE].strip()
    if quote and any(quote in text for text in message_texts(message)):
        return Evidence(message.start_line, message.end_line, quote)
    return None
