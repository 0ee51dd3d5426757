"""Secrets handed to any program: behind `login`, into a store of secrets, through its input, as a pair of literals.

What the program is does not matter here; `commands.py` has the flags that mean a secret for one program alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.redaction.secrets.names import Strength, strength
from ultron_core.redaction.secrets.values import chosen, is_secret
from ultron_core.redaction.spans import Span, ends_of
from ultron_core.redaction.wordlike import made_by_machine

__all__ = ["argument_secrets"]

_C = "REDACTED_CREDENTIAL"
_Q = r"[\"']?"
_OPTIONS = r"(?:[ \t]{1,4}--?[a-z][\w-]{0,30}(?:[= ][^\s\"'-][^\s\"']{0,60})?){0,4}?"
#: the words with which programs log in, e.g. `cargo login 8sK2mQ9xT4vB7nR1pW6y`
_LOGIN = (
    "login", "log-in", "auth", "unlock", "unseal", "signin", "activate", "token", "set-key", "service install",
)  # fmt: skip
#: what follows them, e.g. ` --registry x 8sK2mQ9xT4vB7nR1pW6y`
_LOGGED_IN = re.compile(
    rf"(?:enticate|orize|-?token|[:_-]key)?{_OPTIONS}(?:[ \t]{{1,4}}[\w.@<>-]{{1,60}})??[ \t]{{1,4}}{_Q}"
    r"(?P<value>[A-Za-z0-9_.~+/=:-]{12,800})(?![\w/])"
)
#: a flag of one letter that often takes a key, e.g. ` -t 8sK2mQ9xT4vB7nR1pW6y`
_SHORT = re.compile(rf" -[ptkawPTKAW][ =]{_Q}(?P<value>[A-Za-z0-9_-]{{20,400}})(?![\w./:=])")
#: programs that put a secret away, e.g. `vault kv put secret/app value=s3cret`, `kubectl create secret generic db`
_STORE = re.compile(
    r"\b(?:vault (?:kv (?:put|patch)|write)|consul kv put|etcdctl put|pass insert|chamber write|ssm put-parameter"
    r"|secretsmanager (?:create|put|update)-secret(?:-value)?|keyvault secret set|create secret"
    r"|secrets? (?:set|put|create|add|update|versions add)|secrets:(?:set|create)|variables? (?:--)?(?:set|create)"
    r"|env:set|config:set|credentials:set|add-generic-password|add-internet-password)\b(?P<rest>[^\n;|]{1,600})"
)
#: what such a command is given, e.g. ` value=s3cret`, ` --from-literal=pw=s3cret`, ` --value s3cret`
_GIVEN = re.compile(
    r"[ \t](?:--?(?:from-literal|fields?|data|env)[= ])?"
    r"(?:--?(?P<flag>value|secret-string|secret|body|text|plaintext|data|string|b|w|v)[= ]"
    r"|(?P<name>[A-Za-z_][\w.-]{0,60})=)"
    rf"{_Q}(?P<value>[^\s\"'@<$][^\s\"']{{2,400}})"
)
#: its last word, e.g. ` s3cret9` of `consul kv put prod/db/password s3cret9`
_LAST = re.compile(r"[ \t]\"?'?(?P<value>[^\s\"'@<$=-][^\s\"'=]{5,400})[\"']?[ \t]*$")
#: no secrets, though they are stored with them
_OPEN = frozenset(
    ["user", "username", "login", "host", "hostname", "port", "ttl", "region", "name", "type", "env", "url", "cas"]
)  # fmt: skip
#: what reads a secret from its input, e.g. `sudo -S`, `--password-stdin`
_READS = (
    r"--?(?:[a-z]{1,12}-){0,2}stdin\b|--with-token|--data-file=-|sudo -S"
    r"|\bsecrets?[ :](?:set|put|create|add|versions add)"
    r"|\bchpasswd\b|\bkinit\b|\bpasswd\b|-pass(?:word)?[ =]stdin|-pass(?:word)?-fd[ =]0"
)
#: behind `echo` and `printf`, e.g. ` 's3cret' | sudo -S apt update`, ` 'bob:s3cret' | chpasswd`
_FED = re.compile(
    rf"[ \t]{{1,4}}(?:-[neE]{{1,3}}[ \t]{{1,4}})?(?:['\"]?%s(?:\\n)?['\"]?[ \t]{{1,4}})?{_Q}"
    rf"(?:[\w.-]{{1,60}}:(?=[^|\n]{{0,200}}\|[^\n]{{0,40}}chpasswd))?(?P<value>[^\s\"'|$<>]{{4,400}}){_Q}[ \t]{{0,4}}"
    rf"\|(?=[^\n|]{{0,100}}(?:{_READS}))"
)
#: a text in the place of a file, e.g. `gh auth login --with-token <<< s3cret`, `chpasswd <<< 'bob:s3cret'`
_HERE = re.compile(
    rf"(?:{_READS})[^\n<|]{{0,80}}<<<[ \t]{{0,3}}{_Q}(?:[\w.-]{{1,60}}:)?(?P<value>[^\s\"'$<>|]{{4,400}})"
)
#: e.g. `<(echo s3cret9)` of "wg set wg0 preshared-key <(echo s3cret9)"
_AS_FILE = re.compile(
    rf"(?:<\(|command[= ][\"'])(?:echo|printf)[ \t]{{1,4}}(?:-n[ \t])?{_Q}(?P<value>[^\s\"'|$<>]{{7,400}}?){_Q}[)\"']"
)
#: a user and a password as literals of code, e.g. `("bob", "s3cret9")`
_LITERALS = re.compile(
    r"\(\s{0,2}[\"'][^\"'\r\n]{1,80}[\"']\s{0,2},\s{0,2}[\"'](?P<value>[^\"'\r\n]{4,200})[\"']"
)
#: what takes them, e.g. `auth=`, `s.login`
_TAKES = re.compile(
    r"(?i:auth|log_?in|credentials?|sign_?in|authenticate)\w{0,12}[\"']?\s{0,2}[=:(]?\s{0,2}$"
)
#: one of these is in the text of a command that stores something
_STORES = (
    "ecret",
    ":set",
    " put ",
    " write ",
    " patch ",
    "put-parameter",
    "pass insert",
    "variable",
    "-password ",
)


def argument_secrets(text: str) -> Iterator[Span]:
    """Spans of the values alone; program, names and flags stay readable."""
    for end in ends_of(text, _LOGIN):
        match = _LOGGED_IN.match(text, end)
        if match and _of_a_machine(match["value"]):
            yield _span(match)
    for match in _LITERALS.finditer(text):
        value = match["value"]
        if (
            _TAKES.search(text, max(0, match.start() - 32), match.start())
            and re.search(r"[\d\W]", value)
            and " " not in value
        ):
            yield from _judged(match)
    for match in _SHORT.finditer(text):
        value = match["value"]
        if chosen(value) and made_by_machine(value) and not value.islower():
            yield _span(match)
    if any(word in text for word in _STORES):
        for match in _STORE.finditer(text):
            yield from _stored(text, match.start("rest"), match.end())
    for end in ends_of(text, ("echo", "printf")):
        yield from _judged(_FED.match(text, end))
    for sign, pattern in (("<<<", _HERE), ("echo ", _AS_FILE)):
        for match in pattern.finditer(text) if sign in text else ():
            yield from _judged(match)


def _judged(match: re.Match[str] | None) -> Iterator[Span]:
    if match and is_secret(Strength.PASSWORD, match["value"], quoted=True):
        yield _span(match)


def _span(match: re.Match[str]) -> Span:
    return Span(*match.span("value"), _C)


def _of_a_machine(value: str) -> bool:
    """No file, address, name of an image or date."""
    if value.startswith("/") or (re.search(r"[a-z]\.[a-z]|/.*/", value) and not value.startswith("ey")):
        return False
    return is_secret(Strength.WEAK, value, quoted=True) and made_by_machine(value)


def _stored(text: str, start: int, end: int) -> Iterator[Span]:
    """The values given to a store; the last word where nothing else is one."""
    found = False
    for match in _GIVEN.finditer(text, start, end):
        name = (match["name"] or "").lower()
        sure = match["flag"] or strength(name) or not text[:start].endswith(("config:set", "env:set"))
        grade = Strength.PASSWORD if sure else Strength.WEAK
        if name not in _OPEN and is_secret(grade, match["value"], quoted=True):
            found = True
            yield _span(match)
    last = None if found else _LAST.search(text, max(start, end - 420), end)
    value = last["value"] if last else ""
    named = text[:start].endswith(("kv put", "etcdctl put", "chamber write")) and is_secret(
        Strength.PASSWORD, value, quoted=True
    )
    if last and "/" not in value and (named or chosen(value) or made_by_machine(value)):
        yield _span(last)
