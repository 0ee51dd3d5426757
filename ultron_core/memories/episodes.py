"""Errors in tool output and what became of them: solved, repeated, or left unsolved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.memories.failures import clean_line
from ultron_core.memories.language import Lang
from ultron_core.memories.reading import Action, message_texts, read_actions
from ultron_core.memories.sameness import command_of, purpose, same_purpose
from ultron_core.memories.wording import PHRASES, best_reason, clip, first_remark, talk_language
from ultron_core.models import Evidence, MemoryDraft, Message

__all__ = ["Episode", "describe_subject", "find_episodes", "left_drafts", "solved_drafts", "unsolved_drafts"]

#: later actions that may still be the cure of a failure
_REACH = 60
_TASK_CHARS = 200
#: kinds of failure that belong to one step of an edit (ultron_core.memories.failures)
_STAGES = ("PatchMismatch", "Lint")
_STEP_NAMES = {"PatchMismatch": "Applying a search-and-replace patch", "Lint": "Linting after an edit"}
_EMPTY_WORDS = frozenset(
    (
        "assertionerror",
        "build",
        "code",
        "command",
        "error",
        "errors",
        "exception",
        "execution",
        "exit",
        "exitcode",
        "failed",
        "failure",
        "failures",
        "in",
        "passed",
        "test",
        "tests",
        "the",
        "warnings",
        "with",
    )
)
#: a summary line of a test runner that ends before it says anything
_CUT_SHORT = re.compile(r"^(?:FAILED|ERROR) \S+.* - (?:\S+: )?\S*\.\.\.$")
#: a test's own values, which nobody meets again
_VALUES_DIFFER = re.compile(r"AssertionError.* (?:!=|== ) |assert .* == ")
_EDIT = re.compile(r"edit|write|replace|patch|create|insert|notebook|update_file|apply", re.IGNORECASE)
_OLD_KEYS, _NEW_KEYS = (
    ("old_string", "old_str", "oldtext", "old_text"),
    ("new_string", "new_str", "newtext", "new_text"),
)


@dataclass(frozen=True, slots=True)
class Episode:
    """A failure, the tries of the same thing that failed too, and the one that worked (None: none did)."""

    failed: Action
    again: tuple[Action, ...]
    worked: Action | None
    between: tuple[Action, ...]


def find_episodes(messages: Sequence[Message]) -> list[Episode]:
    """One episode for every failure that is not itself a repetition of an earlier, open one."""
    actions = read_actions(messages)
    restarts = _starts_over(messages)
    taken: set[int] = set()
    episodes = []
    for i, action in enumerate(actions):
        if action.failure is None or i in taken:
            continue
        again: list[Action] = []
        worked, stop = None, min(i + 1 + _REACH, len(actions))
        for j in range(i + 1, stop):
            later = actions[j]
            if messages[later.result].thread != messages[action.result].thread:
                continue
            if any(action.result < position <= later.call for position in restarts):
                break
            if not same_purpose(action, later):
                continue
            if _cured(action, later):
                worked, stop = later, j
                break
            if _same_error(action, later):
                taken.add(j)
                again.append(later)
        episodes.append(Episode(action, tuple(again), worked, tuple(actions[i + 1 : stop])))
    return episodes


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
    messages: Sequence[Message], episodes: Sequence[Episode], *, outcome: str
) -> list[MemoryDraft]:
    """Failures never cured: the same call made three times in vain; the first and the last one of a failed
    run; of a run whose end is not known those of code that an agent wrote and ran."""
    open_ones = [
        e for e in episodes if e.worked is None and e.failed.failure and _tells(e.failed.failure.line)
    ]
    edge = [
        e for e in open_ones if outcome == "failure" or (outcome != "success" and e.failed.tool == "code")
    ]
    edge = [e for e in edge if e.failed.tool == "code" or messages[e.failed.result].tool_call_id]
    chosen = [e for e in open_ones if e in edge[:1] + edge[-1:] or _unchanged(messages, e)]
    drafts = [_unsolved(messages, episode) for episode in chosen]
    return [draft for draft in drafts if draft is not None]


def left_drafts(messages: Sequence[Message], episodes: Sequence[Episode]) -> list[MemoryDraft]:
    """The lesson that agents left an error of their own code and went on, with the first such place as evidence.

    Its words name no detail, so that the same lesson of many sessions becomes one memory.
    """
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
                words["left"], words["group_run"], words["left_fix"], ("unsolved",), 0.55, "error", evidence
            )
        ]
    return []


def _solved(messages: Sequence[Message], episode: Episode, worked: Action) -> MemoryDraft | None:
    failed = episode.failed
    assert failed.failure is not None
    lang = talk_language(messages, failed.result)
    last = episode.again[-1] if episode.again else failed
    # what a model says of a patch or of its own script counts only when it names what the failure names
    named = failed.tool in ("patch", "code")
    near = failed.result if named else last.result + 2
    about = _without_paths(failed.failure.line) if named else f"{failed.failure.line} {worked.text[:2000]}"
    reason = best_reason(messages, failed.result + 1, near, worked.result + 2, about, action=named)
    change = _what_changed(episode, worked, lang)
    if failed.failure.kind == "PatchMismatch" or _is_mismatch(failed):
        reason = None
    if (reason is None and change is None) or not _tells(failed.failure.line):
        return None
    if failed.tool == "command" and change is None and _EDIT.match(failed.text):
        return None
    if change is None and _VALUES_DIFFER.search(failed.failure.line):
        return None
    resolution = " ".join(part for part in (reason[0] if reason else "", change or "") if part)
    evidence = [_quote(messages[failed.result], failed.failure.line)]
    if reason:
        evidence.append(_quote(messages[reason[1]], reason[0]))
    if command_of(worked) is not None or worked.tool in ("code", "patch"):
        evidence.append(_quote(messages[worked.call], _first_line(worked.text, messages[worked.call])))
    return MemoryDraft(
        content=_failed(failed, lang),
        context=_context(failed, lang),
        resolution=clip(resolution, 700),
        tags=_tags(failed),
        confidence=0.85 if reason and change else 0.7,
        memory_type="error",
        evidence=tuple(item for item in evidence if item is not None),
    )


def _unsolved(messages: Sequence[Message], episode: Episode) -> MemoryDraft | None:
    failed = episode.failed
    assert failed.failure is not None
    lang = talk_language(messages, failed.result)
    words = PHRASES[lang]
    about = _without_paths(failed.failure.line)
    reason = best_reason(messages, failed.result + 1, failed.result, failed.result + 4, about)
    repeated = _unchanged(messages, episode)
    remark = reason[0] if reason else first_remark(messages, failed.result + 1)
    if not repeated and (not remark or failed.failure.kind in ("NameError", "KeyError")):
        return None
    content = _failed(failed, lang)
    if repeated:
        line = clean_line(failed.failure.line)
        content = words["repeated"].format(
            subject=describe_subject(failed), n=len(episode.again) + 1, line=line
        )
    resolution = words["repeated_fix"] if repeated else ""
    evidence = [
        _quote(messages[failed.call], _first_line(failed.text, messages[failed.call])),
        _quote(messages[failed.result], failed.failure.line),
    ]
    context = f"{_context(failed, lang)} {clip(remark, 300)}".strip()
    return MemoryDraft(
        content=content,
        context=f"{context} {words['unsolved']}",
        resolution=resolution,
        tags=(*_tags(failed), "unsolved"),
        confidence=0.6 if repeated else 0.55,
        memory_type="error",
        evidence=tuple(item for item in evidence if item is not None),
    )


def _cured(failed: Action, later: Action) -> bool:
    """True when `later` shows that what failed works; of a patch that its own kind of failure is gone."""
    if later.failure is None:
        return True
    assert failed.failure is not None
    return failed.failure.kind in _STAGES and later.failure.kind != failed.failure.kind


def _starts_over(messages: Sequence[Message]) -> list[int]:
    """Positions where a person hands in the same long task again: what follows is another try of all."""
    seen: set[str] = set()
    found = []
    for position, message in enumerate(messages):
        if message.role == "user" and len(message.content) >= _TASK_CHARS:
            if message.content in seen:
                found.append(position)
            seen.add(message.content)
    return found


def _unchanged(messages: Sequence[Message], episode: Episode) -> bool:
    """True when the same call was made three times with nothing else done in between."""
    tries = (episode.failed, *episode.again)
    last = tries[-1].result
    others = [a for a in episode.between if a.result < last and a not in tries]
    return len(tries) >= 3 and not others and all(a.text == tries[0].text for a in tries)


def _without_paths(line: str) -> str:
    return " ".join(part for part in clean_line(line).split() if not re.search(r"[/\\]|::|…", part))


def _tells(line: str) -> bool:
    """False for a line that says only that something failed ("AssertionError", "12 failed in 3s")."""
    if _CUT_SHORT.search(line):
        return False
    words = re.findall(r"[A-Za-z\u3400-\u9fff]{2,}", _without_paths(line))
    return len([word for word in words if word.lower() not in _EMPTY_WORDS]) >= 2


def _same_error(one: Action, other: Action) -> bool:
    if one.failure is None or other.failure is None:
        return False
    if one.failure.kind or other.failure.kind:
        return one.failure.kind == other.failure.kind
    return clean_line(one.failure.line)[:60] == clean_line(other.failure.line)[:60]


def describe_subject(action: Action) -> str:
    """What was called, fit for a sentence: the command, the tool's name, or "The code"."""
    command = command_of(action)
    if command is not None:
        return f"`{clip(_core(command), 100)}`"
    if action.tool in ("code", "patch"):
        return (
            "Python code"
            if action.tool == "code"
            else _STEP_NAMES.get(_kind(action), "The test run after an edit")
        )
    return f"`{action.tool}`" if action.tool else "The tool call"


