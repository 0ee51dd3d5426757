"""Secrets that files of a known form hold: key blocks, .netrc, .pgpass, docker and npm logins, password hashes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from ultron_core.redaction.secrets.names import Strength, strength
from ultron_core.redaction.secrets.values import is_secret
from ultron_core.redaction.spans import Span

__all__ = ["basic_pair", "key_blocks", "login_files"]

_C = "REDACTED_CREDENTIAL"
#: e.g. `-----BEGIN RSA PRIVATE KEY-----`
_PEM_HEAD = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
#: e.g. `-----END RSA PRIVATE KEY-----`
_PEM_TAIL = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
#: a key whose last line was cut off, e.g. `MIIEowIBAAKCAQEA\nProc-Type: 4,ENCRYPTED`
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=:,\-\s\\.]{0,20000}")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
#: how the base64 of a private key begins when its marks are lost: PKCS#1 and PKCS#8 RSA (a length, then
#: version 0), SEC 1 and PKCS#8 elliptic curve, PKCS#8 Ed25519, OpenSSH. A certificate holds a sequence there,
#: not a version, e.g. `MIIEowIBAAKCAQEA`, `b3BlbnNzaC1rZXktdjEA`
_BARE_START = re.compile(
    r"M(?<![A-Za-z0-9+/]M)(?:II[A-Za-z0-9+/]{1,3}[A-Za-z0-9+/]IBA[AD]|HcCAQEE|IGHAgEAMBM|IGkAgEBBD|C4CAQAwBQYDK2Vw|IG2AgEAMBA)"
    r"|b3BlbnNzaC1rZXktdj"
)
#: e.g. `MIIEowIBAAKCAQEA0123⏎4567890123456789`
_LINES = re.compile(r"[A-Za-z0-9+/=]{20,}(?:\s{1,8}[A-Za-z0-9+/=]{16,})*")
#: `Private-Lines: 14` and the lines, then `Private-MAC: <hex>`, of PuTTY's .ppk files, e.g. `Private-Lines:
#: 14⏎AAAAB3NzaC1yc2EA`, `Private-MAC: 0123456789abcdef0123456789abcdef01234567`
_PUTTY = re.compile(
    r"Private-Lines: ?\d{1,4}\s{1,4}([A-Za-z0-9+/=]{16,}(?:\s{1,4}[A-Za-z0-9+/=]{4,})*)|Private-(?:MAC|Hash): ?([0-9a-fA-F]{40,64})"  # noqa: E501
)
#: .netrc, on one line or several, e.g. `machine api.example.com login bob password s3cret`
_NETRC = re.compile(r"\b(?:login|user)[ \t]{1,4}\S{1,100}\s{1,20}password[ \t]{1,4}(\S{1,200})")
#: e.g. `machine api.example.com password s3cret`
_NETRC_TURNED = re.compile(r"\bmachine[ \t]{1,4}\S{1,100}\s{1,20}password[ \t]{1,4}(\S{1,200})")
#: .pgpass; a compiler's "file.c:10:3: error" has no user there, e.g. `db.example.com:5432:app:bob:s3cret`
_PGPASS = re.compile(
    r"(?m)^(?:[A-Za-z0-9_-]+\.)*[A-Za-z0-9_*-]{1,60}:(?:\d{4,5}|\*):(?!\d+:)[\w*-]{1,60}:[\w*.@-]{1,60}:(\S{3,200})$"
)
#: a line of .pgpass has a port, e.g. `:5432:`, `:*:`
_PORT = re.compile(r":(?:\d{4,5}|\*):")
#: a compiler's message has the same colons, e.g. `app.py:5432:`
_SOURCE_FILE = re.compile(
    r"\.(?:py|js|ts|tsx|jsx|c|h|cc|cpp|go|rs|java|rb|php|sh|md|json|ya?ml|toml|txt|css|html?):"
)
#: base64 of user:password in docker's config.json and npm's .npmrc, e.g. `"auth": "Ym9iOnMzY3JldA=="`,
#: `_auth=Ym9iOnMzY3JldA==`
_PAIR = re.compile(r"auth[\"']?\s{0,3}[:=]\s{0,3}[\"']?([A-Za-z0-9+/]{8,2000}={0,2})(?![A-Za-z0-9+/=_.-])")
#: hashes as crypt(3), Django, LDAP and htpasswd write them: `root:$6$salt$0123456789abcdef:18000:0:`
_CRYPT = re.compile(
    r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|sha1|argon2(?:id|i|d)|scrypt|P|H)\$[./A-Za-z0-9$,=+-]{12,250}"
    r"|pbkdf2[_-]sha(?:1|256|512)[$:][./A-Za-z0-9$:,=+-]{20,250}"
    r"|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{20,120}={0,2}"
)
#: all values under its "data" are base64 of secrets, whatever their names, e.g. `kind: Secret`
_KUBERNETES = re.compile(r"(?i)\bkind:[ \t]{0,4}[\"']?secret\b")
#: e.g. `  password: czNjcmV0LXZhbHVl`
_BASE64_FIELD = re.compile(
    r"(?m)^[ \t]{1,20}[\w.-]{1,60}:[ \t]{0,4}(?:[|>][+-]?\s{1,20})?[\"']?([A-Za-z0-9+/]{10,20000}={0,2})[\"']?[ \t]*$"
)
#: what the QR code of an authenticator holds, e.g. `otpauth://totp/app:bob?secret=JBSWY3DPEHPK3PXP`
_HOTP = re.compile(r"otpauth://[a-z]{4}/[^\s\"'<>]{0,200}?secret=([A-Z2-7a-z]{10,128})")
#: the words that restore a wallet (BIP 39: 12 to 24 of them), e.g.
#: `mnemonic: legal winner thank year wave sausage worth useful legal winner thank yellow`
_MNEMONIC = re.compile(
    r"(?i:mnemonic|seed[ _-]?phrase|recovery[ _-](?:phrase|words))[\"'*]{0,3}\s{0,2}[:=]\s{0,2}[\"'`]?"
    r"((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b"
)
#: in the first line of a list of logins, e.g. `user,password`, `| user | password |`
_IN_HEADING = re.compile(r"[pPsS](?:ass|ASS|wd|WD|ecret|ECRET)")
#: how its cells are parted; rows that are read, characters of one
_CELLS, _ROWS, _WIDEST = re.compile(r"[,;|\t]"), 50, 300
#: e.g. `Secret access key`
_HEADING = re.compile(r"[\w \"'.-]{0,40}")


def key_blocks(text: str) -> Iterator[Span]:
    """Private keys: between their marks, with one mark cut off, and without any."""
    if "PRIVATE KEY" in text:
        yield from _pem_blocks(text)
    if "Private-" in text:
        for match in _PUTTY.finditer(text):
            yield Span(*match.span(match.lastindex or 0), _C)
    done = 0
    for match in _BARE_START.finditer(text):
        lines = _LINES.match(text, match.start()) if match.start() >= done else None
        done = lines.end() if lines else done
        if lines and lines.end() - lines.start() >= 60:
            yield Span(*lines.span(), _C)


def login_files(text: str) -> Iterator[Span]:
    """Passwords in the files that programs keep logins in, and stored hashes of passwords."""
    if "password" in text:
        for pattern in (_NETRC, _NETRC_TURNED):
            for match in pattern.finditer(text):
                yield Span(*match.span(1), _C)
    if _PORT.search(text):
        for match in _PGPASS.finditer(text):
            if not _SOURCE_FILE.search(match[0]) and "//" not in match[1]:
                yield Span(*match.span(1), _C)
    if "auth" in text:
        for match in _PAIR.finditer(text):
            if basic_pair(match[1]):
                yield Span(*match.span(1), _C)
    if "$" in text or "}" in text or "pbkdf2" in text:
        for match in _CRYPT.finditer(text):
            if re.search(r"\d", match[0][4:]):
                yield Span(*match.span(), _C)
    if "ecret" in text and _KUBERNETES.search(text):
        for match in _BASE64_FIELD.finditer(text):
            if len(match[1]) % 4 == 0:
                yield Span(*match.span(1), _C)
    if "otpauth:" in text:
        for match in _HOTP.finditer(text):
            yield Span(*match.span(1), _C)
    if "nemonic" in text or "hrase" in text or "ecovery" in text:
        for match in _MNEMONIC.finditer(text):
            yield Span(*match.span(1), _C)
    done = 0
    for match in _IN_HEADING.finditer(text):
        if match.start() >= done:
            done = text.find("\n", match.end())
            if done < 0:
                return
            yield from _columns(text, text.rfind("\n", 0, match.start()) + 1, done)


def _columns(text: str, start: int, end: int) -> Iterator[Span]:
    """The cells below a heading that names a password: rows with as many cells as the heading."""
    names = _CELLS.split(text[start:end]) if end - start <= _WIDEST else []
    if len(names) < 2 or not all(_HEADING.fullmatch(name) for name in names):
        return
    grades = [strength(name.strip(" \"'")) for name in names]
    at = end + 1
    for row in text[at : at + _ROWS * _WIDEST].split("\n")[:_ROWS]:
        cells = _CELLS.split(row)
        if len(cells) != len(names):
            return
        for cell, grade in zip(cells, grades, strict=True):
            value = cell.strip(" \"'`\r")
            start = at + cell.find(value)
            if grade >= Strength.STRONG and is_secret(grade, value, quoted=False):
                yield Span(start, start + len(value), _C)
            at += len(cell) + 1


def basic_pair(value: str) -> bool:
    """RFC 7617: base64 of `user:password`."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in decoded and decoded.isprintable()


