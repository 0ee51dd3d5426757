"""Keys that their own shape gives away: the table of published formats, and shapes whose fixed part is inside."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.redaction.secrets.shapes import SHAPES, URL_SHAPES
from ultron_core.redaction.spans import Span
from ultron_core.redaction.wordlike import made_by_machine, made_of_words

__all__ = ["vendor_keys"]

_C = "REDACTED_CREDENTIAL"
_GROUPED: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
for _entity, _literals, _rest in SHAPES:
    for _literal in _literals.split("|"):
        _pattern = re.compile(re.escape(_literal) + rf"(?:{_rest})(?![A-Za-z0-9])")
        _GROUPED.setdefault(_literal, []).append((_entity, _pattern))

#: the shapes of a start and of all shorter ones: `eyJrIjoi` may begin a key of Grafana and may begin a web
#: token, e.g. `sk-0123456789abcdefghij`
_TRIED = {
    literal: [
        s for x in sorted(_GROUPED, key=len, reverse=True) if literal.startswith(x) for s in _GROUPED[x]
    ]
    for literal in _GROUPED
}
#: a key is part of a long run of letters, digits, dashes and dots; only such runs are searched for literals,
#: e.g. `sk-proj-0123456789`
_RUN = re.compile(r"[A-Za-z0-9_.-]{16,}")
_INSIDE = sorted((x for x in _GROUPED if re.fullmatch(r"[A-Za-z0-9_.-]+", x)), key=lambda x: (-len(x), x))
#: the beginning of a vendor's key, e.g. `ghp_`
_ANY_LITERAL = re.compile("(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, _INSIDE)) + ")")
_OUTSIDE = tuple(x for x in _GROUPED if x not in _INSIDE)

#: a secret key beside its key id, as in the CSV that AWS hands out, e.g.
#: `,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`
_AWS_SECRET = re.compile(r"[\s,;:/|\"'&]{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")
#: e.g. `abc8Q~0123456789012345678901234567890`
_AZURE_SECRET = re.compile(
    r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"
)
#: a bot of Telegram, e.g. `12345:A0123456789012345678901234567890123`
_BOT_TOKEN = re.compile(r":(?<=\d{5}:)A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])")
#: a bot of Discord, from its first dot, e.g. `MTAwMDAwMDAwMDAwMDAwMDAw.abcdef.012345678901234567890123456`
_CHAT_TOKEN = re.compile(
    r"\.(?<=[A-Za-z0-9_-]{23}\.)[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_.-])"
)
#: the part before that dot, e.g. `MTAwMDAwMDAwMDAwMDAwMDAw`
_CHAT_HEAD = re.compile(r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,28}$")
#: searched from its end, which is rare, e.g. `0123456789abcdef0123456789abcdef-us12`
_MAILCHIMP = re.compile(r"-us(?<=[0-9a-f]{32}-us)\d{1,2}(?![A-Za-z0-9])")
#: an address that is a key in itself, e.g. `hooks.zapier.com/hooks/catch/12345/abcde`
_PIECES = tuple((literal, re.compile(re.escape(literal) + rest)) for literal, rest in URL_SHAPES)


def vendor_keys(text: str) -> Iterator[Span]:
    """Spans of keys in published formats, those of higher rank first."""
    yield from _webhooks(text)
    refused: dict[str, int] = {}
    for at, literal in _starts(text):
        if at >= refused.get(literal, 0):
            found, end = _first_match(text, at, literal)
            yield from found
            refused[literal] = end  # `sk-a-sk-b-sk-c`: all of it was judged once
    yield from _infix_keys(text)


def _starts(text: str) -> Iterator[tuple[int, str]]:
    """Where a literal appears with no letter or digit before it, whatever follows."""
    for run in _RUN.finditer(text):
        for match in _ANY_LITERAL.finditer(text, *run.span()):
            yield match.start(), match[0]
    for literal in _OUTSIDE:
        at = text.find(literal)
        while at >= 0:
            if not (at and text[at - 1].isascii() and text[at - 1].isalnum()):
                yield at, literal
            at = text.find(literal, at + len(literal))


def _first_match(text: str, at: int, literal: str) -> tuple[list[Span], int]:
    """The key that starts here, if any, and the end of what was looked at."""
    looked = at
    for entity, pattern in _TRIED[literal]:
        match = pattern.match(text, at)
        if match is None:
            continue
        looked = max(looked, match.end())
        if not _filler(match[0], literal) and (literal != "sk-" or _sk_key(match[0])):
            secret = _aws_secret(text, match.end()) if entity == "AWS_ACCESS_KEY" else []
            return [Span(at, match.end(), entity), *secret], looked
    return [], looked


def _filler(key: str, literal: str) -> bool:
    """`sk-xxxxxxxx` and the like, and words in place of a key. A repeated few characters are still a key."""
    tail = key[len(literal) :]
    if len(set(key[-16:])) <= 1 or len(set(re.sub(r"[-_.=]", "", tail.lower()))) <= 2:
        return True
    # `test_file_path_of_the_...`, `key-value-store`: a short common start needs a digit behind it
    return len(literal) < 6 and not re.search(r"\d", tail) and made_of_words(tail)


#: e.g. `sk-proj-`, `sk-ant-api03-`
_SK_KNOWN = re.compile(r"sk-(?:proj|svcacct|admin|None|ant|or|lf|litellm|user|org)[A-Za-z0-9_]{0,12}-")


def _sk_key(key: str) -> bool:
    """With a vendor's own prefix anything but words, else only what no hand writes: `sk-learn-x` stays."""
    known = _SK_KNOWN.match(key)
    return made_by_machine(key[3:]) or bool(known and not made_of_words(key[known.end() :]))


def _aws_secret(text: str, end: int) -> list[Span]:
    secret = _AWS_SECRET.match(text, end)
    if secret and re.search(r"\d", secret[1]) and re.search(r"[a-z]", secret[1]):
        return [Span(secret.start(1), secret.end(1), _C)]
    return []


def _webhooks(text: str) -> Iterator[Span]:
    for literal, pattern in _PIECES:
        at = text.find(literal)
        while at >= 0:
            match = pattern.match(text, at)
            if match:
                yield Span(at + len(literal), match.end(), _C)
            at = text.find(literal, at + len(literal))


def _infix_keys(text: str) -> Iterator[Span]:
    """Shapes whose fixed part is not at their start."""
    if "Q~" in text:
        for match in _AZURE_SECRET.finditer(text):
            if len(set(match[0][5:])) > 4:
                yield Span(match.start(), match.end(), _C)
    if ":A" in text:
        for match in _BOT_TOKEN.finditer(text):
            start = match.start()
            while start and text[start - 1] in "0123456789" and match.start() - start < 17:
                start -= 1
            if re.search(r"\d", match[0]) and re.search(r"[a-z]", match[0]):
                yield Span(start, match.end(), _C)
    if "-us" in text:
        for match in _MAILCHIMP.finditer(text):
            yield Span(match.start() - 32, match.end(), _C)
    for match in _CHAT_TOKEN.finditer(text):
        head = _CHAT_HEAD.search(text, max(0, match.start() - 30), match.start())
        if head:
            yield Span(head.start(), match.end(), _C)
