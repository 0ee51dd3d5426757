"""Keys that their own shape gives away: the table of published formats, and shapes whose fixed part is inside."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ultron_core.redaction.secrets.shapes import INFIX_SHAPES, SHAPES, URL_SHAPES
from ultron_core.redaction.spans import Span
from ultron_core.redaction.wordlike import made_by_machine, made_of_words

__all__ = ["vendor_keys"]

_C = "REDACTED_CREDENTIAL"


def any_of(words: Sequence[str]) -> str:
    """A pattern of all the words that looks at each letter once: the longest of those that begin alike."""
    rests: dict[str, list[str]] = {}
    for word in words:
        rests.setdefault(word[:1], []).append(word[1:])
    longer = (
        re.escape(first) + (any_of(rest) if any(rest) else "") for first, rest in rests.items() if first
    )
    return f"(?:{'|'.join(longer)})" + ("?" if "" in rests else "")


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
#: a sign ends the run of such a key before it is long enough, e.g. `sec-c-aB3/..`
_SIGNED = ("sec-c-", "00D")
_INSIDE = sorted(
    (x for x in _GROUPED if re.fullmatch(r"[A-Za-z0-9_.-]+", x) and x not in _SIGNED),
    key=lambda x: (-len(x), x),
)
#: the beginning of a vendor's key, e.g. `ghp_`
_ANY_LITERAL = re.compile("(?<![A-Za-z0-9])" + any_of(_INSIDE))
#: a key of a vendor that no line names: words, of which the last says what follows, and a part that a machine made,
#: e.g. `acme_live_8sK2mQ9xT4vB7nR1pW6y`
_TAIL = re.compile(r"[_-](?P<tail>[A-Za-z0-9]{20,200})(?![A-Za-z0-9_-]|\.\.)")
#: its words, e.g. `acme_live`
_WORDS = re.compile(r"[a-z][a-z0-9]{0,11}(?:[_-][a-z0-9]{1,10}){0,3}")
_KEY_WORDS = frozenset(
    [
        "live", "prod", "test", "sandbox", "secret", "sk", "rk", "apikey", "pat", "api", "oat", "admin", "priv",
        "private", "access", "svc", "oauth", "token", "key"
    ]
)  # fmt: skip
_OUTSIDE = tuple(x for x in _GROUPED if x not in _INSIDE)

#: the secret that stands beside an id of these beginnings, as in the CSV that AWS hands out or in
#: `Client("AC..", "0f3a..")`, e.g. `,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`
_BESIDE = {
    starts: re.compile(
        rf"[\s,;:/|\"'&]{{1,6}}((?=\S{{0,39}}\d)(?=\S{{0,39}}[a-z]){secret})(?![A-Za-z0-9/+=])"
    )
    for starts, secret in (
        (("AKIA", "ASIA", "A3T"), "[A-Za-z0-9/+]{40}"),
        (("AC", "SK"), "[A-Za-z0-9]{32}"),
        (("LTAI",), "[A-Za-z0-9]{30}"),
        (("AKID",), "[A-Za-z0-9]{32}"),
    )
}
#: (what must be there, or None where a long run alone is looked at, what comes before, the literal with what comes
#: after) of shapes whose literal is inside, e.g. `abc8` before `Q~01234567890123456789012345678901`
_INFIX = tuple(
    (
        None if re.fullmatch(r"(?:\\\.|[\w-])+", literal) else re.sub(r"\(.*|\\", "", literal),
        re.compile(rf"(?<![A-Za-z0-9])(?:{before})$"),
        re.compile(rf"{literal}(?:{after})(?![A-Za-z0-9])"),
    )
    for before, literal, after in INFIX_SHAPES
)
#: characters of the shortest of those whose literal is in a run
_LONG_RUN = 36
#: how far before the literal such a key begins at most
_BEFORE = 110
#: a bot of Discord, from its first dot, e.g. `MTAwMDAwMDAwMDAwMDAwMDAw.abcdef.012345678901234567890123456`
_CHAT_TOKEN = re.compile(
    r"\.(?<=[A-Za-z0-9_-]{23}\.)[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_.-])"
)
#: the part before that dot, e.g. `MTAwMDAwMDAwMDAwMDAwMDAw`
_CHAT_HEAD = re.compile(r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,28}$")
#: an address that is a key in itself, by what many of them have in common: one look tells that none is there, e.g.
#: `hooks.zapier.com/hooks/catch/12345/abcde`
_HOOKS: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
for _literal, _rest in URL_SHAPES:
    _common = next((word for word in ("api", "hook") if word in _literal), "")
    _HOOKS.setdefault(_common, []).append((_literal, re.compile(re.escape(_literal) + _rest)))


def vendor_keys(text: str) -> Iterator[Span]:
    """Spans of keys in published formats, those of higher rank first, and of keys that look like those."""
    yield from _webhooks(text)
    refused: dict[str, int] = {}
    runs = [run.span() for run in _RUN.finditer(text)]
    for at, literal in _starts(text, runs):
        if at >= refused.get(literal, 0):
            found, end = _first_match(text, at, literal)
            yield from found
            refused[literal] = end  # `sk-a-sk-b-sk-c`: all of it was judged once
    yield from _infix_keys(text, runs)
    for tail in _TAIL.finditer(text):
        start, _ = runs[bisect_right(runs, (tail.start(), len(text))) - 1]
        words = _WORDS.fullmatch(text, start, tail.start())
        if words and _like_a_key(words[0] + tail[0][0], tail["tail"]):
            yield Span(start, tail.end(), _C)


def _like_a_key(words: str, tail: str) -> bool:
    """Digests and ids have one case or are short; a key's words end in one that says so, or it is long and mixed."""
    cases = sum(map(bool, (re.search(r"[a-z]", tail), re.search(r"[A-Z]", tail), re.search(r"\d", tail))))
    if cases < 2 or re.fullmatch(r"[0-9a-fA-F]+", tail) or not made_by_machine(tail):
        return False
    parts = re.split(r"[-_]", words[:-1])
    named = parts[-1] in _KEY_WORDS and (len(parts) > 1 or parts[-1] in ("sk", "rk", "pat", "apikey"))
    return named or (cases == 3 and len(tail) >= 32 and len(parts) == 1 and words[-1] == "_")


