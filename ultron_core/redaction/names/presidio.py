"""The redactor: patterns first, then names in the natural-language parts, in batches.

Rules for Latin script come first (`english.py`); Presidio (`analyzer.py`) is asked about what they leave open, and
about Chinese. A name that only one of them suggests needs the consent of the network (`network.py`). Texts in other
languages lose only what the lists hold, and code is not looked at.
Where Presidio and its model are not installed, what the rules leave open is hidden: rows say so by their version.
"""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ultron_core.models import Finding, Redaction
from ultron_core.redaction.names.analyzer import SURE, build_analyzer, is_installed
from ultron_core.redaction.names.chinese import chinese_names, has_han
from ultron_core.redaction.names.document import Document
from ultron_core.redaction.names.english import listed_names, repeats, whole_word
from ultron_core.redaction.names.look import LIKELY, POSSIBLE, Look, longest_first, strange_name
from ultron_core.redaction.names.network import default_network
from ultron_core.redaction.names.persons import addressees
from ultron_core.redaction.patterns import draft_of, settle
from ultron_core.redaction.spans import Draft, Numbering, Span
from ultron_core.redaction.values import redact_value, redact_values
from ultron_core.redaction.words import OwnWords

__all__ = ["REDACTION_VERSION", "PresidioRedactor", "default_redactor"]

#: raised with every change of a rule: stored rows carry it, so that they can be redacted again
REDACTION_VERSION = "15"

#: the English model need not see other text, e.g. `a`
_LATIN = re.compile(r"[A-Za-z]")
#: units kept in memory; some 250 bytes each
_MOST_CACHED = 100_000
#: words that the model keeps, 700 bytes each, before it is loaded anew, which takes 0.3 s
_MOST_WORDS = 30_000
#: and for one alone on the first line of an address, where companies stand too
_LIKELY_ADDRESSEE = 0.5


