"""How often the name of a program is hidden as a person's, and how often a person's is, in the same sentences.

    python benchmarks/audits/programs.py [--show NAMES]

Names and sentences are those of `gold/programs.json`, and the packages of uv.lock. Of the sentences some fit a program
and a person alike (`either`), some only one of them. Programs are split by a hash: rules and weights are made with the
development half in view, the test half is counted and never read name by name. `listed` are those that a list of
`redaction/names` holds, so that only the others say what happens to software that nobody wrote down; programs called
as people are (`also_people`) are counted apart. One line for each group, language and kind of sentence: how many, and
the share hidden. `--show` names the development names of one group that are hidden most, e.g. `programs`.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.places import ROOT, arguments
from training.names.lists import held_out_program

from ultron_core.models import Redaction
from ultron_core.redaction import redact_texts
from ultron_core.redaction.names.lexicon import NOBODY

GOLD = ROOT / "benchmarks" / "gold" / "programs.json"
LOCK = ROOT / "uv.lock"
#: of each group that is shown
_SHOWN = 40
_FEWEST_LETTERS = 4
_PEOPLE = ("given", "last", "full", "full_zh")


@dataclass(frozen=True)
class Name:
    group: str
    text: str
    #: of programs: `development` or `test`
    half: str = ""
    #: of programs: whether one of the lists holds it
    listed: bool | None = None


@dataclass(frozen=True)
class Asked:
    """One name in one sentence."""

    name: Name
    language: str
    kind: str
    text: str
    start: int

    def hidden(self, redaction: Redaction) -> bool:
        """Is half of the name, or more, taken for a person?"""
        end = self.start + len(self.name.text)
        return any(
            2 * (min(found.end, end) - max(found.start, self.start)) >= len(self.name.text)
            for found in redaction.findings
            if found.entity == "PERSON"
        )


def half_of(name: str) -> str:
    return "test" if held_out_program(name) else "development"


def names(gold: dict[str, Any], packages: Sequence[str]) -> Iterator[Name]:
    """All that are asked about, each once."""
    for word in gold["programs"]:
        yield _program("programs", word, half_of(word))
    for word in gold["programs_zh"]:
        yield _program("programs_zh", word, half_of(word))
    for word in gold["also_people"]:
        yield Name("also_people", word)
    written = {word.lower() for word in (*gold["programs"], *gold["also_people"])}
    for package in sorted(set(packages) - written):
        plain = package.isalpha() and len(package) >= _FEWEST_LETTERS
        yield _program("packages" if plain else "packages_compound", package)
        if plain:
            yield _program("packages_capital", package.capitalize())
    for group in _PEOPLE:
        yield from (Name(group, word) for word in gold[group])


def _program(group: str, word: str, half: str = "") -> Name:
    return Name(group, word, half, word.lower() in NOBODY)


def packages_of(lock: Path) -> list[str]:
    return sorted({package["name"] for package in tomllib.loads(lock.read_text("utf-8"))["package"]})


def asked(all_names: Sequence[Name], frames: dict[str, dict[str, list[str]]]) -> Iterator[Asked]:
    for name in all_names:
        for language, kinds in frames.items():
            # a Chinese name does not stand in an English sentence
            if language == "en" and not name.text.isascii():
                continue
            for kind, sentences in kinds.items():
                for frame in sentences:
                    yield Asked(name, language, kind, frame.format(name.text), frame.index("{}"))


def rows(every: Sequence[Asked], hidden: Sequence[bool]) -> Iterator[dict[str, object]]:
    """The share hidden of each group, by language and kind of sentence, listed ones apart."""
    number: Counter[tuple[Any, ...]] = Counter()
    lost: Counter[tuple[Any, ...]] = Counter()
    for one, gone in zip(every, hidden, strict=True):
        for kind in (one.kind, "all"):
            key = (one.name.group, one.name.half, one.name.listed, one.language, kind)
            number[key] += 1
            lost[key] += gone
    for key in sorted(number, key=str):
        group, half, listed, language, kind = key
        row: dict[str, object] = {"group": group, "language": language, "kind": kind}
        if half:
            row["half"] = half
        if listed is not None:
            row["listed"] = listed
        yield {**row, "n": number[key], "hidden": round(lost[key] / number[key], 4)}


def shown(group: str, every: Sequence[Asked], hidden: Sequence[bool]) -> list[tuple[str, int]]:
    """The names of a group hidden most often; never those of the test half."""
    gone = Counter(
        one.name.text
        for one, lost in zip(every, hidden, strict=True)
        if lost and one.name.group == group and one.name.half != "test" and one.kind != "person"
    )
    return gone.most_common(_SHOWN)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--show", default="", metavar="GROUP")
    args = parser.parse_args()
    gold: dict[str, Any] = json.loads(GOLD.read_text("utf-8"))
    every = list(asked(list(names(gold, packages_of(LOCK))), gold["frames"]))
    found = redact_texts([one.text for one in every])
    hidden = [one.hidden(redaction) for one, redaction in zip(every, found, strict=True)]
    for row in rows(every, hidden):
        say(row)
    if args.show:
        say({"group": args.show, "hidden_most": shown(args.show, every, hidden)})


def say(row: dict[str, object]) -> None:
    print(json.dumps({"benchmark": "programs", **row}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
