"""Memories whose text the new model of a re-embedding refuses: asked once a run, and too many end it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from ultron_core.errors import EmbeddingError
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import embeddings as store
from ultron_core.store.tables.uploads import Floats

__all__ = ["Refusals"]

#: fewer refused texts are always let go
_LEAST = 10
#: refused memories of all, in percent: more of them say that the model does not fit, or that its server is failing
_MOST_PERCENT = 1


@dataclass(slots=True)
class Refusals:
    """Of one run. `kept` tells, in the error, what the run has left as it was."""

    kept: str = "Nothing was switched: search and uploads go on with the vectors as they were"
    ids: list[UUID] = field(default_factory=list)
    _unchecked: bool = False

    def note(self, runtime: Runtime, ids: Sequence[UUID], vectors: Sequence[Floats | None]) -> None:
        """Count those without a vector on their rows and leave them out of the rest of the run."""
        fresh = memory_rows.note_refused(runtime, ids, vectors)
        self.ids += fresh
        self._unchecked = self._unchecked or bool(fresh)

    def check(self, runtime: Runtime) -> None:
        """Raise EmbeddingError as soon as too many are refused: they would end without any vector."""
        if not self._unchecked or len(self.ids) < _LEAST:
            return
        account = {"account_id": runtime.account_id}
        total = runtime.database.run(lambda conn: store.fetch(conn, "count_all", account))[0]["count"]
        if len(self.ids) * 100 > total * _MOST_PERCENT:
            raise EmbeddingError(
                f"{runtime.embedder.model_id} refused {len(self.ids)} of {total} texts, more than {_MOST_PERCENT} %: "
                f"the run was stopped. {self.kept}. Look at the embedder's own log, or take a model that accepts "
                "longer texts, then run `ultron reembed` again: it goes on where it stopped."
            )
        self._unchecked = False
