"""Time words in English and Chinese -> a range of time.

Days, weeks (from Monday), months and years are those of the calendar of `now`; "last 3 days" ends now.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

__all__ = ["TimeRange", "find_range"]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """since <= time < until (None is open), read from text[begin:end]."""

    since: datetime | None
    until: datetime | None
    begin: int
    end: int


_Bounds = tuple[datetime | None, datetime | None]
_Reader = Callable[[re.Match[str], datetime], _Bounds]

_EN_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "couple of": 2, "few": 3,
}  # fmt: skip
_ZH_DIGITS = {
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "几": 3,
}  # fmt: skip
_ZH_MONTHS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
              "十一": 11, "十二": 12}  # fmt: skip
_ZH_YEARS = {"去年": -1, "今年": 0, "前年": -2}
#: first and last hour of a part of the day; a night ends at six of the next morning
_PARTS = {
    "morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30), "tonight": (18, 30),
    "早上": (0, 12), "早晨": (0, 12), "上午": (0, 12), "早": (0, 12),
    "下午": (12, 18), "晚上": (18, 30), "晚": (18, 30),
}  # fmt: skip
_DAYS_BACK = {"this": 0, "last": 1, "yesterday": 1, "今天": 0, "今": 0, "昨天": 1, "昨": 1}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_ZH_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_UNIT = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year",
         "小时": "hour", "分钟": "minute"}  # fmt: skip
_COUNT = r"(\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|couple of|few)"
_ZH_COUNT = r"((?<!\d)\d{1,9}|[一两二三四五六七八九十几])"


def find_range(text: str, now: datetime) -> TimeRange | None:
    """The first kind of time expression that `text` holds, most exact kinds first; None without one."""
    for pattern, read in _RULES:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            bounds = read(match, now)
        except (ValueError, OverflowError):
            # 2024-13-40 and 20,000 years ago are outside the calendar
            continue
        return TimeRange(bounds[0], bounds[1], match.start(), match.end())
    return None


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _month(moment: datetime, shift: int = 0) -> datetime:
    index = moment.year * 12 + moment.month - 1 + shift
    return _day(moment).replace(year=index // 12, month=index % 12 + 1, day=1)


def _start(moment: datetime, unit: str, shift: int) -> datetime:
    """The start of the calendar unit that is `shift` units after that of `moment`."""
    if unit == "day":
        return _day(moment) + timedelta(days=shift)
    if unit == "week":
        return _day(moment) - timedelta(days=moment.weekday()) + timedelta(weeks=shift)
    if unit == "month":
        return _month(moment, shift)
    return _day(moment).replace(year=moment.year + shift, month=1, day=1)


def _back(moment: datetime, unit: str, count: int) -> datetime:
    if unit == "month":
        return moment - timedelta(days=30 * count)
    if unit == "year":
        return moment - timedelta(days=365 * count)
    return moment - timedelta(**{f"{unit}s": count})


def _whole(now: datetime, unit: str, shift: int) -> _Bounds:
    return _start(now, unit, shift), _start(now, unit, shift + 1)


def _number(word: str) -> int:
    if word.isdigit():
        return min(int(word), 1000)
    return _EN_NUMBERS.get(word.lower()) or _ZH_DIGITS[word]


def _date(match: re.Match[str], now: datetime) -> _Bounds:
    year, month, day = (int(part) for part in match.groups())
    begin = _day(now).replace(year=year, month=month, day=day)
    return begin, begin + timedelta(days=1)


def _year_month(match: re.Match[str], now: datetime) -> _Bounds:
    year, month = int(match.group(1)), int(match.group(2))
    begin = _day(now).replace(year=year, month=month, day=1)
    return begin, _month(begin, 1)


def _named_month(match: re.Match[str], now: datetime) -> _Bounds:
    month = _month_number(match.group("month"))
    year = int(match.group("year")) if match.group("year") else now.year - (month > now.month)
    begin = _day(now).replace(year=year, month=month, day=1)
    return begin, _month(begin, 1)


def _named_day(match: re.Match[str], now: datetime) -> _Bounds:
    """A day with its month; without a year the last one that has come."""
    month, day = _month_number(match.group("month")), int(match.group("day"))
    year = (
        int(match.group("year")) if match.group("year") else now.year - ((month, day) > (now.month, now.day))
    )
    begin = _day(now).replace(year=year, month=month, day=day)
    return begin, begin + timedelta(days=1)


def _month_number(name: str) -> int:
    if name.isdigit():
        return int(name)
    return _ZH_MONTHS.get(name) or _MONTHS.index(name[:3].lower()) + 1


def _months(match: re.Match[str], now: datetime) -> _Bounds:
    """From the first month to the end of the second; without a year the last such span that has begun, and a whole
    one where it crosses into a new year."""
    first, last = _month_number(match.group("month")), _month_number(match.group("until"))
    year = int(match.group("year")) if match.group("year") else now.year - (first > now.month or last < first)
    begin = _day(now).replace(year=year, month=first, day=1)
    return begin, _month(begin, (last - first) % 12 + 1)


def _zh_month_of(match: re.Match[str], now: datetime) -> _Bounds:
    begin = _start(now, "year", _ZH_YEARS[match.group(1)]).replace(month=_month_number(match.group("month")))
    return begin, _month(begin, 1)


def _part_of_day(match: re.Match[str], now: datetime) -> _Bounds:
    word = match.group("part").lower()
    back = _DAYS_BACK[(match.group("day") or "this").lower()]
    first, last = _PARTS[word]
    midnight = _start(now, "day", -back)
    return midnight + timedelta(hours=first), midnight + timedelta(hours=last)


def _since(match: re.Match[str], now: datetime) -> _Bounds:
    return _named_weekday(match, now)[0], None


def _named_weekday(match: re.Match[str], now: datetime) -> _Bounds:
    """The last day of that name before today."""
    back = (now.weekday() - _WEEKDAYS.index(match.group(1).lower()) - 1) % 7 + 1
    begin = _day(now) - timedelta(days=back)
    return begin, begin + timedelta(days=1)


def _zh_weekday(match: re.Match[str], now: datetime) -> _Bounds:
    begin = _start(now, "week", -1) + timedelta(days=_ZH_WEEKDAYS[match.group(1)])
    return begin, begin + timedelta(days=1)


def _ago(match: re.Match[str], now: datetime) -> _Bounds:
    unit, count = match.group(2).lower(), _number(match.group(1))
    if unit in ("hour", "minute"):
        return _back(now, unit, count), now
    return _whole(now, unit, -count)


def _zh_ago(match: re.Match[str], now: datetime) -> _Bounds:
    unit, count = _UNIT[match.group(2)], _number(match.group(1))
    if unit in ("hour", "minute"):
        return _back(now, unit, count), now
    return _whole(now, unit, -count)


def _last_n(match: re.Match[str], now: datetime) -> _Bounds:
    return _back(now, match.group(2).lower(), _number(match.group(1))), None


def _zh_last_n(match: re.Match[str], now: datetime) -> _Bounds:
    return _back(now, _UNIT[match.group(2)], _number(match.group(1))), None


def _relative(match: re.Match[str], now: datetime) -> _Bounds:
    shift = 0 if match.group(1).lower() == "this" else -1
    return _whole(now, match.group(2).lower(), shift)


def _zh_relative(match: re.Match[str], now: datetime) -> _Bounds:
    shift = 0 if match.group(1) in ("这", "本") else -1
    return _whole(now, _UNIT[match.group(2)], shift)


def _fixed(unit: str, shift: int) -> _Reader:
    return lambda match, now: _whole(now, unit, shift)


def _recent(match: re.Match[str], now: datetime) -> _Bounds:
    return _back(now, "day", 14), None


def _rule(pattern: str, read: _Reader) -> tuple[re.Pattern[str], _Reader]:
    return re.compile(pattern, re.IGNORECASE), read


_MONTH_EN = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_UNTIL_EN = _MONTH_EN.replace("<month>", "<until>")
_MONTH_ZH = r"(?P<month>(?<!\d)\d{1,2}|十[一二]?|[一二三四五六七八九])"
_UNTIL_ZH = _MONTH_ZH.replace("<month>", "<until>")
_LARGE = r"(?-i:(?=[A-Z]))"
_DAY_EN = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR_EN = r"(?:,? (?P<year>\d{4}))"
_UNITS_EN = r"(minute|hour|day|week|month|year)s?"
#: a day or a span that a question names, and what reads it, e.g. `on 2024-05-17`, `May 17, 2024`, `3 days
#: ago`, `昨天`
_RULES = (
    _rule(r"\b(?:on )?(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b", _date),
    _rule(r"(\d{4})年(\d{1,2})月(\d{1,2})[日号]?", _date),
    _rule(r"(\d{4})年(\d{1,2})月", _year_month),
    _rule(rf"\b(?:on )?{_DAY_EN}(?: of)? {_MONTH_EN}{_YEAR_EN}\b", _named_day),
    _rule(rf"\b(?:on )?{_MONTH_EN} {_DAY_EN}{_YEAR_EN}\b", _named_day),
    # "it may 2 times fail" is no date: without a year the month is written large
    _rule(rf"\b(?:on )?{_DAY_EN}(?: of)? {_LARGE}{_MONTH_EN}(?P<year>(?!))?\b", _named_day),
    _rule(rf"\b(?:on )?{_LARGE}{_MONTH_EN} {_DAY_EN}(?P<year>(?!))?\b", _named_day),
    _rule(r"(?<!\d)(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号](?P<year>(?!))?", _named_day),
    _rule(rf"\b{_COUNT} {_UNITS_EN} ago\b", _ago),
    _rule(rf"\b(?:in |over |within )?(?:the )?(?:last|past) {_COUNT} {_UNITS_EN}\b", _last_n),
    _rule(rf"(?:最近|过去|近){_ZH_COUNT}个?(天|日|周|星期|礼拜|月|年|小时|分钟)", _zh_last_n),
    _rule(rf"{_ZH_COUNT}个?(天|周|星期|礼拜|月|年|小时|分钟)(?:之前|以前|前)", _zh_ago),
    _rule(r"\b(?P<day>this|yesterday) (?P<part>morning|afternoon|evening)\b", _part_of_day),
    _rule(r"\b(?:(?P<day>last) (?P<part>night|evening))\b", _part_of_day),
    _rule(r"\b(?P<day>(?!))?(?P<part>tonight)\b", _part_of_day),
    _rule(r"(?P<day>今天?|昨天?)(?P<part>早上|早晨|上午|下午|晚上|早|晚)", _part_of_day),
    _rule(r"\bthe day before yesterday\b|前天", _fixed("day", -2)),
    _rule(r"\byesterday\b|昨天|昨日", _fixed("day", -1)),
    _rule(r"\btoday\b|今天|今日", _fixed("day", 0)),
    _rule(r"(?:上周|上星期|上礼拜)([一二三四五六日天])", _zh_weekday),
    _rule(r"\b(this|last) (week|month|year)\b", _relative),
    _rule(r"(这|本|上)个?(周|星期|礼拜|月)", _zh_relative),
    _rule(rf"(去年|今年|前年)的?{_MONTH_ZH}月份?", _zh_month_of),
    _rule(r"今年", _fixed("year", 0)),
    _rule(r"去年", _fixed("year", -1)),
    _rule(rf"\bsince ({'|'.join(_WEEKDAYS)})\b", _since),
    _rule(rf"\b(?:on |last )({'|'.join(_WEEKDAYS)})\b", _named_weekday),
    _rule(rf"\b(?:between|from) {_MONTH_EN} (?:and|to|until|through) {_UNTIL_EN}{_YEAR_EN}?\b", _months),
    _rule(rf"{_MONTH_ZH}月份?(?:到|至|和|与|—|-|~){_UNTIL_ZH}月份?(?P<year>(?!))?", _months),
    _rule(rf"\b(?:in|during|since) {_MONTH_EN}{_YEAR_EN}?\b", _named_month),
    _rule(rf"\b{_MONTH_EN}{_YEAR_EN}\b", _named_month),
    _rule(rf"(?<![个几]){_MONTH_ZH}月份?(?P<year>(?!))?", _named_month),
    _rule(r"\brecently\b|\blately\b|最近", _recent),
)
