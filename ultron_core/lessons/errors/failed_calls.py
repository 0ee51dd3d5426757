"""Failures and their cures as drafts of error memories."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import (
    EDIT,
    describe_context,
    describe_failure,
    describe_subject,
    describe_tags,
    is_mismatch,
)
from ultron_core.lessons.errors.cures import describe_change, missing_name, silences
from ultron_core.lessons.errors.episodes import Episode, unchanged
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import (
    adds_to,
    best_reason,
    clip,
    diagnosis,
    ended,
    first_remark,
    talk_language,
)
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message, Outcome
from ultron_core.transcript.actions import Action, message_texts
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.failures import clean_line
from ultron_core.transcript.people import is_group

__all__ = ["abandoned_error_drafts", "solved_drafts", "unsolved_drafts"]

#: left unsolved, these tell of names and files of one task, or of the network that day
_OF_THIS_TASK = ("NameError", "KeyError", "FileNotFoundError", "ConnectionError", "Timeout")
#: words of a failure line that say only that something failed
_EMPTY = """
assertionerror build code command error errors exception execution exit exitcode failed failure failures in passed
test tests the warnings with
"""
#: the two halves of a search-and-replace patch
_PUT_IN = re.compile(r"<{5,} SEARCH\n(.*?)\n?={5,}\n(.*?)\n?>{5,} REPLACE", re.DOTALL)
#: lines that frame a patch
_MARKS = re.compile(r"<{5,}|={5,}|>{5,}|@@|diff --git|[-+]{3} |```")
_EMPTY_WORDS = frozenset(_EMPTY.split())
#: a summary line of a test runner that is cut short: "FAILED tests/test_a.py::test_b - Asser..."
_CUT_SHORT = re.compile(r"^(?:FAILED|ERROR) \S+.* - (?:\S+: )?\S*\.\.\.$")
#: a test's own values, which nobody meets again: "AssertionError: 41 != 42"
_VALUES_DIFFER = re.compile(r"AssertionError.* (?:!=|== ) |assert .* == ")


def solved_drafts(messages: Sequence[Message], episodes: Sequence[Episode]) -> list[MemoryDraft]:
    """One error memory for each failure that was followed by a change after which the same thing worked."""
    drafts = []
    for episode in episodes:
        if episode.worked is None:
            continue
        draft = _solved(messages, episode, episode.worked)
        if draft is not None:
            drafts.append(draft)
    return drafts


def unsolved_drafts(
    messages: Sequence[Message], episodes: Sequence[Episode], outcome: Outcome
) -> list[MemoryDraft]:
    """Failures never cured: the same call made three times in vain; the first and the last one of a failed
    run; when it is not known how the run ended, those of code that an agent wrote and ran."""
    open_ones = [
        e for e in episodes if e.worked is None and e.failed.failure and _tells(e.failed.failure.line)
    ]
    edge = [
        e for e in open_ones if outcome == "failure" or (outcome != "success" and e.failed.tool == "code")
    ]
    edge = [e for e in edge if e.failed.tool == "code" or messages[e.failed.result].tool_call_id]
    chosen = [
        e for e in open_ones if e in edge[:1] + edge[-1:] or (unchanged(e) and e.failed.tool != "patch")
    ]
    drafts = [_unsolved(messages, episode) for episode in chosen]
    return [draft for draft in drafts if draft is not None]


def abandoned_error_drafts(
    messages: Sequence[Message], episodes: Sequence[Episode], outcome: Outcome
) -> list[MemoryDraft]:
    """The lesson that agents left an error of their own code and went on, with the first such place as evidence.

    Its words name no detail, so that the same lesson of many sessions becomes one memory.
    """
    if outcome == "success" or not is_group(messages):
        return []
    for episode in episodes:
        failed = episode.failed
        if episode.worked is not None or failed.tool != "code" or failed.failure is None:
            continue
        words = PHRASES[talk_language(messages, failed.result)]
        places = [
            _quote(messages[failed.call], _first_line(failed.text, messages[failed.call])),
            _quote(messages[failed.result], failed.failure.line),
        ]
        evidence = tuple(place for place in places if place is not None)
        return [
            MemoryDraft(
                words["abandoned"],
                words["group_run"],
                words["abandoned_fix"],
                ("unsolved",),
                0.55,
                "error",
                evidence,
            )
        ]
    return []


def _solved(messages: Sequence[Message], episode: Episode, worked: Action) -> MemoryDraft | None:
    failed = episode.failed
    assert failed.failure is not None
    if not _tells(failed.failure.line):
        return None
    lang = talk_language(messages, failed.result)
    reason, change = _reason(messages, episode, worked), describe_change(episode, worked, lang)
    name = missing_name(failed)
    if name and (silences(change or "", name) or _fails_again(episode, worked, name)):
        return None
    if change is None:
        edits = failed.tool == "command" and EDIT.match(failed.text)
        if reason is None or edits or _VALUES_DIFFER.search(failed.failure.line):
            return None
    parts = (ended(reason[0], lang) if reason else "", change or "")
    evidence = [_quote(messages[failed.result], failed.failure.line)]
    if reason:
        evidence.append(_quote(messages[reason[1]], reason[0]))
    if command_of(worked) is not None or worked.tool in ("code", "patch"):
        line = _line_in_change(change or "", messages[worked.call])
        line = line or _first_line(worked.text, messages[worked.call])
        evidence.append(_quote(messages[worked.call], line))
    return MemoryDraft(
        content=describe_failure(messages, failed, lang),
        context=describe_context(messages, failed, lang),
        resolution=clip(" ".join(part for part in parts if part), 700),
        tags=describe_tags(failed),
        confidence=0.85 if reason and change else 0.7,
        memory_type="error",
        evidence=tuple(item for item in evidence if item is not None),
    )


def _fails_again(episode: Episode, worked: Action, name: str) -> bool:
    """True when a later failure is about the same name: what seemed to work only moved the error."""
    found = re.compile(rf"\b{re.escape(name)}\b")
    lines = [a.failure.line for a in episode.after if a.failure and a.result >= worked.result]
    return any(found.search(line) for line in lines)


def _reason(messages: Sequence[Message], episode: Episode, worked: Action) -> tuple[str, int] | None:
    """What the model says about the cause or cure, and where; None when nothing it says belongs to them."""
    failed = episode.failed
    assert failed.failure is not None
    if is_mismatch(failed):
        return None
    last = episode.again[-1] if episode.again else failed
    # what a model says of a patch or of its own script counts only when it names what the failure names
    named = failed.tool in ("patch", "code")
    near = failed.result if named else last.result + 2
    about = _without_paths(failed.failure.line) if named else f"{failed.failure.line} {worked.text[:2000]}"
    begin, end = failed.result + 1, worked.result + 2
    if failed.tool == "patch":
        # remarks on earlier tries were wrong, and what comes after is about the next failure
        begin, end = worked.call, worked.call + 1
    reason = best_reason(messages, begin, near, end, about, action=named)
    if reason is None and failed.tool == "code" and worked.call <= failed.result + 2:
        cause = diagnosis(messages, failed.result + 1)
        reason = (cause, failed.result + 1) if cause else None
    if reason and not adds_to(reason[0], failed.failure.line):
        return None
    if reason and failed.failure.kind == "Lint" and not _about_name(missing_name(failed), reason[0]):
        return None
    return reason


def _unsolved(messages: Sequence[Message], episode: Episode) -> MemoryDraft | None:
    failed = episode.failed
    assert failed.failure is not None
    lang = talk_language(messages, failed.result)
    words = PHRASES[lang]
    about = _without_paths(failed.failure.line)
    reason = best_reason(messages, failed.result + 1, failed.result, failed.result + 4, about)
    repeated = unchanged(episode)
    remark = reason[0] if reason else first_remark(messages, failed.result + 1)
    if not repeated and (not remark or failed.failure.kind in _OF_THIS_TASK):
        return None
    content = describe_failure(messages, failed, lang)
    if repeated:
        line = clean_line(failed.failure.line)
        content = words["repeated"].format(
            subject=describe_subject(messages, failed, lang), n=len(episode.again) + 1, line=line
        )
    resolution = words["repeated_fix"] if repeated else ""
    evidence = [
        _quote(messages[failed.call], _first_line(failed.text, messages[failed.call])),
        _quote(messages[failed.result], failed.failure.line),
    ]
    context = f"{describe_context(messages, failed, lang)} {clip(remark, 300)}".strip()
    return MemoryDraft(
        content=content,
        context=f"{context} {words['unsolved']}",
        resolution=resolution,
        tags=(*describe_tags(failed), "unsolved"),
        confidence=0.6 if repeated else 0.55,
        memory_type="error",
        evidence=tuple(item for item in evidence if item is not None),
    )


def _about_name(missing: str, reason: str) -> bool:
    """Of a name that is not known, a reason must say how it is brought in or done without."""
    if not missing:
        return True
    name = re.escape(missing)
    return re.search(rf"\b{name}\b", reason) is not None and (
        re.search(r"\b(?:import\w*|defin\w+|undefined|missing|parameters?|arguments?|pass\w*)\b", reason)
        is not None
        or re.search(rf"instead of[^.]{{0,30}}\b{name}\b", reason) is not None
    )


def _without_paths(line: str) -> str:
    return " ".join(part for part in clean_line(line).split() if not re.search(r"[/\\]|::|…", part))


def _tells(line: str) -> bool:
    """False for a line that says only that something failed ("AssertionError", "12 failed in 3s")."""
    if _CUT_SHORT.search(line) or clean_line(line).endswith((":", "：")) or re.match(r"\d+\) ", line):
        return False
    words = re.findall(r"[A-Za-z\u3400-\u9fff]{2,}", _without_paths(line))
    return len([word for word in words if word.lower() not in _EMPTY_WORDS]) >= 2


def _line_in_change(change: str, message: Message) -> str:
    """The last line of code in the words of a change that appears in the message that made it."""
    lines = [line for line in re.findall(r"`([^`]{4,})`", change) if appears_in(line, message)]
    return lines[-1] if lines else ""


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
    quote = quote.strip()[:400].strip()
    if quote and any(quote in text for text in message_texts(message)):
        return Evidence(message.start_line, message.end_line, quote)
    return None
