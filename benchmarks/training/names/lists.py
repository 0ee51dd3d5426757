"""Lists of names: Faker's (MIT), read where it is installed, and six of romanised names written down here.

Every fifth name by hash is held out: the network never sees it, and evaluate.py measures on nothing else. The shipped
file was fitted with Faker 40.54.0.
"""

from __future__ import annotations

import importlib
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inputs.places import ROOT

from ultron_core.redaction.names.lexicon import GIVEN_NAMES, SURNAMES

#: Faker's languages with names in Latin letters
LANGUAGES = (
    "az_AZ", "cs_CZ", "da_DK", "de_CH", "de_DE", "en_GB", "en_IE", "en_IN", "en_KE", "en_NG", "en_NZ",
    "en_PK", "en_TH", "en_US", "es_CO", "es_ES", "es_MX", "et_EE", "fi_FI", "fr_CA", "fr_FR", "ga_IE",
    "ha_NG", "hr_HR", "hu_HU", "id_ID", "ig_NG", "is_IS", "it_IT", "lt_LT", "lv_LV", "nl_NL", "no_NO",
    "pl_PL", "pt_BR", "pt_PT", "ro_RO", "sk_SK", "sl_SI", "sv_SE", "sw", "tr_TR", "tw_GH", "uz_UZ",
    "vi_VN", "yo_NG", "zu_ZA",
)  # fmt: skip
_GIVEN = ("first_names", "first_names_male", "first_names_female")
_LAST = ("last_names", "last_names_male", "last_names_female", "last_names_unisex")
#: languages whose names Faker has in their own script only: (given, last)
WRITTEN = {
    "zh": (
        "Wei Xiaoming Lihua Jianguo Yuting Zihan Haoran Meiling Guoqiang Xiulan Yifan Qiang Ruoxi Zhiyuan",
        "Wang Li Zhang Liu Chen Zhao Huang Zhou Xu Guo Zheng Qian Ouyang Xie",
    ),
    "ja": (
        "Haruto Sakura Yuki Kenji Akiko Naoki Takumi Michiko Shinji Yoko Daisuke Emi Hiroshi Ayumi",
        "Sato Suzuki Takahashi Tanaka Watanabe Yamamoto Nakamura Kobayashi Ogasawara Fujimoto Inoue Kimura",
    ),
    "ko": (
        "Minjun Seoyeon Jihoon Hyunwoo Eunji Soojin Donghyun Jiwoo Yeong-su Hana Kyung-min",
        "Kim Park Choi Jung Kang Yoon Jang Lim Han Kwon Seo",
    ),
    "ar": (
        "Mohammed Fatima Abdulrahman Layla Omar Khadija Yousef Noor Tariq Zainab Hamza Rania",
        "Al-Farsi Haddad Mansour Khalil Nasser El-Sayed Abu-Bakr Darwish Qureshi Hijazi Rahman",
    ),
    "ru": (
        "Dmitri Svetlana Alexei Olga Yevgeny Natalya Vladislav Ksenia Timur Zarina",
        "Ivanov Petrova Kuznetsov Smirnova Volkov Sokolova Abdrakhmanov Lebedeva Morozov",
    ),
    "hi": (
        "Arjun Priya Rohan Ananya Vikram Deepika Sanjay Lakshmi Karthik Meera Aditya",
        "Sharma Patel Iyer Reddy Gupta Banerjee Chatterjee Nair Venkataraman Deshpande Kapoor",
    ),
}
#: the language of names that the redaction's own lists hold
LISTED = "listed"
#: of given and of last names, for a list to count
_FEWEST, _FEWEST_HELD_OUT = 10, 3
#: one word with a capital, e.g. `O'Brien`, `Łukasz`
_PLAIN = re.compile(r"[A-ZÀ-ÖØ-Þ\u0100-\u017F\u0218-\u021bƏ][\w'’-]{1,20}")


@dataclass(frozen=True)
class Names:
    given: tuple[str, ...]
    last: tuple[str, ...]


def fitted_programs() -> tuple[str, ...]:
    """Names of software, lower case: programs.txt beside this, and the development half of gold/programs.json."""
    lines = Path(__file__).with_name("programs.txt").read_text("utf-8").splitlines()
    packages = [word for line in lines if not line.startswith("#") for word in line.split()]
    gold = json.loads((ROOT / "benchmarks" / "gold" / "programs.json").read_text("utf-8"))
    written = [word.lower() for word in gold["programs"] if not held_out_program(word)]
    return tuple(sorted({word for word in (*packages, *written) if word not in GIVEN_NAMES}))


def held_out_program(name: str) -> bool:
    """Is it of the half that audits/programs.py counts and nobody reads?"""
    return zlib.crc32(name.lower().encode()) % 2 == 1


def held_out(name: str) -> bool:
    return zlib.crc32(name.lower().encode()) % 5 == 0


def fitted_names() -> dict[str, Names]:
    """By language, without those held out; `listed` are the names of the lists in redaction/names."""
    listed = Names(tuple(map(str.title, sorted(GIVEN_NAMES))), tuple(map(str.title, sorted(SURNAMES))))
    every = _all_names() | {LISTED: listed}
    return {language: _of(names, lambda name: not held_out(name)) for language, names in every.items()}


def unseen_names() -> dict[str, Names]:
    """By language, those held out; languages that have a few."""
    kept = {language: _of(names, held_out) for language, names in _all_names().items()}
    return {
        language: names
        for language, names in kept.items()
        if min(len(names.given), len(names.last)) > _FEWEST_HELD_OUT
    }


def _of(names: Names, wanted: Callable[[str], bool]) -> Names:
    return Names(tuple(filter(wanted, names.given)), tuple(filter(wanted, names.last)))


def _all_names() -> dict[str, Names]:
    found = {language: _of_faker(language) for language in LANGUAGES}
    found = {
        language: names
        for language, names in found.items()
        if min(len(names.given), len(names.last)) > _FEWEST
    }
    written = {
        language: Names(tuple(given.split()), tuple(last.split()))
        for language, (given, last) in WRITTEN.items()
    }
    return found | written


def _of_faker(language: str) -> Names:
    try:
        provider: Any = importlib.import_module(f"faker.providers.person.{language}").Provider
    except ImportError as error:
        raise SystemExit(f"The lists of names need {error.name}: pip install faker==40.54.0 (MIT)") from None
    return Names(_plain(provider, _GIVEN), _plain(provider, _LAST))


def _plain(provider: Any, lists: tuple[str, ...]) -> tuple[str, ...]:
    every = {name.strip() for part in lists for name in getattr(provider, part, None) or ()}
    return tuple(sorted(name for name in every if _PLAIN.fullmatch(name) and all(map(_latin, name))))


def _latin(letter: str) -> bool:
    """Vietnamese letters lie apart from the others, e.g. `ễ`."""
    return ord(letter) <= 0x250 or 0x1E00 <= ord(letter) < 0x1F00
