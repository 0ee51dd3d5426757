"""docs/conformance.md: every row has a verdict, and every "holds" names tests that exist."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "conformance.md"
ROW = re.compile(r"^\| ([MT]\d+) \| (.+?) \| (holds|departs|not covered)(?:: (.+?))? \|$")
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


def table():
    return [line for line in PAGE.read_text("utf-8").splitlines() if re.match(r"\| [MT]\d", line)]


def test_every_row_has_an_id_of_its_own_and_a_verdict():
    parsed = [ROW.match(line) for line in table()]
    assert [line for line, match in zip(table(), parsed, strict=True) if match is None] == []
    ids = [match[1] for match in parsed]
    assert len(ids) == len(set(ids)) and len(ids) > 100


def test_the_page_counts_its_rows():
    verdicts = Counter(match[3] for match in map(ROW.match, table()))
    told = re.search(
        r"^(\d+) statements: (\d+) hold, (\d+) depart, (\d+) ", PAGE.read_text("utf-8"), re.MULTILINE
    )
    assert [int(count) for count in told.groups()] == [
        verdicts.total(), verdicts["holds"], verdicts["departs"], verdicts["not covered"]
    ]  # fmt: skip


def test_every_row_that_holds_names_a_test_that_exists():
    broken = []
    for match in map(ROW.match, table()):
        named = TEST.findall(match[4] or "")
        if match[3] == "holds" and not named:
            broken.append(f"{match[1]} names no test")
        for file, name in named:
            path = ROOT / "tests" / file
            if not path.is_file() or f"def {name}(" not in path.read_text("utf-8"):
                broken.append(f"{match[1]}: {file}::{name}")
    assert broken == []


def test_every_row_that_departs_says_where_it_is_documented():
    silent = [m[1] for m in map(ROW.match, table()) if m[3] == "departs" and "(" not in (m[4] or "")]
    assert silent == []
