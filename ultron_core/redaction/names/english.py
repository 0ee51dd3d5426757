"""English (and other Latin-script) person names by rules: words that introduce a name, given names, lists.

spaCy's small model misses a third of the names that stand alone or in a form ("Name: Ella Snider"), and takes some
for organisations: capitalised words beside a given name or after a lead-in word make up for that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ultron_core.redaction.names.lexicon import (
    ALSO_THINGS,
    GIVEN_NAMES,
    HEADS,
    NOBODY,
    NOT_NAMES,
    SURNAMES,
    known_given,
    only_ordinary,
    open_word,
    plausible_name,
    words_of,
)

__all__ = [
    "bare_end",
    "bare_start",
    "dotted",
    "full_names",
    "given_windows",
    "listed_names",
    "name_candidates",
    "names_thing",
    "network_name",
    "open_windows",
    "open_words",
    "repeats",
    "stands_alone",
    "whole_word",
]

_CAP = r"[A-ZÀ-ÖØ-Þ\u0100-\u017F][a-zA-ZÀ-ÖØ-öø-ÿ\u0100-\u024F'’-]{1,30}"
_PARTICLE = r"(?:van der|van den|van|von|de la|de|da|dos|di|del|bin|al|el|la|le)"
#: what a name may begin with in lower case beside capitals, unlike `ex-Minister`, e.g. `von Braun`, `d'Arc`
_BEGINS_SMALL = re.compile(rf"{_PARTICLE} |[a-z]['’]")
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
_RUN = re.compile(rf"(?<![\w./@\\-])({NAME})(?![\w@(]|\.\w)")
#: months are given names too, e.g. `Jan 28`, `April 2024`
_MONTH = re.compile(r"(?:Jan|April|June|August|May)(?= \d)")
#: one of the names of a list, e.g. `pamela and`
_LISTED = re.compile(r"[^\W\d_]{3,20}(?=,| and| or|$)")
#: e.g. `Pamela`
_LISTED_CAPITAL = re.compile(_CAP)
#: e.g. `terrence, pamela and brian`
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

#: three capitals are an airport or an acronym: `MIA`, `ANN`
_SHORTEST_SHOUTED = 4
#: a word that is no part of a path, an address or an identifier, e.g. `mary`, `MARY`
_WHOLE = re.compile(r"(?<![\w./@\\-])[^\W\d_]{3,30}(?![\w@/\\(]|\.\w)")
#: what stands between spaces, e.g. `Mary,`
_SPACED = re.compile(r"\S+")
#: words around an open one that the model is shown: it sees four tokens to each side, a name before it may be longer
_BEFORE, _AFTER = 8, 6


def open_words(unit: str, sure: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """(start, end) of each capitalised word outside of the `sure` names that may be a name or part of one."""
    return [
        match.span()
        for match in _CAPITALISED.finditer(unit)
        if open_word(match[0]) and not any(start <= match.start() < end for start, end in sure)
    ]


def open_windows(unit: str, sure: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """(start, end) of the words around each open word.

    Without one the model, which costs a hundred times as much as the rules, is not asked about the unit; else about
    these words only: it sees four words to each side of the one it judges.
    """
    return _around(unit, [start for start, _ in open_words(unit, sure)])


def given_windows(unit: str) -> list[tuple[int, int]]:
    """(start, end) of the words around each given name in lower case or in capitals: spaCy's model passes over it."""
    if words_of(unit).isdisjoint(GIVEN_NAMES):
        return []
    return _around(unit, [match.start() for match in _WHOLE.finditer(unit) if _oddly_written(match[0])])


def _oddly_written(word: str) -> bool:
    if word.isupper() and len(word) < _SHORTEST_SHOUTED:
        return False
    return (
        (word.islower() or word.isupper()) and word.lower() in GIVEN_NAMES and word.lower() not in NOT_NAMES
    )


def network_name(value: str) -> bool:
    """Is what the network takes for a name none of the words that are nobody's?"""
    if value != value.lower() and value != value.upper():
        begins = value[0].isupper() or bool(_BEGINS_SMALL.match(value))
        ends = value.split()[-1][0].isupper()  # `Verwaltung im` begins a sentence
        return begins and ends and plausible_name(value) and not only_ordinary(value)
    words = words_of(value)
    # without its case an unknown word beside a name is as often a project, e.g. `yuichat`
    return not words <= NOBODY and words.isdisjoint(NOT_NAMES) and not words.isdisjoint(GIVEN_NAMES)


