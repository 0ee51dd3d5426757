"""Secrets recognised by their context: a name such as `password`, a header, a URL with a password."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from ultron_core.redaction.spans import Span

__all__ = ["credential_name", "credential_value", "named_credentials"]

#: names whose value is a secret even if it is short; `token` and the like need a value that looks random
_STRONG = (
    "password", "passwd", "passphrase", "pwd", "secret", "api_key", "apikey", "api-key", "access_key", "accesskey",
    "access-key", "private_key", "private-key", "privatekey", "encryption_key", "signing_key", "account_key", "accountkey",  # noqa: E501
    "accesskeysecret", "密码", "口令", "密钥", "秘钥",
)  # fmt: skip
_WEAK = (
    "token",
    "credential",
    "auth_key",
    "authkey",
    "session_key",
    "authorization",
    "cookie",
    "令牌",
    "凭证",
    "sig=",
    "db_pass",
)
_WORDS = (*_STRONG, *_WEAK)

_VALUE = r"""(?:\\{0,3}"(?P<dq>[^"\\\r\n]{1,400})|'(?P<sq>[^'\\\r\n]{1,400})'|`(?P<bq>[^`\r\n]{1,200})`|(?P<raw>[^\s"'`<>,;]{1,400}))"""  # noqa: E501
_REST = re.compile(
    r"(?P<more>[A-Za-z0-9_.-]{0,24})(?P<close>\\{0,3}[\"'`\]]{0,2})"
    r"(?P<sep>\s{0,3}(?::=|=>|[:=：＝])\s{0,3}|\s{0,2}(?:是|为|\bis\b)\s{0,3}[:：]?\s{0,2})" + _VALUE
)
_FLAG = re.compile(r"(?P<more>)(?P<close>)(?P<sep>[ =])" + _VALUE)
_MORE_ALLOWED = re.compile(
    r"(?:[_.-]?(?:key|value|id|hash|str|string|text|env|prod|dev|test|live|base64|b64|\d))*s?", re.I
)
_NO_SECRET_AFTER = re.compile(
    r"(?i)[_.-]?(?:s|count|limit|usage|type|name|id|field|length|len|size|budget|file|path|url|uri|reset|policy"
    r"|expir\w*|ttl|index|rate|cost|window|hint|label|prompt|input|form|arn|ref|manager|provider|version)s?"
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*")
_STAND_IN = re.compile(
    r"(?i)(?:value|your|my|the|some|example|changeme|change[-_]me|placeholder|redacted|hidden|todo|none|null|nil|undefined"
    r"|true|false|optional|required|string|str|bytes|any|env|secret|password|token|key|xxx|\.\.\.|\*{3}|\$|\{|%|<|\[|#\{)"
    r".{0,400}"
)
_TEMPLATE = re.compile(r"\$\{|\{\{|\$\(|%\(|\*{3,}|x{5,}|X{5,}|\.\.\.|…|<[^>]{0,80}>|•{3}")
_CODE = re.compile(r"[()\[\]{}]")

_URL_PASSWORD = re.compile(r"://[^\s/:@\"'<>\\]{0,100}:([^\s/@\"'<>\\]{1,200})@[A-Za-z0-9\[._-]")
_HEADER_TOKEN = re.compile(r"[ :=]{1,3}([A-Za-z0-9._~+/=-]{8,4000})")
_BASIC = re.compile(r" {1,3}([A-Za-z0-9+/]{6,1000}={0,2})(?![A-Za-z0-9+/=])")


def named_credentials(text: str) -> Iterator[Span]:
    """Spans of secret values only; the name, header or user stays readable."""
    yield from _header_tokens(text)
    yield from _url_passwords(text)
    lowered = text.lower() if "İ" not in text else text.replace("İ", "I").lower()
    for word in _WORDS:
        at = lowered.find(word)
        while at >= 0:
            span = _value_after(text, at, word)
            if span:
                yield span
            at = lowered.find(word, at + len(word))


def credential_name(name: str) -> bool:
    """Does a JSON key name a secret (`db_password`, `apiKey`), not something about one (`max_tokens`)?"""
    lowered = name.lower().replace("-", "_")
    for word in _WORDS:
        at = lowered.rfind(word.rstrip("="))
        if at >= 0:
            more = lowered[at + len(word.rstrip("=")) :]
            return not more or bool(_MORE_ALLOWED.fullmatch(more) and not _NO_SECRET_AFTER.fullmatch(more))
    return False


def credential_value(name: str, value: str) -> bool:
    """Is the string under a JSON key a secret, judged by name and value?"""
    return credential_name(name) and _is_secret(
        _strong(name.lower().replace("-", "_")), value, quoted=True, env=False
    )


def _strong(name: str) -> bool:
    return any(word in name for word in _STRONG)


def _value_after(text: str, at: int, word: str) -> Span | None:
    end = at + len(word)
    if word == "sig=":
        match = re.compile(r"(?P<raw>[A-Za-z0-9%/+_-]{40,120}={0,2})").match(text, end)
        return Span(*match.span("raw"), "REDACTED_CREDENTIAL") if match else None
    match = _REST.match(text, end)
    if match is None and text[max(0, at - 30) : at].rpartition(" ")[2].startswith("--"):
        match = _FLAG.match(text, end)
    if match is None or _NO_SECRET_AFTER.fullmatch(match["more"]):
        return None
    if match["more"] and not _MORE_ALLOWED.fullmatch(match["more"]):
        return None
    group = next(name for name in ("dq", "sq", "bq", "raw") if match[name] is not None)
    start, stop = match.span(group)
    value = match[group]
    if group == "raw":
        value, stop = _trim(value, start, is_url=_in_query(text, at))
    prose = bool(re.search(r"[是为]|is", match["sep"]))
    env = text[at:end].isupper() and "=" in match["sep"] and " " not in match["sep"]
    if text[at:end].isascii() and prose and group == "raw" and not re.search(r"\d|[^\w.]", value):
        return None
    if text[stop : stop + 1] in ("(", "[") or not _is_secret(_strong(word), value, group != "raw", env):
        return None
    return Span(start, stop, "REDACTED_CREDENTIAL")


def _in_query(text: str, at: int) -> bool:
    before = text[max(0, at - 200) : at]
    return "?" in before.rpartition(" ")[2] or before.endswith("&")


def _trim(value: str, start: int, *, is_url: bool) -> tuple[str, int]:
    """An unquoted value ends before closing punctuation, and in a query before the next field."""
    if is_url:
        value = value.partition("&")[0]
    value = re.split(r"[，。；、）】”’！]|\\[nrt\"]", value, maxsplit=1)[0]
    value = value.rstrip(".,;:)]}\\!?")
    return value, start + len(value)


def _is_secret(strong: bool, value: str, quoted: bool, env: bool) -> bool:
    if len(value) < 4 or (_STAND_IN.fullmatch(value) and not _random(value)):
        return False
    if _TEMPLATE.search(value):
        return False
    if not strong:
        return len(value) >= 16 and _random(value) and " " not in value.removeprefix("Bearer ")
    if quoted:
        # words with spaces are a message or a label ("Enter your password"), unless odd characters mix in
        return not (" " in value and not re.search(r"\d", value)) and not value.startswith(
            ("/", "./", "http")
        )
    if _CODE.search(value) or value.startswith(("/", "./", "http", "&", "*", "-", "|", "=", "!")):
        return False
    if env:
        return not re.fullmatch(r"\d{1,3}|[A-Za-z]{1,3}", value)
    if _IDENTIFIER.fullmatch(value) and not (_random(value) and "." not in value):
        return False
    return (
        len(value) >= 6 and bool(re.search(r"\d|[^\w.]", value)) and not re.fullmatch(r"[\d.,-]{1,7}", value)
    )


def _random(value: str) -> bool:
    """Letters and digits mixed, many different characters: machine-generated."""
    return (
        bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value))
        and len(set(value)) >= min(8, len(value) - 1)
        and not re.fullmatch(r"(?:[A-Za-z]+[_.-])+(?:[A-Za-z]+|\d{1,4})|[A-Za-z_.-]+\d{1,2}", value)
    )


def _header_tokens(text: str) -> Iterator[Span]:
    for word in ("Bearer", "bearer", "BEARER"):
        at = text.find(word)
        while at >= 0:
            match = _HEADER_TOKEN.match(text, at + len(word))
            if match and (_random(match[1]) or (len(match[1]) >= 24 and not _IDENTIFIER.fullmatch(match[1]))):
                yield Span(match.start(1), match.start(1) + len(match[1].rstrip(".")), "REDACTED_TOKEN")
            at = text.find(word, at + len(word))
    for word in ("Basic", "basic", "BASIC"):
        at = text.find(word)
        while at >= 0:
            match = _BASIC.match(text, at + len(word))
            if match and _basic_pair(match[1]):
                yield Span(match.start(1), match.end(1), "REDACTED_TOKEN")
            at = text.find(word, at + len(word))


def _basic_pair(value: str) -> bool:
    """RFC 7617: base64 of `user:password`."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in decoded and decoded.isprintable()


def _url_passwords(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        match = _URL_PASSWORD.match(text, at)
        if match and not _TEMPLATE.search(match[1]) and not match[1].startswith(("$", "{", "%")):
            yield Span(match.start(1), match.end(1), "REDACTED_CREDENTIAL")
        at = text.find("://", at + 3)
