"""English (and other Latin-script) person names: a spaCy model, words that introduce a name, given names.

The small model misses a third of the names that stand alone or in a form ("Name: Ella Snider"), and takes some
for organisations. Two rules make up for that: capitalised words beside a given name or after a lead-in word, and a
second question: is the doubtful word a person in a sentence where only a person fits?
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

__all__ = [
    "TEMPLATES",
    "full_names",
    "given_names",
    "known_given",
    "name_candidates",
    "only_ordinary",
    "open_question",
    "plausible_name",
    "probe",
    "repeats",
    "whole_word",
]


def _words(name: str) -> frozenset[str]:
    text = files("ultron_core.redaction.names").joinpath(name).read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


_CAP = r"[A-ZÀ-ÖØ-Þ\u0100-\u017F][a-zA-ZÀ-ÖØ-öø-ÿ\u0100-\u024F'’-]{1,30}"
_PARTICLE = r"(?:van der|van den|van|von|de la|de|da|dos|di|del|bin|al|el|la|le)"
#: one to four capitalised words on a line, with initials and particles between them
NAME = rf"{_CAP}(?:[ ](?:[A-Z]\.?[ ])?(?:{_PARTICLE}[ ])?{_CAP}){{0,3}}"
#: people that texts name by what they are to someone: "my grandfather was called ..."
_KIN = (
    r"(?:father|mother|dad|mum|mom|grandfather|grandmother|grandpa|grandma|brother|sister|uncle|aunt|cousin"
    r"|son|daughter|wife|husband|partner|boyfriend|girlfriend|friend|boss|colleague|neighbou?r)"
)
#: a greeting, a signature, a credit or a form field before a name: "Regards, ...", "written by ...", "Name:
#: ...", e.g. `Regards, Mary Whitfield`, `written by Mary Whitfield`
_LEAD = re.compile(
    r"(?:(?i:\bmy name is|\bname is|\bnamed?\s*:|\bname\s*:|(?<!the )\buser\s*:|\bauthor\s*:|\bdirected by\s*:"
    r"|\bwritten by|\bstarring|\bcalled|\bnamed|\bsigned,?|\bregards,|\bsincerely,|\bdear|\bhi|\bhello|\bmr\.?"
    r"|\bmrs\.?|\bms\.?|\bdr\.?|\bprof\.?|\bcalls me|\bi'?m|\bi am|\bthis is|\bsaid|\bsays|\btold|\btell|\bdoctor"
    rf"|\b{_KIN}(?:'s name)?))"
    rf"[ \t:,\"]{{1,6}}({NAME})"
)
#: words that only a person's name follows, e.g. `my name is Mary Whitfield`, `Dear Mary,`, `Dr. Whitfield`
_CERTAIN = re.compile(
    r"(?:(?i:\bmy name is|\bname\s*:|\bdirected by\s*:|\bmrs?\.|\bmiss|\bms\.|\bdr\.|\bprof\.|\bcalls? me"
    rf"|\b{_KIN} (?:is|was) (?:called|named)|\b{_KIN}'s name(?: is| was)?)"
    r"|(?:\bHi|\bHello|\bDear)(?= [\w'-]+,)|(?<=[,\"”]) (?:says|said|asked))"
    rf"[ \t]{{1,6}}({NAME})"
)
#: a line of a dialogue, e.g. `Mary: "Good morning"`
_SPEAKER_LINE = re.compile(rf"(?m)^[>\s]{{0,4}}({_CAP})\s?: ?\\?\"(?=[A-Z])")
#: a line that is a name and no more, as in an address, e.g. `Mary J. Whitfield`
_LINE = re.compile(rf"(?m)^[>?\s]{{0,6}}({_CAP}(?:[ ][A-Z]\.?)?[ ]{_CAP}(?:[ ]{_CAP})?)\s*$")
#: an answer to "what is your name?", e.g. `mary whitfield`
_LOWER_LINE = re.compile(r"(?m)^[>?\s]{0,6}([a-z]{3,20}(?: [a-z]\.?)? [^\W\d_]{3,20})\s*$")
#: e.g. `Anna, Peter and Maria`
_LIST = re.compile(rf"{_CAP}(?:, {_CAP}){{1,20}},? (?:and|or) {_CAP}")
#: what a name is followed by, e.g. `Mary Whitfield said`, `Mary's husband`
_FOLLOWED = re.compile(
    rf"(?<![\w.])({NAME})(?=(?:[ ]\([^)\n]{{1,20}}\))?[ :,]{{0,2}}[ ](?:said|says|shouted|asked|told|lives|spent|was born"  # noqa: E501
    rf"|replied|wrote|is a \d|\(?\d\d years)|: ?\\?\"|'s (?:daughter|son|wife|husband|partner|friend|address))"
)
#: what announces a name typed in lower case, e.g. `my name is mary whitfield`, `hi petra`, `i'm petra`
_LOWER_LEAD = re.compile(
    r"(?i)(?:\bname is|\bname\s*:|(?<!the )\buser\s*:|\bcalled|\bnamed|\bhi|\bdear|\bi\\?'m"
    r"|\btell|\bcalls? me)[ \t]{1,5}([^\W\d_]{2,20}(?: [a-z]\.?)?(?: [^\W\d_]{2,20})?)(?![\w@])"
)
#: capitalised words in a row, e.g. `Mary Whitfield`
_RUN = re.compile(rf"(?<![\w./@\\-])({NAME})(?![\w@(])")
#: `ask terrence, pamela and brian`
_LOWER_LIST = re.compile(r"[^\W\d_]{3,20}(?:, [^\W\d_]{3,20}){1,20},? (?:and|or) [^\W\d_]{3,20}")
#: e.g. `said petra`, `petra replied`
_LOWER_SPEECH = re.compile(
    r"(?:\b(?:said|says|replied|asked) ([^\W\d_]{3,20})\b|\b([^\W\d_]{3,20}) (?:said|says|explained|replied)\b)"
)
#: a first name or a surname of somebody already found, e.g. `Mary`, `O’Neill`
_CAPITALISED = re.compile(
    r"(?<![\w./@\\])[A-ZÀ-ÖØ-Þ\u0100-\u017F][a-zA-ZÀ-ÖØ-öø-ÿ\u0100-\u024F'’]{1,30}(?![\w@/\\(])"
)
#: who speaks, in lower case too, e.g. `petra: "Good morning"`
_SPEAKER = re.compile(r"(?m)^[>\s]{0,4}([^\W\d_]{2,20})\s?: ?\\?\"")

#: sentences in which only a person makes sense
TEMPLATES = ("My brother {} said that he was tired.", "{} is a 30-year-old woman who lives with her mother.")

#: capitalised words of logs and forms that models take for people
_NOT_NAMES = _words("not_names.txt")


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Common given names, lower case (see the head of the file for where they come from)."""
    return _words("given_names.txt")