def _around(unit: str, at: Sequence[int]) -> list[tuple[int, int]]:
    if not at:
        return []
    words = [match.span() for match in _SPACED.finditer(unit)]
    starts = [start for start, _ in words]
    windows: list[tuple[int, int]] = []
    for start in at:
        here = bisect_right(starts, start) - 1
        low = words[max(0, here - _BEFORE)][0]
        high = words[min(len(words) - 1, here + _AFTER)][1]
        if windows and low <= windows[-1][1]:
            low = windows.pop()[0]
        windows.append((low, high))
    return windows


def full_names(text: str) -> Iterator[tuple[int, int]]:
    """Two to four capitalised words in a row that are neither ordinary nor of software: `Nikolaj Petrussen`."""
    for match in _RUN.finditer(text):
        words = match[1].split()
        shouted = any(word.isupper() and len(word) > 2 for word in words)  # `FUND TRANSFER`, ciphers
        if len(words) < 2 or shouted or not all(open_word(word) for word in words if len(word) > 2):
            continue
        if plausible_name(match[1]):
            yield match.span(1)


def listed_names(text: str) -> Iterator[tuple[int, int]]:
    """All that can be told of a language that no model here knows: a given name before a surname, both of the lists,
    and a line that is nothing but a given name and a word that is not English."""
    for pattern in (_RUN, _LINE):
        for match in pattern.finditer(text):
            words = match[1].lower().replace(".", "").split()
            listed = pattern is _LINE or words[-1] in SURNAMES
            if len(words) > 1 and words[0] in GIVEN_NAMES and listed and NOBODY.isdisjoint(words):
                yield match.span(1)


#: one of these stands before a name that a lead-in announces
_CUES = words_of(
    "name named user author directed written starring called signed regards sincerely dear hi hello mr"
    " mrs ms dr prof miss call calls m am this said says asked told tell doctor father mother dad mum mom"
    " grandfather grandmother grandpa grandma brother sister uncle aunt cousin son daughter wife husband"
    " partner boyfriend girlfriend friend boss colleague neighbor neighbour"
)
#: one of these stands behind a name, but for the quotation of a dialogue
_FOLLOWERS = words_of(
    "said says shouted asked told lives spent born replied wrote is years daughter son wife husband partner friend"
    " address"
)
#: one of these stands beside a name in lower case
_LOWER_CUES = words_of("name user called named hi dear m tell call calls said says replied asked explained")


def name_candidates(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, sure) of words that may be a name; unsure ones are to be asked about."""
    words = words_of(text)
    if not words.isdisjoint(GIVEN_NAMES):
        for start, end in _with_given_names(text, words):
            yield start, end, True
    # patterns with many alternatives are slow: a look at the words tells when none can match
    if not words.isdisjoint(_CUES):
        for start, end, _ in _plausible(_CERTAIN, text, True):
            yield start, end, not only_ordinary(text[start:end])
        yield from _plausible(_LEAD, text, False)
    if '"' in text and ":" in text:
        for start, end, _ in _plausible(_SPEAKER_LINE, text, True):
            yield start, end, not only_ordinary(text[start:end])
    yield from _plausible(_LINE, text, False)
    if not words.isdisjoint(_FOLLOWERS) or ('"' in text and ":" in text):
        yield from _plausible(_FOLLOWED, text, False)


def _plausible(pattern: re.Pattern[str], text: str, sure: bool) -> Iterator[tuple[int, int, bool]]:
    for match in pattern.finditer(text):
        if plausible_name(match[1]):
            yield *match.span(1), sure or known_given(match[1])


def _with_given_names(text: str, words: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Names that begin with a common given name, and lists in which most do."""
    for match in _RUN.finditer(text):
        if plausible_name(match[1]) and _begins_given(match[1]) and not _MONTH.match(text, match.start()):
            yield match.span(1)
    if not words.isdisjoint(_LOWER_CUES):
        for match in _LOWER_LEAD.finditer(text):
            if known_given(match[1]):
                yield match.span(1)
        for match in _LOWER_SPEECH.finditer(text):
            group = 1 if match[1] else 2
            if known_given(match[group]):
                yield match.span(group)
    for pattern in (_SPEAKER, _LOWER_LINE):
        for match in pattern.finditer(text):
            if known_given(match[1]):
                yield match.span(1)
    if words.isdisjoint(("and", "or")):
        return
    for pattern, word in ((_LOWER_LIST, _LISTED), (_LIST, _LISTED_CAPITAL)):
        for match in pattern.finditer(text):
            named = list(word.finditer(text, *match.span()))
            given = sum(known_given(one[0]) for one in named)
            if given < 2 or (pattern is _LOWER_LIST and 2 * given < len(named)):
                continue
            for one in named:
                if pattern is _LOWER_LIST or plausible_name(one[0]):
                    yield one.span()


