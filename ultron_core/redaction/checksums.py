"""Checks that tell a number of a published kind from any other number."""

from __future__ import annotations

from datetime import date

__all__ = ["iban_valid", "id_birthday_valid", "id_checksum_valid", "luhn_valid"]


def luhn_valid(digits: str) -> bool:
    """ISO/IEC 7812-1 annex B: the check digit of payment cards."""
    total = 0
    for position, char in enumerate(reversed(digits)):
        value = ord(char) - 48
        if position % 2:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return total % 10 == 0


#: lengths by country, from the IBAN registry of SWIFT (ISO 13616); others are checked by the digits alone
_IBAN_LENGTH = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27,
    "LT": 20, "LU": 20, "LV": 21, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SA": 24, "SE": 24,
    "SI": 19, "SK": 24, "TR": 26, "UA": 29,
}  # fmt: skip


def iban_valid(code: str) -> bool:
    """ISO 7064 MOD 97-10 over an IBAN without separators."""
    if _IBAN_LENGTH.get(code[:2], len(code)) != len(code):
        return False
    return int("".join(str(int(char, 36)) for char in code[4:] + code[:4])) % 97 == 1


def id_birthday_valid(number: str) -> bool:
    """Does an 18-character resident number (GB 11643) contain a date from 1900 on?"""
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    return 1900 <= born.year <= 2035


def id_checksum_valid(number: str) -> bool:
    """GB 11643: ISO 7064 MOD 11-2 over the first 17 digits."""
    total = sum((2 ** (17 - i) % 11) * int(char) for i, char in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17].upper()