class PresidioRedactor:
    """Implements `Redactor`. The models are loaded at the first text that could hold a name (about 2 s)."""

    def __init__(self, words: Sequence[str] = (), *, recogniser: bool | None = None) -> None:
        """`words`: the user's own words to redact, see the setting `ULTRON_REDACT_WORDS`. `recogniser`: whether
        Presidio and its model find names; None: if they are installed."""
        self._words = OwnWords(words)
        self._recognises = is_installed() if recogniser is None else recogniser
        self._batch: Any = None
        #: the English model in it
        self._nlp: Any = None
        self._lock = threading.RLock()
        #: names in units that were looked at, over documents: logs repeat themselves
        self._cached: dict[str, tuple[tuple[int, int], ...]] = {}

    @property
    def version(self) -> str:
        """Of the rules; with own words also of their list, so that a replay picks up a change. `-coarse` without the
        recogniser: a replay takes such rows up once it is installed."""
        rules = REDACTION_VERSION if self._recognises else f"{REDACTION_VERSION}-coarse"
        return f"{rules}+{self._words.digest}" if self._words.digest else rules

    def redact_text(self, text: str) -> Redaction:
        """One document; offsets of findings are positions in `text`."""
        return self.redact_texts([text])[0]

    def redact_texts(self, texts: Sequence[str]) -> list[Redaction]:
        """Many documents, each numbered separately; names are found in one batch."""
        drafts = [draft_of(text) for text in texts]
        self._settle(drafts)
        results = []
        for draft in drafts:
            numbering = Numbering()
            numbering.reserve(draft.text)
            results.append(draft.finish(numbering))
        return results

    def redact_json(self, value: Any) -> tuple[Any, tuple[Finding, ...]]:
        """One JSON value as one document; see `values.redact_value`."""
        return redact_value(value, self._settle)

    def redact_json_many(self, values: Sequence[Any]) -> list[Any]:
        """Many JSON values, each its own document, without their findings; names are found in one batch."""
        return [value for value, _ in redact_values(values, self._settle)]

    def _settle(self, drafts: Sequence[Draft], names: Sequence[bool] | None = None) -> None:
        """Adds spans until none is found any more; `names[i]` False leaves out names in draft i."""
        for draft in drafts:
            settle(draft, self._words)
        open_drafts = [draft for i, draft in enumerate(drafts) if names is None or names[i]]
        looked: set[tuple[str, bool]] = set()
        while open_drafts:
            pages = [Document(draft) for draft in open_drafts]
            found = iter(self._names([asked for page in pages for asked in page.asked()], looked))
            open_drafts = []
            for page in pages:
                spans = [
                    Span(unit.start + low, unit.start + high, "PERSON")
                    for unit, names_here in zip(page.units, found, strict=False)
                    for low, high in names_here
                    if page.names(unit, low, high)
                ]
                spans += self._addressees(page)
                if spans and self._take(page, spans):
                    open_drafts.append(page.draft)
            for draft in open_drafts:
                settle(draft, self._words)

    def _addressees(self, page: Document) -> Iterator[Span]:
        """Words in no list of names that stand alone above an address."""
        view = page.draft.view
        if page.draft.literals is not None or not self._recognises:
            return
        for start, end in addressees(view):
            line = f"{view[start:end]}\n"
            if strange_name(line.strip()) and not page.is_program(view[start:end]):
                with self._lock:
                    (said,) = default_network().names([line], _LIKELY_ADDRESSEE)
                if said[line]:
                    yield Span(start, end, "PERSON")

    def _take(self, page: Document, names: list[Span]) -> bool:
        """Add the names, and the same names wherever else they occur in the document's prose."""
        view = page.draft.view
        values = {form for span in names for form in repeats(view[span.start : span.end])}
        if values:
            again = re.compile(
                "|".join(rf"{re.escape(v)}" for v in sorted(values, key=lambda v: (-len(v), v)))
            )
            names += [
                Span(unit.start + match.start(), unit.start + match.end(), "PERSON")
                for unit in page.units
                for match in again.finditer(unit.text)
                if whole_word(view, unit.start + match.start(), unit.start + match.end())
            ]
        return bool(page.draft.add(names))

    def _names(
        self, units: Sequence[tuple[str, bool]], looked: set[tuple[str, bool]]
    ) -> list[list[tuple[int, int]]]:
        """Names in each unit, best first; units without any are remembered in `looked` and not asked again."""
        new = sorted(set(units) - looked)
        found: dict[tuple[str, bool], list[tuple[int, int]]] = {
            (unit, False): list(listed_names(unit)) for unit, asked in new if not asked
        }
        read = self._read([unit for unit, asked in new if asked])
        found.update(((unit, True), names) for unit, names in read.items())
        looked.update(unit for unit in new if not found[unit])
        return [found.get(unit, []) for unit in units]

    def _read(self, waiting: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
        """Names in units whose language is known."""
        if not waiting:
            return {}
        found: dict[str, list[tuple[int, int]]] = {}
        with self._lock:
            if self._recognises:
                self._load()
            if len(self._cached) > _MOST_CACHED:
                self._cached.clear()
            latin = [unit for unit in waiting if unit not in self._cached and _LATIN.search(unit)]
            self._cached.update(zip(latin, self._latin_names(latin), strict=True))
            for unit in waiting:
                found[unit] = list(self._cached.get(unit) or ())
            han = [unit for unit in waiting if has_han(unit)]
            for unit, names in zip(han, self._chinese_names(han), strict=True):
                found[unit] = [*names, *found[unit]]
        return found

    def _chinese_names(self, units: Sequence[str]) -> list[tuple[tuple[int, int], ...]]:
        if not self._recognises:
            return [longest_first(chinese_names(unit)) for unit in units]
        return [tuple((r.start, r.end) for r in results) for results in self._analyze(units, "zh")]

    def _analyze(self, texts: Sequence[str], language: str) -> list[Any]:
        if not texts:
            return []
        results = self._batch.analyze_iterator(texts, language, entities=["PERSON"])
        return [sorted(r, key=lambda one: (one.start - one.end, one.start)) for r in results]

    def _latin_names(self, units: Sequence[str]) -> list[tuple[tuple[int, int], ...]]:
        """By the rules where they are sure or nothing is open; by the models elsewhere."""
        looks = [Look(unit) for unit in units]
        if not self._recognises:
            return [look.coarse() for look in looks]
        said = self._said({text for look in looks for text in look.open_texts()})
        for look in looks:
            look.hear(said)
        texts = sorted({text for look in looks for text in look.network_texts()})
        likely, possible = default_network().names(texts, LIKELY, POSSIBLE)
        for look in looks:
            look.hear_network(likely, possible)
        return [look.names() for look in looks]

    def _said(self, texts: Iterable[str]) -> dict[str, list[tuple[int, int, bool]]]:
        """What the model takes for a person in each text, and whether that is enough."""
        ordered = sorted(texts)
        return {
            text: [(found.start, found.end, found.score >= SURE) for found in results]
            for text, results in zip(ordered, self._analyze(ordered, "en"), strict=True)
        }

    def _load(self) -> None:
        if self._nlp is not None and self._nlp.words > _MOST_WORDS:
            # ids, numbers and hashes of the logs; without the old one first, there would be two for a moment
            self._nlp = self._batch = None
            gc.collect()
        if self._batch is None:
            self._nlp, self._batch = build_analyzer()


_shared = PresidioRedactor()


def default_redactor() -> PresidioRedactor:
    """The one redactor of the process; its models are loaded once."""
    return _shared
