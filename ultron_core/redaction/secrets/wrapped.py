"""Secrets in another dress: in base64 or hexadecimal, or in pieces that code joins."""

from __future__ import annotations

import base64
import binascii
import re
import string
from collections.abc import Callable, Iterator
from hashlib import sha256

from ultron_core.redaction.secrets.vendors import vendor_keys
from ultron_core.redaction.spans import Span

__all__ = ["joined_keys", "wallet_keys", "wrapped_secrets"]

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
#: the end of a short literal and a long one behind it, e.g. `_" + "aB3dE5gH7jK9mN1p"`
_PIECES = re.compile(r"[-_][\"']\s{0,3}[+,.]?\s{0,20}[\"'](?P<last>[A-Za-z0-9_+/=.-]{16,300})[\"']")
#: the literals up to there, e.g. `"ghp" + "`
_BEFORE = re.compile(
    r"(?:[\"'][A-Za-z0-9_.-]{1,15}[\"']\s{0,3}[+,.]?\s{0,20}){0,2}[\"'][A-Za-z0-9_.-]{0,15}$"
)
#: what one of them holds, e.g. `"ghp_"`
_LITERAL = re.compile(r"[\"']([^\"']{1,300})[\"']")

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
            yield Span(*match.span(), "REDACTED_CREDENTIAL")


def _checked(key: str) -> bool:
    number = 0
    for char in key:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes(40, "big").lstrip(b"\0")
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def joined_keys(text: str) -> Iterator[Span]:
    """The last and longest piece of a vendor's key."""
    for match in _PIECES.finditer(text):
        first = _BEFORE.search(text, max(0, match.start() - 60), match.start())
        if first and any(vendor_keys("".join(_LITERAL.findall(text[first.start() : match.end()])))):
            yield Span(*match.span("last"), "REDACTED_CREDENTIAL")
