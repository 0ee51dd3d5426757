"""The exact things that a text states: numbers, dates, identifiers, paths, flags, quoted strings.

Used by the divergence guard (two texts that state different things are not one memory) and by merging
(nothing exact may be lost).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ultron_core.memories.merging.numerals import Numbers, find_numbers
from ultron_core.transcript.language import CJK, language

__all__ = ["Facts", "exact_strings", "find_facts"]

_URL = r"https?://[^\s<>\"'，。；）)]+"
_PATH = r"(?:[A-Za-z]:\\|~/|\.{1,2}/|/)(?:[\w.@+*<>-]+[/\\])*[\w.@+*<>-]+|\b[\w.-]{1,100}(?:/[\w.-]+)+"
_FLAG = r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[^\s,;。，]+)?"
_ASSIGN = r"\b[A-Za-z_][\w.-]{0,100}=[^\s,;。，；)]+"
_FILE = (
    r"\b[\w-]{1,100}\.(?:py|js|jsx|ts|tsx|rs|go|java|kt|rb|php|c|h|"
    r"cc|cpp|cs|md|rst|txt|json|jsonl|ya?ml|toml|ini|cfg|conf|sql|sh|log|csv|lock|env|html|css|xml|ipynb|db|parquet)\b"
)
_DOTTED = r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\(\))?"
_SNAKE = r"@?\b[A-Za-z0-9]*[A-Za-z](?:_[A-Za-z0-9]+)+\b|\b_[A-Za-z]\w*\b"
_CAMEL = r"\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b|\b[A-Z]{2,}[a-z]+[A-Z]?\w*\b"
_CAPS = r"\b[A-Z]{2,}(?:-\d+)?\b"
_MIXED = r"\b(?=[\w-]{0,100}\d)(?=[\w-]{0,100}[A-Za-z])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*\b"
#: e.g. `https://example.org/a`, `retries=3`, `--no-cache`, `app.py`, `/etc/hosts`, `os.path.join()`,
#: `user_id`, `getUser`, `gpt-4`, `HTTP`
_IDENTIFIER = re.compile(
    "|".join((_URL, _ASSIGN, _FLAG, _FILE, _PATH, _DOTTED, _SNAKE, _CAMEL, _MIXED, _CAPS)), re.ASCII
)
#: what an author quoted, e.g. `` `make check` ``, `"too many clients"`, `'utf-8'`, `“超时”`, `「超时」`
_QUOTED = re.compile(
    r"`([^`\n]{1,120})`|\"([^\"\n]{1,120})\"|(?<!\w)'([^'\n]{1,120})'(?!\w)|“([^”\n]{1,120})”|「([^」\n]{1,120})」"
)
#: a name that a Chinese sentence holds, e.g. `Redis` in "用 Redis 缓存", `C++`
_LATIN_IN_CHINESE = re.compile(r"[A-Za-z][A-Za-z0-9+#.]*[A-Za-z0-9+#]")
#: a word as an identifier of the other text is looked up in, e.g. `don't`, `user_id`
_WORDS = re.compile(r"[a-z0-9_]+(?:'[a-z]+)?")

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
#: written out and in capitals, since "may" and "march" are words, e.g. `in March`
_EN_MONTH = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
#: e.g. `on Tuesday`, `Mondays`
_EN_DAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
#: a month but not a span of months (3个月, 三月内), e.g. `3月`, `十二月`
_ZH_MONTH = re.compile(
    r"(?<!个)(?<![\d一二三四五六七八九十两几])(1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])\s?月(?!内|后|前)"
)
#: e.g. `星期一`, `周日`, `礼拜天`
_ZH_DAY = re.compile(r"(?:星期|周|礼拜)([一二三四五六日天])")
#: e.g. `Q3`, `第三季度`
_QUARTER = re.compile(r"\bQ([1-4])\b|第([一二三四])季度")
#: e.g. `yesterday`, `下周`, `last month`
_RELATIVE = (
    ("day-1", re.compile(r"\byesterday\b|昨天|昨日", re.I)), ("day+0", re.compile(r"\btoday\b|今天|今日", re.I)),
    ("day+1", re.compile(r"\btomorrow\b|明天|明日", re.I)), ("week-1", re.compile(r"\blast week\b|上周|上星期", re.I)),
    ("week+1", re.compile(r"\bnext week\b|下周|下星期", re.I)),
    ("month-1", re.compile(r"\blast month\b|上个?月", re.I)),
    ("month+1", re.compile(r"\bnext month\b|下个?月", re.I)), ("year-1", re.compile(r"\blast year\b|去年", re.I)),
    ("year+1", re.compile(r"\bnext year\b|明年", re.I)),
)  # fmt: skip
_ZH_ORDER = {c: i for i, c in enumerate("一二三四五六七八九十", start=1)} | {"十一": 11, "十二": 12}


@dataclass(frozen=True, slots=True)
class Facts:
    """numbers as values; dates as `month:3`, `weekday:0`, `day-1`; identifiers and words in lower case."""

    numbers: Numbers
    dates: frozenset[str]
    identifiers: frozenset[str]
    words: frozenset[str]


def find_facts(text: str) -> Facts:
    """What `text` states. In a Chinese text every Latin word counts as an identifier."""
    identifiers = {_normal(match.group()) for match in _IDENTIFIER.finditer(text)}
    lowered = text.lower()
    words = set(_WORDS.findall(lowered)) | identifiers
    if CJK.search(text) and language(text) == "zh":
        identifiers |= {_normal(match.group()) for match in _LATIN_IN_CHINESE.finditer(text)}
    identifiers = {item for item in identifiers if len(item) > 1}
    return Facts(find_numbers(text), frozenset(_dates(text)), frozenset(identifiers), frozenset(words))


def exact_strings(text: str) -> list[str]:
    """Every number, identifier, path and quoted string as written, in order: what a merge must keep."""
    spans: dict[str, None] = {}
    for match in _QUOTED.finditer(text):
        spans.setdefault(next(group for group in match.groups() if group))
    for match in _IDENTIFIER.finditer(text):
        spans.setdefault(match.group().rstrip(".,:;"))
    for match in re.finditer(r"(?<![\w.])\d+(?:[.,:/-]\d+)*%?", text):
        spans.setdefault(match.group())
    if language(text) == "zh":
        for match in _LATIN_IN_CHINESE.finditer(text):
            spans.setdefault(match.group())
    return list(spans)


def _normal(identifier: str) -> str:
    return identifier.strip("`'\".,:;()").lower()


def _dates(text: str) -> set[str]:
    found = {f"month:{_MONTHS.index(m.group(1).lower()[:3]) + 1}" for m in _EN_MONTH.finditer(text)}
    found |= {f"weekday:{_DAYS.index(m.group(1).lower()[:3])}" for m in _EN_DAY.finditer(text)}
    for match in _ZH_MONTH.finditer(text):
        raw = match.group(1)
        found.add(f"month:{raw if raw.isdigit() else _ZH_ORDER[raw]}")
    found |= {
        f"weekday:{'一二三四五六日'.index(m.group(1).replace('天', '日'))}" for m in _ZH_DAY.finditer(text)
    }
    for match in _QUARTER.finditer(text):
        found.add(f"quarter:{match.group(1) or _ZH_ORDER[match.group(2)]}")
    found |= {name for name, pattern in _RELATIVE if pattern.search(text)}
    return found
