"""What needs wording or judgement in an upload: merged bodies, and whether near texts state the same fact.

With a model each question is asked once and never while a lock is held: under it only answers that are
there already count, and what is missing waits (the contribution is kept, the body stays as it was).
"""

from __future__ import annotations

from ultron_core.errors import ModelError
from ultron_core.memories import Body, diverges, merge_bodies, same_fact
from ultron_core.steps.runtime import Runtime

__all__ = ["Judge"]


class Judge:
    """Answers for one call of `upload_memories`; `may_ask` is turned off before a lock is taken for good."""

    def __init__(self, runtime: Runtime) -> None:
        self._llm = runtime.llm
        self._redactor = runtime.redactor
        self._settings = runtime.settings.dedup
        self._bodies: dict[tuple[Body, Body], Body | None] = {}
        self._facts: dict[tuple[str, str], bool] = {}
        self.may_ask = True

    def merged(self, old: Body, new: Body) -> tuple[Body, bool]:
        """(body, whether a model has yet to word it). Offline by rules."""
        limit = self._settings.merge_max_field_tokens
        if not self._settings.extend_body:
            return old, False
        if self._llm is None:
            return merge_bodies(old, new, max_field_tokens=limit).body, False
        if (old, new) not in self._bodies and self.may_ask:
            try:
                made = merge_bodies(old, new, self._llm, max_field_tokens=limit).body
                clean, _ = self._redactor.redact_json([made.content, made.context, made.resolution])
                self._bodies[old, new] = Body(*clean)
            except ModelError:
                self._bodies[old, new] = None
        body = self._bodies.get((old, new))
        return (old, True) if body is None else (body, False)

    def difference(self, old: str, new: str) -> str | None:
        """What keeps two near texts apart, None when nothing does."""
        return diverges(old, new) if self._settings.guard else None

    def same_fact(self, old: str, new: str) -> bool:
        """Whether a model confirms it; False without one, and when it fails: then the two are linked."""
        if self._llm is None:
            return False
        if (old, new) not in self._facts and self.may_ask:
            try:
                self._facts[old, new] = same_fact(old, new, self._llm)
            except ModelError:
                self._facts[old, new] = False
        return self._facts.get((old, new), False)