def _kind(action: Action) -> str:
    return action.failure.kind if action.failure else ""


def _main_part(command: str) -> str:
    parts = [part.strip() for part in re.split(r"&&|\n", command) if part.strip()]
    useful = [
        part
        for part in parts
        if not re.match(r"(?:cd|export|source|set|echo|ls|head|tail|cat|sleep)\b", part)
    ]
    return (useful or parts or [command])[-1]


def _failed(action: Action, lang: Lang) -> str:
    assert action.failure is not None
    if action.failure.kind == "PatchMismatch":
        return PHRASES[lang]["mismatch"]
    return PHRASES[lang]["failed"].format(
        subject=describe_subject(action), line=clean_line(action.failure.line)
    )


def _context(action: Action, lang: Lang) -> str:
    command = command_of(action)
    if command is not None:
        return PHRASES[lang]["running"].format(subject=f"`{clip(command, 160)}`")
    if action.tool == "code":
        names = dict.fromkeys(re.findall(r"^\s*(?:from|import)\s+([A-Za-z_]\w*)", action.text, re.MULTILINE))
        if names:
            return PHRASES[lang]["using"].format(names=", ".join(f"`{name}`" for name in list(names)[:5]))
        return PHRASES[lang]["code"]
    if action.tool == "patch":
        path = _path(action.arguments)
        return PHRASES[lang]["patching"].format(file=f" `{_short(path)}`" if path else "")
    return PHRASES[lang]["with"].format(tool=f"`{action.tool or 'tool'}`")


