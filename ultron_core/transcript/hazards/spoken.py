"""Commands as they stand in prose, in backticks or among Chinese words: split as a shell splits them."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Said", "plain", "spoken"]

#: programs whose commands are judged; a path before one and `sudo` are part of it, e.g. `/usr/bin/curl`, `rm`
_PROGRAMS = """
curl wget fetch http https aria2c iwr irm Invoke-WebRequest Invoke-RestMethod nc ncat netcat socat base64 echo
printf cat xxd openssl sh bash zsh dash ksh fish source eval iex pwsh powershell python python3 node perl ruby
php deno env printenv rm rmdir rd del shred mkfs dd truncate find unlink Remove-Item git gh glab docker podman
kubectl helm terraform tofu pulumi aws gcloud az heroku dropdb redis-cli psql mysql sqlite3 mongo mongosh
crontab chmod chown setenforce ufw iptables nft systemctl service launchctl csrutil spctl netsh Set-MpPreference
Set-ExecutionPolicy ssh scp ssh-copy-id visudo usermod sudo pip pip3 pipx uv uvx poetry pdm rye conda mamba
micromamba npm npx pnpm yarn bun bunx cargo gem go apt apt-get aptitude yum dnf apk pacman brew snap choco
winget scoop composer dotnet luarocks cpan cpanm add-apt-repository apt-add-repository code claude codex gemini
cursor-agent aider export setx
"""
#: one of them where a command begins, e.g. `/usr/bin/curl `
_PROGRAM = re.compile(
    r"(?<![\w@.-])(?:[~.]?/[\w./-]{0,100}/)?("
    + "|".join(sorted(map(re.escape, _PROGRAMS.split()), key=len, reverse=True))
    + r"|mkfs\.\w+)(?=[\s`'\"|;&)]|$)"
)
#: where a command ends in prose: `run X. Then`, `先运行 X。`
_END = re.compile(r"[。；！？\n]|(?<=[\w`'\")/])[.!?](?=\s+[A-Z])|(?<=[`\w])[.!?]?$")
#: what joins commands, e.g. `a && b`, `a; b`
_NEXT = frozenset((";", "&&", "||", "&", "\n", "(", ")", "<(", ">(", "|&"))
#: invisible characters that hide a word from whoever looks for it, e.g. "\u200b"
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
#: Cyrillic and Greek letters that look like Latin ones
_ALIKE = str.maketrans("аеорсухіјѕԁһԛԝкмтԍνοαρ", "aeopcyxijsdhqwkmtgvoap")
#: a word, which may be in two scripts, e.g. `сurl` with a Cyrillic first letter
_WORD = re.compile(r"\w+")
#: e.g. `a`, and a Cyrillic or Greek letter, e.g. `д`
_LATIN, _OTHER = re.compile(r"[A-Za-z]"), re.compile("[\u0370-\u052f]")
#: characters of a command that are read
_MOST = 2_000
#: commands of one text that are judged
_MOST_COMMANDS = 200


@dataclass(frozen=True, slots=True)
class Said:
    """A command line in a text: where it begins, its words, and its pipelines as lists of words."""

    start: int
    raw: str
    pipelines: tuple[tuple[tuple[str, ...], ...], ...]

    @property
    def commands(self) -> Iterator[tuple[str, ...]]:
        for pipeline in self.pipelines:
            yield from pipeline


def plain(text: str) -> str:
    """The text as it reads: in one form of each letter, without what is not seen, with broken lines joined."""
    shown = _HIDDEN.sub("", unicodedata.normalize("NFKC", text)).replace("\\\n", " ")
    return _WORD.sub(_in_latin, shown) if _OTHER.search(shown) else shown


def _in_latin(found: re.Match[str]) -> str:
    mixed = _LATIN.search(found[0]) and _OTHER.search(found[0])
    return found[0].translate(_ALIKE) if mixed else found[0]


def spoken(text: str) -> Iterator[Said]:
    """The command lines of a plain text; one that begins within another is part of that."""
    done = -1
    for number, found in enumerate(_PROGRAM.finditer(text)):
        if number >= _MOST_COMMANDS:
            return
        if found.start() < done:
            continue
        raw = _line(text, found.start())
        done = found.start() + len(raw)
        yield Said(found.start(), raw, _pipelines(raw))


def _line(text: str, start: int) -> str:
    """From the program to where its line, its backticks or its sentence ends."""
    line = text[start : start + _MOST]
    before = text[max(0, text.rfind("\n", 0, start)) : start]
    if before.count("`") % 2:  # within backticks
        return line.split("`", 1)[0]
    end = _END.search(line)
    return line[: end.start() if end and end.start() else len(line)]


def _pipelines(raw: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    pipelines: list[list[list[str]]] = [[[]]]
    for word in _words(raw):
        if word in _NEXT:
            pipelines.append([[]])
        elif word == "|":
            pipelines[-1].append([])
        else:
            pipelines[-1][-1].append(word)
    told = (tuple(tuple(part) for part in one if part) for one in pipelines)
    return tuple(one for one in told if one)


def _words(raw: str) -> list[str]:
    spaced = re.sub("[，、：]", " ", raw)
    for text in (spaced, re.sub("[\"'`]", " ", spaced)):  # an apostrophe of prose opens no quotation
        lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&\n")
        lexer.whitespace_split, lexer.commenters = True, ""
        try:
            return list(lexer)
        except ValueError:
            continue
    return spaced.split()
