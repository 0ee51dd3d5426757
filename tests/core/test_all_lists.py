"""`__all__` says what a module offers: every name in it exists, and every name that others take is in it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("ultron_core", "ultron_pipelines")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): ast.parse(path.read_text("utf-8"))
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


def defined(tree: ast.Module) -> set[str]:
    """The names that a module has at its top level."""
    names: set[str] = set()
    for node in ast.walk(ast.Module([n for n in tree.body if not isinstance(n, ast.ClassDef)], [])):
        if isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names | {
        n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def listed(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    return None


def taken(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(module, name) of everything a module takes from others: `from m import name`, and `m.name`."""
    aliases: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (full := f"{node.module}.{alias.name}") in SOURCES:
                    aliases[alias.asname or alias.name] = full
                else:
                    yield node.module, alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            yield aliases[node.value.id], node.attr


LISTS = {module: names for module, tree in SOURCES.items() if (names := listed(tree)) is not None}


@pytest.mark.parametrize("module", LISTS)
def test_every_name_in_the_list_exists_once(module):
    assert len(LISTS[module]) == len(set(LISTS[module]))
    assert set(LISTS[module]) <= defined(SOURCES[module]) | {"__version__"}


def test_every_name_that_other_modules_take_is_in_the_list():
    missing = {
        (source, name)
        for module, tree in SOURCES.items()
        for source, name in taken(tree)
        if source in LISTS and source != module and name not in LISTS[source]
    }
    assert sorted(missing) == []
