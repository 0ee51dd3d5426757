"""Where a name can be: sentences and form lines of natural language, not code, logs or data."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ultron_core.redaction.names.lexicon import GIVEN_NAMES, words_of
from ultron_core.redaction.spans import JSON_STRING, PLACEHOLDER

__all__ = ["Unit", "prose_units"]

#: a mark that ends a sentence, not an initial or a title, e.g. `done." `
_CLOSE = (
    r"[\"')\]]{0,3}(?<!\b[A-Z]\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bSt\.)\s+"
)
#: ends of a unit, each alternative with its own first character, for speed: line ends (also escaped ones), Chinese
#: full stops, ends of sentences, e.g. `\n`, `。`, `done. `
_END = re.compile(rf"\\(?:r\\)?n|\n[\r\n]*|\r[\r\n]*|。|！|？|\.{_CLOSE}|!{_CLOSE}|\?{_CLOSE}")
#: characters; the model's time grows with the length of a unit
_MAX_UNIT = 2000
#: what prose hardly holds, by itself
_SIGNS = "{};=<>|`$#@"
#: the same for text in ASCII: bytes without them are counted five times as fast
_SIGN_BYTES, _LETTER_BYTES = _SIGNS.encode(), string.ascii_letters.encode()
_KEYWORD = r"^\s*(?:import|from|def|class|return|if|for|const|let|var|async)\b"
#: nothing but code, e.g. `import os`, `from jose import jwt`
_IMPORT = re.compile(r"\s*(?:from [\w.]+ )?import [\w.{*]")
#: of a program, at the start of a line, e.g. `import os`
_BEGINS_CODE = re.compile(_KEYWORD)
#: and in its place, e.g. `foo(`, `a->b`, `import os`, `user_id`, `src/app`
_CODE = re.compile(rf"\\(?![\"'nrt])|\w\(|\)\.|->|::|\w/\w|\w_\w|\w\.\w+\(|{_KEYWORD}")
#: one of these is in all of it but the keyword, and found much faster, e.g. `(`, `::`
_CODE_SIGN = re.compile(r"[\\()/_>]|::")
#: without a capital there is no name to look for, e.g. `M`, `Ö`
_CAPITAL = re.compile(r"[A-ZÀ-Þ\u0100-\u017F]")
#: e.g. `端`
_HAN = re.compile(r"[\u4e00-\u9fff]")
#: where a name may come in lower case, e.g. `my name is petra`, `anna, peter and maria`, `petra: "Good morning"`
_LOWER_NAME = re.compile(
    r"(?i)\b(?:name|user|hi|dear|called|named|tell|calls me|i\\?'m|said|says|explained|replied)\b|\w, \w+,? and \w|^[^\W\d_]+ ?: ?\\?\"|^[>?\s]{0,4}[^\W\d_]+(?: [a-z]\.?)? [^\W\d_]+\s*$"  # noqa: E501
)
#: words that introduce a person, also in a comment of a command, e.g. `# my name is Mary`, `联系人`
_INTRODUCED = re.compile(r"(?i)\bmy name is\b|\bfull name:|我叫|姓名|联系人|名字是")


#: opens or closes a block of code, e.g. ```` ```python ````, `  ~~~`, also behind an escaped line end
_FENCE = re.compile(
    r"(?:\A|(?<=\n)|(?<=\\n))[ \t>]{0,20}(?:[-*+] |\d{1,3}[.)] )?(`{3,}|~{3,})((?:(?!\\n)[^\n`])*)"
)
#: code in a sentence, e.g. `` `git commit --author` ``; a mark within a word opens none
_CODE_SPAN = re.compile(r"(?<![A-Za-z0-9_`])`((?:(?!\\n)[^`\n]){1,200})`(?![A-Za-z0-9_`])")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or a line; `text` has the length of what stands at `start`, with code as `x`."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def prose_units(text: str, *, json_text: bool = False) -> Iterator[Unit]:
    """The units of the text that could hold a person's name; of JSON, inside its strings."""
    if not json_text:
        yield from _units(text, 0)
        return
    for match in JSON_STRING.finditer(text):
        yield from _units(match[0][1:-1], match.start() + 1)


def _units(text: str, offset: int) -> Iterator[Unit]:
    plain, at = _without_code(text), 0
    for match in _END.finditer(plain):
        if match.start() > at:
            yield from _eligible(plain, at, match.end(), offset)
        at = match.end()
    if at < len(plain):
        yield from _eligible(plain, at, len(plain), offset)


def _without_code(text: str) -> str:
    """The text with blocks of code blank and code in a sentence as `x`; each other character in its place."""
    if "`" not in text and "~~~" not in text:
        return text
    parts, at = [], 0
    for start, end in _blocks(text):
        parts += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return _CODE_SPAN.sub(lambda span: f"`{'x' * len(span[1])}`", "".join([*parts, text[at:]]))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each block between fences; one that nothing closes may be a stray mark before prose."""
    begun = None
    for fence in _FENCE.finditer(text):
        if begun is None:
            begun = fence
        elif fence[1].startswith(begun[1]) and not fence[2].strip():
            yield begun.end(), fence.start()
            begun = None


def _eligible(text: str, start: int, end: int, offset: int) -> Iterator[Unit]:
    while end - start > _MAX_UNIT:
        # longer than any sentence: in pieces, cut at a space where there is one
        cut = text.rfind(" ", start + _MAX_UNIT // 2, start + _MAX_UNIT)
        cut = cut if cut > 0 else start + _MAX_UNIT
        if _could_hold_name(text[start:cut]):
            yield Unit(offset + start, text[start:cut])
        start = cut
    if _could_hold_name(text[start:end]):
        yield Unit(offset + start, text[start:end])


@lru_cache(maxsize=20_000)
def _could_hold_name(unit: str) -> bool:
    """Asked again for each look at a document, and logs repeat their lines."""
    # a placeholder counts as one word: what was redacted must not change what is looked at
    plain = PLACEHOLDER.sub("Aaaa", unit) if "<" in unit else unit
    if len(plain.strip()) < 2 or _IMPORT.match(plain):
        return False
    if not (_CAPITAL.search(plain) or _HAN.search(plain) or _LOWER_NAME.search(plain)) and words_of(
        plain
    ).isdisjoint(GIVEN_NAMES):
        return False
    letters, signs = _counts(plain)
    visible = len(plain) - plain.count(" ")
    if letters < 2 or letters < 0.5 * visible:
        return bool(_INTRODUCED.search(plain))
    # a stray symbol is normal in prose; one per four words means code
    most = max(8, len(plain) // 5) // 4
    if signs <= most and signs + _code(plain) <= most:
        return True
    return bool(_INTRODUCED.search(plain))


def _code(plain: str) -> int:
    """How many things are written as in code."""
    if _CODE_SIGN.search(plain):
        return len(_CODE.findall(plain))
    return int(bool(_BEGINS_CODE.match(plain)))


def _counts(plain: str) -> tuple[int, int]:
    """(letters, signs that prose hardly holds)."""
    if not plain.isascii():
        return sum(map(str.isalpha, plain)), sum(map(plain.count, _SIGNS))
    raw = plain.encode()
    letters, signs = (len(raw.translate(None, some)) for some in (_LETTER_BYTES, _SIGN_BYTES))
    return len(raw) - letters, len(raw) - signs