def _pem_blocks(text: str) -> Iterator[Span]:
    whole: set[int] = set()
    done = 0
    for head in _PEM_HEAD.finditer(text):
        if head.start() < done:
            continue
        tail = _PEM_TAIL.search(text, head.end(), head.end() + 20_000)
        body = _PEM_BODY.match(text, head.end())
        # a block that was cut off is still a key as far as it goes
        end = tail.end() if tail else body.end() if body else head.end()
        whole.add(end)
        done = end
        if end - head.end() > 20:
            yield Span(head.start(), end, _C)
    done = 0
    for tail in _PEM_TAIL.finditer(text):
        start = tail.start() if tail.end() in whole else _key_lines_before(text, tail.start(), done)
        if tail.start() - start > 20:
            yield Span(start, tail.end(), _C)
        done = tail.end()


def _key_lines_before(text: str, end: int, stop: int) -> int:
    """Where the lines of a key begin whose first line was cut away; `end` when there are none."""
    start = end
    while True:
        at = start
        while at > stop and (text[at - 1].isspace() or text[at - 2 : at] in ("\\n", "\\r")):
            at -= 1 if text[at - 1].isspace() else 2
        line_end = at
        while at > stop and text[at - 1] in _BASE64:
            at -= 1
        if at and text[at - 1 : at + 1] in ("\\n", "\\r"):
            at += 1
        if line_end - at < 16 or line_end == start:
            return start
        start = at
