r"""Beside each pattern stands why it exists, with an example that it matches; beside each number, what it is.

    #: the time zone at the end of a date, e.g. `+0800`
    _ZONE = re.compile(...)

The comment stands directly above the assignment or inside it. Its examples are what stands in backticks after its last
"e.g.", where `⏎` is a line end and `␛` the escape character; or else what a comment quotes before or after a colon:
`#: colours: "\x1b[31m"`, `#: "Exit code 1": it failed`. Double quotes hold a Python string there; quotes with "..." are
cut short and not tried.
"""

import ast
import importlib
import io
import pkgutil
import re
import tokenize
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import pytest

import ultron_core

#: text between runs of as many backticks, e.g. `code`; as in Markdown, two or more backticks and a space hold others
SPAN = re.compile(r"(?<!`)`(?P<one>[^`]+)`(?!`)|(?P<run>``+) (?P<more>.+?) (?P=run)(?!`)")
QUOTED = re.compile(r'"(?P<string>(?:[^"\\]|\\.)+)"|`(?P<text>[^`]+)`')
QUOTES = r"(?:(?:\"(?:[^\"\\]|\\.)+\"|`[^`]+`)(?:,|;| /| and| or|\.)? ?)+"
ONLY = re.compile(rf"(?:.*?: )?(?P<quotes>{QUOTES})")
FIRST = re.compile(rf"(?P<quotes>{QUOTES})(?::|of\b|in\b)")
#: comments that speak to a tool
TO_A_TOOL = re.compile(r"#\s*(?:noqa|fmt|type|mypy)\b")


@dataclass(frozen=True)
class Assigned:
    """A module-level name that holds patterns, and the comments that belong to it."""

    place: str
    patterns: tuple[re.Pattern, ...]
    comments: tuple[str, ...]


def test_each_pattern_stands_beside_an_example(assigned):
    assert len(assigned) > 400
    assert [it.place for it in assigned if not any(examples(comment) for comment in it.comments)] == []


def test_each_example_is_matched(assigned):
    given = [(it, example) for it in assigned for comment in it.comments for example in examples(comment)]
    wrong = [(it.place, example) for it, example in given if not any(finds(p, example) for p in it.patterns)]
    assert wrong == []


def test_each_number_says_what_it_is():
    bare = [place for _, module, source in sources() for place in bare_numbers(module, source)]
    assert bare == []


def test_a_number_without_a_comment_would_be_seen():
    source = "#: characters\n_MOST = 4\n_A, _B = 1, -2\n_C = 3  # levels\n_WORD = 'a'\n"
    assert list(bare_numbers("made.up", source)) == ["made.up:3"]


def test_a_pattern_without_a_comment_and_a_wrong_example_would_be_seen():
    source = '#: a number, e.g. `12` or `a`\n_N = compile("[0-9]")\n_BARE = compile("a")  # noqa: E501\n'
    number, bare = in_module("made.up", source, {"_N": re.compile("[0-9]"), "_BARE": re.compile("a")})
    assert (number.comments, bare.comments) == (("a number, e.g. `12` or `a`",), ())
    assert [finds(number.patterns[0], example) for example in examples(number.comments[0])] == [True, False]


@pytest.fixture(scope="module")
def assigned():
    return [found for module, name, source in sources() for found in in_module(name, source, vars(module))]


def sources():
    """(module, its name, its text)"""
    for _, name, package in pkgutil.walk_packages(ultron_core.__path__, "ultron_core."):
        if not package and not name.endswith("__main__"):
            module = importlib.import_module(name)
            yield module, name, Path(module.__file__).read_text("utf-8")


def bare_numbers(module, source):
    comments = comment_lines(source)
    assigned = [node for node in ast.parse(source).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    numbers = [node for node in assigned if is_number(node.value)]
    yield from (f"{module}:{node.lineno}" for node in numbers if not any(beside(node, comments)))


def is_number(value):
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return is_number(value.left) or is_number(value.right)
    return isinstance(value, ast.Tuple) and any(is_number(item) for item in value.elts)


def in_module(module, source, values):
    comments = comment_lines(source)
    for node in ast.parse(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(targets[0], ast.Name):
            continue
        compiled = tuple(patterns(values.get(targets[0].id)))
        if compiled and any(isinstance(part, ast.Call) for part in ast.walk(node)):
            yield Assigned(f"{module}.{targets[0].id}", compiled, tuple(beside(node, comments)))


def comment_lines(source):
    """Line -> (text, whether nothing else stands on the line)."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found = [it for it in tokens if it.type == tokenize.COMMENT and not TO_A_TOOL.match(it.string)]
    return {it.start[0]: (it.string.lstrip("#: "), it.line.lstrip().startswith("#")) for it in found}


def beside(node, comments):
    """The block of comment lines directly above the assignment as one comment, then each one inside it."""
    above, line = [], node.lineno - 1
    while comments.get(line, ("", False))[1]:
        above.insert(0, comments[line][0])
        line -= 1
    if above:
        yield " ".join(above)
    yield from (comments[at][0] for at in range(node.lineno, node.end_lineno + 1) if at in comments)


def examples(comment):
    _, given, after = comment.rpartition("e.g. ")
    if given and "`" in after:
        found = [it["one"] or it["more"] for it in SPAN.finditer(after)]
        return [it.replace("⏎", "\n").replace("␛", "\x1b") for it in found]
    alone = ONLY.fullmatch(comment) or FIRST.match(comment)
    quoted = QUOTED.finditer(after if given else alone["quotes"] if alone else "")
    found = [it["text"] or ast.literal_eval(f'"{it["string"]}"') for it in quoted]
    return [it for it in found if "..." not in it]


def finds(pattern, example):
    text = example.encode("latin-1") if isinstance(pattern.pattern, bytes) else example
    return pattern.search(text) is not None


def patterns(value):
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns(tuple(value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (found for item in value for found in patterns(item))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from patterns(tuple(getattr(value, field.name) for field in fields(value)))
