"""Numbers in a text as values, whether written in digits, in English or in Chinese words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import cn2an

__all__ = ["Numbers", "find_numbers"]

_EN = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90, "one": 1, "zero": 0,
}  # fmt: skip
_EN_SCALE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_EN_ORDINAL = {
    "first": 1,
    "second": 2,
    "third": 3,
    "once": 1,
    "twice": 2,
    "single": 1,
    "double": 2,
    "both": 2,
}
#: digits with decimals or dots (a version), a clock time, or digits with thousands separators, e.g.
#: `1,000.5`, `10:30`, `v1.2.3`, `20k`, `3万`
_DIGITS = re.compile(
    r"(?<![\w.])[vV]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?::\d{2}){1,2}|\d+(?:\.\d+)*)(k|K|M|万|千|"
    r"亿)?(?!\.?[A-Za-z_\d])"
)
#: a number and its unit written as one word, e.g. `30s`, `1.5GB`, `10px`, `3rd`, `9am`
_ATTACHED = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)(ms|s|kb|mb|gb|tb|min|h|px|x|th|st|nd|rd|am|pm)\b", re.IGNORECASE
)
#: e.g. `twenty-five`, `two hundred and ten`
_WORDS = re.compile(
    rf"\b(?:{'|'.join([*_EN, *_EN_SCALE])})(?:[ -](?:and )?(?:{'|'.join([*_EN, *_EN_SCALE])}))*\b", re.I
)
#: words that may count, e.g. `the first try`, `twice`
_ORDINALS = re.compile(rf"\b(?:{'|'.join(_EN_ORDINAL)})\b", re.I)
#: after "one": it counts here and is not a pronoun, e.g. `-hour`, `-time`, `-retry`
_UNIT_EN = re.compile(
    r"[ -](?:second|minute|hour|day|week|month|year|time|retr|percent|row|line|gb|mb)", re.I
)
_ZH_DIGIT = "零〇一二两三四五六七八九"
#: e.g. `三十五`, `一万二千`, `十二点五`; "三点五分" is a clock time
_ZH_RUN = re.compile(
    rf"[{_ZH_DIGIT}十百千万亿]+(?:点[{_ZH_DIGIT}]+(?![{_ZH_DIGIT}十]|分(?!钟))(?P<scale>[万亿])?)?"
)
#: after a single digit: it counts here, e.g. `次` in "三次", `工作日`
_ZH_MEASURE = re.compile(
    r"[个次天周月年日号点分秒位条行名种倍台块页章层人件份元米度岁步张只辆场折句遍轮]|小时|星期|工作日"
)
#: after "一": it counts here, while "一个人" may be "somebody", e.g. `小时`, `分钟`
_ZH_TIME = re.compile(r"小时|[天周年月次秒点号]|分钟|个月|个小时|星期")
#: characters of numbers in words that mean no number, e.g. `一起`, `万一`, `第一时间`
_ZH_NO_NUMBER = re.compile(
    r"一(?:起|样|般|定|些|下|直|旦|致|切|边|会|律|并|同|时|方面|系列|步|点(?![零〇一二两三四五六七八九])|种|度)|万一|十分(?!钟)|"
    r"千万(?=不|别|要)|三明治|"
    r"(?:统|唯|单|逐|同)一|百分之|四周|四处|第一时间|两者|百度|千兆|星期[一二三四五六]|(?:周|礼拜)[一二三四五六]|再三"
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """`certain` are stated quantities; `loose` are words that may be one ("first", "一" in "一个人")."""

    certain: frozenset[str] = field(default=frozenset())
    loose: frozenset[str] = field(default=frozenset())


def find_numbers(text: str) -> Numbers:
    """Values in canonical decimal text: "1,000", "1000", "一千" and "one thousand" are all "1000"."""
    certain: set[str] = set()
    loose: set[str] = set()
    for match in _DIGITS.finditer(text):
        certain.add(_digits(match.group(1), match.group(2)))
    for match in _ATTACHED.finditer(text):
        certain.add(_digits(match.group(1), None))
    for value, sure in _english(text):
        (certain if sure else loose).add(value)
    for value, sure in _chinese(text):
        (certain if sure else loose).add(value)
    return Numbers(frozenset(certain), frozenset(loose - certain))


def _digits(raw: str, scale: str | None) -> str:
    if ":" in raw:
        parts = [str(int(part)) for part in raw.split(":")]
        return parts[0] if all(part == "0" for part in parts[1:]) else ":".join(parts)
    raw = raw.replace(",", "")
    if raw.count(".") > 1:
        return raw
    if raw.startswith("0") and len(raw) > 1 and raw.isdigit() and len(raw) > 2:
        return raw
    value = float(raw) * {"k": 1e3, "K": 1e3, "M": 1e6, "千": 1e3, "万": 1e4, "亿": 1e8}.get(scale or "", 1)
    # 3.10 is a version and not 3.1
    if "." in raw and raw.endswith("0") and scale is None:
        return raw
    return f"{value:.12g}" if abs(value) < 1e12 else str(int(value))


def _english(text: str) -> Iterator[tuple[str, bool]]:
    for match in _WORDS.finditer(text):
        words = [word for word in re.split(r"[ -]", match.group().lower()) if word != "and"]
        value = _english_value(words)
        lonely_one = value in (0, 1) and not _UNIT_EN.match(text, match.end())
        yield str(value), not lonely_one
    for match in _ORDINALS.finditer(text):
        yield str(_EN_ORDINAL[match.group().lower()]), False


def _english_value(words: list[str]) -> int:
    total = part = 0
    for word in words:
        if word in _EN:
            part += _EN[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        else:
            total += max(part, 1) * _EN_SCALE[word]
            part = 0
    return total + part


def _chinese(text: str) -> Iterator[tuple[str, bool]]:
    percents = {match.end() for match in re.finditer("百分之", text)}
    blanked = _ZH_NO_NUMBER.sub(lambda match: "□" * len(match.group()), text)
    for match in _ZH_RUN.finditer(blanked):
        run = match.group()
        if run[0] in "万亿" or (run in "百千" and match.start() and blanked[match.start() - 1].isdigit()):
            continue
        value = _chinese_value(match)
        if value == "1":
            sure = _ZH_TIME.match(blanked, match.end()) is not None
        else:
            measured = _ZH_MEASURE.match(blanked, match.end()) is not None
            sure = len(run) > 1 or measured or match.start() in percents
        yield value, sure


def _chinese_value(run: re.Match[str]) -> str:
    """`三万五` -> 35000, `一百二` -> 120, `十二点五` -> 12.5; what is no number stands for itself."""
    text, scale = run.group(), run.group("scale")
    # cn2an knows `一百二十` and no `百二十`, `一点二` and no `一点二亿`
    text = f"一{text}" if text[0] in "百千" else text
    try:
        value = cn2an.cn2an(text.removesuffix(scale or "").replace("〇", "零"), "smart")
    except ValueError:
        return text
    return f"{value * {'万': 1e4, '亿': 1e8}[scale]:.12g}" if scale else f"{value:.15g}"
