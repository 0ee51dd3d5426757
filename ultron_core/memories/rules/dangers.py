"""Security events in what an agent did: destructive commands, refused calls, orders hidden in tool output."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.evidence import stands_in
from ultron_core.memories.rules.describe import describe_subject
from ultron_core.memories.rules.explanations import talk_language
from ultron_core.memories.rules.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, read_actions
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.failures import clean_line
from ultron_core.transcript.speech import any_of

__all__ = ["find_dangers"]

#: words of PHRASES -> shapes of one command that cannot be taken back
_DESTRUCTIVE = (
    (
        "wiped",
        any_of(
            r"^(?:sudo )?rm\s+(?:-\S+\s+)*-(?:\w*r\w*f|\w*f\w*r)\w*\s+(?:\S+\s+)*"
            r"(?:/|/\*|~/?|~/\*|\$HOME/?\*?|\*|\.|\./|\.\.|\.git|"
            r"/(?:etc|usr|var|home|opt|root|bin|lib)(?:/[\w.-]+)?/?)(?:\s|$)",
            r"^(?:sudo )?(?:mkfs(?:\.\w+)?\s|dd\s+.*\bof=/dev/(?!null))",
            r"^git clean\s+(?:-\S+\s+)*-\w*f\w*x\w*\b",
        ),
    ),
    ("forced", any_of(r"^git push\s.*(?:--force(?!-with-lease)\b|\s-f\b)", r"^git push\s+\S+\s+\+\w")),
    (
        "dropped",
        any_of(
            r"\bdrop\s+(?:table|database|schema)\s+(?!if exists\s+(?:test|tmp))\w",
            r"\btruncate\s+table\s+\w",
            r"\bdelete\s+from\s+[\w.]+\s*(?:;|\"|'|$)",
        ),
    ),
    (
        "torn_down",
        any_of(
            r"^terraform\s+destroy\b",
            r"^kubectl\s+delete\s+(?:ns|namespace)\b",
            r"^kubectl\s+delete\s.*--all\b",
        ),
    ),
    ("opened", any_of(r"^(?:sudo )?chmod\s+(?:-\w+\s+)*0?777\b")),
    ("piped", any_of(r"^(?:sudo )?(?:curl|wget)\s.*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b")),
)
#: parts that only mention a command
_MENTION = re.compile(r"^(?:echo|printf|grep|rg|git (?:commit|log|grep)|#|sed|awk|cat|man|history)\b|^\S*#")
_CLIENT = any_of(
    r"^(?:sudo )?(?:psql|mysql|sqlite3|mariadb|clickhouse|docker exec|kubectl exec)\b", r"^\w*sql"
)
_REFUSED = any_of(
    r"\bthe user (?:doesn't want to (?:proceed|take this action)|(?:has )?(?:rejected|denied|declined|refused))",
    r"\btool use was rejected\b|\bpermission to use \S+ (?:.{0,60} )?(?:has been )?denied\b",
    r"\brequested permissions? to .{0,80}\bhaven't granted\b",
    r"\b(?:blocked|denied|rejected) by (?:the )?(?:sandbox|policy|a hook|hook|user)\b",
    r"用户(?:拒绝|取消)了|权限(?:已)?被(?:用户)?拒绝",
)
_REFUSAL_CHARS = 600
_INJECTED = any_of(
    r"\b(?:ignore|disregard|forget|override) (?:all |any )?(?:of )?(?:the |your |my )?(?:previous|prior|above|earlier|"
    r"preceding|system) (?:instructions?|prompts?|directions|rules|messages?)\b",
    r"忽略(?:之前|以上|上述|前面|先前)(?:的)?(?:所有|全部|一切)?(?:的)?(?:指令|指示|提示|要求|规则)",
)
#: a text about injections, or a program that looks for them
_ABOUT_INJECTION = any_of(
    r"prompt[ _-]?injection|jailbreak|red[- ]team|提示词?注入|越狱", r"\b(?:def |assert |regex|re\.compile)\b"
)


def find_dangers(messages: Sequence[Message]) -> list[MemoryDraft]:
    """At most one draft of each kind of event, with the words that show it."""
    found: dict[str, MemoryDraft] = {}
    for action in read_actions(messages):
        for draft in (_refused(messages, action), _destroyed(messages, action), _injected(messages, action)):
            if draft is not None:
                found.setdefault(draft.tags[-1], draft)
    return list(found.values())


def _refused(messages: Sequence[Message], action: Action) -> MemoryDraft | None:
    output = action.output
    match = _REFUSED.search(output[:_REFUSAL_CHARS])
    if match is None or len(output) > 2 * _REFUSAL_CHARS or command_of(action) is None:
        return None
    return _draft(messages, action, "refused", messages[action.result], match.group())


def _destroyed(messages: Sequence[Message], action: Action) -> MemoryDraft | None:
    command = command_of(action)
    if command is None or _REFUSED.search(action.output[:_REFUSAL_CHARS]):
        return None
    for part in _parts(command):
        for kind, shape in _DESTRUCTIVE:
            if shape.search(part) and (kind != "dropped" or _CLIENT.search(part)):
                return _draft(messages, action, kind, messages[action.call], part, command=part)
    return None


def _injected(messages: Sequence[Message], action: Action) -> MemoryDraft | None:
    match = _INJECTED.search(action.output)
    if match is None or _ABOUT_INJECTION.search(action.output):
        return None
    return _draft(messages, action, "injected", messages[action.result], match.group())


def _parts(command: str) -> list[str]:
    """The commands of a line, each with the pipe it feeds; those that only speak of one left out."""
    parts = [part.strip() for part in re.split(r"&&|\|\||;\s|\n", command)]
    return [part for part in parts if part and not _MENTION.match(part)]


def _draft(
    messages: Sequence[Message], action: Action, kind: str, source: Message, quote: str, *, command: str = ""
) -> MemoryDraft | None:
    quote = quote[:400].strip()
    if not stands_in(quote, source):
        return None
    words = PHRASES[talk_language(messages, action.result)]
    subject = f"`{clean_line(command, 120)}`" if command else describe_subject(action)
    return MemoryDraft(
        content=words[kind].format(subject=subject),
        resolution=words[f"{kind}_fix"],
        tags=("security", kind.replace("_", "-")),
        confidence=0.7,
        memory_type="security",
        evidence=(Evidence(source.start_line, source.end_line, quote),),
    )
