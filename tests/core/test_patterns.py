"""No pattern decides on a word of one data set: what fires in one repository alone is a listed exception.

`benchmarks/results/patterns.jsonl` is what `python benchmarks/audits/patterns.py` printed for all session sets;
patterns that are newer than it are run on the example sessions here. An exception that cannot be justified is a
pattern to remove, or a line for that harness in transcript/harness.py or sessions/formats.
"""

import importlib.util
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ultron_core.transcript import harness

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "benchmarks" / "results" / "patterns.jsonl"
EXCEPTIONS = ROOT / "tests" / "core" / "pattern_exceptions.json"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location(
        "patterns_bench", ROOT / "benchmarks" / "audits" / "patterns.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def listed():
    groups = json.loads(EXCEPTIONS.read_text("utf-8"))
    assert all(len(group["reason"]) > 20 for group in groups), "a reason is a sentence"
    return {pattern: group["reason"] for group in groups for pattern in group["patterns"]}


def stored():
    rows = [json.loads(line) for line in STORED.read_text("utf-8").splitlines()]
    return {row["pattern"]: set(row["repositories"]) for row in rows}


def test_what_fires_in_one_repository_alone_is_listed_with_its_reason(bench, listed):
    fires = stored()
    texts = {pattern.text for pattern in bench.patterns()}
    unlisted = [text for text in texts if len(fires.get(text, ())) == 1 and text not in listed]
    assert unlisted == []


def test_a_pattern_newer_than_the_stored_counts_is_tried_on_the_examples(bench, listed):
    known = stored()
    new = [pattern for pattern in bench.patterns() if pattern.text not in known]
    rows = bench.count(new, bench.repositories(ROOT / "examples", 3)) if new else ()
    alone = [row for row in rows if len(row["repositories"]) == 1 and row["pattern"] not in listed]
    assert alone == []


def test_a_harness_named_outside_its_table_would_be_seen(bench):
    """The script finds a line that one harness alone writes, so the two tests above mean something."""
    line = bench.Pattern("made.up", "EDIT", "^Applied edit", re.compile("^Applied edit", re.MULTILINE))
    (row,) = bench.count([line], bench.repositories(ROOT / "examples", 3))
    assert list(row["repositories"]) == ["aider_swebench_lite"]


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (r"a|b(?:c|d)", ["a", "b(?:c|d)"]),
        (r"\b(?:yes|no)\b|[|]", [r"\byes\b", r"\bno\b", "[|]"]),
        (r"(?:a|b)|\|", ["a", "b", r"\|"]),
    ],
)
def test_patterns_are_split_at_their_alternatives(bench, pattern, pieces):
    assert bench.alternatives(pattern) == pieces


def test_every_line_of_a_harness_compiles():
    given = [getattr(harness, name) for name in harness.__all__]
    tables = [table for table in given if isinstance(table, Mapping)]
    assert len(tables) > 10
    assert all(harness.joined(table).pattern for table in tables)
