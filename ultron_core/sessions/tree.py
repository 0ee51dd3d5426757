"""Threads of logs whose rows name their parent: sub-agents, and branches abandoned by a rewind."""

from __future__ import annotations

__all__ = ["Tree"]


class Tree:
    """Collects rows in file order, then names the thread of each."""

    def __init__(self) -> None:
        #: row id -> position, in file order
        self._index: dict[str, int] = {}
        self._parents: list[int] = []
        self._talks: list[int] = []
        self._prompts: set[int] = set()
        self._agents: dict[int, str] = {}

    def add(
        self, own: str, parent: str | None, talks: bool, prompt: bool = False, agent: str | None = None
    ) -> None:
        """A further row by its id; a repeated id is the same row.

        `talks`: it carries a message. `prompt`: it is a person's prompt; a conversation forks only where one is
        repeated. `agent`: the sub-agent it belongs to, "" for one without a name.
        """
        index = self._index
        if own in index:
            return
        position = len(index)
        self._parents.append(index.get(parent, -1) if parent else -1)
        index[own] = position
        if talks:
            self._talks.append(position)
            if prompt:
                self._prompts.add(position)
        if agent is not None:
            self._agents[position] = agent

    def threads(self) -> dict[str, str]:
        """Thread by row id, rows of the main thread left out.

        Where a row has several children, the one whose subtree has the latest message continues the thread;
        another one with a prompt of a person is an abandoned branch, named in order of appearance.
        Children without a prompt (parallel tool calls and their results) stay with their parent.
        """
        favourite = self._favourites()
        ids = list(self._index)
        names: list[str] = []
        branches = 0
        for index, parent in enumerate(self._parents):
            agent = self._agents.get(index)
            above = names[parent] if parent >= 0 else "main"
            if agent is not None:
                name = f"agent:{agent}" if agent else self._unnamed(ids[index], above)
            elif above.startswith("agent:"):
                name = "main"
            elif parent >= 0 and index in self._prompts and favourite[parent] != index:
                branches += 1
                name = f"branch:{branches}"
            else:
                name = above
            names.append(name)
        return {ids[i]: name for i, name in enumerate(names) if name != "main"}

    def _unnamed(self, row_id: str, above: str) -> str:
        return above if above.startswith("agent:") else f"agent:{row_id[:8]}"

    def _favourites(self) -> list[int]:
        """For each row the child whose subtree holds the latest message; prompts count for all rows above."""
        size, agents, prompts = len(self._parents), self._agents, self._prompts
        favourite, best, last = [-1] * size, [-1] * size, [-1] * size
        for index in self._talks:
            last[index] = index
        for index in range(size - 1, -1, -1):
            parent = self._parents[index]
            if parent < 0 or (index in agents) != (parent in agents):
                continue
            latest = last[index]
            if latest > best[parent]:
                best[parent], favourite[parent] = latest, index
            if latest > last[parent]:
                last[parent] = latest
            if index in prompts:
                prompts.add(parent)
        return favourite
