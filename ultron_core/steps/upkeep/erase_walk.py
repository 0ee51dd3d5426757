"""What a scope of erasing takes, found and taken out of the tables: sessions with their files, texts, direct uploads.

Memories that nothing else gave go with them. Others lose these parts: what is left is put together anew in the order in
which it came, and their history is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ultron_core.memories import Body
from ultron_core.steps.clusters.members import clusters_of
from ultron_core.steps.clusters.topics import forget_in_topic
from ultron_core.steps.erased.marks import Name, find_marks, log_names, make_marks
from ultron_core.steps.rows import status
from ultron_core.steps.rows.body import words_digest
from ultron_core.steps.rows.embedded import Embedded
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.taste import forget_in_taste
from ultron_core.steps.upkeep.parts import part_texts, rebuild
from ultron_core.store.database import Connection
from ultron_core.store.tables import erasure
from ultron_core.store.tables.training import runs

__all__ = ["KINDS", "Found", "Kind", "Scope", "expected_texts", "find", "retract", "take", "with_memories"]

Kind = Literal["session", "project", "agent", "before", "account", "memory", "message"]
KINDS: tuple[Kind, ...] = ("memory", "session", "message", "project", "agent", "before", "account")


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be erased: a kind, and which one of it; `name` is how it was asked for."""

    kind: Kind
    name: str
    before: datetime | None = None
    memory: UUID | None = None
    #: agents whose part of the memory goes
    owners: tuple[str, ...] = ()

    def params(self, runtime: Runtime, limit: int | None = None) -> dict[str, Any]:
        """What the queries of selection ask for."""
        own = {"kind": self.kind, "named": self.name, "before": self.before, "memory": self.memory}
        return {**runtime.account, **own, "owners": list(self.owners), "limit": limit}


@dataclass(frozen=True, slots=True)
class Found:
    """The rows that a scope takes, or the next of them."""

    scope: Scope
    #: agent_id, session_file, partition_key, private_path
    files: Sequence[Mapping[str, Any]] = ()
    sessions: Sequence[Mapping[str, Any]] = ()
    texts: Sequence[UUID] = ()
    uploads: Sequence[UUID] = ()
    #: parts of memories that go
    parts: Sequence[UUID] = ()
    #: memories that go, and those that stay without these parts
    own: Sequence[UUID] = ()
    shared: Sequence[UUID] = ()

    @property
    def anything(self) -> bool:
        return bool(self.files or self.texts or self.uploads or self.own or self.shared)

    @property
    def keys(self) -> list[str]:
        """Partition keys, each once."""
        return list(dict.fromkeys(row["partition_key"] for row in (*self.sessions, *self.files)))

    def params(self, runtime: Runtime) -> dict[str, Any]:
        """What the queries of counting and deleting ask for."""
        return {
            **self.scope.params(runtime),
            "of_agent": self.scope.name if self.scope.kind == "agent" else None,
            "agents": [row["agent_id"] for row in self.files],
            "files": [row["session_file"] for row in self.files],
            "sessions": [row["id"] for row in self.sessions],
            "lost": [],
            "texts": list(self.texts),
            "uploads": list(self.uploads),
            "parts": list(self.parts),
            "own": list(self.own),
            "memories": list(self.shared),
        }


def find(runtime: Runtime, conn: Connection, scope: Scope, limit: int | None = None) -> Found:
    """What the scope takes, of files, texts and uploads at most `limit` each."""
    if scope.memory is not None:
        scope = replace(scope, owners=_owners(runtime, conn, scope))
    asked = scope.params(runtime, limit)
    files = erasure.fetch(conn, "files", asked)
    texts = [row["id"] for row in erasure.fetch(conn, "texts", asked)]
    uploads = [row["id"] for row in erasure.fetch(conn, "uploads", asked)]
    found = Found(scope, files, (), texts, uploads)
    sessions = erasure.fetch(conn, "sessions", found.params(runtime)) if files else []
    return with_memories(runtime, conn, replace(found, sessions=sessions))


