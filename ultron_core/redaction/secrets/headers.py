"""Secrets in HTTP headers and URLs: `Authorization`, `Bearer`, `Basic`, cookies, `https://user:password@host`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.redaction.secrets.keyfiles import basic_pair
from ultron_core.redaction.secrets.values import is_stand_in, random_looking
from ultron_core.redaction.spans import Span

__all__ = ["header_secrets"]

_T = "REDACTED_TOKEN"
_SCHEME = (
    r"(?:Bearer|Basic|Token|ApiKey|Api-Key|Api-Token|Key|JWT|Digest|Negotiate|NTLM|OAuth|GenieKey|Bot|SSWS|Splunk|Apikey|Signature"
    r"|Zoho-oauthtoken|PVEAPIToken|SharedKey|DeepL-Auth-Key|Snipcart|Klaviyo-API-Key)"
)
#: after the literal header any value goes, however it looks, but the next key of an object, e.g.
#: `Authorization: Bearer abc123`, `"authorization": "token abc123"`
_HEADER = re.compile(
    rf"(?i:authorization)\\{{0,3}}[\"'`]?\]?\s{{0,3}}(?:[:=,]|=>|：)\s{{0,4}}\\{{0,3}}[\"'`]?(?:(?P<scheme>(?i:{_SCHEME}))[ =:]{{1,4}}(?:token=\\{{0,3}}\"?)?)?"  # noqa: E501
    r"(?P<value>[^\s\"'`\\,;<>(){}\[\]]{3,4000}+)(?!\\{0,3}[\"']\s{0,3}:)"
)
#: in the place of a value, e.g. `<token>`, `YOUR_KEY`, `{jwt}`, `credentials`
_NAMED = re.compile(
    r"(?i)token|key|secret|passw|credential|your|auth|jwt|xxx|string|value|header|[<${*\[]|\.\.\.|…"
)
#: e.g. `Authorization: Bearer abcdef123456`
_BEARER = re.compile(r"(?i:bearer)[ :=]{1,3}([A-Za-z0-9._~+/=-]{6,4000})")
#: e.g. `Authorization: Basic dXNlcjpwYXNz`
_BASIC = re.compile(r"(?i:basic) {1,3}([A-Za-z0-9+/]{6,1000}={0,2})(?![A-Za-z0-9+/=])")
#: where cookies begin: in a header, behind `-b` of curl, in a call, e.g. `Cookie: sid=x; theme=dark`,
#: `"cookie": "sid=x"`, `--cookie 'sid=x'`, `cookies={'sid': 'x'}`, `document.cookie = "sid=x"`, ` -b 'sid=x'`
_COOKIE = re.compile(
    r"(?:(?i:cookies?)\\{0,3}[\"']?(?P<sign>\s{0,3}[:=(,]|)\s{0,3}|(?<=\s)-b[ =]{0,2})(?:f|\{|\(){0,2}\s{0,3}"
    r"(?:\\{0,3}[\"'])?(?=[\w.-]{1,60}(?:=|\\?[\"']\s?[:,]))"
)
#: e.g. `sid=0123abcd; `, `'sid': '0123abcd', `
_COOKIE_PAIR = re.compile(
    r"(?P<name>[\w.-]{1,60})(?:=|\\?[\"']\s?[:,]\s{0,2}\\?[\"'])(?P<value>[^\s;,\"'\\]{1,2000})(?:;\s?|\\?[\"'],\s{0,3}\\?[\"']|$)?"
)
#: the date in `expires=Wed, 21-Oct-2026 07:28:00 GMT`, e.g. `21-Oct-2026`
_DATE = re.compile(r"\d{1,2}-[A-Z][a-z]{2}-\d{4}")
_ATTRIBUTES = frozenset(
    ["path", "domain", "expires", "max-age", "samesite", "version", "comment", "priority"]
)
#: e.g. `://bob:s3cret@db.example.com`
_URL_PASSWORD = re.compile(
    r"://(?P<user>[^\s/:@\"'<>\\]{0,100}):(?P<word>[^\s/@\"'<>\\]{1,200})@[A-Za-z0-9\[._-]"
)
#: a key in the place of the user: `https://0123abcd...@sentry.io/1`, e.g.
#: `https://0123456789abcdef0123@sentry.io/1`
_URL_USER = re.compile(r"://(?P<user>[A-Za-z0-9_-]{20,200})@[A-Za-z0-9\[]")


def header_secrets(text: str) -> Iterator[Span]:
    """Values of headers and passwords in URLs; scheme, user and host stay readable."""
    lowered = text.lower()
    if "authorization" in lowered:
        for match in _HEADER.finditer(text):
            if _any_value(match["value"], bool(match["scheme"])):
                start, end = match.span("value")
                yield Span(start, end - _tail(match["value"]), _T)
    if "bearer" in lowered:
        for match in _BEARER.finditer(text):
            value = match[1][: len(match[1]) - _tail(match[1])]
            if _token(value):
                yield Span(match.start(1), match.start(1) + len(value), _T)
    if "basic" in lowered:
        for match in _BASIC.finditer(text):
            if basic_pair(match[1]):
                yield Span(*match.span(1), _T)
    if "cookie" in lowered or ("curl" in lowered and " -b" in text):
        yield from _cookies(text)
    if "://" in text:
        yield from _url_passwords(text)


def _any_value(value: str, scheme: bool) -> bool:
    """With a scheme in front all but a template or a word for the thing itself; without one also
    `Authorization: required` stays."""
    if value.startswith(("$", "%s", "%(", "*", "+")) or len(set(value)) <= 2:
        return False
    if is_stand_in(value.rstrip(".")):
        # `Basic abc` is what somebody sent
        return scheme and _NAMED.search(value) is None
    return scheme or bool(re.search(r"\d", value)) or len(value) >= 24


def _token(value: str) -> bool:
    if is_stand_in(value):
        return False
    return random_looking(value) or (
        len(value) >= 24 and not re.fullmatch(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", value)
    )


def _tail(value: str) -> int:
    return len(value) - len(value.rstrip(".:!?"))


def _cookies(text: str) -> Iterator[Span]:
    for head in _COOKIE.finditer(text):
        if (
            head[0].lstrip().startswith("-b")
            and "curl" not in text[max(0, head.start() - 400) : head.start()].lower()
        ):
            continue
        at = head.end()
        for _ in range(40):
            pair = _COOKIE_PAIR.match(text, at)
            if pair is None:
                break
            value = pair["value"]
            # a sentence has no sign: `the cookie li_at=AQED..`
            least, mixed = (6, 12) if head["sign"] != "" else (12, 400)
            if (
                (len(value) >= mixed or (len(value) >= least and random_looking(value)))
                and pair["name"].lower() not in _ATTRIBUTES
                and not is_stand_in(value)
                and "(" not in value
                and not _DATE.fullmatch(value)
            ):
                yield Span(*pair.span("value"), _T)
            at = pair.end()


def _url_passwords(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        match = _URL_PASSWORD.match(text, at)
        if (
            match
            and not match["word"].startswith(("$", "{", "%(", "<", "["))
            and not is_stand_in(match["word"])
        ):
            yield Span(*match.span("word"), "REDACTED_CREDENTIAL")
            if re.fullmatch(r"[0-9a-f]{8}", match["user"]):
                yield Span(*match.span("user"), "REDACTED_CREDENTIAL")
        key = _URL_USER.match(text, at)
        if key and random_looking(key["user"]):
            yield Span(*key.span("user"), "REDACTED_CREDENTIAL")
        at = text.find("://", at + 3)