def _starts(text: str, runs: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Where a literal appears with no letter or digit before it, whatever follows."""
    for start, end in runs:
        for match in _ANY_LITERAL.finditer(text, start, end):
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
            beside = next(
                (p.match(text, match.end()) for starts, p in _BESIDE.items() if literal in starts), None
            )
            secret = [Span(*beside.span(1), _C)] if beside else []
            return [Span(at, match.end(), entity), *secret], looked
    return [], looked


def _filler(key: str, literal: str) -> bool:
    """`sk-xxxxxxxx` and the like, and words in place of a key. A repeated few characters are still a key."""
    tail = key[len(literal) :]
    if len(set(key[-16:])) <= 1 or len(set(re.sub(r"[-_.=]", "", tail.lower()))) <= 2:
        return True
    if len(literal) <= 3 and not made_by_machine(tail):
        return True
    # `test_file_path_of_the_...`, `key-value-store`: a short common start needs a digit behind it
    return len(literal) < 6 and not re.search(r"\d", tail) and made_of_words(tail)


#: e.g. `sk-proj-`, `sk-ant-api03-`
_SK_KNOWN = re.compile(r"sk-(?:proj|svcacct|admin|None|ant|or|lf|litellm|user|org)[A-Za-z0-9_]{0,12}-")


def _sk_key(key: str) -> bool:
    """With a vendor's own prefix anything but words, else only what no hand writes: `sk-learn-x` stays."""
    known = _SK_KNOWN.match(key)
    return made_by_machine(key[3:]) or bool(known and not made_of_words(key[known.end() :]))


def _webhooks(text: str) -> Iterator[Span]:
    for literal, pattern in (piece for word, some in _HOOKS.items() if word in text for piece in some):
        at = text.find(literal)
        while at >= 0:
            match = pattern.match(text, at)
            if match:
                yield Span(at + len(literal), match.end(), _C)
            at = text.find(literal, at + len(literal))


def _infix_keys(text: str, runs: list[tuple[int, int]]) -> Iterator[Span]:
    """Shapes whose fixed part is not at their start."""
    whole, long = [(0, len(text))], [run for run in runs if run[1] - run[0] >= _LONG_RUN]
    for word, before, after in _INFIX:
        for start, end in long if word is None else whole if word in text else ():
            for match in after.finditer(text, start, end):
                head = before.search(text, max(0, match.start() - _BEFORE), match.start())
                if head and len(set(text[head.start() : match.end()])) > 8:
                    yield Span(head.start(), match.end(), _C)
    for match in _CHAT_TOKEN.finditer(text):
        head = _CHAT_HEAD.search(text, max(0, match.start() - 30), match.start())
        if head:
            yield Span(head.start(), match.end(), _C)
