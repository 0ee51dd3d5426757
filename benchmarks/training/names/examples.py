"""What the network is fitted on: the teacher's sentences with other names in them, and frames with names.

The teacher reads a sentence as written. Only then are other names put in, and words written in lower case or in
capitals, so that the network learns the same answer for each.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from training.names.frames import filled, fitted_frames, program_frames
from training.names.lists import LISTED, Names
from training.names.teacher import Answer

from ultron_core.redaction.names.lexicon import GIVEN_NAMES, SOFTWARE, SURNAMES
from ultron_core.redaction.names.network import tokens

#: from which likelihood on the teacher's word is part of a name
_NAME = 0.5
#: where it is sure: above, or below; a word between counts less
_SURE, _SURELY_NOT, _UNSURE_WEIGHT = 0.75, 0.15, 0.3
#: share of the sure names that are replaced
_REPLACED = 0.7
#: share of the single words that stay a given or a last name; the teacher does not always say which
_SINGLE = 0.85
#: of sentences with names: all in lower case, the names alone, all in capitals; of others: lower case, capitals
_LOWER, _NAMES_LOWER, _UPPER = 0.27, 0.10, 0.06
_PLAIN_LOWER, _PLAIN_UPPER = 0.15, 0.03
#: share of the frames behind the beginning of a sentence without names, and characters of it
_AFTER_TEXT, _BEFORE = 0.3, 120
#: share of the known programs of a sentence that become others
_OTHER_PROGRAM = 0.6
#: kinds of frames of programs, and their shares
_PROGRAM_KINDS = {"program": 0.3, "program_zh": 0.1, "either": 0.32, "either_zh": 0.14, "person_zh": 0.14}
#: how a program is written, and the shares: as a name, in lower case, in capitals
_PROGRAM_STYLES = ((str.capitalize, 0.75), (str.lower, 0.2), (str.upper, 0.05))
#: a sentence that no teacher read counts less
_UNREAD = 0.2
#: share of the names that are of the redaction's own lists
_LISTED = 0.25
_LETTERS = "ABCDEFGHJKLMNPRST"
_PARTICLES = ("van", "de", "von", "da", "van der", "al", "bin", "di")
#: forms of a full name and their shares; the rest is given and last name
_FORMS = (
    ("{g} {m}. {s}", 0.08),
    ("{g} {m} {s}", 0.04),
    ("{g} {s}-{s}", 0.04),
    ("{g} {p} {s}", 0.03),
    ("{g}-{g} {s}", 0.03),
    ("{g} {g} {s}", 0.04),
    ("{g} {s}", 0.74),
)


@dataclass(frozen=True)
class Example:
    words: list[str]
    #: 1 for a word of a name
    answers: list[float]
    #: how much each word counts
    trust: list[float]


@dataclass(frozen=True)
class Taught:
    """A sentence as the teacher read it."""

    text: str
    example: Example
    #: first word and end of each name
    names: list[tuple[int, int]]


def taught(answer: Answer) -> Taught:
    read = tokens(answer.text)
    odds = _of_words(read, answer.pieces)
    example = Example(
        [word for _, _, word in read],
        [
            float(likely >= _NAME and word[0].isalpha())
            for likely, (_, _, word) in zip(odds, read, strict=True)
        ],
        [1.0 if likely >= _SURE or likely < _SURELY_NOT else _UNSURE_WEIGHT for likely in odds],
    )
    return Taught(answer.text, example, _names(answer.text, read, example.answers))


def unread(text: str) -> Taught:
    """A Chinese sentence with Latin words, which are hardly ever people: names of the lists do not count."""
    read = tokens(text)
    trust = [0.0 if word.lower() in GIVEN_NAMES | SURNAMES else _UNREAD for _, _, word in read]
    return Taught(text, Example([word for _, _, word in read], [0.0] * len(read), trust), [])


def _of_words(read: Sequence[tuple[int, int, str]], pieces: Sequence[tuple[int, int, float]]) -> list[float]:
    """The mean of the pieces that touch each word."""
    odds, done = [], 0
    for start, end, _ in read:
        while done < len(pieces) and pieces[done][1] <= start:
            done += 1
        own, at = [], done
        while at < len(pieces) and pieces[at][0] < end:
            own.append(pieces[at][2])
            at += 1
        odds.append(sum(own) / len(own) if own else 0.0)
    return odds


def _names(
    text: str, read: Sequence[tuple[int, int, str]], answers: Sequence[float]
) -> list[tuple[int, int]]:
    """Words of a name that stand together, with a hyphen or a point between them."""
    found, at = [], 0
    while at < len(read):
        if not answers[at]:
            at += 1
            continue
        end = at + 1
        while end < len(read) and _goes_on(text, read, answers, end):
            end += 1
        found.append((at, end))
        at = end
    return found


def _goes_on(text: str, read: Sequence[tuple[int, int, str]], answers: Sequence[float], at: int) -> bool:
    joint = read[at][2] in "-." and at + 1 < len(read) and bool(answers[at + 1])
    gap = text[read[at - 1][1] : read[at][0]]
    return bool(answers[at] or joint) and "\n" not in gap and len(gap) <= 1


class Maker:
    """Draws examples: `names` by language, `plain` what may stand before a frame, `programs` that are no names."""

    def __init__(
        self,
        names: Mapping[str, Names],
        plain: Sequence[Taught],
        chance: random.Random,
        programs: Sequence[str] = (),
    ) -> None:
        self._names = dict(names)
        self._listed = self._names.pop(LISTED, None)
        self._lists = list(self._names.values())
        self._programs = programs
        self._plain = plain
        self._chance = chance

    def name(self, kind: str) -> str:
        """`g`, `s` or `f` as in a frame; both parts of one language."""
        names = self._chance.choice(self._lists)
        if self._listed and self._chance.random() < _LISTED:
            names = self._listed
        if kind == "g":
            return self._chance.choice(names.given)
        if kind == "s":
            return self._chance.choice(names.last)
        form = self._chance.choices([form for form, _ in _FORMS], [share for _, share in _FORMS])[0]
        lists = {"{g}": names.given, "{s}": names.last, "{m}": _LETTERS, "{p}": _PARTICLES}
        for place, values in lists.items():
            while place in form:
                form = form.replace(place, self._chance.choice(values), 1)
        return form

    def of_sentence(self, sentence: Taught) -> Example:
        """With other names where the teacher was sure of them."""
        old = sentence.example
        words, answers, trust = list[str](), list[float](), list[float]()
        done = 0
        for start, end in sentence.names:
            words += old.words[done:start]
            answers += old.answers[done:start]
            trust += old.trust[done:start]
            least = min(old.trust[start:end])
            name = old.words[start:end]
            if least == 1.0 and self._chance.random() < _REPLACED:
                name = [word for _, _, word in tokens(self._another(name))]
            words += name
            answers += [float(word[0].isalpha()) for word in name]
            trust += [least] * len(name)
            done = end
        words, answers = words + old.words[done:], answers + old.answers[done:]
        return self._styled(Example(words, answers, trust + old.trust[done:]))

    def of_plain(self, sentence: Taught) -> Example:
        """With other programs where it names some."""
        old = sentence.example
        words = [
            self._program()
            if word[:1].isupper() and word.lower() in SOFTWARE and self._chance.random() < _OTHER_PROGRAM
            else word
            for word in old.words
        ]
        return self._styled(Example(words, old.answers, old.trust))

    def _program(self) -> str:
        style = self._chance.choices(*zip(*_PROGRAM_STYLES, strict=True))[0]
        return str(style(self._chance.choice(self._programs)))

    def _another(self, name: list[str]) -> str:
        if len(name) > 1:
            return self.name("f")
        if name[0].lower() in GIVEN_NAMES:
            return self.name("g")
        return self.name(self._chance.choice("gs") if self._chance.random() < _SINGLE else "f")

    def of_program_frame(self) -> Example:
        """A program where people never stand, a person in Chinese, or one of both in the same sentence."""
        kind = self._chance.choices(list(_PROGRAM_KINDS), list(_PROGRAM_KINDS.values()))[0]
        frame = self._chance.choice(program_frames(kind))
        return self._of(frame.replace("{e}", self._chance.choice(("{p}", "{p}", "{s}", "{g}", "{f}"))))

    def of_frame(self) -> Example:
        return self._of(self._chance.choice(fitted_frames()))

    def _of(self, frame: str) -> Example:
        text, spans = filled(frame, self._place)
        before = ""
        if self._plain and self._chance.random() < _AFTER_TEXT:
            before = self._chance.choice(self._plain).text.strip()[:_BEFORE]
            before += self._chance.choice((". ", "\n", " "))
        read = tokens(before + text)
        named = [(start + len(before), end + len(before)) for start, end in spans]
        answers = [
            float(word[0].isalpha() and any(start <= at < end for start, end in named))
            for at, _, word in read
        ]
        return self._styled(Example([word for _, _, word in read], answers, [1.0] * len(read)))

    def _place(self, place: str) -> str:
        if place[0] == "m":
            return self._chance.choice(_LETTERS)
        if place[0] == "p":
            return self._program()
        return str(self._chance.randint(1, 99)) if place[0] == "n" else self.name(place[0])

    def _styled(self, example: Example) -> Example:
        drawn, words = self._chance.random(), example.words
        named = any(example.answers)
        lower, partly, upper = (_LOWER, _NAMES_LOWER, _UPPER) if named else (_PLAIN_LOWER, 0.0, _PLAIN_UPPER)
        if drawn < lower:
            words = [word.lower() for word in words]
        elif drawn < lower + partly:
            words = [w.lower() if name else w for w, name in zip(words, example.answers, strict=True)]
        elif drawn < lower + partly + upper:
            words = [word.upper() for word in words]
        return Example(words, example.answers, example.trust)
