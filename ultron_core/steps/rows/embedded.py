"""Vectors for work under locks: the embedder, which may take seconds, is asked while no transaction is open.

What has to be embedded is often known only under the lock (the body as it is now). So the work asks for the
vector of a text; when that is not there yet, its transaction is rolled back, the text is embedded, and the work
starts over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ultron_core.embeddings.checked import embed_taken
from ultron_core.errors import EmbeddingError
from ultron_core.memories import Body
from ultron_core.steps.rows.body import embedded_text
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables.uploads import Floats

__all__ = ["Embedded", "embed_bodies", "run_embedded"]

#: texts that may turn up one after another; undoing a merge needs two, more only when the body keeps changing
_ROUNDS = 6
_T = TypeVar("_T")


def embed_bodies(runtime: Runtime, typed: Sequence[tuple[str, Body]]) -> list[Floats | None]:
    """Vectors of length 1 of bodies with their types; None where the embedder refuses one, all None when it fails: they
    are filled in later."""
    return _embed(runtime, [embedded_text(memory_type, body) for memory_type, body in typed])


def _embed(runtime: Runtime, texts: Sequence[str]) -> list[Floats | None]:
    try:
        return list(embed_taken(runtime.embedder, texts))
    except EmbeddingError:
        return [None] * len(texts)


class _NotEmbedded(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Embedded:
    """Vectors of texts that were embedded before; for one call of `run_embedded`."""

    def __init__(self) -> None:
        self._known: dict[str, Floats | None] = {}
        self._last = False

    def vector(self, text: str) -> Floats | None:
        """Of length 1; None when the embedder failed, or in the last round: back-filling makes it later."""
        if text not in self._known and not self._last:
            raise _NotEmbedded(text)
        return self._known.get(text)


def run_embedded(
    runtime: Runtime, work: Callable[[Embedded, Connection], _T], expected: Sequence[str] = ()
) -> _T:
    """What `work` returns, in one transaction as by `Database.run`; it may begin again, so it must do nothing
    but read and write with its connection. A text is embedded once, those that are `expected` together."""
    embedded = Embedded()
    if expected:
        embedded._known.update(zip(expected, _embed(runtime, expected), strict=True))
    for _ in range(_ROUNDS):
        try:
            return runtime.database.run(partial(work, embedded))
        except _NotEmbedded as missing:
            embedded._known[missing.text] = _embed(runtime, [missing.text])[0]
    embedded._last = True
    return runtime.database.run(partial(work, embedded))