def plausible_name(value: str) -> bool:
    """Could these words be a name at all? Code, numbers, all capitals and software terms are not."""
    words = value.replace("’s", "").replace("'s", "").split()
    if (
        not 1 <= len(words) <= 5
        or not 2 <= len(value) <= 60
        or re.search(r"[\d_`/\\(){}\[\]<>=#@|*:+~$%^&\"]", value)
    ):
        return False
    if any(word.strip(".,'’").lower() in _NOT_NAMES for word in words):
        return False
    if not any(char.isupper() for char in value):
        return False
    # camelCase is an identifier; McDonald and O'Brien are not
    odd = any(re.search(r"[a-z][A-Z]", re.sub(r"^(?:Mc|Mac|De|Van|Di|La|Le|O')", "", word)) for word in words)
    return not odd or words[0].lower() in given_names()


@lru_cache(maxsize=1)
def ordinary_words() -> frozenset[str]:
    """Words that begin sentences and headings, lower case (the head of the file says where they come from)."""
    return _words("ordinary_words.txt")


def open_question(unit: str, sure: Sequence[tuple[int, int]]) -> bool:
    """Is there a capitalised word outside of the `sure` names that is neither ordinary nor one of software?

    Without one the model, which costs a hundred times as much as the rules, is not asked about the unit.
    """
    return any(
        _open(match[0])
        for match in _CAPITALISED.finditer(unit)
        if not any(start <= match.start() < end for start, end in sure)
    )


