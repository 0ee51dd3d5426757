"""How a project's changes are checked: the tests, linters, type checks and builds that ran and worked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ultron_core.lessons.describe import EDIT, core_command, edited_path, path_of
from ultron_core.lessons.errors.same_check import is_proof
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, named_command
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import one_line

__all__ = ["find_habits", "is_check"]

#: commands that check a change, by what they check: "mix test", "npm run check", "golangci-lint run", "go build"
_KINDS = {
    "tests": re.compile(
        r"\b(?:tests?|pytest|vitest|jest|phpunit|rspec|ctest|tox|nox|runtests|unittest|playwright)\b"
    ),
    "check": re.compile(
        r"\b(?:check|lint|\w+-lint|credo|typecheck|type-check|tsc|tsgo|mypy|ruff|eslint|clippy|vet|verify|dialyzer|"
        r"flake8|biome|pre-commit)\b"
    ),
    "build": re.compile(r"\b(?:build|compile)\b"),
}
#: commands that only name one of these words: "git commit -m 'fix tests'", "cat test.py", "mkdir build"
_OTHER = re.compile(
    r"^(?:git|gh|cat|ls|grep|rg|find|head|tail|sed|awk|echo|rm|mv|cp|mkdir|touch|cd|which|man|test|docker|kill|bd|"
    r"curl|pip3?|apt(?:-get)?|chmod|diff|wc|\w+ (?:install|add|i|ci))\b"
)
#: programs whose first operand is what they run, e.g. `python3.11`, `node`
_RUNNERS = re.compile(r"(?:python|node|ruby|bash|sh|perl|deno|bun|php)[\d.]*")
#: "tests/test_a.py::test_b", "src/x.ts", "a.b.test_c": what was checked this time; "./..." is all of it
_PLACE = re.compile(r"(?:[\w.@~-]*/)+[\w.@:*-]*|\S+\.\w{1,5}(?:::\S*)?|\S*::\S+|(?:\w+\.)+\w+")
_ALL = ("./...", "...", ".")
#: options whose value selects tests
_SELECTS = ("-k", "-run", "-t", "--filter", "--grep", "--testNamePattern", "--only", "--seed")
#: options that say how much is printed
_PRINTING = ("-v", "-vv", "-q", "-s", "-x", "-rA", "--verbose", "--quiet", "--tb", "--no-header", "-count")
#: options whose value leaves a plugin out, e.g. `pytest -p no:cacheprovider`
_WITHOUT = re.compile(r"\s-p no:\S+")
#: a command begins with a program: "mix", "./run.sh"; what a person calls a step does not: "Run the linter"
_PROGRAM = re.compile(r"[a-z0-9_.~/-]{1,400}(?:\s|$)")
#: what anybody would type first in a project of that language: alone it says nothing of this one
_USUAL = frozenset(
    ("go test ./...", "go build ./...", "go vet ./...", "pytest", "python -m pytest", "npm test", "npm run test",
     "npm run build", "cargo test", "cargo build", "mix test", "mvn test", "python -m unittest")
)  # fmt: skip
#: an environment of one machine: "conda run -n py39 pytest", "timeout 60 go test"
_WRAPPER = re.compile(
    r"^(?:(?:conda run|micromamba run)(?: -{1,2}\S+(?: (?!-)\S+)?)* +(?=\S)|timeout \S+ |time |sudo )+"
)
#: what only a part of a script holds, e.g. `$(pwd)`, `a | b`
_ODD = re.compile(r"[<>$…|`\"'(){}]")
#: a longer command is a program for one occasion
_MAX_COMMAND = 90
#: commands of one project that are told
_MOST = 4
#: a compound line has its parts told apart, e.g. `gofmt -w . && go build ./... && go test ./...`
_PARTS = re.compile(r"\s{0,80}(?:&&|;|\n)\s*")


@dataclass(frozen=True, slots=True)
class _Check:
    """A command as it is run in general; `quote` is in the message at `call`, `said` in the one at `result`."""

    kind: str
    command: str
    call: int
    quote: str
    result: int
    said: str


def find_habits(messages: Sequence[Message], actions: Sequence[Action], project: str) -> list[MemoryDraft]:
    """One draft that names the checks which worked in a project that was changed, at most four."""
    edited = [path for action in actions if (path := _edited(action))]
    if not project or not (edited or _edits(messages)):
        return []
    found: dict[str, list[_Check]] = {}
    for action in actions:
        for check in _checks(messages, action):
            found.setdefault(check.kind, []).append(check)
    chosen: list[_Check] = []
    for kind in _KINDS:
        checks = found.get(kind, [])
        common = [command for command, _ in Counter(check.command for check in checks).most_common(2)]
        chosen += [next(check for check in checks if check.command == command) for command in common]
    chosen = list({check.command: check for check in chosen}.values())[:_MOST]
    if not {"tests", "check"} & {check.kind for check in chosen} or all(
        check.command in _USUAL for check in chosen
    ):
        return []
    words = PHRASES[talk_language(messages, chosen[0].result)]
    evidence = [
        Evidence(messages[place].start_line, messages[place].end_line, quote)
        for check in chosen
        for place, quote in ((check.call, check.quote), (check.result, check.said))
        if quote and appears_in(quote, messages[place])
    ]
    kind = _ending(edited)
    return [
        MemoryDraft(
            content=words["checks"].format(
                project=project, commands=", ".join(f"`{check.command}`" for check in chosen)
            ),
            context=words["checks_where"].format(kind=f"`{kind}`") if kind else "",
            tags=("workflow", *dict.fromkeys(check.kind for check in chosen)),
            confidence=0.65,
            evidence=tuple(dict.fromkeys(evidence)),
        )
    ]


def _checks(messages: Sequence[Message], action: Action) -> Iterator[_Check]:
    """The checks that a call ran and that worked; of a harness that runs the tests itself, the ones that ran."""
    command = command_of(action)
    ran = named_command(action.output) if action.tool in ("patch", "command") else ""
    if ran and action.checks != "none":
        yield from _of(ran, action.result, action.result, "")
    elif command is not None and is_proof(action):
        said = next((line.strip() for line in reversed(action.output.splitlines()) if line.strip()), "")[:200]
        for part in _PARTS.split(command):
            yield from _of(part, action.call, action.result, said.strip())


def _of(part: str, call: int, result: int, said: str) -> Iterator[_Check]:
    core = _WITHOUT.sub("", _WRAPPER.sub("", core_command(part)))
    if not _PROGRAM.match(core) or _OTHER.match(core):
        return
    general = _general(core.split())
    kind = _kind(general)
    if kind and len(general) <= _MAX_COMMAND and not _ODD.search(general):
        yield _Check(kind, general, call, one_line(core.split(" | ")[0])[:200].strip(), result, said)


def is_check(command: str) -> bool:
    """True for a command line of which a part checks something."""
    return any(True for part in _PARTS.split(command) for _ in _of(part, 0, 0, ""))


def _kind(text: str) -> str:
    """What a command checks: "tests", "check", "build", or nothing; `--profile=test` is a value of an option,
    `check-app.jar` a program to start."""
    bare = " ".join(word for word in text.split() if "=" not in word and not word.endswith(".jar"))
    return next((name for name, pattern in _KINDS.items() if pattern.search(bare)), "")


def _general(words: Sequence[str]) -> str:
    """The command without what was checked this time and how much was printed."""
    kept: list[str] = []
    for before, word in pairwise(("", *words)):
        if before in _SELECTS or word.split("=")[0] in (*_SELECTS, *_PRINTING):
            continue
        place = word not in _ALL and not word.startswith("-") and _PLACE.fullmatch(word)
        program = not kept or _RUNNERS.fullmatch(before.rsplit("/", 1)[-1])
        names_it = _kind(word.rsplit("/", 1)[-1].split(".")[0]) and not _kind(" ".join(kept))
        if program or names_it or not place:
            kept.append(word)
    if len(kept) == 2 and kept[0] == "go":
        kept.append("./...")  # `go test ./pkg/a` alone would say that the folder it runs in is all
    return " ".join(kept)


def _edited(action: Action) -> str:
    if action.tool == "patch":
        return path_of(action.arguments)  # it names a file when it was applied, whatever the tests then said
    return edited_path(action)


def _edits(messages: Sequence[Message]) -> bool:
    return any(EDIT.search(call.name) and path_of(call.arguments) for m in messages for call in m.tool_calls)


def _ending(paths: Sequence[str]) -> str:
    """The ending that most changed files have, or nothing."""
    endings = Counter(found.group() for path in paths if (found := re.search(r"\.\w{1,5}$", path)))
    return endings.most_common(1)[0][0] if endings else ""
