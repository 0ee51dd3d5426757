"""Secrets in another dress: in base64 or hexadecimal, or in pieces that code joins."""

from __future__ import annotations

import base64
import binascii
import re
import string
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256

from ultron_core.redaction.normal import without
from ultron_core.redaction.secrets.assignments import assigned_secrets
from ultron_core.redaction.secrets.vendors import vendor_keys
from ultron_core.redaction.spans import Span
from ultron_core.redaction.wordlike import made_by_machine

__all__ = ["joined_secrets", "wallet_keys", "wrapped_secrets"]

_C = "REDACTED_CREDENTIAL"
_ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


def _digits(clear: int) -> str:
    """The class of base64 digits without these bits."""
    chosen = [char for value, char in enumerate(_ALPHABET) if not value & clear]
    return f"[{''.join(chosen)}{'_' if '/' in chosen else ''}{'-' if '+' in chosen else ''}]"


_ANY = _digits(0)
#: base64, plain or for URLs, whose first 15 bytes are ASCII (the top bit of each is clear): hashes, paths and names are
#: passed over at once, e.g. `cGFzc3dvcmQ9aHVudGVyMg==`
_RUN = re.compile(
    rf"{_digits(32)}(?<!{_ANY}{{2}}){_digits(8)}{_digits(2)}{_ANY}"
    rf"(?:{_digits(32)}{_digits(8)}{_digits(2)}{_ANY}){{4}}{_ANY}{{0,20000}}+={{0,2}}"
)
_FOR_URLS = str.maketrans("-_", "+/")
#: the same in hexadecimal, e.g. `70617373776f72643d68756e74657232`
_HEX = re.compile(
    r"[2-7](?<![0-9A-Za-z][2-7])[0-9a-fA-F](?:[2-7][0-9a-fA-F]|0[9aAdD]){9,10000}+(?![0-9A-Za-z])"
)
#: base64 of base64
_DEEPEST = 2
#: between two literals of which code makes one text, e.g. `x" + "y`, `x" \⏎    "y`
_LITERALS = re.compile(
    r"([\"'])(?<=[\w+/=.-].)\s{0,3}(?:[+.&]\s{0,3}\\?\s{0,20}|\\?\r?\n\s{0,20}|\.{3})?[fbruFBRU]?\1(?=[\w+/=.-])"
)
#: where a terminal or a mail broke a long word: the next line holds its end alone, e.g. `⏎mN1pQ2sT4v`
_BREAK = re.compile(
    r"\n[ \t│|>]{0,12}(?=(?=[A-Za-z_+/=.-]{0,200}\d)(?P<end>[A-Za-z0-9_+/=.-]{8,400})"
    r"[ \t│|]{0,40}[\"'`]?[,;.)]?(?:\r?\n|$))"
)
#: what stands before the break, e.g. `aB3dE5gH7jK9 \`
_BROKEN = re.compile(r"(?<=[A-Za-z0-9_+/=.-]{12})[ \t│|]{0,40}\\?\r?$")
#: how far around a joint its parts are looked for
_REACH = 400
#: literals that are joined later, e.g. `["xoxb", "123", "aB3dE5gH7jK9"].join("-")`, `("ghp_", "aB3dE5gH7jK9mN1p")`
_LIST = re.compile(r"[\[(]\s{0,20}[\"'](?P<parts>[A-Za-z0-9_+/=.\"',\s-]{8,400})[\"'],?\s{0,20}[\])]")
#: e.g. `", "`
_BETWEEN = re.compile(r"[\"']\s{0,3},\s{0,20}[\"']")

#: the private key of a Bitcoin wallet: its last four bytes check the others, e.g.
#: `5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ`
_WALLET = re.compile(r"[5KL](?<![A-Za-z0-9][5KL])[1-9A-HJ-NP-Za-km-z]{50,51}+(?![A-Za-z0-9])")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

Find = Callable[[str], Iterator[Span]]


def wrapped_secrets(text: str, find: Find, depth: int = 1) -> Iterator[Span]:
    """Runs that decode to a text in which `find` finds a secret."""
    for run in (*_RUN.finditer(text), *_HEX.finditer(text)):
        inner = _decoded(run)
        entity = next((span.entity for span in find(inner)), "") if inner else ""
        if not entity and inner and depth < _DEEPEST:
            entity = next((span.entity for span in wrapped_secrets(inner, find, depth + 1)), "")
        if entity:
            yield Span(*run.span(), entity)


def _decoded(run: re.Match[str]) -> str:
    """The text that base64 or hexadecimal stands for; "" when it is none."""
    try:
        if run.re is _HEX:
            raw = bytes.fromhex(run[0])
        else:
            body = run[0].rstrip("=").translate(_FOR_URLS)
            raw = base64.b64decode(body + "=" * (-len(body) % 4))
    except binascii.Error:
        return ""
    text = raw.decode("ascii") if raw.isascii() else ""
    return text if all(char.isprintable() or char in "\n\r\t" for char in text) else ""


def wallet_keys(text: str) -> Iterator[Span]:
    """Private keys of Bitcoin wallets."""
    for match in _WALLET.finditer(text):
        if _checked(match[0]):
            yield Span(*match.span(), _C)


def _checked(key: str) -> bool:
    number = 0
    for char in key:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes(40, "big").lstrip(b"\0")
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def joined_secrets(text: str) -> Iterator[Span]:
    """Secrets of which a part stands in another literal or on the next line, from their first part to their last."""
    literals = [match.span() for match in _LITERALS.finditer(text)]
    yield from _across(text, literals, lambda view: (*vendor_keys(view), *assigned_secrets(view)))
    breaks = []
    for match in _BREAK.finditer(text):
        broken = _BROKEN.search(text, max(0, match.start() - 60), match.start())
        if broken and made_by_machine(match["end"]):
            breaks.append((broken.start(), match.end()))
    yield from _across(text, breaks, vendor_keys)
    for match in _LIST.finditer(text):
        parts = _BETWEEN.split(match["parts"])
        if len(parts) > 1 and any(any(vendor_keys(mark.join(parts))) for mark in ("", "-", "_", ".")):
            last = max(parts, key=len)
            start = match.start("parts") + match["parts"].index(last)
            yield Span(start, start + len(last), _C)


def _across(text: str, gone: list[tuple[int, int]], find: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    """What is found across places once these are taken out, in coordinates of the text."""
    at = 0
    while at < len(gone):
        last = at
        while last + 1 < len(gone) and gone[last + 1][0] - gone[last][1] < _REACH and last - at < _REACH:
            last += 1
        start, end = max(0, gone[at][0] - _REACH), gone[last][1] + _REACH
        view = without(
            text[start:end], [(first - start, after - start) for first, after in gone[at : last + 1]]
        )
        for span in find(view.text):
            whole = view.original(span)
            if whole.end - whole.start > span.end - span.start:
                yield Span(whole.start + start, whole.end + start, span.entity)
        at = last + 1
