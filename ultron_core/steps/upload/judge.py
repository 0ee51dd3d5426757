"""What needs wording or judgement in a merge: merged bodies, and whether near texts state the same fact.

With a model each question is asked once and never while a lock is held: under it only answers that are
there already count, and what is missing waits (the contribution is kept, the body stays as it was).
"""

from __future__ import annotations

from ultron_core.errors import ModelError
from ultron_core.memories import Body, diverges, merge_bodies, same_fact
from ultron_core.steps.runtime import Runtime

__all__ = ["Judge", "word_merge"]


def word_merge(runtime: Runtime, old: Body, new: Body) -> Body:
    """The facts of both, by the model if there is one, redacted; `old` when the settings let no body grow.

    Raises ModelError.
    """
    if not runtime.settings.dedup.extend_body:
        return old
    limit = runtime.settings.dedup.merge_max_field_tokens
    merged = merge_bodies(old, new, runtime.llm, max_field_tokens=limit).body
    if runtime.llm is None:
        return merged
    # what a model says may hold what it was never told
    clean, _ = runtime.redactor.redact_json([merged.content, merged.context, merged.resolution])
    return Body(*clean)


class Judge:
    """Answers for one batch; `may_ask` is off while a lock is held for good."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._bodies: dict[tuple[Body, Body], Body | None] = {}
        self._facts: dict[tuple[str, str], bool] = {}
        self.may_ask = True

    def merged(self, old: Body, new: Body) -> tuple[Body, bool]:
        """(body, whether a model has yet to word it). Offline by rules."""
        if self._runtime.llm is None or not self._runtime.settings.dedup.extend_body:
            return word_merge(self._runtime, old, new), False
        if (old, new) not in self._bodies and self.may_ask:
            try:
                self._bodies[old, new] = word_merge(self._runtime, old, new)
            except ModelError:
                self._bodies[old, new] = None
        body = self._bodies.get((old, new))
        return (old, True) if body is None else (body, False)

    def difference(self, old: str, new: str) -> str | None:
        """What keeps two near texts apart, None when nothing does or the settings let nothing do so."""
        return diverges(old, new) if self._runtime.settings.dedup.guard else None

    def same_fact(self, old: str, new: str) -> bool:
        """Whether a model confirms it; False without one, and when it fails: then the two are linked."""
        llm = self._runtime.llm
        if llm is None:
            return False
        if (old, new) not in self._facts and self.may_ask:
            try:
                self._facts[old, new] = same_fact(old, new, llm)
            except ModelError:
                self._facts[old, new] = False
        return self._facts.get((old, new), False)
