"""Numbers that identify a person: phones, payment cards, social security and Chinese identity numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.redaction.checksums import id_birthday_valid, id_checksum_valid, luhn_valid
from ultron_core.redaction.spans import Span

__all__ = ["personal_numbers"]

#: seven digits or more (six with gaps), as written by hand: groups, brackets. Starts with a digit, so that the
#: engine jumps from digit to digit; a plus or bracket before it is added afterwards. Each step takes a character, so
#: that a short number fails at once, e.g. `212) 555-0123`, `138 0013 8000`, `1234567`
_RUN = re.compile(
    r"\d(?:\d|(?!\d)(?:[ .\-/\u2010\u2011\u2013]{1,2}|\) ?|\)-)?\(?(?=\d)"
    r"|\) ?-?(?=\d)|[ .-]?\(\d\)[ .-]?(?=\d)){4,60}[\dXx]"
    r"(?: ?(?:x|ext\.? ?)\d{1,6})?",
)
#: words before a Chinese identity number, e.g. `身份证号码：`, `national ID`
_ID_BEFORE = re.compile(
    r"(?i)身份证|证件号|公民身份|identity|identification|national id|\bid\b|\bID(?:card|number)"
)
#: words before a card number, e.g. `my Visa ending in`, `银行卡`
_CARD_BEFORE = re.compile(
    r"(?i)card|credit|debit|visa|amex|master|\bcc\b|\batm\b|payment|卡号|信用卡|银行卡|借记卡|储蓄卡|卡"
)
#: words before nine digits of a social security number, e.g. `SSN:`, `social security number`
_SSN_BEFORE = re.compile(r"(?i)\bssn\b|social security|社会安全")
#: words before a telephone number, e.g. `call me at `, `phone: `, `电话：`
_PHONE_BEFORE = re.compile(
    r"(?i)(?:phone|\btel\b|telephone|\bmobile|\bcell\b|\bfax|\bdesk\b|\boffice|whatsapp|\bsms\b|hotline|\bdial\b"
    r"|\breach(?:ed)?\b|\bcontact(?:ed)?\b|\btext me|(?<!tool )(?<!function )(?<!api )\bcall(?:ing)?|messages? to"
    r"|answering|手机|电话|联系|拨打|致电|传真|微信)[^\d\n]{0,22}$"
)
#: before two numbers that are lines, e.g. `the call (lines `
_LINES_BEFORE = re.compile(r"(?i)\b(?:lines?|rows?|pages?|pp?\.|L)\s?$")
#: words after a telephone number, e.g. `-office`, ` mobile`
_PHONE_AFTER = re.compile(r"(?i)[ \-–]{0,3}\\?(?:office|fax|mobile|cell|desk|home|work phone)\b")
#: digits that are a date, e.g. `2024-05-17`, `17.05.2024`, `20240517 120000`, and as files are listed, `18  2022`
_DATE = re.compile(
    r"(?:1[89]|20)\d\d[-./ ]?(?:0?[1-9]|1[0-2])(?:[-./ ]?(?:0[1-9]|[12]\d|3[01]))?(?:[ -.]?\d{2}.*)?"
    r"|(?:0?[1-9]|[12]\d|3[01])[-./](?:0?[1-9]|1[0-2])[-./](?:1[89]|20)?\d\d(?: .*)?"
    r"|(?:0?[1-9]|1[0-2])[-./]\d{1,2}[-./](?:19|20)\d\d"
    r"|(?:0?[1-9]|[12]\d|3[01]) {1,2}(?:19|20)\d\d"
)
#: e.g. `+86 13800138000`, `138 0013 8000`
_CN_MOBILE = re.compile(r"(?:\+?(?:00)?86[- ]?)?1[3-9]\d(?:\d{8}|[ -]\d{4}[ -]\d{4})")
#: e.g. `010-12345678`, `(0755) 1234567`
_CN_LANDLINE = re.compile(r"\(?0(?:10|2\d|[3-9]\d{2})(?:-|\)[ -]?)\d{7,8}")
#: e.g. `(212) 555-0123`, `+1 212-555-0123 ext. 4`
_NANP = re.compile(
    r"(?:\+?1[-. ]?|001-)?(?:\([2-9]\d{2}\)[ .-]?|[2-9]\d{2}[-.])\d{3}[-.]\d{4}(?: ?(?:x|ext\.? ?)\d{1,6})?"
)
#: e.g. `4111 1111 1111 1111`, `3782-822463-10005`
_GROUPED_CARD = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|3\d{3}([ -])\d{6}\2\d{4,5}|\d{12,19}")
#: issuer ranges and lengths, from the public registers of the card schemes, e.g. `4111111111111111`,
#: `378282246310005`
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11,13}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}"
    r"|35\d{14}|(?:1800|2131)\d{11}|62\d{14,17}"
)


def personal_numbers(text: str) -> Iterator[Span]:
    """Spans of numbers; each run of digits is judged once by form, check digit and the words around it."""
    done = 0
    for match in _RUN.finditer(text):
        start, end = match.span()
        if start > done and text[start - 1] == "(":
            start -= 1
        if start > done and text[start - 1] == "+":
            start -= 1
        done = end
        if start and _glued(text[start - 1], text[start]):
            continue
        follows = text[end : end + 1]
        word_goes_on = follows.isascii() and (follows.isalnum() or follows == "_")
        if word_goes_on and not match[0].rstrip("0123456789").endswith(("x", "X", ".")):
            continue
        span = _judge(text, start, end)
        if span:
            yield span


def _glued(before: str, first: str) -> bool:
    return before.isascii() and (before.isalnum() or before in "_#$€£" or (before in ".-+" and first != "+"))


def _judge(text: str, start: int, end: int) -> Span | None:
    run = text[start:end]
    digits = re.sub(r"\D", "", run)
    before = text[max(0, start - 40) : start]
    body = run.rstrip("Xx")
    if len(run) == 18 and len(digits) >= 17 and run[:17].isdigit() and _chinese_id(run, before):
        return Span(start, end, "CN_ID")
    if run[-1] in "Xx":
        end, run = start + len(body), body
    if _card(run, digits, before):
        return Span(start, end, "CREDIT_CARD")
    if _social_security(run, digits, before):
        return Span(start, end, "US_SSN")
    if run[0] == "(" and ")" not in run:
        start, run = start + 1, run[1:]
    if _phone(run, digits, before, text[end : end + 16]):
        return Span(start, end, "PHONE_NUMBER")
    return None


def _chinese_id(number: str, before: str) -> bool:
    if number[0] in "09" and not _ID_BEFORE.search(before):
        return False
    if not id_birthday_valid(number):
        return False
    return id_checksum_valid(number) or bool(_ID_BEFORE.search(before))


def _card(run: str, digits: str, before: str) -> bool:
    if not 12 <= len(digits) <= 19 or not _GROUPED_CARD.fullmatch(run) or not luhn_valid(digits):
        return False
    if len(set(digits)) < 2:
        return False
    # one counter in ten passes Luhn by chance: bare numbers need an issuer, odd lengths a word
    if _CARD_BEFORE.search(before):
        return True
    return len(digits) in (15, 16) and bool(_ISSUER.fullmatch(digits))


def _social_security(run: str, digits: str, before: str) -> bool:
    if len(digits) != 9 or digits[:3] in ("000", "666") or digits[0] == "9":
        return False
    if digits[3:5] == "00" or digits[5:] == "0000":
        return False
    if re.fullmatch(r"\d{3}-\d{2}-\d{4}", run):
        return True
    return bool(_SSN_BEFORE.search(before)) and bool(re.fullmatch(r"\d{3} \d{2} \d{4}|\d{9}", run))


def _phone(run: str, digits: str, before: str, after: str) -> bool:
    if not 6 <= len(digits) <= 20 or len(set(digits)) == 1:
        return False
    if _CN_MOBILE.fullmatch(run) or _CN_LANDLINE.fullmatch(run) or _NANP.fullmatch(run):
        return not re.match(r"\.\d", after)
    if run[0] == "+":
        return 8 <= len(digits) <= 20 and (len(digits) >= 10 or not run[1:].isdigit())
    if _LINES_BEFORE.search(before):
        return False
    spoken = _PHONE_BEFORE.search(before) or _PHONE_AFTER.match(after)
    if not spoken or _DATE.fullmatch(run):
        return False
    if run.isdigit():
        return 7 <= len(digits) <= 15
    return not re.fullmatch(r"\d+\.\d+|\d+/\d+", run)
