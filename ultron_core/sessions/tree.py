"""Threads of logs whose rows name their parent: sub-agents, and branches that a rewind left behind."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Node", "Tree"]


class Node(NamedTuple):
    """What the tree needs of one row."""

    id: str
    parent: str | None
    #: carries a message
    talks: bool = False
    #: a person's prompt: only where one is given again does a conversation fork
    prompt: bool = False
    #: the sub-agent's name when the row belongs to one ("" = a sub-agent without a name), else None
    agent: str | None = None
    #: known to carry no message: the second pass need not decode it
    quiet: bool = False


class Tree:
    """Collects nodes in file order, then names the thread of each row."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._ids: list[str] = []
        self._parents: list[int] = []
        self._last: list[int] = []
        self._prompt: list[bool] = []
        self._agents: dict[int, str] = {}

    def add(self, node: Node) -> None:
        """A further row; a repeated id is the same row."""
        if node.id in self._index:
            return
        index = len(self._ids)
        self._index[node.id] = index
        self._ids.append(node.id)
        self._parents.append(self._index.get(node.parent, -1) if node.parent else -1)
        self._last.append(index if node.talks else -1)
        self._prompt.append(node.prompt)
        if node.agent is not None:
            self._agents[index] = node.agent

    def threads(self) -> dict[str, str]:
        """Thread by row id, rows of the main thread left out.

        Where several children go on, the one whose subtree holds the latest message goes on in the thread;
        another that holds a prompt of a person is a branch left behind, named in order of appearance.
        Children without a prompt (parallel tool calls and their results) stay with their parent.
        """
        favourite = self._favourites()
        names: list[str] = []
        branches = 0
        for index, parent in enumerate(self._parents):
            agent = self._agents.get(index)
            above = names[parent] if parent >= 0 else "main"
            if agent is not None:
                name = f"agent:{agent}" if agent else self._unnamed(index, above)
            elif above.startswith("agent:"):
                name = "main"
            elif parent >= 0 and self._prompt[index] and favourite[parent] != index:
                branches += 1
                name = f"branch:{branches}"
            else:
                name = above
            names.append(name)
        return {self._ids[i]: name for i, name in enumerate(names) if name != "main"}

    def _unnamed(self, index: int, above: str) -> str:
        return above if above.startswith("agent:") else f"agent:{self._ids[index][:8]}"

    def _favourites(self) -> list[int]:
        """For each row the child whose subtree holds the latest message; subtree sums on the way."""
        favourite = [-1] * len(self._ids)
        best = [-1] * len(self._ids)
        for index in range(len(self._ids) - 1, -1, -1):
            parent = self._parents[index]
            if parent < 0 or (index in self._agents) != (parent in self._agents):
                continue
            if self._last[index] > best[parent]:
                best[parent], favourite[parent] = self._last[index], index
            self._last[parent] = max(self._last[parent], self._last[index])
            self._prompt[parent] = self._prompt[parent] or self._prompt[index]
        return favourite
