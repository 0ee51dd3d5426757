"""The encoding of a file without a mark, and of a line that is not UTF-8: decided by what the bytes would say.

Every answer is either text that makes sense or a refusal; a wrong guess would be stored as garbage with clean counts.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import chardet

__all__ = ["SAMPLE_BYTES", "Line", "LineDecoder", "of_file"]

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
_UNITS = (
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
#: a word with bytes beyond ASCII, or the pairs of a wide character: "caf\xe9", "\xba\xc3\xb5\xc4"
_WORD = re.compile(rb"[A-Za-z]{0,20}+(?:[\x80-\xff][\x40-\x7e\x80-\xff]?)++[A-Za-z]{0,20}+")
#: codecs of several bytes a character, and the older sets whose characters make up nearly all texts in them
_WIDE = {
    "gb18030": "gb2312",
    "big5hkscs": "big5",
    "cp949": "euc_kr",
    "cp932": "shift_jis",
    "euc_jis_2004": "euc_jp",
}
_NARROW = ("cp1252", "cp1250", "cp1251", "koi8-r")
_NAMES = ("gb18030", "big5hkscs", "cp949", "cp932", "euc-jp", *_NARROW, "ascii")
#: share of the characters that are of the older set
_MOSTLY = 0.9
#: signs that stand among letters: "it\u2019s", "30 \xb0C"
_SIGNS = frozenset(
    "\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a\u2013\u2014\u2026\u2022\u20ac\u2122"
    "\xa0\xa1\xa3\xa7\xa9\xaa\xab\xae\xb0\xb2\xb3\xb7\xb9\xba\xbb\xbc\xbd\xbe\xbf\xd7\xf7"
)
#: two alphabets in one word: "d\u0439ja"
_MIXED = re.compile("[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
#: Japanese without one Chinese character, of which the detector has no opinion: "\u3053\u308c\u306f\u30c6\u30b9\u30c8"
_KANA = re.compile("[\u3040-\u30ff\u3001\u3002\u300c\u300d\uff01\uff1f -~]+")
#: an encoding that the file was found to be in before weighs more, and so does Western among European ones
_KNOWN_WEIGHT, _WESTERN_WEIGHT = 4.0, 2.0
#: by how much the best reading must outweigh every other: of single letters, and of texts that have nothing in common
_MARGIN_NARROW, _MARGIN = 1.5, 3.0
#: two or three characters of two bytes are text in each of these encodings: a name alone says nothing
_LEAST_WIDE = 5


def of_file(head: bytes) -> str:
    """By the mark, else by where the NUL bytes are, else UTF-8."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    if b"\0" not in head:
        return "utf-8"
    for name, width, where in _UNITS:
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


@dataclass(frozen=True, slots=True)
class Line:
    """A line in UTF-8; `damaged` if bytes are left in it that no encoding explains, which are shown as U+FFFD."""

    text: bytes
    damaged: bool = False


class LineDecoder:
    """Turns lines that are not UTF-8 into UTF-8; remembers what the file was found to be in."""

    def __init__(self) -> None:
        self.encoding: str | None = None

    def read(self, raw: bytes) -> Line | None:
        """The line in UTF-8, damaged when it has few bad bytes only; None when no encoding makes sense of it."""
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            sample = raw[max(0, error.start - 1024) :][:SAMPLE_BYTES]
        else:
            return Line(raw)
        share = _utf8_share(sample)
        name = None if share >= _MOSTLY else _told(sample, self.encoding)
        text = _decoded(raw, name) if name else None
        if text is not None:
            self.encoding = name
            return Line(text.encode("utf-8", "replace"))
        bad = _high_bytes(raw) * (1 - share)
        return Line(raw, damaged=True) if share > 0.5 or bad <= _DAMAGED_SHARE * len(raw) else None


def _utf8_share(sample: bytes) -> float:
    """How much of what is not ASCII is UTF-8, whole or cut off."""
    high = _high_bytes(sample)
    return sum(m.end() - m.start() for m in _UTF8.finditer(sample)) / high if high else 1.0


def _high_bytes(text: bytes) -> int:
    return len(text) - len(text.translate(None, _HIGH))


def _told(sample: bytes, known: str | None) -> str | None:
    """The encoding in which the words that are not ASCII make sense, if one does so much better than all others."""
    words = b" ".join(_WORD.findall(sample))
    read = _readings(words, known)
    if not read:
        # equal bytes are kana in EUC-JP and in GB2312
        kana = (name for name in ("cp932", "euc_jis_2004") if _KANA.fullmatch(_decoded(words, name) or ""))
        return next(kana, None)
    (text, (weight, name)), *others = sorted(read.items(), key=lambda item: -item[1][0])
    if name in _WIDE and name != known and sum(char > "\x7f" for char in text) < _LEAST_WIDE:
        return None
    for _, (other, its_name) in others:
        margin = _MARGIN_NARROW if name in _NARROW and its_name in _NARROW else _MARGIN
        if weight < margin * other:
            return None
    return name


def _readings(words: bytes, known: str | None) -> dict[str, tuple[float, str]]:
    """What the words may say: {text: (weight, encoding)}. Encodings that give the same text are one reading."""
    found: dict[str, tuple[float, str]] = {}
    for one in chardet.detect_all(
        words, ignore_threshold=True, include_encodings=_NAMES, compat_names=False, no_match_encoding="ascii"
    ):
        name = one["encoding"] or "ascii"
        text = _decoded(words, name)
        if text is None or not _is_plausible(text, name):
            continue
        factor = _KNOWN_WEIGHT if name == known else _WESTERN_WEIGHT if name == "cp1252" else 1.0
        weight = one["confidence"] * factor
        if weight > found.get(text, (0.0, ""))[0]:
            found[text] = weight, name
    return found


def _is_plausible(text: str, name: str) -> bool:
    beyond = [char for char in text if char > "\x7f"]
    if name in _NARROW:
        return all(char.isalpha() or char in _SIGNS for char in beyond) and not _MIXED.search(text)
    usual = sum(bool(char.encode(_WIDE[name], "ignore")) for char in beyond)
    return usual >= _MOSTLY * len(beyond)


def _decoded(raw: bytes, name: str) -> str | None:
    try:
        return raw.decode(name)
    except UnicodeDecodeError:
        return None
