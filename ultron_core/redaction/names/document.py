"""What a document says of the words in it: its language, its programs, and what it writes in lower case."""

from __future__ import annotations

import re
from functools import cached_property

from ultron_core.redaction.names.english import name_candidates
from ultron_core.redaction.names.languages import FOREIGN_WORDS, tongue, tongue_of
from ultron_core.redaction.names.lexicon import ALSO_THINGS, GIVEN_NAMES, NOBODY
from ultron_core.redaction.names.programs import stranger, told_as_software, used_in_code
from ultron_core.redaction.names.prose import Unit, prose_units
from ultron_core.redaction.spans import Draft

__all__ = ["Document"]

#: a word of prose in lower case, e.g. `role`
_SMALL = re.compile(r"(?<![\w./@\\-])[a-z]{3,30}(?![\w@/(=])")
#: in a heading or a product, e.g. `AI`, `DLL`
_ACRONYM = re.compile(r"[A-Z]{2,}")
#: before a part of a path or a branch, e.g. `feature/`
_IN_PATH = re.compile(r"[a-z0-9_.~-]/$")
#: before the value of a person's field, e.g. `"first_name": "`, `lastName: "`
_FIELD = re.compile(
    r"(?i:first|last|given|family|full|sur)_?(?i:name)\\{0,3}[\"']?\s{0,2}[:=]\s{0,2}\\{0,3}[\"']$"
)
#: characters in which it is looked for
_REACH = 40


class Document:
    """The prose of a draft as it stands."""

    def __init__(self, draft: Draft) -> None:
        draft.resolve()
        self.draft = draft
        self.units = list(prose_units(draft.view, json_text=draft.literals is not None))
        self._tongue = tongue_of(unit.text for unit in self.units)
        self._programs: dict[str, tuple[bool, bool]] = {}

    @cached_property
    def _small(self) -> frozenset[str]:
        """Words that the document writes in lower case."""
        return frozenset(word for unit in self.units for word in _SMALL.findall(unit.text))

    def asked(self) -> list[tuple[str, bool]]:
        """Each unit, and whether the recogniser knows its language."""
        return [(unit.text, tongue(unit.text, self._tongue) != "other") for unit in self.units]

    def is_program(self, words: str) -> bool:
        """Does the document use the words as code does, install them, or give them a version?"""
        return any(self._told(words))

    def names(self, found: Unit, low: int, high: int) -> bool:
        """Is what was found there a person, for all that the document says elsewhere?"""
        unit = found.text
        words = unit[low:high]
        used, told = self._told(words)
        if used or _IN_PATH.search(unit, max(0, low - 2), low):
            return False
        if _FIELD.search(self.draft.view, max(0, found.start - _REACH), found.start + low):
            return True
        return not (told or self._is_common(words) or self._is_unsaid(words, unit)) or _introduced(
            unit, low, high
        )

    def _told(self, words: str) -> tuple[bool, bool]:
        if (found := self._programs.get(words)) is None:
            found = used_in_code(self.draft.view, words), told_as_software(self.draft.view, words)
            self._programs[words] = found
        return found

    def _is_common(self, words: str) -> bool:
        """Holds no given name, but a word of the language, an acronym, or what the document has in lower case too:
        `Redesign Deployed`, `Jina AI`."""
        if words in FOREIGN_WORDS or words.lower() in ALSO_THINGS:
            return True
        parts = re.split(r"[\s-]+", words)
        if not GIVEN_NAMES.isdisjoint({part.lower() for part in parts} - ALSO_THINGS):
            return False
        acronym = not words.isupper() and any(_ACRONYM.fullmatch(part) for part in parts)
        return acronym or any(part.lower() in NOBODY or part.lower() in self._small for part in parts)

    def _is_unsaid(self, words: str, unit: str) -> bool:
        """Is it a word in no list of names, or in lower case, where nothing tells the language: `Copiar`?"""
        return (stranger(words) or words.islower()) and tongue(unit, self._tongue) == "unsaid"


def _introduced(unit: str, low: int, high: int) -> bool:
    """Is the rules' word enough that this is a person: `Dr. Wojtaszek`, `my name is Wojtaszek`?"""
    return any(sure and start < high and low < end for start, end, sure in name_candidates(unit))
