"""Memories out of the store: one consistent picture of an account, a memory a line, the manifest last."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
from psycopg.types.json import set_json_loads

from ultron_core.errors import ExportError, InputError
from ultron_core.folders import make_folders, only_one
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.transfer.lines import line_of
from ultron_core.steps.transfer.manifest import (
    MANIFEST,
    Manifest,
    Part,
    newest_schema,
    private,
    write_manifest,
)
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import embeddings as model_store
from ultron_core.version import __version__

__all__ = ["Exported", "export_memories"]

_SQL = NamedQueries("memories/transfer", binary=True)
#: held while a folder is written; what a killed export left is known by it
_LOCK = ".exporting"
_PARTS = "memories-*.jsonl"
#: memories of one file, and of one query
_A_PART, _A_PAGE = 10_000, 1_000
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written; `vectors` of the model in use."""

    folder: Path
    memories: int
    vectors: int
    parts: int
    bytes: int


def export_memories(
    runtime: Runtime, folder: Path, *, vectors: bool = False, progress: Progress = lambda done, total: None
) -> Exported:
    """Write all memories of the account, archived ones too, into a new or empty folder; `vectors` those of the model in
    use as well.

    Raises InputError for a folder that is not empty or is being written, ExportError when it cannot be written: then
    nothing is left of it.
    """
    try:
        with _folder(folder):
            manifest = _write(runtime, folder, vectors, progress)
    except OSError as error:
        raise ExportError(
            f"The export cannot be written to {folder}: {error.strerror or error}. Check permissions and free space."
        ) from error
    size = sum(part.bytes for part in manifest.parts)
    return Exported(folder, manifest.memories, manifest.vectors, len(manifest.parts), size)


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    """The folder is ours alone meanwhile; it ends with a manifest, or as it was."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: name a new or an empty folder.")
    made = not folder.exists()
    make_folders(folder)
    held = {path.name for path in folder.iterdir()}
    if held and _LOCK not in held:
        raise InputError(f"{folder} is not empty: name a new or an empty folder.")
    with only_one(folder / _LOCK) as alone:
        if not alone:
            raise InputError(f"Another export writes to {folder}: wait for it, or name another folder.")
        try:
            _clear(folder)
            yield
        except BaseException:
            _clear(folder)
            (folder / _LOCK).unlink(missing_ok=True)
            if made:
                folder.rmdir()
            raise
        (folder / _LOCK).unlink()


def _clear(folder: Path) -> None:
    for path in (*folder.glob(_PARTS), folder / MANIFEST, folder / f"{MANIFEST}.part"):
        path.unlink(missing_ok=True)


def _write(runtime: Runtime, folder: Path, vectors: bool, progress: Progress) -> Manifest:
    with runtime.database.direct() as conn, conn.transaction():
        set_json_loads(orjson.loads, conn)
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        total = model_store.fetch(conn, "count_all", runtime.account)[0]["count"]
        writer = _Parts(folder, runtime.embedder.model_id)
        pages = _pages(runtime, conn, vectors)
        while writer.write_part(pages):
            progress(writer.memories, total)
    has_vectors = writer.vectors > 0
    manifest = Manifest(
        ultron=__version__,
        schema=newest_schema(),
        account=runtime.account_id,
        made_at=runtime.clock().isoformat(),
        memories=writer.memories,
        vectors=writer.vectors,
        model=runtime.embedder.model_id if has_vectors else None,
        dimension=runtime.embedder.dimension if has_vectors else None,
        parts=tuple(writer.parts),
    )
    write_manifest(folder, manifest)
    return manifest


def _pages(runtime: Runtime, conn: Connection, vectors: bool) -> Iterator[list[dict[str, Any]]]:
    after: UUID | None = None
    while True:
        params = {**runtime.model_key, "vectors": vectors, "after": after, "limit": _A_PAGE}
        rows = _SQL.fetch(conn, "page", params)
        if not rows:
            return
        yield rows
        after = UUID(rows[-1]["memory"]["id"])


class _Parts:
    """Files of lines, one after another."""

    def __init__(self, folder: Path, model: str) -> None:
        self._folder, self._model = folder, model
        self.parts: list[Part] = []
        self.memories = self.vectors = 0

    def write_part(self, pages: Iterator[list[dict[str, Any]]]) -> bool:
        """The next file, on the disk when this returns; False when there is nothing more to write."""
        first = next(pages, None)
        if first is None:
            return False
        name = f"memories-{len(self.parts) + 1:05d}.jsonl"
        digest, size, lines = hashlib.sha256(), 0, 0
        with open(self._folder / name, "wb", opener=private) as handle:
            rows: list[dict[str, Any]] | None = first
            while rows:
                text = b"".join(line_of(row, self._model) for row in rows)
                handle.write(text)
                digest.update(text)
                size, lines = size + len(text), lines + len(rows)
                self.vectors += sum(row["vector"] is not None for row in rows)
                rows = next(pages, None) if lines < _A_PART else None
            handle.flush()
            os.fsync(handle.fileno())
        self.memories += lines
        self.parts.append(Part(name, lines, size, digest.hexdigest()))
        return True
