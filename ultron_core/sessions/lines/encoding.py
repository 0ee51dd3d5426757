"""The encoding of a file without a mark, and of a line that is not UTF-8: decided by what the bytes would say.

Every answer is either text that makes sense or a refusal; a wrong guess would be stored as garbage with clean counts.
"""

from __future__ import annotations

import codecs
import re

__all__ = ["SAMPLE_BYTES", "LineDecoder", "of_file"]

#: so much of a line is judged; the encoding does not change within it
SAMPLE_BYTES = 65_536
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: bytes of a character over its unit, and which of them are NUL for ASCII
_WIDE = (
    ("utf-32-le", 4, (1, 2, 3)),
    ("utf-32-be", 4, (0, 1, 2)),
    ("utf-16-le", 2, (1,)),
    ("utf-16-be", 2, (0,)),
)
#: the marks of JSON alone make more of a log ASCII: `{"role":"user","content":"..."}` around 300 Chinese characters
_LEAST_ASCII = 0.02
#: so few bad bytes in a line are damage, not another encoding: a result cut in the middle of a character
_DAMAGED_SHARE = 0.002

#: a character of UTF-8 of two to four bytes, or the beginning of one of three or four that was cut off:
#: "\xe7\xab\xaf"
_UTF8 = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
    rb"|[\xe2-\xef][\x80-\xbf](?![\x80-\xff])|[\xf0-\xf4][\x80-\xbf]{1,2}(?![\x80-\xff])"
)
_HIGH = bytes(range(128, 256))
#: GB2312's punctuation and its 3,755 frequent characters; texts in simplified Chinese hold hardly any other:
#: "\xb5\xc4"
_GB_PAIR = re.compile(rb"[\x81-\xfe][\x30-\xfe]")
#: one of those characters: "\xb5\xc4"
_GB_COMMON = re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")
#: the most frequent characters and marks of Chinese prose; Korean in EUC-KR has the same bytes and none of them
_GB_FREQUENT = frozenset(
    "的一是不了在有人我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实，。、：（）；！？"
)
#: a letter of Latin-1 stands beside another letter; the rest are quotes, dashes, currency and the like:
#: "caf\xe9"
_LATIN_LETTER = re.compile(
    rb"(?<=[A-Za-z])[\xc0-\xd6\xd8-\xf6\xf8-\xff]{1,3}|[\xc0-\xd6\xd8-\xf6\xf8-\xff]{1,2}(?=[A-Za-z])"
)
#: a quote, dash or sign of Windows-1252 on its own: "\x93quoted\x94", "\x80 12"
_LATIN_MARK = re.compile(rb"(?<![\x80-\xff])[\x80\x85\x91-\x97\x99\xa0-\xbf\xd7](?![\x80-\xff])")
#: share of the bytes that must fit when nothing else speaks for the encoding
_MOSTLY = 0.9


def of_file(head: bytes) -> str:
    """By the mark, else by where the NUL bytes are, else UTF-8."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    if b"\0" not in head:
        return "utf-8"
    for name, width, where in _WIDE:
        whole = head[: len(head) // width * width]
        units = len(whole) // width
        if units < 8 or not whole.strip(b"\0"):
            continue
        ascii_units = min(whole[place::width].count(0) for place in where)
        # JSON begins with two characters of ASCII; U+4E00, the character for one, has a NUL in the other half
        begins = all((byte == 0) == (at % width in where) for at, byte in enumerate(whole[: 2 * width]))
        if not begins or ascii_units < _LEAST_ASCII * units:
            continue
        if _decodes(whole, name):
            return name
    return "utf-8"


def _decodes(head: bytes, name: str) -> bool:
    """Whether the beginning of a file is text of this encoding; its last character may be cut."""
    try:
        codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeDecodeError:
        return False
    return True


class LineDecoder:
    """Turns lines that are not UTF-8 into UTF-8; remembers what the file was found to be in."""

    def __init__(self) -> None:
        self.encoding: str | None = None

    def to_utf8(self, raw: bytes) -> bytes | None:
        """The line in UTF-8, as it is when it has few bad bytes only; None when no encoding makes sense of it."""
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            sample = raw[max(0, error.start - 1024) :][:SAMPLE_BYTES]
        else:
            return raw
        name = self._name(sample)
        if name is not None:
            try:
                text = raw.decode(name)
            except UnicodeDecodeError:
                name = None
            else:
                self.encoding = name
                return text.encode("utf-8", "replace")
        return raw if _is_damaged_utf8(raw) else None

    def _name(self, sample: bytes) -> str | None:
        known = self.encoding == "gb18030"
        # GBK across two characters may be UTF-8: C3 B5 in the middle of `\xba\xc3\xb5\xc4`
        if _utf8_share(sample) > (_MOSTLY if known else 0.5):
            return None
        if _looks_gb(sample, known):
            return "gb18030"
        return "cp1252" if _looks_latin(sample) else None


def _utf8_share(sample: bytes) -> float:
    """How much of what is not ASCII is UTF-8, whole or cut off."""
    high = _high_bytes(sample)
    return sum(m.end() - m.start() for m in _UTF8.finditer(sample)) / high if high else 1.0


def _high_bytes(text: bytes) -> int:
    return len(text) - len(text.translate(None, _HIGH))


def _is_damaged_utf8(raw: bytes) -> bool:
    high = _high_bytes(raw)
    bad = high * (1 - _utf8_share(raw))
    return bad < high / 2 or bad <= _DAMAGED_SHARE * len(raw)


def _looks_gb(sample: bytes, known: bool) -> bool:
    pairs = _GB_PAIR.findall(sample)
    if not pairs or 2 * len(pairs) < _high_bytes(sample):
        return False
    common = [pair for pair in pairs if _GB_COMMON.fullmatch(pair)]
    if len(common) < (0.5 if known else _MOSTLY) * len(pairs):
        return False
    if known or len(common) < 12:
        return True
    text = b"".join(common).decode("gb18030", "replace")
    return sum(char in _GB_FREQUENT for char in text) >= 0.08 * len(text)


def _looks_latin(sample: bytes) -> bool:
    letters = sum(len(m) for m in _LATIN_LETTER.findall(sample))
    return letters + len(_LATIN_MARK.findall(sample)) >= _MOSTLY * _high_bytes(sample)
