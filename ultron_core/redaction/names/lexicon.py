"""Which words are names and which are not: given names, ordinary words, words of software and forms."""

from __future__ import annotations

import re
from importlib.resources import files

__all__ = [
    "ALSO_THINGS",
    "GIVEN_NAMES",
    "HEADS",
    "KNOWN",
    "NOBODY",
    "NOT_NAMES",
    "ORDINARY",
    "SOFTWARE",
    "SURNAMES",
    "known_given",
    "only_ordinary",
    "open_word",
    "plausible_name",
    "words_of",
]


def _listed(name: str) -> frozenset[str]:
    text = files("ultron_core.redaction.names").joinpath(name).read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


#: lower case, as all of these; the heads of the files say where they come from
GIVEN_NAMES = _listed("given_names.txt") | _listed("more_given_names.txt")
#: of these, what logs of agents mean as something else where it stands alone: programs, roles, signs
ALSO_THINGS = frozenset(
    ["aide", "amber", "angel", "atlas", "gemma", "gerrit", "jina", "kimi", "miro", "tilde"]
)
#: surnames, and given names that the lists above do not hold; a sign among others, since many are words as well
SURNAMES = _listed("surnames.txt")
#: words that begin sentences and headings
ORDINARY = _listed("ordinary_words.txt")
#: words of logs and forms that models take for people
NOT_NAMES = _listed("not_names.txt")
SOFTWARE = _listed("software.txt") - GIVEN_NAMES
#: places, peoples, companies, programs and the like; no part of what the network was fitted to
KNOWN = _listed("known_words.txt") | SOFTWARE
#: what ends the name of a place, a body, an event or a thing
HEADS = _listed("heads.txt")
#: more words of the language; no part of what the network was fitted to either
COMMON = _listed("common_words.txt")
NOBODY = ORDINARY | NOT_NAMES | KNOWN | COMMON

#: e.g. `mary`, `o`
_LETTERS = re.compile(r"[^\W\d_]+")
#: what no name holds, e.g. `user_id`, `a/b`, `v2`, `❌ Hardcode`, `Editar⇥Copiar`, `Explorer.exe`
_SIGN = re.compile(r"[\d_]|[^\w .,'’·-]|[a-z]\.\w")
#: a capital inside of a word, e.g. `AgentSession`
_INNER_CAPITAL = re.compile(r"[a-zß-öø-ÿ][A-Z]")
#: an identifier that begins with an acronym, e.g. `MKind`, `HTTPie`
_ACRONYM = re.compile(r"[A-ZÀ-Þ]{2,}[a-zß-ÿ]")
#: surnames may have one, e.g. `McDonald`, `O'Brien`
_PREFIX = re.compile(r"^(?:Mc|Mac|De|Van|Di|La|Le|O['’])")
#: an ending of ordinary words, e.g. `initialize`, `graceful`, `attachment`
_DERIVED = re.compile(
    r"[^\W\d_]{3}(?:tions?|ments?|able|ible|ful|less|ness|iz(?:e|es|ed|er)|ates?|ated|ings?)$"
)
#: a genitive or a contraction at the end, e.g. `Mary's`, `I'll`, `We’ve`
_TAIL = re.compile(r"['’](?:s|m|d|ll|re|ve|t)?$")


def words_of(text: str) -> frozenset[str]:
    """The words of the text in lower case."""
    return frozenset(_LETTERS.findall(text.lower()))


def open_word(word: str) -> bool:
    """Could a capitalised word be part of a name? Not if it is ordinary, of software, an identifier, an acronym."""
    bare = _TAIL.sub("", word)
    low = bare.lower()
    if low in GIVEN_NAMES:
        return not (bare.isupper() and len(bare) <= 3)  # `MIA` is an airport
    if len(bare) < 2 or low in NOBODY or bare.isupper() or _DERIVED.search(low) or _ACRONYM.match(bare):
        return False
    return not _INNER_CAPITAL.search(_PREFIX.sub("", bare))


def only_ordinary(value: str) -> bool:
    """`Arrival`, `Tab`, `Context Checkpoint`: every word of it is one of the language."""
    return not any(open_word(word) for word in re.split(r"[\s-]+", value) if word)


def known_given(value: str) -> bool:
    """Does the value start with a common given name?"""
    return value.split()[0].strip(".,").lower() in GIVEN_NAMES


def plausible_name(value: str) -> bool:
    """Could these words be a name at all? Code, numbers, all capitals and software terms are not."""
    words = value.replace("’s", "").replace("'s", "").split()
    if not 1 <= len(words) <= 5 or not 2 <= len(value) <= 60 or _SIGN.search(value):
        return False
    if any(word.strip(".,'’").lower() in NOT_NAMES for word in words):
        return False
    if value == value.lower():
        return False
    # camelCase is an identifier; McDonald and O'Brien are not
    odd = any(_INNER_CAPITAL.search(_PREFIX.sub("", word)) for word in words)
    return not odd or words[0].lower() in GIVEN_NAMES
