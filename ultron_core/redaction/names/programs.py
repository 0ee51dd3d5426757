"""Words of programs that look like names: by how a text writes or uses them, in any place of it."""

from __future__ import annotations

import re

from ultron_core.redaction.names.lexicon import GIVEN_NAMES, SURNAMES

__all__ = ["code_word", "stranger", "told_as_software", "used_in_code"]

#: what stands behind a word of a program, e.g. `(x`, `<void`, `::`
_CALLED = re.compile(r"[(<\[]\S|::")
#: before an atom of Elixir or Ruby, e.g. `[:`, ` :`
_ATOM = re.compile(r"(?:^|[\s,(\[{]):$")
#: words that introduce a word of a program, e.g. `import`, `class`
_DECLARES = r"(?:import|class|extends|implements|struct|interface|enum|trait|isinstance\(\w+,)"
#: characters before a word that tell what is done with it
_BEFORE = 40
#: what a program is handled with, e.g. `npm install `, `import `, `node_modules/`, "`"
_HANDLED = re.compile(
    r"(?:\b(?:pip3?|npm|npx|pnpm|yarn|bun|brew|cargo|gem|uv|poetry|conda|composer|docker|apt(?:-get)?|go|helm)"
    r" (?:install|add|i|get|pull|run|require|create|exec|dlx|init) (?:-\S{1,20} )?"
    r"|\b(?:import|require) ?[('\"{]{0,2}|\bfrom ['\"]|(?:node_modules|site-packages|packages)/|`)$"
)
#: what follows the name of a program, e.g. `.js`, `@5`, `>=2`, ` v3`, ` 3.2`, `": "^1.2`
_TOLD = re.compile(
    r"\.(?:js|ts|py|rs|io|dev|toml|ya?ml|json|config|conf|lock)\b|@[\^~]?\d|[=~>]=\d| v\d| \d+\.\d|\": \"[\^~]?\d+\."
)
#: letters of a single word that is a name
_SHORTEST = 3


def code_word(text: str, start: int, end: int) -> bool:
    """Is this one word of a program: `Promise<void>`, `:jason`, or too short for a name: `Eq`?"""
    if " " in text[start:end]:
        return False
    atom = text[start].islower() and _ATOM.search(text[max(0, start - 2) : start])
    return bool(end - start < _SHORTEST or atom or _CALLED.match(text, end))


def used_in_code(text: str, word: str) -> bool:
    """Does the text use the capitalised word as code does, in any place: `Piecewise(`, `import Piecewise`?"""
    if " " in word or word.lower() in GIVEN_NAMES or not word.isascii() or not word.isalpha():
        return False
    used = rf"\b{word}(?:\(\w|<[\w{{]|::|\.\w+\()|\b{_DECLARES} {word}\b"
    return bool(re.search(used, text))


def told_as_software(text: str, word: str) -> bool:
    """Is this word that no list of names holds installed, imported, quoted as code or told with a version in any place:
    `npm i kubeflow`? Prose can look like that too ("go get Wojtaszek a chair"), so ask it of no person whom the text
    introduces."""
    if not (word.isascii() and stranger(word)):
        return False
    for form in (word, word.lower()):
        at = text.find(form)
        while at >= 0:
            end = at + len(form)
            whole = not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum())
            if whole and (_HANDLED.search(text[max(0, at - _BEFORE) : at]) or _TOLD.match(text, end)):
                return True
            at = text.find(form, end)
    return False


def stranger(value: str) -> bool:
    """Is it one word with a capital that no list of names holds: `Kubeflow`, or a rare surname?"""
    low = value.lower()
    return value.isalpha() and value[0].isupper() and low not in GIVEN_NAMES and low not in SURNAMES