def _what_changed(episode: Episode, worked: Action, lang: Lang) -> str | None:
    """The change between the failing and the working try, as a sentence; None when it cannot be named."""
    failed, words = episode.failed, PHRASES[lang]
    before, after = command_of(failed), command_of(worked)
    if after is not None and _EDIT.match(_core(after)):
        return None
    if (
        before is not None
        and after is not None
        and _core(before) != _core(after)
        and not _is_subset(before, after)
    ):
        return words["worked"].format(subject=f"`{clip(_core(after), 200)}`")
    if failed.failure is not None and failed.failure.kind == "PatchMismatch":
        return words["exact"]
    if failed.tool == "patch":
        path = _path(worked.arguments)
        change = _edit_change(worked, lang)
        return words["edited"].format(files=f"`{_short(path)}`", change=change) if path and change else None
    if _is_mismatch(failed):
        return words["exact"]
    edits = [
        a
        for a in episode.between
        if a.failure is None and _EDIT.search(a.tool) and purpose(a) != purpose(failed)
    ]
    if edits:
        files = ", ".join(
            dict.fromkeys(f"`{_short(_path(a.arguments))}`" for a in edits[-3:] if _path(a.arguments))
        )
        if files:
            return words["edited"].format(files=files, change=_edit_change(edits[-1], lang))
    if isinstance(failed.arguments, dict) and isinstance(worked.arguments, dict):
        names = [
            key
            for key in worked.arguments
            if worked.arguments[key] != failed.arguments.get(key)
            and key not in ("command", "cmd", "description")
        ]
        if names:
            return words["arguments"].format(names=", ".join(f"`{name}`" for name in names[:4]))
    path = _path(failed.arguments)
    if path and any(a.failure is None and _path(a.arguments) == path for a in episode.between):
        return words["reread"].format(file=f"`{_short(path)}`")
    steps = [
        f"`{clip(_main_part(command_of(a) or ''), 100)}`"
        for a in episode.between
        if a.failure is None and command_of(a) and not _EDIT.match(command_of(a) or "")
    ]
    if steps and before is not None:
        return words["after"].format(steps=", ".join(steps[-2:]))
    return None


