"""What a log format has to provide, and how rows are shared out among formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ultron_core.sessions.state import Read, State
from ultron_core.sessions.tree import Node

__all__ = ["Format", "mapping"]


class Format(Protocol):
    """One module of this package.

    A format whose rows form a tree also has `node(row) -> Node | None`; the file is then read twice.
    """

    def claims(self, row: dict[str, Any]) -> bool:
        """Whether the row is of this format; must be cheap and must not raise."""

    def read(self, row: dict[str, Any], state: State) -> Read:
        """The messages of a row that the format claims, METADATA, or the reason for a skip."""


class TreeFormat(Format, Protocol):
    """A format whose rows name their parent."""

    def node(self, row: dict[str, Any]) -> Node | None:
        """The row's place in the tree, None for rows outside it."""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
