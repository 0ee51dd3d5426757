"""What a log format has to provide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ultron_core.sessions.state import Read, State
from ultron_core.sessions.tree import Tree

__all__ = ["Format", "TreeFormat", "mapping"]


class Format(Protocol):
    """One module of this package.

    A format whose rows form a tree is a TreeFormat; its files are read twice.
    """

    def claims(self, row: dict[str, Any]) -> bool:
        """Whether the row is of this format; must be cheap and must not raise."""

    def read(self, row: dict[str, Any], state: State) -> Read:
        """The messages of a row that the format claims, METADATA, or the reason for a skip."""


class TreeFormat(Format, Protocol):
    """A format whose rows name their parent."""

    def plant(self, row: dict[str, Any], tree: Tree) -> bool:
        """Add a row that the format claims to the tree; True when it can carry no message."""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
