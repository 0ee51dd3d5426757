"""What a command installs, and whether the words around it name that: `No module named 'yaml'` names PyYAML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ultron_core.transcript.hazards.spoken import Said, spoken
from ultron_core.transcript.hazards.words import program_of

__all__ = ["names_in", "replaced", "unnamed"]

_PIP = ("install",)
#: the verbs behind which a tool is told what to install
_VERBS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        [
            "pip",
            "pip3",
            "pipx",
            "gem",
            "apt",
            "apt-get",
            "aptitude",
            "yum",
            "dnf",
            "brew",
            "snap",
            "choco",
            "winget",
            "scoop",
            "luarocks",
            "cpanm",
        ],
        _PIP,
    ),
    **dict.fromkeys(["conda", "mamba", "micromamba"], _PIP),
    **dict.fromkeys(["npm", "pnpm", "bun"], ("install", "i", "add")),
    **dict.fromkeys(["yarn", "poetry", "pdm", "rye", "apk"], ("add",)),
    "uv": ("add", "install"),
    "cargo": ("install", "add"),
    "go": ("install", "get"),
    "composer": ("require",),
    "dotnet": ("package",),
    "code": ("--install-extension",),
    "claude": ("mcp",),
    "pacman": ("-S", "-Sy", "-Syu"),
    "cpan": (),
}
#: flags whose value is no package, e.g. `-r requirements.txt`, `--python 3.12`
_VALUED = frozenset(
    [
        "-r",
        "--requirement",
        "-c",
        "--constraint",
        "-e",
        "--editable",
        "-t",
        "--target",
        "--python",
        "-p",
        "--prefix",
        "--group",
        "-G",
        "--extra",
        "-C",
        "--cwd",
        "-n",
        "--name",
        "-i",
        "--index-url",
        "--extra-index-url",
        "--index",
        "--default-index",
        "--registry",
        "--trusted-host",
        "--features",
        "-F",
        "--dir",
        "--filter",
        "-w",
        "--workspace",
        "--version",
        "-v",
        "--channel",
        "--path",
        "--proxy",
        "--find-links",
        "-f",
    ]
)
#: distributions that are called otherwise than what they are imported as
_CALLED = {
    "yaml": "pyyaml", "cv2": "opencv-python opencv-python-headless", "pil": "pillow", "sklearn": "scikit-learn",
    "skimage": "scikit-image", "bs4": "beautifulsoup4", "dotenv": "python-dotenv", "dateutil": "python-dateutil",
    "crypto": "pycryptodome", "git": "gitpython", "jwt": "pyjwt", "serial": "pyserial", "attr": "attrs", "usb": "pyusb",
    "psycopg2": "psycopg2-binary", "psycopg": "psycopg-binary", "mysqldb": "mysqlclient", "pkg_resources": "setuptools",
    "docx": "python-docx", "pptx": "python-pptx", "fitz": "pymupdf", "magic": "python-magic", "win32api": "pywin32",
    "openssl": "pyopenssl", "zmq": "pyzmq", "nacl": "pynacl", "ldap": "python-ldap",
    "levenshtein": "python-levenshtein",
    "jose": "python-jose", "multipart": "python-multipart", "slugify": "python-slugify",
    "telegram": "python-telegram-bot",
    "discord": "discord.py", "gi": "pygobject", "google.protobuf": "protobuf", "distutils": "setuptools",
}  # fmt: skip
#: where the sentence around a command goes on, e.g. `run pip install lxml to fix it`
_PROSE = frozenset(
    [
        "to",
        "and",
        "then",
        "in",
        "for",
        "first",
        "before",
        "after",
        "again",
        "with",
        "from",
        "on",
        "at",
        "so",
        "if",
        "when",
        "instead",
        "which",
        "that",
        "as",
        "because",
        "or",
        "but",
        "is",
        "was",
        "it",
    ]
)
#: a word that a package may be called by, e.g. `@scope/name`, `scikit-learn`, `github.com/a/b`
_WORD = re.compile(r"@?[A-Za-z0-9](?:[\w./+-]*[A-Za-z0-9_+])?")
#: e.g. `requests[socks]>=2,<3`, `lodash@4.17.21`, `serde@1`
_VERSION = re.compile(r"(?<=.)(?:@(?!.*/)|\[|[=<>!~]=?|;).*$")
#: the word is not a package: a file, a folder, what is built here, e.g. `.`, `./app`, `../x`, `dist/a.whl`
_LOCAL = re.compile(r"\.{1,2}(?:[/\[].*)?|~?/.*|\S+\.(?:txt|toml|whl|json|lock|ya?ml|deb|rpm|tgz)|[\w-]+/")


#: what a failing program says is not there, e.g. `Could not resolve "date-fns"`, `No module named 'yaml'`,
#: `Cannot find module 'x'`, `unresolved import `serde``, `no required module provides package github.com/a/b`
_MISSING = re.compile(
    r"(?:could not (?:resolve|find)|can(?:not|['’]t) (?:find|resolve)|no|unable to (?:find|resolve)|failed to resolve|"
    r"unresolved|not found:|missing|undeclared|no required|no matching)"
    r"(?: (?:module|package|import|crate|gem|dependency|file to load|load such file|type or module|entry|distribution|"
    r"provides|for|found|name|named|use of|or|crate or module)){0,5}(?: --)?:?\s*[\"'`]?(@?[A-Za-z][\w./@-]{2,80}\w)",
    re.IGNORECASE,
)
#: what code takes in, e.g. `from 'date-fns'`, `import requests`, `require("yaml")`, `use serde`
_TAKEN_IN = re.compile(
    r"\b(?:from|import|require|use|extern crate)\b\s*[(]?\s*[\"'`]?(@?[A-Za-z][\w./-]{2,80}\w)", re.IGNORECASE
)
#: letters of a name below which one that is near means nothing, and by how many two differ that are taken for alike
_LEAST_ALIKE, _MOST_APART = 5, 2


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """The words of the texts, as packages are compared, without the command lines that install something."""
    found: set[str] = set()
    for text in texts:
        rest = text
        for said in spoken(text):
            if any(_installed(words) for words in said.commands):
                rest = rest.replace(said.raw, " ")
        for word in _WORD.findall(rest):
            found.add(_same(word))
            # `requests.exceptions` names requests, `tests/yaml` nothing that is installed
            if "/" not in word:
                found.add(_same(word.split(".")[0]))
    return frozenset(found | {_same(name) for word in found for name in _CALLED.get(word, "").split()})


def unnamed(said: Said, named: frozenset[str]) -> list[str]:
    """The packages that a command line installs and nothing names."""
    packages = [package for words in said.commands for package in _installed(words)]
    return [one for one in packages if "://" in one or one.startswith("git+") or not _is_named(one, named)]


def replaced(texts: Sequence[str]) -> list[str]:
    """The packages that are installed, or taken in by code, in place of one that is missing and called nearly so."""
    missing = {
        name.split(".")[0] if "/" not in name else name
        for text in texts
        for name in map(str.casefold, _MISSING.findall(text))
        if not _LOCAL.fullmatch(name)
    }
    if not missing:
        return []
    given = {name.casefold() for text in texts for name in _TAKEN_IN.findall(text)}
    for text in texts:
        for said in spoken(text):
            given.update(
                _VERSION.sub("", one).casefold() for words in said.commands for one in _installed(words)
            )
    known = {name for one in missing for name in (_same(one), *_CALLED.get(one, "").split())}
    return sorted(
        one
        for one in given
        if _same(one) not in known and any(_are_alike(_same(one), name) for name in known)
    )


def _are_alike(one: str, other: str) -> bool:
    """Whether two names differ by a slip of a letter or two, and not by what stands beside a dash."""
    if min(len(one), len(other)) < _LEAST_ALIKE or abs(len(one) - len(other)) > _MOST_APART:
        return False
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        last, row[0] = row[0], at
        for place, found in enumerate(other, 1):
            last, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, last + (letter != found))
    return row[-1] <= _MOST_APART


def _is_named(package: str, named: frozenset[str]) -> bool:
    bare = _VERSION.sub("", package)
    # stubs lie in a scope that is kept for them
    plain = _same(bare.removeprefix("@types/"))
    return plain in named or plain.removeprefix("types-") in named


def _same(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.casefold().rstrip(".")) if "/" not in name else name.casefold()


def _installed(words: Sequence[str]) -> Iterator[str]:
    name, arguments = program_of(words)
    if name.startswith("python") and arguments[:2] == ["-m", "pip"]:
        name, arguments = "pip", arguments[2:]
    verbs = _VERBS.get(name)
    if verbs is None:
        return
    at = next((place for place, word in enumerate(arguments) if word in verbs), None)
    if at is None:
        return
    skip = False
    for word in arguments[at + 1 :]:
        if skip or word.startswith("-"):
            skip = not skip and word in _VALUED
        elif (
            word in _PROSE
            or word in (">", "2>", "<", ">>")
            or (not re.match(r"[@A-Za-z]", word) and "://" not in word)
        ):
            return
        elif not _LOCAL.fullmatch(word):
            yield word