def _is_mismatch(action: Action) -> bool:
    """An edit refused because its old text does not stand in the file."""
    keys = {key.lower() for key in action.arguments} if isinstance(action.arguments, dict) else set()
    line = action.failure.line.lower() if action.failure else ""
    return bool(keys & set(_OLD_KEYS)) and ("not find" in line or "not found" in line or "match" in line)


def _edit_change(action: Action, lang: Lang) -> str:
    if not isinstance(action.arguments, dict):
        return ""
    lowered = {key.lower(): value for key, value in action.arguments.items()}
    old = next((lowered[key] for key in _OLD_KEYS if isinstance(lowered.get(key), str)), "")
    new = next((lowered[key] for key in _NEW_KEYS if isinstance(lowered.get(key), str)), "")
    gone = [line.strip() for line in old.splitlines() if line.strip() and line not in new.splitlines()]
    come = [line.strip() for line in new.splitlines() if line.strip() and line not in old.splitlines()]
    if len(gone) == 1 and len(come) == 1:
        return PHRASES[lang]["change"].format(old=clip(gone[0], 100), new=clip(come[0], 100))
    return ""


def _path(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return ""
    for key, value in arguments.items():
        if ("path" in key.lower() or "file" in key.lower()) and isinstance(value, str):
            return value
    return ""


def _short(path: str) -> str:
    return "/".join(re.split(r"[/\\]", path)[-2:])


def _core(command: str) -> str:
    """The telling part of a command, without what only cuts or joins its output."""
    part = re.sub(r"\s*(?:\d?>&?\s*\S+|&>\s*\S+)", "", _main_part(command).split(" | ")[0])
    return " ".join(part.split())


def _is_subset(before: str, after: str) -> bool:
    """True when one try only ran more or less of the same (`pytest a b`, then `pytest a`)."""
    left, right = set(_core(before).split()), set(_core(after).split())
    return (
        left < right and not any(word.startswith("-") for word in right - left)
        if left < right
        else right < left
    )


def _tags(action: Action) -> tuple[str, ...]:
    tags = [part.lower() for part in purpose(action)[1:2] if re.fullmatch(r"[\w.-]{2,30}", part)]
    if action.tool and re.fullmatch(r"[\w.-]{2,40}", action.tool):
        tags.append(action.tool.lower())
    if action.failure and action.failure.kind:
        tags.append(action.failure.kind)
    return tuple(dict.fromkeys(tags))


def _first_line(text: str, message: Message) -> str:
    """The first telling line of a call that stands letter by letter in its message."""
    for source in message_texts(message):
        for line in source.splitlines():
            if len(line.strip()) > 3 and line.strip() in text.replace('\\"', '"').replace("\\n", "\n"):
                return line.strip()
    return text


def _quote(message: Message, quote: str) -> Evidence | None:
    quote = quote.strip()[:400].strip()
    if quote and any(quote in text for text in message_texts(message)):
        return Evidence(message.start_line, message.end_line, quote)
    return None
