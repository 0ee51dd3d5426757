"""Sentences of a data folder in which the teacher looks for names: of sessions, talks, pairs and answers, in English.

Of the sessions the development half alone is read (inputs/reserve.py), and neither pii/ nor the lockbox at all.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inputs.places import session_sets
from inputs.reserve import sessions

from ultron_core.redaction.names.prose import prose_units
from ultron_core.sessions import parse_session

#: sets besides the sessions, below the data folder; what a folder does not have is skipped
SETS = ("retrieval/locomo", "retrieval/memory_bank_en", "pairs/stsb_en")
FOLDERS = ("segmentation", "quality")
#: sentences of one source: a set of logs would be most of them otherwise
MOST = 2_200
#: characters of a message or a field; what comes later repeats it
READ = 20_000
#: lines of one file of FOLDERS
LINES = 3_000
#: characters of a sentence; the teacher's time grows with them
LONGEST = 260
#: Chinese letters in an English sentence
_MOST_HAN = 3
_WORD = re.compile(r"[A-Za-z]{2}")
#: e.g. `Docker`
_CAPITAL = re.compile(r"[A-Z][a-z]{2}")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def collected(data: Path, seed: int = 7) -> list[tuple[str, str]]:
    """(source, sentence), each source's drawn at random, all of them shuffled."""
    chance = random.Random(seed)
    found: dict[str, set[str]] = defaultdict(set)
    for source, text in texts(data):
        found[source].update(english(text[:READ]))
    drawn = []
    for source, units in sorted(found.items()):
        shuffled = sorted(units)
        chance.shuffle(shuffled)
        drawn += [(source, unit) for unit in shuffled[:MOST]]
    chance.shuffle(drawn)
    return drawn


def english(text: str) -> Iterator[str]:
    for found in prose_units(text):
        unit = found.text
        if not _WORD.search(unit) or len(_HAN.findall(unit)) > _MOST_HAN:
            continue
        yield unit if len(unit) <= LONGEST else unit[:LONGEST].rsplit(" ", 1)[0]


def chinese(data: Path, seed: int = 7) -> list[str]:
    """Sentences in Chinese with Latin words, most of them of software, drawn at random."""
    found = set[str]()
    for _, text in texts(data, "zh"):
        for one in prose_units(text[:READ]):
            unit = one.text[:LONGEST]
            if len(_HAN.findall(unit)) > _MOST_HAN and _CAPITAL.search(unit):
                found.add(unit)
    drawn = sorted(found)
    random.Random(seed).shuffle(drawn)
    return drawn[:MOST]


def texts(data: Path, language: str = "en") -> Iterator[tuple[str, str]]:
    """(source, text) of all that is read."""
    yield from _of_sessions(data)
    files = [data / f"{name}.jsonl.gz" for name in SETS] if language == "en" else []
    for folder in FOLDERS:
        files += [
            path
            for path in sorted((data / folder).glob("*.jsonl.gz"))
            if ("zh" in path.name) == (language == "zh")
        ]
    for path in files:
        if path.exists():
            source = f"{path.parent.name}/{path.name.removesuffix('.jsonl.gz')}"
            most = LINES if path.parent.name in FOLDERS else None
            yield from ((source, text) for row in _rows(path, most) for text in _strings(row))


def _of_sessions(data: Path) -> Iterator[tuple[str, str]]:
    reserve = {(str(row["set"]), Path(str(row["file"])).name) for row in sessions(data) if row["reserve"]}
    for part in session_sets(data):
        for file, body in part.files():
            if file.endswith(".jsonl") and (part.name, Path(file).name) not in reserve:
                yield from ((part.name, m.content) for m in parse_session(body).messages if m.content)


def _rows(path: Path, most: int | None) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number == most:
                return
            yield json.loads(line)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)