def _owners(runtime: Runtime, conn: Connection, scope: Scope) -> tuple[str, ...]:
    """Whose part of a memory goes: its agent's, and later only that agent's again, though it is another's now."""
    givers = erasure.fetch(conn, "givers", scope.params(runtime))
    marks = find_marks(runtime, conn)
    if marks is not None and marks.known([("memory", scope.name)]):
        known = marks.known([("giver", scope.name, row["agent_id"]) for row in givers])
        return tuple(name[2] for name in known)
    return tuple({row["owner"] for row in givers})


def with_memories(runtime: Runtime, conn: Connection, found: Found, lost: Sequence[UUID] = ()) -> Found:
    """The same with the memories that lose something; `lost`: sessions of which parts without a segment go, too."""
    params = {**found.params(runtime), "lost": list(lost)}
    parts = [row["id"] for row in erasure.fetch(conn, "gone_parts", params)]
    memories = erasure.fetch(conn, "memories", {**params, "parts": parts})
    own = [row["id"] for row in memories if not row["shared"]]
    shared = [row["id"] for row in memories if row["shared"]]
    return replace(found, parts=parts, own=own, shared=shared)


def expected_texts(runtime: Runtime, conn: Connection, found: Found) -> list[str]:
    """What will have to be embedded of memories that stay."""
    return part_texts(erasure.fetch(conn, "parts_left", found.params(runtime))) if found.shared else []


def take(runtime: Runtime, embedded: Embedded, conn: Connection, found: Found) -> dict[str, int]:
    """Take these rows out, with everything made of them, and remember what is not to be read again. Returns how many
    rows of each table went. The caller holds the locks of memories."""
    params = found.params(runtime)
    erasure.run(conn, "lock_files", params)
    counts = erasure.count_rows(conn, {**params, "kind": ""})
    names = [name for row in found.sessions for name in _names(row)]
    make_marks(runtime, conn).remember([*names, *_memory_names(conn, found, params)])
    erasure.run(conn, "forget_notes", params)
    left = retract(runtime, embedded, conn, found)
    contents = {"sha256s": [row["sha256"] for row in erasure.fetch(conn, "contents", params)]}
    erasure.run(conn, "leases", params)
    erasure.delete_rows(conn, params)
    erasure.run(conn, "blobs", {**params, **contents})
    erasure.run(conn, "errors", params)
    erasure.run(conn, "replays", params)
    # what lost its last source goes to its place only now, that sources are gone with their sessions
    status.shelve(runtime, conn, left)
    status.archive_orphans(runtime, conn, left)
    forget_in_taste(runtime, conn)
    runs.taint(conn, runtime.account_id, runtime.clock())
    return counts


def _names(row: Mapping[str, Any]) -> list[Name]:
    return log_names(row["agent_id"], row["session_file"], row["log_id"], row["content_sha256"])


def _memory_names(conn: Connection, found: Found, params: dict[str, Any]) -> list[Name]:
    """Of a memory that was named: a segment that stays must not give its words again."""
    if found.scope.kind != "memory":
        return []
    names: list[Name] = [("memory", found.scope.name)]
    names += [("giver", found.scope.name, agent) for agent in found.scope.owners]
    rows = erasure.fetch(conn, "words", params)
    bodies = [Body(row["content"], row["context"], row["resolution"]) for row in rows]
    return names + [("memory", words_digest(body)) for body in bodies]


def retract(runtime: Runtime, embedded: Embedded, conn: Connection, found: Found) -> list[UUID]:
    """Delete memories that nothing else gave, and take the parts that go out of the others. Returns what is left of
    these."""
    params = found.params(runtime)
    clusters = clusters_of(runtime, conn, [*found.own, *found.shared])
    left: list[UUID] = []
    if found.shared:
        rows = erasure.fetch(conn, "parts_left", params)
        erasure.run(conn, "retract_parts", params)
        erasure.run(conn, "forget_history", params)
        left = rebuild(runtime, embedded, conn, rows)
        erasure.run(conn, "forget_verdicts", params)
    erasure.run(conn, "retract_sources", params)
    status.delete_memories(runtime, conn, found.own)
    forget_in_topic(runtime, conn, clusters)
    return left
