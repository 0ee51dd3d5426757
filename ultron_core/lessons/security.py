"""Security lessons: secrets shown, weaknesses found, destructive commands, refused calls, hidden instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import describe_subject
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, message_texts, without_code
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import language, one_line, sentences
from ultron_core.transcript.orders import IGNORES_INSTRUCTIONS
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.risks import COMMAND_END, EXAMPLE, RISKS, SECRETS, SQL_CLIENT
from ultron_core.transcript.speech import any_of

__all__ = ["find_security_events", "find_weaknesses"]

#: "The query builder is vulnerable to SQL injection."
_WEAKNESS = re.compile(
    r"\b(?:sql|command|shell|code|template|prompt) injection\b|\bpath traversal\b|\bXSS\b|\bCSRF\b|\bSSRF\b|"
    r"\bsecurity (?:issue|vulnerability|hole|flaw|risk|problem)\b|\bvulnerab(?:le|ility) (?:to|in|because|found)\b|"
    r"\barbitrary (?:code|file) (?:execution|read|write)\b|\bworld-(?:readable|writable)\b|\bprivilege escalation\b|"
    r"\bbuffer[- ]overflow vuln|SQL ?注入|命令注入|提示词注入|路径遍历|安全(?:漏洞|隐患|风险)|越权",
    re.IGNORECASE,
)
#: states that it is there, e.g. `There is a hole in the upload`, `存在漏洞`
_FOUND = re.compile(
    r"\b(?:this|that|it|which|found|there(?:'s| is)|has|have|is|are|introduc\w+|creat\w+|allow\w*|"
    r"open\w*|contains?)\b|存在|有|导致|发现|可能",
    re.IGNORECASE,
)
#: speaks of it without having found it: "Let me check for security issues.", "a CSRF token is required"
_HEDGED = re.compile(
    r"\b(?:CSRF|XSRF)[- ]token|\brequired?\b|\bdocumentation\b|\bno (?:\w+ )?(?:security|vulnerab|"
    r"injection)|\bnot (?:a )?(?:security|vulnerab)|\bif there\b|\bcheck (?:for|whether)\b|"
    r"\b(?:look|search|scan|review|test)(?:ing|s)? for\b|\bavoid|\bprevent|\bsuch as\b|没有|检查|避免|防止|[?？]$",
    re.IGNORECASE,
)


def find_security_events(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """One draft of each kind of secret and of each kind of event. The secret itself is in no draft."""
    return [*_secrets(messages, actions), *_events(messages, actions)]


def _secrets(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    outputs = {action.result: action for action in actions}
    found: dict[str, MemoryDraft] = {}
    for position, message in enumerate(messages):
        for part, text in enumerate(message_texts(message)):  # the words, then what calls are given
            for kind, match in _find_secrets(text):
                lang = talk_language(messages, position)
                words = PHRASES[lang]
                if position in outputs:
                    subject = describe_subject(messages, outputs[position], lang)
                    content = words["secret"].format(kind=words[kind], subject=subject)
                    fix = words["secret_fix"]
                elif message.role == "assistant" and part == 0:
                    content, fix = words["told"].format(kind=words[kind]), words["told_fix"]
                elif message.role == "user":
                    content, fix = words["pasted"].format(kind=words[kind]), words["pasted_fix"]
                else:
                    content, fix = words["written"].format(kind=words[kind]), words["written_fix"]
                found.setdefault(kind, _secret_draft(content, fix, kind, message, _safe_quote(text, match)))
    return list(found.values())


def _find_secrets(text: str) -> list[tuple[str, re.Match[str]]]:
    found = [
        (kind, pattern.search(text))
        for kind, starts, pattern in SECRETS
        if any(start in text for start in starts)
    ]
    return [(kind, m) for kind, m in found if m and not EXAMPLE.search(_line_of(text, m))]


def _safe_quote(text: str, match: re.Match[str]) -> str:
    """What comes before the secret in its line, or the four letters that name its vendor."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()[-60:].strip()
    return before if len(before) >= 4 else match.group()[:4]


def _secret_draft(content: str, fix: str, kind: str, message: Message, quote: str) -> MemoryDraft:
    return MemoryDraft(
        content=content,
        resolution=fix,
        tags=("secret", kind.lower().replace(" ", "-")),
        confidence=0.8,
        memory_type="security",
        evidence=(Evidence(message.start_line, message.end_line, quote),),
    )


def _line_of(text: str, match: re.Match[str]) -> str:
    begin = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    return text[begin : end if end >= 0 else len(text)]