def full_names(text: str) -> Iterator[tuple[int, int]]:
    """Two to four capitalised words in a row that are neither ordinary nor of software: `Nikolaj Petrussen`."""
    for match in _RUN.finditer(text):
        words = match[1].split()
        shouted = any(word.isupper() and len(word) > 2 for word in words)  # `FUND TRANSFER`, ciphers
        if len(words) < 2 or shouted or not all(_open(word) for word in words if len(word) > 2):
            continue
        if plausible_name(match[1]):
            yield match.span(1)


def only_ordinary(value: str) -> bool:
    """`Arrival`, `Tab`, `Context Checkpoint`: every word of it is one of the language."""
    return not any(_open(word) for word in re.split(r"[\s-]+", value) if word)


def _open(word: str) -> bool:
    bare = re.sub(r"['’]s?$", "", word).lower()
    return bare in given_names() or (
        len(bare) > 1 and bare not in ordinary_words() and bare not in _NOT_NAMES
    )


def known_given(value: str) -> bool:
    """Does the value start with a common given name?"""
    return value.split()[0].strip(".,").lower() in given_names()


def name_candidates(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, sure) of words that may be a name; unsure ones are to be asked about."""
    for match in _LOWER_LEAD.finditer(text):
        if match[1].split()[0].lower() in given_names():
            yield match.start(1), match.end(1), True
    for match in _SPEAKER.finditer(text):
        if match[1].lower() in given_names():
            yield match.start(1), match.end(1), True
    for match in _RUN.finditer(text):
        if plausible_name(match[1]) and known_given(match[1]):
            yield *match.span(1), True
    for match in _LOWER_LINE.finditer(text):
        if known_given(match[1]):
            yield *match.span(1), True
    for match in _LOWER_LIST.finditer(text):
        words = list(re.finditer(r"[^\W\d_]{3,20}(?=,| and| or|$)", match[0]))
        if sum(known_given(word[0]) for word in words) >= max(2, len(words) / 2):
            for word in words:
                yield match.start() + word.start(), match.start() + word.end(), True
    for match in _LOWER_SPEECH.finditer(text):
        group = 1 if match[1] else 2
        if known_given(match[group]):
            yield *match.span(group), True
    for match in _LIST.finditer(text):
        words = list(re.finditer(_CAP, match[0]))
        if sum(known_given(word[0]) for word in words) >= 2:
            for word in words:
                if plausible_name(word[0]):
                    yield match.start() + word.start(), match.start() + word.end(), True
    for pattern in (_CERTAIN, _SPEAKER_LINE):
        for match in pattern.finditer(text):
            if plausible_name(match[1]):
                yield *match.span(1), True
    for pattern in (_LINE, _LEAD, _FOLLOWED):
        for match in pattern.finditer(text):
            if plausible_name(match[1]):
                yield *match.span(1), known_given(match[1])


def probe(words: str) -> Sequence[str]:
    """Sentences to ask the model about `words`."""
    return [template.format(words) for template in TEMPLATES]


def repeats(name: str) -> Iterator[str]:
    """Forms under which a person who was named once is likely to be named again in the same document."""
    if re.fullmatch(r"[\u4e00-\u9fff]{3,4}", name):
        yield name
    words = name.split()
    if len(words) < 2:
        return
    yield name
    for word in (words[0], words[-1]):
        if len(word) >= 4 and word[0].isupper() and plausible_name(word):
            yield word


def whole_word(text: str, start: int, end: int) -> bool:
    """Does the span end at word boundaries? (Chinese has none to check.)"""
    if not text[start].isascii():
        return True
    return not (start and _WORD.match(text[start - 1])) and not (end < len(text) and _WORD.match(text[end]))


#: beside one of these a name is part of an address or a path, e.g. `@`, `/`, `a`
_WORD = re.compile(r"[0-9A-Za-z_@/.\\-](?<![.])")
