import re

import pytest

from ultron_core.errors import StoreError
from ultron_core.store.queries import FOLDER, families, load_queries, parse_queries


def test_a_statement_is_found_by_its_name():
    text = "-- name: one\n-- Answers one.\nSELECT 1;\n\n-- name: two\n-- Two.\nSELECT %(x)s;\n"
    assert dict(parse_queries(text, "a.sql")) == {"one": "SELECT 1", "two": "SELECT %(x)s"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-- name: a\n-- A.\nSELECT 1;\n-- name: a\n-- A.\nSELECT 2;", "two queries are named a"),
        ("-- name: a\nSELECT 1;", "a has no line"),
        ("-- name: a\n-- A.\n", "a has no statement"),
        ("SELECT 1;\n-- name: a\n-- A.\nSELECT 1;", "before the first"),
        ("-- name: a-b\n-- A.\nSELECT 1;", "not a valid query name"),
    ],
)
def test_a_malformed_file_is_refused(text, message):
    with pytest.raises(StoreError, match=message):
        parse_queries(text, "a.sql")


def test_every_file_of_the_package_loads_once():
    assert "log/sessions" in families()
    for family in families():
        assert load_queries(family) is load_queries(family)
        assert load_queries(family)


def test_every_query_is_used():
    code = "\n".join(path.read_text("utf-8") for path in FOLDER.parent.parent.rglob("*.py"))
    named = set(re.findall(r'"(\w+)"', code))
    made = tuple(re.findall(r'f"(\w+_)\{', code))  # such as f"filter_{name}"
    for family in families():
        unused = [name for name in load_queries(family) if name not in named and not name.startswith(made)]
        assert unused == [], family


def test_a_missing_file_is_named():
    with pytest.raises(StoreError, match=r"nowhere\.sql"):
        load_queries("nowhere")
