"""The pass over a file that finds out which rows belong to which thread, before the first row that asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ultron_core.sessions.formats import FORMATS
from ultron_core.sessions.ledger import LedgerBuilder
from ultron_core.sessions.records import RecordReader
from ultron_core.sessions.router import FORMAT_FAULTS
from ultron_core.sessions.tree import Node, Tree

__all__ = ["find_threads"]

_TREES = {name: module for name, module in FORMATS.items() if hasattr(module, "node")}


def find_threads(lines: Iterable[bytes], only: str | None, quiet: set[int]) -> Mapping[str, str]:
    """Thread by row id, rows of the main thread left out.

    Adds to `quiet` the lines that carry no message, so that the reader need not decode them.
    """
    tree = Tree()
    modules = [module for name, module in _TREES.items() if only in (None, name)]
    records = RecordReader(lines, LedgerBuilder())
    for row, line, _ in records:
        node = _node(row, modules)
        if node is not None:
            tree.add(node)
            if node.quiet and records.clean_line == line:
                quiet.add(line)
    return tree.threads()


def _node(row: dict[str, Any], modules: list[Any]) -> Node | None:
    try:
        for module in modules:
            if module.claims(row):
                node: Node | None = module.node(row)
                return node
    except FORMAT_FAULTS:
        pass  # the reader counts the row
    return None
