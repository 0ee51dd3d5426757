"""In which repositories each pattern fires: one that fires in a single one knows that data set, not the language.

    python benchmarks/audits/patterns.py [--data DIR] [--sessions N]

Takes every regular expression that a module of the rules compiles at its top level, splits it at its alternatives,
and runs each over the messages and call arguments of every session set of DIR, archives or folders (at most N
sessions a set, the first 4,000 characters of a message). One line for each alternative:
`module`, `name`, `pattern`, and `repositories` with the number of messages it fires in. A repository is
where the logs were made: both wire formats of tau-bench, both MINT and both InterCode sets and both Glaive sets are
one each; the two HotpotQA sets, made by different projects, stay two although they share questions.
tests/core/test_patterns.py holds the exceptions to "fires in two repositories or more" against this output.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import ultron_core
from ultron_core.models import Message
from ultron_core.sessions import parse_session

#: packages whose patterns decide something about what a log says
PACKAGES = ("transcript", "labels", "segments", "memories", "lessons", "sessions")
#: word classes there are inputs of fitted models: their coefficients decide, and leaving a repository out measures them
FITTED = ("ultron_core.transcript.acts",)
#: set -> repository, where several sets are of one
REPOSITORIES = {
    "tau_airline_openai": "tau-bench",
    "tau_airline_anthropic": "tau-bench",
    "mint_code": "mint",
    "mint_alfworld": "mint",
    "intercode_bash": "intercode",
    "intercode_sql": "intercode",
    "glaive_toolcall_en": "glaive",
    "glaive_toolcall_zh": "glaive",
    "airline-support": "tau-bench",
    "assistant": "glaive",
    "assistant-zh": "glaive",
    "aider": "aider_swebench_lite",
    "hotpot-react": "reflexion_hotpot_react",
    "multi-agent": "who_and_when_failures",
    "swe-agent": "swe_agent_traj",
    "pi": "pi_coding_agent",
    "codex": "codex",
    "claude-code": "claude_code_spotter",
}
#: sets that were written for tests, or put together from several repositories
NOT_LOGS = ("stage0_fixtures", "mixed")
_CHARS = 4_000
#: what may stand before and after the one group of a word list, as in `\b(?:a|b)\b`
_EDGES = re.compile(r"(?:\\b|\^|\$|\\s\*|\\s\+|\\W\*)*")


@dataclass(frozen=True)
class Pattern:
    """One alternative of a compiled expression."""

    module: str
    name: str
    text: str
    compiled: re.Pattern[str]


def patterns() -> Iterator[Pattern]:
    """Every alternative of every expression at the top level of a module, in order; each expression once."""
    seen: set[tuple[str, int]] = set()
    for module in _modules():
        for name, value in vars(importlib.import_module(module)).items():
            for part, expression in _expressions(name, value):
                mark = (expression.pattern, expression.flags)
                if mark in seen:
                    continue
                seen.add(mark)
                for text in alternatives(expression.pattern):
                    yield Pattern(module, part, text, re.compile(text, expression.flags))


def alternatives(pattern: str) -> list[str]:
    """The pattern split at its alternatives; a word list such as `\\b(?:a|b)\\b` gives `\\ba\\b` and `\\bb\\b`."""
    pieces = split(pattern)
    if len(pieces) > 1:
        return [text for piece in pieces for text in alternatives(piece)]
    before, inner, after = _only_group(pattern)
    if not inner or len(split(inner)) == 1:
        return [pattern] if not inner or before or after else alternatives(inner)
    return [f"{before}{piece}{after}" for piece in split(inner)]


def split(pattern: str) -> list[str]:
    """The pattern at its top-level bars; escapes, classes and groups are left whole."""
    bars = [place for place, depth in _depths(pattern) if pattern[place] == "|" and not depth]
    return [pattern[a + 1 : b] for a, b in pairwise([-1, *bars, len(pattern)])]


def _depths(pattern: str) -> Iterator[tuple[int, int]]:
    """(place, depth of groups behind it) for each bracket and bar that is neither escaped nor in a class."""
    depth, place, in_class = 0, 0, False
    while place < len(pattern):
        char = pattern[place]
        if char == "\\":
            place += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            place += pattern[place + 1 : place + 2] == "^"
            place += pattern[place + 1 : place + 2] == "]"
        elif char in "()|":
            depth += {"(": 1, ")": -1, "|": 0}[char]
            yield place, depth
        place += 1


def repositories(data: Path, most: int) -> Iterator[tuple[str, list[str]]]:
    """(repository, texts) for each session set of a folder, an archive or a folder of its own."""
    for place in sorted((data / "sessions").iterdir()):
        name = place.name.removesuffix(".tar.gz")
        if name in NOT_LOGS or not (place.is_dir() or place.name.endswith(".tar.gz")):
            continue
        with tempfile.TemporaryDirectory() as folder:
            if place.is_file():
                with tarfile.open(place) as packed:
                    packed.extractall(folder, filter="data")
            yield REPOSITORIES.get(name, name), list(_texts(place if place.is_dir() else Path(folder), most))


def count(found: Iterable[Pattern], read: Iterable[tuple[str, list[str]]]) -> Iterator[dict[str, object]]:
    """One row for each pattern, with the repositories it fires in."""
    texts: dict[str, list[str]] = {}
    for repository, more in read:
        texts.setdefault(repository, []).extend(more)
    for pattern in found:
        fires = Counter(
            {name: sum(bool(pattern.compiled.search(t)) for t in own) for name, own in texts.items()}
        )
        yield {
            "module": pattern.module,
            "name": pattern.name,
            "pattern": pattern.text,
            "repositories": {name: number for name, number in fires.items() if number},
        }


def _modules() -> Iterator[str]:
    for package in PACKAGES:
        root = f"{ultron_core.__name__}.{package}"
        if importlib.util.find_spec(root) is None:
            continue
        module = importlib.import_module(root)
        yield root
        for info in pkgutil.walk_packages(module.__path__, f"{root}."):
            if not info.name.startswith(FITTED):
                yield info.name


def _expressions(name: str, value: object) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Compiled expressions in a value and in what it contains, each with the name of its place."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _expressions(f"{name}.{key}", inner)
    elif isinstance(value, tuple | list):
        for place, inner in enumerate(value):
            yield from _expressions(f"{name}.{place}", inner)


def _only_group(pattern: str) -> tuple[str, str, str]:
    """(before, inside, after) when the pattern is one group between edges such as `\\b`; else three empty texts."""
    head = _EDGES.match(pattern)
    before = head.group() if head else ""
    rest = pattern[len(before) :]
    if not rest.startswith("(?:"):
        return "", "", ""
    end = next(place for place, depth in _depths(rest) if not depth)
    after = rest[end + 1 :]
    return (before, rest[3:end], after) if _EDGES.fullmatch(after) else ("", "", "")


def _texts(folder: Path, most: int) -> Iterator[str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in files[:most]:
        for message in parse_session(path).messages:
            yield from _parts(message)


def _parts(message: Message) -> Iterator[str]:
    if message.content:
        yield message.content[:_CHARS]
    for call in message.tool_calls:
        yield call.name
        yield json.dumps(call.arguments, ensure_ascii=False, default=str)[:_CHARS]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(os.environ.get("ULTRON_BENCH_DATA", "examples"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--sessions", type=int, default=20, help="sessions of each set")
    args = parser.parse_args()
    for row in count(patterns(), repositories(args.data, args.sessions)):
        print(json.dumps(row))  # a pattern may hold a lone surrogate, which is not UTF-8


if __name__ == "__main__":
    main()
