"""What of a line is true only this once: places in a file, query strings, numbers of bookings and accounts."""

from __future__ import annotations

import re

__all__ = ["general_line", "general_value"]

#: `file.py:52:12:`, `file.ts(499,20):`, `line 12`
_POSITION = re.compile(r"(?<=\w):\d+(?::\d+)?(?=:|\s|$)|(?<=\w)\(\d+,\d+\)(?=:)")
_URL = re.compile(r"(https?://[^/\s'\"()]+)(/[^\s'\"()?#,]*)?([?#][^\s'\"(),]*)?")
_MAX_URL_PATH = 30
_ASKED = re.compile(r"(\bwith url: )\S+")
#: a number that is no status code
_NUMBER = re.compile(
    r"(?<!HTTP )(?<!status )(?<!code )(?<!Error )(?<!error )(?<![\w.…-])\d{2,}(?:\.\d+)?\b(?!\w)"
)
_TEMPORARY = re.compile(r"(?:/tmp|/var/folders)/[^\s'\":,]+|\b0x[0-9a-f]{6,}\b")
#: an identifier that somebody was given: letters and at least four digits
_GIVEN = re.compile(r"\b(?=[\w-]*[A-Za-z_-])([A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?)\d{4,}\b")


def general_line(line: str) -> str:
    """A line of output without positions in files, query strings, temporary paths and addresses in memory."""
    line = _URL.sub(_short_url, _ASKED.sub(r"\1…", line))
    return _TEMPORARY.sub("…", _POSITION.sub("", line))


def general_value(text: str) -> str:
    """The same, without amounts, and identifiers of one booking or account by their kind alone:
    `gift_card_8190333` -> `gift_card_…`."""
    return _NUMBER.sub("…", _GIVEN.sub(lambda match: match.group(1) + "…", general_line(text)))


def _short_url(match: re.Match[str]) -> str:
    host, path, query = match.group(1), match.group(2) or "", match.group(3) or ""
    if len(path) <= _MAX_URL_PATH and not query:
        return match.group()
    return f"{host}{path if len(path) <= _MAX_URL_PATH else '/'}…"
