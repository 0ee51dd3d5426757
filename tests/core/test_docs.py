"""The pages of the repository name only files, headings, constants, functions, commands and settings that exist."""

import re
from functools import cache
from pathlib import Path

import click
import pytest

from ultron_core.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "benchmarks").rglob("*.md"),
    ROOT / "examples" / "README.md",
]
#: folders from which a page may name a path, besides its own
FROM = (
    "",
    "ultron_core",
    "ultron_core/sessions",
    "ultron_core/store/server",
    "tests",
    "tests/core",
    "benchmarks",
    "examples/sessions",
)
SUFFIXES = "py|md|sql|jsonl?|toml|txt|ya?ml|png|lock"
#: what a reader writes, an installation makes, a data folder or a project holds
ELSEWHERE = {
    "ultron.toml",
    "postgres/",
    "manifest.json",
    "CLAUDE.md",
    "AGENTS.md",
    "chat_history.jsonl",
    "tokenizer.json",
    "train.jsonl",
    "dataset_info.json",
    "outcomes.jsonl",
    "program.py",
    "values.schema.json",
}
#: written by the first run on the lockbox
ELSEWHERE |= {"benchmarks/results/lockbox.jsonl"}
ELSEWHERE |= {f"{name}/" for name in ("segmentation", "quality", "retrieval", "pairs", "pii", "malformed")}
PLACEHOLDER = re.compile(r"\.\.\.|^(?:/|\.ultron/|\.venv)|NAME|NNNN")


@pytest.fixture(params=PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def page(request):
    return request.param


def test_every_link_leads_to_a_file_and_a_heading(page):
    links = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text("utf-8"))
    assert [link for link, _ in links if not (page.parent / link).exists()] == []
    anchors = [(page.parent / link if link else page, anchor) for link, anchor in links if anchor]
    assert [anchor for target, anchor in anchors if anchor not in anchors_of(target)] == []


def test_every_path_exists(page):
    written = [path for text in code(page) for path in spelled_out(text)]
    named = [path for path in written if re.fullmatch(rf"[\w./-]+(?:/|\.(?:{SUFFIXES}))", path)]
    real = [path for path in named if path not in ELSEWHERE and not PLACEHOLDER.search(path)]
    assert [path for path in real if not exists(page, path)] == []


def test_every_constant_and_function_exists(page):
    named = [
        text for text in code(page) if re.fullmatch(r"_?[A-Z][A-Z0-9]*_[A-Z0-9_]+|(?:[a-z_]+\.)+\w+", text)
    ]
    real = [name for name in named if not re.search(rf"\.(?:{SUFFIXES}|com)$", name)]
    assert [name for name in real if name.rpartition(".")[2] not in words_of_the_code()] == []


def test_every_command_and_its_options_exist(page):
    used = [use for text in code(page) for use in re.findall(r"(?:^|[\s/])ultron ([a-z][^#;&|]*)", text)]
    assert [use for use in used if not is_command(use.split())] == []


def test_every_target_of_make_exists(page):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {name for text in code(page) for name in re.findall(r"\bmake ([a-z]+)\b", text)} <= targets


def test_every_setting_is_read_somewhere(page):
    used = set(re.findall(r"\bULTRON_[A-Z0-9_]*[A-Z0-9]\b", page.read_text("utf-8")))
    assert sorted(used - words_of_the_code()) == []


def test_a_stale_path_and_a_stale_command_would_be_seen():
    assert exists(ROOT / "README.md", "steps/audit/rows.py")
    assert not exists(ROOT / "README.md", "memories/cues.py")
    assert "LABELER_VERSION" in words_of_the_code()
    assert is_command(["reprocess", "--stage", "memories"])
    assert not is_command(["reprocess", "--step", "memories"])
    assert not is_command(["segment", "x"])


def code(page):
    """What stands in backticks, and each line of an indented or fenced block."""
    fenced, found = False, []
    for line in page.read_text("utf-8").splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if fenced or line.startswith("    "):
            found.append(line.strip())
        found += re.findall(r"`([^`]+)`", line)
    return found


def spelled_out(text):
    """`steps/{edit,audit}.py` as its two paths."""
    before, brace, rest = text.partition("{")
    inside, closed, after = rest.partition("}")
    return [f"{before}{part}{after}" for part in inside.split(",")] if brace and closed else [text]


def exists(page, path):
    if "/" not in path.rstrip("/"):
        return path.rstrip("/") in names()
    return any((place / path).exists() for place in (page.parent, *(ROOT / part for part in FROM)))


@cache
def names():
    folders = ("ultron_core", "ultron_pipelines", "tests", "benchmarks", "docs", "examples")
    found = {path.name for folder in folders for path in (ROOT / folder).rglob("*")}
    return found | {path.name for path in ROOT.iterdir()}


def anchors_of(page):
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def is_command(words):
    command = cli.get_command(click.Context(cli), words[0])
    if command is None:
        return False
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    options = {word.strip("[],").partition("=")[0] for word in words if word.strip("[").startswith("--")}
    return options <= known | {"--help"}


@cache
def words_of_the_code():
    folders = ("ultron_core", "ultron_pipelines", "tests", "benchmarks")
    code = [
        path for folder in folders for kind in ("py", "sql") for path in (ROOT / folder).rglob(f"*.{kind}")
    ]
    files = [*ROOT.glob("*.yaml"), *code]
    return {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}
