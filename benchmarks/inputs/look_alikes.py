"""Text that looks like a secret and is not one, drawn by seed from real logs and a lock file.

The logs are the half of the shared sessions that rules are made on.

Kinds: camelCase identifiers, versions, file names and paths, hashes, UUIDs, ids, lines of code that name a secret,
prose about secrets, lines of `uv.lock`. Each comes with up to 80 characters of its line on either side.
"""

from __future__ import annotations

import json
import random
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

from inputs.reserve import in_reserve, sessions

from ultron_core.transcript.actions import argument_strings

KINDS = {
    "camel case": re.compile(r"\b[a-z]+(?:[A-Z][a-z0-9]+){2,}\b"),
    "version": re.compile(r"\b\d+\.\d+\.\d+(?:[-.+][\w.]+)?\b"),
    "file": re.compile(r"[\w./-]{8,80}\.(?:py|ts|tsx|js|json|md|go|rs|toml|ya?ml|lock|html|css)\b"),
    "hash": re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,64}\b"),
    "uuid": re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
    "id": re.compile(r"\b(?:call|toolu|msg|req|chatcmpl|resp|item|run|sess)_?[A-Za-z0-9-]{12,60}\b"),
    "code that names a secret": re.compile(
        r"(?i)\b[\w.]*(?:token|password|secret|api_?key|auth|credential|cookie)\w*\s*[:=(]\s*\S+"
    ),
    "prose about secrets": re.compile(
        r"(?i)\b(?:token|password|secret|api key|credential|authorization)s? \w+ \w+"
    ),
    "long word": re.compile(r"[A-Za-z0-9_-]{20,120}"),
}
#: values of the logs that are secrets after all, read and left out: generated passwords, tokens of web pages
REAL = re.compile(r"(?i)csrf-token|OriginTrialToken|password\\?\"\s*:|新密码是|your new password|jsessionid=")


def look_alikes(data: Path, lock: Path, count: int, seed: int = 13) -> list[tuple[str, str]]:
    """`count` pairs of kind and text, as many of each kind as there are, up to an equal share."""
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for text in _texts(data / "sessions"):
        for kind, pattern in KINDS.items():
            for match in list(pattern.finditer(text))[:20]:
                line = _line(text, *match.span())
                if not REAL.search(line):
                    found[kind].add(line)
    rng = random.Random(seed)
    drawn = [
        ("lock file", line)
        for line in rng.sample(sorted(set(lock.read_text("utf-8").splitlines())), count // 10)
    ]
    share = (count - len(drawn)) // len(found) + 1
    for kind in sorted(found, key=lambda kind: len(found[kind])):
        lines = sorted(found[kind])
        drawn += [(kind, line) for line in rng.sample(lines, min(share, len(lines)))]
    rest = sorted(line for kind in ("hash", "file", "long word") for line in found[kind])
    while len(drawn) < count:
        drawn.append(("more", rest[rng.randrange(len(rest))]))
    return drawn[:count]


def _line(text: str, start: int, end: int) -> str:
    """The match in its line, cut to 80 characters on either side, at spaces."""
    left = text[max(0, start - 80) : start].split("\n")[-1]
    right = text[end : end + 80].split("\n")[0]
    left = left.partition(" ")[2] if len(left) == 80 else left
    right = right.rpartition(" ")[0] if len(right) == 80 else right
    return left + text[start:end] + right


def _texts(folder: Path) -> Iterator[str]:
    wanted: dict[str, set[str]] = {}
    for row in sessions(folder.parent):
        if not in_reserve(str(row["set"]), str(row["task"])):
            wanted.setdefault(str(row["set"]), set()).add(str(row["file"]))
    for source, names in sorted(wanted.items()):
        with tarfile.open(folder / f"{source}.tar.gz") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.name in names else None
                for line in file.read().decode("utf-8", "replace").splitlines() if file else ():
                    try:
                        yield from argument_strings(json.loads(line))
                    except ValueError:
                        yield line
