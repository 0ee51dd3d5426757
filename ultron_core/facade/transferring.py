"""What `Ultron` takes out of a store and brings in again; the steps behind it are loaded when they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ultron_core.paths import real_path
from ultron_core.settings import Settings
from ultron_core.steps.runtime import Runtime

if TYPE_CHECKING:
    from ultron_core.steps.transfer.backup import BackedUp
    from ultron_core.steps.transfer.export import Exported
    from ultron_core.steps.transfer.importing import Imported
    from ultron_core.steps.transfer.restore import Restored
    from ultron_core.store.server import EmbeddedServer

__all__ = ["Transferring", "restore_backup"]

Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Nobody is told."""


class Transferring(ABC):
    """Memories out and in, the whole store as one file."""

    #: the hold on the embedded server; None when the settings name a database
    server: EmbeddedServer | None

    @property
    @abstractmethod
    def runtime(self) -> Runtime:
        """What steps work with."""

    def export_memories(
        self, folder: str | Path, *, vectors: bool = False, progress: Progress = _silent
    ) -> Exported:
        """Write all memories of the account, one a line, into a new or empty folder; `vectors` those of the model in
        use as well, else an import makes them anew. `progress(done, of)` is told how far it is.

        Raises InputError for a folder that is not empty, ExportError when it cannot be written.
        """
        from ultron_core.steps.transfer.export import export_memories

        return export_memories(self.runtime, real_path(folder), vectors=vectors, progress=progress)

    def import_memories(self, folder: str | Path, *, progress: Progress = _silent) -> Imported:
        """Bring in the memories of such a folder, into this or another account or embedder. What is here already stays
        as it is; what is here otherwise is listed in `conflicts`. Importing again brings what is missing.

        Raises InputError, before anything is written, for an export that is damaged, foreign or newer.
        """
        from ultron_core.steps.transfer.importing import import_memories

        return import_memories(self.runtime, real_path(folder), progress=progress)

    def back_up(self, file: str | Path, *, logs: bool = False) -> BackedUp:
        """Write the whole store into a new file: both databases, the settings without keys, `logs` the drop folder too.
        `restore_backup` brings it into an empty home or database.

        Raises InputError for a file that exists, StoreError when the tools of PostgreSQL are missing or fail.
        """
        from ultron_core.steps.transfer.backup import back_up

        return back_up(self.runtime, real_path(file), embedded=self.server is not None, logs=logs)


def restore_backup(file: str | Path, settings: Settings | None = None) -> Restored:
    """Bring a backup into the empty home or database that the settings name; then `Ultron(settings)` opens it.

    Raises InputError, before anything is written, for a file that is damaged, foreign or newer and for a store that is
    not empty, StoreError when the server or its tools are too old.
    """
    from ultron_core.facade.assembly import open_server
    from ultron_core.steps.transfer.restore import restore

    settings = settings if settings is not None else Settings.load()
    with ExitStack() as closing:
        server = open_server(settings, closing)
        url = server.url() if server else str(settings.store.database_url)
        return restore(settings, url, real_path(file), embedded=server is not None)
