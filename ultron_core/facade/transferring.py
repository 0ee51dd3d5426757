"""What `Ultron` takes out of a store and brings in again; the steps behind it are loaded when it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ultron_core.paths import real_path
from ultron_core.steps.runtime import Runtime

if TYPE_CHECKING:
    from ultron_core.steps.transfer.export import Exported
    from ultron_core.steps.transfer.importing import Imported

__all__ = ["Transferring"]

Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Nobody is told."""


class Transferring(ABC):
    """Export and import memories."""

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
