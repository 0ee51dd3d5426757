"""Recall and precision of the whole redaction on names and forms of names that nothing was fitted to.

    python benchmarks/training/names/variants.py [--data DIR] [--times N] [--unlisted]

Each sentence of Presidio's two sets in DIR/pii, and each measured frame of frames.json, with the names in it replaced
by names held out of the fit (lists.py; it needs Faker): in full, as the given or the last name alone, with an initial
or two, in lower case. Counted as evaluate.py counts the network by itself.
`--unlisted` takes those names out of the lists of redaction/names too, for this run.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

# run as a script, this file's own folder is on the path instead of the one two above it
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from inputs.lockbox import forbid_lockbox
from inputs.places import arguments
from training.names.evaluate import SETS, Marked, figures, of_set, own_sentences
from training.names.frames import Span
from training.names.lists import Names, unseen_names

from ultron_core.redaction import redact_texts
from ultron_core.redaction.names.lexicon import GIVEN_NAMES, SURNAMES

_LETTERS = "ABCDEFGHJKLMNPRST"
#: how a person is written, from a given and a last name
FORMS: dict[str, Callable[[str, str, random.Random], str]] = {
    "full": lambda given, last, _: f"{given} {last}",
    "given": lambda given, _last, _: given,
    "last": lambda _given, last, _: last,
    "initial": lambda given, last, _: f"{given[0]}. {last}",
    "initials": lambda given, last, chance: f"{given[0]}.{chance.choice(_LETTERS)}. {last}",
    "middle": lambda given, last, chance: f"{given} {chance.choice(_LETTERS)}. {last}",
    "lower": lambda given, last, _: f"{given} {last}".lower(),
    "lower_given": lambda given, _last, _: given.lower(),
}
#: what a set marks beside the letters of a name, e.g. `Mr. `
_TITLE = re.compile(r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? )?")


def other_names(row: Marked, names: Mapping[str, Names], form: str, chance: random.Random) -> Marked:
    """The sentence with another person, of one language, for each of its own."""
    lists = names[chance.choice(sorted(names))]
    text, done = "", 0
    spans, marked = list[Span](), list[Span]()
    for start, end in sorted(row.marked):
        if start < done:
            continue
        text += row.text[done:start]
        begun, old = len(text), row.text[start:end]
        if (start, end) in row.names:
            title = _TITLE.match(old)
            person = FORMS[form](chance.choice(lists.given), chance.choice(lists.last), chance)
            text += (title[0] if title else "") + person
            spans.append((begun, len(text)))
        else:
            text += old
        marked.append((begun, len(text)))
        done = end
    return Marked(text + row.text[done:], spans, marked)


def unlist(names: Mapping[str, Names]) -> None:
    """Nothing of this process finds these names in a list any more."""
    gone = {name.lower() for lists in names.values() for name in (*lists.given, *lists.last)}
    for listed in (GIVEN_NAMES, SURNAMES):
        for name, module in list(sys.modules.items()):
            if name.startswith("ultron_core.redaction"):
                for word, value in list(vars(module).items()):
                    if value is listed:
                        setattr(module, word, listed - gone)


def measured(rows: Sequence[Marked]) -> dict[str, float | int | None]:
    found = redact_texts([row.text for row in rows])
    people = {
        row.text: [(one.start, one.end) for one in result.findings if one.entity == "PERSON"]
        for row, result in zip(rows, found, strict=True)
    }
    return figures(rows, people)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--times", type=int, default=1, help="each sentence")
    parser.add_argument(
        "--unlisted", action="store_true", help="also take the names out of the redaction's lists"
    )
    args = parser.parse_args()
    forbid_lockbox(args.data)
    names = unseen_names()
    if args.unlisted:
        unlist(names)
    for name in SETS:
        path = args.data / "pii" / f"{name}.jsonl.gz"
        if not path.exists():
            say(set=name, skipped="not in the data folder")
            continue
        rows = [row for row in of_set(path) if row.names]
        for form in FORMS:
            chance = random.Random(f"{name} {form}")
            changed = [other_names(row, names, form, chance) for row in rows for _ in range(args.times)]
            say(set=name, form=form, **measured(changed))
    own = own_sentences(names, seed=11)
    say(set="own", **measured(own))
    for style in sorted({row.style for row in own}):
        say(set="own", style=style, **measured([row for row in own if row.style == style]))
    for kind in sorted({row.kind for row in own}):
        say(set="own", kind=kind, **measured([row for row in own if row.kind == kind]))


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "names_variants", **fields}), flush=True)


if __name__ == "__main__":
    main()
