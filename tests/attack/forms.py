"""Forms in which secrets appear, read from `forms/*.jsonl`: one line a form, with its source and licence.

A line holds `text` with `{S}` where the secret is, or `id` for the frames in which gitleaks tests a rule, and
`secret`, a template: `{a20}` letters and digits, `{l20}` lower case and digits, `{w20}` also dash and underscore,
`{x20}` lower case, digits, dash and underscore, `{h32}` hexadecimal, `{u16}` upper case and digits, `{n10}` digits,
`{b40}` base64, `{uuid}`, `{pw}` a password. Keys are drawn with a fixed seed, so that no scanner takes a file for a
leak.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ultron_core.redaction import redact_patterns

__all__ = ["Form", "forms", "frames", "gone", "sets"]

FOLDER = Path(__file__).parent / "forms"
LOWER = string.ascii_lowercase + string.digits
ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "l": LOWER,
    "w": string.ascii_letters + string.digits + "_-",
    "x": LOWER + "_-",
    "h": "0123456789abcdef",
    "u": string.ascii_uppercase + "234567",
    "n": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}
PASSWORDS = (
    "hunter2",
    "Tr0ub4dor&3",
    "s3cr3t-Pw!",
    "Zx9#kLm2",
    "wint3rIsC0ming",
    "P@ssw0rd-77",
    "q7Vt2mXa",
    "N0t-4-y0u",
)
#: the frames of gitleaks' GenerateSampleSecrets (cmd/generate/config/utils/generate.go, MIT), those it leaves open too
FRAMES = (
    '{i}_api_token = "{s}"', '{i}Token="{s}"', '{i}Token = "{s}"', "{i}Token={s}", "{i}Token = {s}", '{{\n    "{i}_token": "{s}"\n}}',  # noqa: E501
    '\\{{\n    \\"{i}_token\\": \\"{s}\\"\n\\}}', "<{i}Token>{s}</{i}Token>", "<{i}Token>\n    {s}\n</{i}Token>", "{i}_token: {s}",  # noqa: E501
    "{i}_token: '{s}'", '{i}_token: "{s}"', "{i}_token: |\n  {s}", "{i}_token: >\n  {s}", 'string {i}Token = "{s}";',
    'var {i}Token string = "{s}"', '{i}Token := "{s}"', "{i}Token := `{s}`", 'String {i}Token = "{s}";', 'var {i}Token = "{s}"',  # noqa: E501
    '${i}Token .= "{s}"', "{i}Token = '{s}'", "{i}Token,{s},", '  "{i}Token" => "{s}"', '{i}_TOKEN = "{s}"', '{i}_TOKEN := "{s}"',  # noqa: E501
    '{i}_TOKEN ::= "{s}"', '{i}_TOKEN :::= "{s}"', '{i}_TOKEN ?= "{s}"', '{i}_TOKEN += "{s}"',
)  # fmt: skip


@dataclass(frozen=True)
class Form:
    """One text with a secret in it."""

    rule: str
    text: str
    secret: str


def sets() -> list[str]:
    """Names of the files with forms that must go."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl") if path.stem != "stay")


def forms(name: str, seed: int = 13) -> Iterator[Form]:
    """The forms of one file, keys drawn with a fixed seed."""
    rng = random.Random(seed)
    for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "id" in row:
            chosen = FRAMES if row.get("frames") == "all" else FRAMES[:1]
            for frame in chosen:
                secret = drawn(row["secret"], rng)
                yield Form(row["rule"], frame.format(i=row["id"], s=secret), secret)
        else:
            secret = drawn(row.get("secret", "{pw}"), rng)
            yield Form(row["rule"], row["text"].replace("{S}", secret), secret)


def frames() -> int:
    """How many frames a rule with `frames: all` is tested in."""
    return len(FRAMES)


def drawn(template: str, rng: random.Random) -> str:
    """The template with each `{kind length}` drawn."""

    def one(match: re.Match[str]) -> str:
        if match[0] == "{pw}":
            return rng.choice(PASSWORDS)
        if match[0] == "{uuid}":
            return "-".join(drawn(f"{{h{n}}}", rng) for n in (8, 4, 4, 4, 12))
        return "".join(rng.choice(ALPHABETS[match[1]]) for _ in range(int(match[2])))

    return re.sub(r"\{(?:pw|uuid|([alwxhunb])(\d+))\}", one, template)


def gone(form: Form) -> bool:
    """Is at least half of the secret covered, as the benchmark counts it?"""
    start = form.text.index(form.secret)
    end = start + len(form.secret)
    found = redact_patterns(form.text).findings
    return 2 * sum(max(0, min(f.end, end) - max(f.start, start)) for f in found) >= end - start