def find_weaknesses(messages: Sequence[Message]) -> list[MemoryDraft]:
    """The weaknesses that the agent states as found."""
    drafts = []
    for message in messages:
        if message.role != "assistant" or message.origin != "model" or not _WEAKNESS.search(message.content):
            continue
        for sentence in sentences(without_code(message.content)):
            if len(sentence) > 360 or len(sentence) < 20 or sentence not in message.content:
                continue
            if _WEAKNESS.search(sentence) and _FOUND.search(sentence) and not _HEDGED.search(sentence):
                drafts.append(
                    MemoryDraft(
                        content=one_line(sentence),
                        tags=("security",) if language(sentence) == "en" else ("security", "安全"),
                        confidence=0.65,
                        memory_type="security",
                        evidence=(Evidence(message.start_line, message.end_line, sentence),),
                    )
                )
                break
    return drafts


#: the kinds of RISKS that the templates have a sentence for; discarding changes is not told
_TOLD = ("wiped", "forced", "dropped", "torn_down", "opened", "piped")
#: parts that only mention a command: "echo rm -rf /", "git commit -m 'drop table users'"
_MENTION = re.compile(r"^(?:echo|printf|grep|rg|git (?:commit|log|grep)|#|sed|awk|cat|man|history)\b|^\S*#")
#: "The user doesn't want to proceed with this tool use." / "Permission to use Bash has been denied."
_REFUSED = any_of(
    r"\bthe user (?:doesn't want to (?:proceed|take this action)|(?:has )?(?:rejected|denied|declined|refused))",
    r"\btool use was rejected\b|\bpermission to use \S+ (?:.{0,60} )?(?:has been )?denied\b",
    r"\brequested permissions? to .{0,80}\bhaven't granted\b",
    r"\b(?:blocked|denied|rejected) by (?:the )?(?:sandbox|policy|a hook|hook|user)\b",
    r"用户(?:拒绝|取消)了|权限(?:已)?被(?:用户)?拒绝",
)
#: a person refused, and not a policy, a sandbox or a hook: "The user doesn't want to proceed with this tool use."
_BY_PERSON = any_of(r"\buser\b|\btool use was rejected\b", r"用户")
#: a refusal is short; in a longer output these words are content
_REFUSAL_CHARS = 600
#: a text about injections, or a program that looks for them, e.g. `a test for prompt injection`, `def
#: clean(text):`
_ABOUT_INJECTION = any_of(
    r"prompt[ _-]?injection|jailbreak|red[- ]team|提示词?注入|越狱", r"\b(?:def |assert |regex|re\.compile)\b"
)


def _events(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """At most one draft of each kind of event, with the words that show it."""
    found: dict[str, MemoryDraft] = {}
    for action in actions:
        for draft in (_refused(messages, action), _destroyed(messages, action), _injected(messages, action)):
            if draft is not None:
                found.setdefault(draft.tags[-1], draft)
    return list(found.values())


def _refused(messages: Sequence[Message], action: Action) -> MemoryDraft | None:
    output = action.output
    match = _REFUSED.search(output[:_REFUSAL_CHARS])
    command = command_of(action)
    if match is None or len(output) > 2 * _REFUSAL_CHARS or command is None:
        return None
    by_person = _BY_PERSON.search(match.group()) is not None
    if by_person and not any(shape.search(part) for part in _parts(command) for _, shape in RISKS):
        return None  # a person who stops a harmless call wants something else; what, is told as a correction
    return _event(messages, action, "refused", messages[action.result], match.group())


def _destroyed(messages: Sequence[Message], action: Action) -> MemoryDraft | None:
    command = command_of(action)
    if command is None or _REFUSED.search(action.output[:_REFUSAL_CHARS]):
        return None
    for part in _parts(command):
        for kind, shape in RISKS:
            if kind in _TOLD and shape.search(part) and (kind != "dropped" or SQL_CLIENT.search(part)):
                return _event(messages, action, kind, messages[action.call], part, command=part)
    return None


def _injected(messages: Sequence[Message], action: Action) -> MemoryDraft | None:
    match = IGNORES_INSTRUCTIONS.search(action.output)
    if match is None or _ABOUT_INJECTION.search(action.output):
        return None
    return _event(messages, action, "injected", messages[action.result], match.group())


def _parts(command: str) -> list[str]:
    """The commands of a line, each with the pipe it feeds; those that only speak of one left out."""
    parts = [part.strip() for part in COMMAND_END.split(command)]
    return [part for part in parts if part and not _MENTION.match(part)]


def _event(
    messages: Sequence[Message], action: Action, kind: str, source: Message, quote: str, *, command: str = ""
) -> MemoryDraft | None:
    quote = quote[:400].strip()
    if not appears_in(quote, source):
        return None
    lang = talk_language(messages, action.result)
    words = PHRASES[lang]
    subject = f"`{clean_line(command, 120)}`" if command else describe_subject(messages, action, lang)
    return MemoryDraft(
        content=words[kind].format(subject=subject),
        resolution=words[f"{kind}_fix"],
        tags=("security", kind.replace("_", "-")),
        confidence=0.7,
        memory_type="security",
        evidence=(Evidence(source.start_line, source.end_line, quote),),
    )
