"""The pass over a file that finds the thread of each row, before the first row that needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from ultron_core.sessions.formats import FORMATS
from ultron_core.sessions.formats.base import TreeFormat
from ultron_core.sessions.lines.ledger import LedgerBuilder
from ultron_core.sessions.lines.records import RecordReader
from ultron_core.sessions.router import FORMAT_FAULTS
from ultron_core.sessions.tree import Tree

__all__ = ["find_threads"]

_TREES = {name: cast(TreeFormat, module) for name, module in FORMATS.items() if hasattr(module, "plant")}


def find_threads(lines: Iterable[bytes], only: str | None, quiet: set[int]) -> Mapping[str, str]:
    """Thread by row id, rows of the main thread left out.

    Adds the lines that carry no message to `quiet`, so that the reader need not decode them.
    """
    tree = Tree()
    formats = [(f.claims, f.plant) for name, f in _TREES.items() if only in (None, name)]
    records = RecordReader(lines, LedgerBuilder())
    for row, line, _ in records:
        try:
            for claims, plant in formats:
                if claims(row):
                    if plant(row, tree) and records.clean_line == line:
                        quiet.add(line)
                    break
        except FORMAT_FAULTS:
            continue  # the reader counts the row
    return tree.threads()
