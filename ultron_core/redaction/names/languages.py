"""Which texts are in a language whose names can be told from its other words: English, and Chinese.

The models were fitted to English: of German, Spanish or Vietnamese they take every second word for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from ultron_core.redaction.names.lexicon import GIVEN_NAMES

__all__ = ["FOREIGN_WORDS", "Tongue", "tongue", "tongue_of"]

#: `known`: the recogniser was made for it; `other`: it was not; `unsaid`: no word tells
Tongue = Literal["known", "other", "unsaid"]

#: e.g. `configuração`, `don't`, `проверь`, `설정`
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
#: letters of no English word, e.g. `ç`, `ạ`: half a word's worth, since names have them too
_STRANGE = re.compile(r"[\u00df-\u024f\u1e00-\u1eff]")
#: and of other scripts, e.g. `ж`, `한`, `の`
_FOREIGN = re.compile(r"[\u0370-\u1dff\u3040-\u30ff\uac00-\ud7a3]")
#: what a sentence and a document must weigh to be in English, and in another language: an address may hold a word of it
_SENTENCE, _DOCUMENT = (1.0, -1.0), (0.5, -2.0)
#: Chinese has no words to count: its names are looked for wherever no other language is told, e.g. `端`
_HAN = re.compile(r"[\u4e00-\u9fff]")


def _weights() -> dict[str, float]:
    """How far each word speaks for English, above 0, or for another language, below."""
    found: dict[str, float] = {}
    text = files("ultron_core.redaction.names").joinpath("function_words.txt").read_text("utf-8")
    for line in text.splitlines():
        language, _, words = line.partition(" ")
        for word in words.split() if language != "#" else ():
            weight = 0.5 if language.endswith("/") else 1.0
            found.setdefault(word, weight if language.startswith("en") else -weight)
    return found


_WEIGHTS = _weights()
#: words of other languages, of which some are given names too, e.g. `mira`, `nada`
FOREIGN_WORDS = frozenset(word for word, weight in _WEIGHTS.items() if weight < 0)


def tongue(text: str, document: Tongue = "unsaid") -> Tongue:
    """Of a sentence; where its own words do not tell, that of its document."""
    found = _of_weight(_weight(text), _SENTENCE)
    if found == "unsaid":
        return "known" if document != "other" and _HAN.search(text) else document
    return found


def tongue_of(units: Iterable[str]) -> Tongue:
    """Of a document, by all of its sentences."""
    return _of_weight(sum(map(_weight, units)), _DOCUMENT)


def _of_weight(weight: float, bounds: tuple[float, float]) -> Tongue:
    english, other = bounds
    return "known" if weight >= english else "other" if weight <= other else "unsaid"


@lru_cache(maxsize=20_000)
def _weight(text: str) -> float:
    return sum(map(_word_weight, _WORD.findall(text)))


def _word_weight(word: str) -> float:
    low = word.lower().replace("’", "'")
    if (word[0].isupper() and low in GIVEN_NAMES) or (len(word) > 1 and word.isupper()):
        return 0.0  # a name, or an acronym: `DEN` is an airport and a word of Swedish
    if (weight := _WEIGHTS.get(low, 0.0)) and not (weight == -0.5 and word[0].isupper()):
        return weight
    if _FOREIGN.search(low):
        return -1.0
    return -0.5 if word[0] == low[0] and _STRANGE.search(low) else 0.0
