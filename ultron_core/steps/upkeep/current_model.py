"""Which embedder a step works with: the one whose vectors the account has, also after a switch elsewhere."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from copy import copy
from dataclasses import replace

from ultron_core.embeddings.protocol import Embedder
from ultron_core.settings import Settings
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import embeddings as store

__all__ = ["LOOK_AGAIN_SECONDS", "CurrentModel"]

logger = logging.getLogger("ultron.embeddings")
#: how long a process may go on with a model after another process has switched
LOOK_AGAIN_SECONDS = 2.0


class CurrentModel:
    """Contexts with the embedder of the model in use. Each call of a step takes one context and keeps it, so
    that a query is embedded by the model whose vectors it is compared with."""

    def __init__(
        self,
        runtime: Runtime,
        make: Callable[[str], Embedder | None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`context` has the embedder of the settings; `make` gives another one by its model id, or None."""
        self._runtime, self._make, self._monotonic = runtime, make, monotonic
        self.own = runtime.embedder
        self._known: dict[str, Embedder | None] = {self.own.model_id: self.own}
        self._look_at = 0.0
        self._lock = threading.Lock()

    def with_settings(self, settings: Settings) -> CurrentModel:
        """The same models and the same lock, for a caller with other settings."""
        other = copy(self)
        other._runtime = replace(self._runtime, settings=settings)
        return other

    def add(self, embedder: Embedder) -> None:
        """An embedder that this process can use."""
        with self._lock:
            self._known[embedder.model_id] = embedder

    def runtime(self) -> Runtime:
        """With the embedder of the model in use; looks into the database at most every two seconds."""
        with self._lock:
            if self._monotonic() >= self._look_at:
                self._look()
            return self._runtime

    def look_again(self) -> None:
        """After a switch in this process."""
        with self._lock:
            self._look()

    def _look(self) -> None:
        account = {"account_id": self._runtime.account_id}
        rows = self._runtime.database.run(lambda conn: store.fetch(conn, "current", account))
        embedder = self._embedder(rows[0]["model_id"]) if rows else self.own
        if embedder is not self._runtime.embedder:
            self._runtime = replace(self._runtime, embedder=embedder)
        self._look_at = self._monotonic() + LOOK_AGAIN_SECONDS

    def _embedder(self, model_id: str) -> Embedder:
        if model_id not in self._known:
            self._known[model_id] = self._make(model_id)
            if self._known[model_id] is None:
                logger.warning(
                    "The vectors are of model %s, which cannot be used here; %s finds by words only until "
                    "`ultron reembed` has run.",
                    *(model_id, self.own.model_id),
                )
        return self._known[model_id] or self.own