def _begins_given(value: str) -> bool:
    """`Mary`, `Mary Well`, `Amber Whitfield`; not `Amber` alone, nor `Angel Investor`."""
    first, *others = value.split()
    return known_given(value) and (first.lower() not in ALSO_THINGS or any(map(open_word, others)))


def repeats(name: str) -> Iterator[str]:
    """Forms under which a person who was named once is likely to be named again in the same document."""
    if re.fullmatch(r"[\u4e00-\u9fff]{3,4}", name):
        yield name
    words = name.split()
    if len(words) < 2:
        return
    yield name
    for word in (words[0], words[-1]):
        if len(word) >= 4 and word[0].isupper() and plausible_name(word) and open_word(word):
            yield word


def bare_start(text: str, start: int, end: int) -> int:
    """The start of a name behind a word such as `ex-Minister`; its end when nothing else is there."""
    value = text[start:end]
    if not value[:1].islower() or value == value.lower() or "-" not in value or _BEGINS_SMALL.match(value):
        return start
    first, gap, _ = value.partition(" ")
    return start + len(first + gap) if "-" in first else start


def bare_end(text: str, start: int, end: int) -> int:
    """The end of a name without the quotation mark or hyphen behind it, as in `('Mary Whitfield', 3)`."""
    return start + len(text[start:end].rstrip("'’-"))


#: behind a name, what is called after the person and names nobody, e.g. ` loss`, `'s law`
_CALLED_AFTER = re.compile(
    r"(?:['’]s)? (?:\w+ )?(?i:laws?|theorem|lemma|equations?|inequality|constant|conjecture)\b"
    r"|[ -](?i:loss|initiali[sz]ation|initiali[sz]er|optimi[sz]er|momentum|noise|distribution|softmax|temperature"
    r"|kernel|numbers|transforms?|filters?|curves?|matrix|matrices|polynomials?|regression|priors?|readout|norm|coefficients?"
    r"|sampling|algorithm|workers?|clusters?)\b"
)
#: the capitalised word behind a name, e.g. ` Airport`
_NEXT = re.compile(r" ([A-Z][a-z]+)\b")


def names_thing(text: str, start: int, end: int) -> bool:
    """Do these words name a place, a body or a thing: `Whig Party`, the first of `Alton Airport`?"""
    words = text[start:end].lower().split()
    if len(words) == 1 and _CALLED_AFTER.match(text, end):
        return True
    if words[0] in GIVEN_NAMES:
        return False
    behind = _NEXT.match(text, end)
    return (len(words) > 1 and words[-1] in HEADS) or bool(behind and behind[1].lower() in HEADS)


def stands_alone(text: str, start: int, end: int) -> bool:
    """Is the span whole words, and no part of a dotted name such as `java.base`?"""
    return whole_word(text, start, end) and not dotted(text, end)


def dotted(text: str, end: int) -> bool:
    """Does a dotted name go on there: `Explorer.exe`?"""
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum()


def whole_word(text: str, start: int, end: int) -> bool:
    """Does the span end at word boundaries? (Chinese has none to check.)"""
    if not text[start].isascii():
        return True
    return not (start and _WORD.match(text[start - 1])) and not (end < len(text) and _WORD.match(text[end]))


#: beside one of these a name is part of an address or a path, e.g. `@`, `/`, `a`
_WORD = re.compile(r"[0-9A-Za-z_@/.\\-](?<![.])")
