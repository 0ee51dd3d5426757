"""Personal data with a shape of its own: mail and IP addresses, IBANs, UUIDs, names in user paths."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from ultron_core.redaction.checksums import iban_valid
from ultron_core.redaction.spans import Span

__all__ = ["personal_data"]

#: what is before the @, e.g. `mary.whitfield`
_MAIL_LOCAL = re.compile(r"[A-Za-z0-9_%+](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_%+-])?\Z")
#: e.g. `@example.com`, `@[192.0.2.1]`
_MAIL_DOMAIN = re.compile(
    r"@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}[A-Za-z]{2,24}|\[\d{1,3}(?:\.\d{1,3}){3}\])(?![A-Za-z0-9_])"
)
_FILE_SUFFIXES = (
    "py js ts jsx tsx json yaml yml toml md txt png jpg jpeg gif svg pdf html css sh rs go java c h cpp"
)
_NO_DOMAINS = "lock log local property setter getter staticmethod classmethod"
_NO_TLD = frozenset(f"{_FILE_SUFFIXES} {_NO_DOMAINS}".split())
# starts with one character class, not with a look-behind or a repeat: searched much faster, e.g. `192.0.2.1`
_IPV4 = re.compile(r"\d(?<![0-9A-Za-z_.]\d)\d{0,2}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![0-9A-Za-z_])(?!\.\d)")
#: what is before four numbers that are a version, e.g. `version: `, `chrome/`, `numpy==`
_VERSION_BEFORE = re.compile(
    r"(?i)(?:\bversion|\bver|\bv|\brelease|\bbuild|版本(?:号)?|chrome/|safari/|[a-z]/|==|>=|<=|~=|\^|@|[a-z]-)[\s:=\"'是为]{0,4}$"
)
#: what is before four small numbers that are an address, e.g. `ping `, `server at `, `主机：`
_IP_BEFORE = re.compile(r"(?i)(?:\bip\b|ip地址|address|host|server|地址|主机|ping|ssh|from)[^\n]{0,12}$")
#: every IPv6 address holds one of these, e.g. `::`, `:db8:85a3:`
_IPV6_ANCHOR = re.compile(r":[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:|::")
#: e.g. `2001:db8::1`, `::ffff:192.0.2.1`
_IPV6_CHARS = re.compile(r"[0-9A-Fa-f:.]{1,45}")
#: the part of the address before the anchor, e.g. `2001:db8`
_IPV6_LEFT = re.compile(r"[0-9A-Fa-f:]{0,40}\Z")
#: e.g. `DE89 3704 0044 0532 0130 00`
_IBAN = re.compile(
    r"[A-Z](?<![0-9A-Za-z][A-Z])[A-Z]\d{2}[ -]?[A-Z0-9]{4}(?:[ -]?[A-Z0-9]{4}){1,6}"
    r"(?:[ -]?[A-Z0-9]{1,4})?(?![0-9A-Za-z])"
)
#: searched from its first hyphen, which is rare, e.g. `123e4567-e89b-12d3-a456-426614174000`
_UUID = re.compile(
    r"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-(?<=[0-9a-fA-F]{8}-.{15})[0-9a-fA-F]{12}(?![0-9A-Za-z])"
)
_NAME = r"[^\s/\\:*?\"'<>|$`{}()\[\],;=&%#，。；：、（）“”！？]{1,64}"
#: e.g. `/home/mary`, `/Users/mary`
_UNIX_HOME = re.compile(rf"/(?:home|Users)/(?<![0-9A-Za-z_.]/home/)(?<![0-9A-Za-z_.]/Users/)({_NAME})")
#: e.g. `\Users\mary`, `\\Users\\mary`, `/Documents and Settings/mary`
_WINDOWS_HOME = re.compile(rf"[\\/](?i:users|documents and settings)(?:\\{{1,4}}|/)({_NAME})")
#: what must precede a home on Windows, e.g. `C:\`, `/c/`
_DRIVE = re.compile(r"(?:[A-Za-z]:|/[A-Za-z])(?:\\{1,4}|/)$")
#: Claude Code names a project's folder after its path, e.g. `/-home-mary-src-app`
_PROJECT_DIR = re.compile(r"(?<=[/\\\"'])-(?:home|Users)-([A-Za-z0-9_.]{1,40})(?=-)")
#: a folder of one user on macOS, e.g. `/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000`
_MAC_TEMP = re.compile(r"/var/folders/([a-z0-9_+]{2}/[a-z0-9_+]{6,60})")
_SHARED_HOMES = frozenset(("shared", "public", "default", "all users", "guest", "linuxbrew", "."))


def personal_data(text: str) -> Iterator[Span]:
    """Spans in order of rank: a mail address before the parts of it."""
    yield from _uuids(text)
    yield from _mails(text)
    yield from _ibans(text)
    yield from _addresses(text)
    yield from _user_paths(text)


def _mails(text: str) -> Iterator[Span]:
    at = text.find("@")
    while at >= 0:
        domain = _MAIL_DOMAIN.match(text, at)
        if domain and domain[1].rpartition(".")[2].lower() not in _NO_TLD:
            local = _MAIL_LOCAL.search(text, max(0, at - 64), at)
            if local:
                yield Span(local.start(), domain.end(), "EMAIL_ADDRESS")
        at = text.find("@", at + 1)


def _uuids(text: str) -> Iterator[Span]:
    for match in _UUID.finditer(text):
        start = match.start() - 8
        if start and text[start - 1].isascii() and text[start - 1].isalnum():
            continue
        if set(text[start : match.end()]) <= {"0", "-"}:
            continue
        yield Span(start, match.end(), "UUID")


def _ibans(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        code = re.sub(r"[ -]", "", match[0])
        if 15 <= len(code) <= 34 and iban_valid(code):
            yield Span(match.start(), match.end(), "IBAN_CODE")


def _addresses(text: str) -> Iterator[Span]:
    for match in _IPV4.finditer(text):
        before = text[max(0, match.start() - 24) : match.start()]
        if _public_address(match[0], before):
            yield Span(match.start(), match.end(), "IP_ADDRESS")
    done = 0
    for anchor in _IPV6_ANCHOR.finditer(text):
        if anchor.start() < done:
            continue
        left = _IPV6_LEFT.search(text, max(0, anchor.start() - 40), anchor.start())
        start = left.start() if left else anchor.start()
        match6 = _IPV6_CHARS.match(text, start)
        done = match6.end() if match6 else anchor.end()
        if match6 and _is_ipv6(text, start, match6):
            yield Span(start, start + len(match6[0].rstrip(":.")), "IP_ADDRESS")


def _public_address(value: str, before: str) -> bool:
    """IP addresses; loopback, masks, broadcast and version numbers identify nobody."""
    parts = [int(part) for part in value.split(".")]
    if max(parts) > 255 or any(len(part) > 1 and part[0] == "0" for part in value.split(".")):
        return False
    if parts[0] in (0, 127, 255) or parts[0] >= 240:
        return False
    if _VERSION_BEFORE.search(before):
        return False
    # 1.2.3.4 is as likely a version or a heading
    return max(parts) > 9 or bool(_IP_BEFORE.search(before))


def _is_ipv6(text: str, start: int, match: re.Match[str]) -> bool:
    value = match[0].rstrip(":.")
    after = text[start + len(value) : start + len(value) + 1]
    if after.isascii() and after.isalnum():
        return False
    if start and text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] == "_"):
        return False
    groups = [group for group in value.split(":") if group]
    if len(groups) < 3 and not (groups and len(groups[0]) == 4 and re.search(r"\d", groups[0])):
        return False
    try:
        ipaddress.IPv6Address(value)
    except ValueError:
        return False
    return bool(re.search(r"\d", value))


def _user_paths(text: str) -> Iterator[Span]:
    if "/home/" in text or "/Users/" in text:
        yield from _homes(_UNIX_HOME, text)
    if "sers" in text or "ettings" in text or "SERS" in text:
        yield from _homes(_WINDOWS_HOME, text, _DRIVE)
    if "-home-" in text or "-Users-" in text:
        yield from _homes(_PROJECT_DIR, text)
    if "/var/folders/" in text:
        for match in _MAC_TEMP.finditer(text):
            yield Span(*match.span(1), "PATH")


def _homes(pattern: re.Pattern[str], text: str, before: re.Pattern[str] | None = None) -> Iterator[Span]:
    for match in pattern.finditer(text):
        if before and not before.search(text, max(0, match.start() - 6), match.start() + 1):
            continue
        name = match[1].rstrip(".!?)")
        if name and name.lower() not in _SHARED_HOMES and not name.isdigit():
            yield Span(match.start(1), match.start(1) + len(name), "USER")
