"""Security events that a log shows by known forms: secrets, commands that destroy, instructions hidden in output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.lessons.describe import path_of, short_path
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.sentences import phrases_of
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, message_texts
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.orders import IGNORES_INSTRUCTIONS
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.risks import find_secrets, risky_parts
from ultron_core.transcript.speech import any_of

__all__ = ["find_security_events"]

#: the kinds of RISKS that the templates have a sentence for; discarding changes is not told
_TOLD = ("wiped", "forced", "dropped", "torn_down", "opened", "piped")
#: a text about injections, or a program that looks for them, e.g. `a test for prompt injection`, `def clean(text):`
_ABOUT_INJECTION = any_of(
    r"prompt[ _-]?injection|jailbreak|red[- ]team|提示词?注入|越狱", r"\b(?:def |assert |regex|re\.compile)\b"
)
#: characters of a command that a sentence shows
_LONGEST = 120


def find_security_events(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """One draft of each kind of secret and of each kind of event. The secret itself is in no draft."""
    spoken = " ".join(message.content[:400] for message in messages if is_human(message))
    found: dict[str, MemoryDraft] = {}
    for draft in (*_secrets(messages, actions, spoken), *_events(messages, actions, spoken)):
        found.setdefault(draft.tags[-1], draft)
    return list(found.values())


def _secrets(messages: Sequence[Message], actions: Sequence[Action], spoken: str) -> Iterator[MemoryDraft]:
    words = phrases_of(spoken)
    outputs = {action.result: action for action in actions}
    for place, message in enumerate(messages):
        for part, text in enumerate(message_texts(message)):  # the words, then what calls are given
            for kind, match in find_secrets(text):
                how, subject = _shown(message, part, outputs.get(place))
                told = words[how].format(kind=words[kind], subject=subject or words["somewhere"])
                quote = _safe_quote(text, match)
                yield _draft(
                    told, words[f"{how}_fix"], ("secret", kind.lower().replace(" ", "-")), message, quote
                )


def _shown(message: Message, part: int, action: Action | None) -> tuple[str, str]:
    """How a secret came into the log, as a key of the templates, and where."""
    if action is not None:
        return "secret", _subject(action)
    if message.role == "assistant" and part == 0:
        return "told", ""
    if message.role == "user":
        return "pasted", ""
    calls = [call.arguments for call in message.tool_calls]
    return "written", next((f"`{short_path(path)}`" for one in calls if (path := path_of(one))), "")


def _safe_quote(text: str, match: re.Match[str]) -> str:
    """What comes before the secret in its line, or the four letters that name its vendor."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()[-60:].strip()
    return before if len(before) >= 4 else match.group()[:4]


def _events(messages: Sequence[Message], actions: Sequence[Action], spoken: str) -> Iterator[MemoryDraft]:
    words = phrases_of(spoken)
    for action in actions:
        command = command_of(action) if action.outcome != "refused" else None
        for kind, part in risky_parts(command or ""):
            if kind not in _TOLD:
                continue
            told = words[kind].format(subject=f"`{clean_line(part, _LONGEST)}`")
            yield _draft(told, words[f"{kind}_fix"], ("security", kind), messages[action.call], part)
        match = IGNORES_INSTRUCTIONS.search(action.output)
        if match is not None and not _ABOUT_INJECTION.search(action.output):
            told = words["injected"].format(subject=_subject(action))
            source = messages[action.result]
            if appears_in(match.group()[:400].strip(), source):
                yield _draft(told, words["injected_fix"], ("security", "injected"), source, match.group())


def _subject(action: Action) -> str:
    """What was called: its command, or its tool with its file."""
    command, path = command_of(action), path_of(action.arguments)
    shown = clean_line(command, _LONGEST) if command else f"{action.tool} {short_path(path)}".strip()
    return f"`{shown}`"


def _draft(content: str, fix: str, tags: tuple[str, ...], message: Message, quote: str) -> MemoryDraft:
    return MemoryDraft(
        content=content,
        resolution=fix,
        tags=tags,
        confidence=0.8,
        memory_type="security",
        evidence=(Evidence(message.start_line, message.end_line, quote[:400].strip()),),
        lesson="security",
        proof="result",
    )
